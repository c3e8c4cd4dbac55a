//! Sets of clips with a contract.

use serde::{Deserialize, Serialize};

use super::clip_ref::referred_take;
use super::{Document, FileId, TakeId, free_name};
use portamento_sets::{ClipRequirements, SetRequirements};

/// A set of clips that a game uses together, with its contract.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClipSet {
    /// Its name, unique within the document.
    pub name: String,
    /// Its members. Those of a chain are in order.
    pub members: Vec<SetMember>,
    /// Clip in whose first pose strikes begin and end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<MemberClip>,
    /// Kind and limits. The names of clips in it are not used.
    pub requirements: SetRequirements,
}

/// A member of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetMember {
    /// The clip.
    pub clip: MemberClip,
    /// Requirements on this member alone.
    #[serde(default)]
    pub requirements: ClipRequirements,
}

/// A clip of a file, or a take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberClip {
    /// A clip of a file.
    Clip {
        /// The file.
        file: FileId,
        /// The name of the clip.
        clip: String,
    },
    /// A take.
    Take(TakeId),
}

impl ClipSet {
    /// True if `clip` is a member or the stance.
    pub fn has(&self, clip: &MemberClip) -> bool {
        self.members.iter().map(|member| &member.clip).chain(&self.stance).any(|known| known == clip)
    }
}

impl MemberClip {
    /// Returns the clip named `clip` of `file`, or the take if `clip` is the reference of a take.
    pub fn of(file: FileId, clip: &str) -> Self {
        referred_take(clip).map_or_else(|| Self::Clip { file, clip: clip.to_owned() }, Self::Take)
    }
}

impl Document {
    /// Adds `set` with a free name derived from its own.
    pub fn add_set(&mut self, set: ClipSet) {
        let name = free_name(&set.name, |name| self.sets.iter().any(|set| set.name == name));
        self.sets.push(ClipSet { name, ..set });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_sets::SetKind;

    #[test]
    fn sets_are_read_back_and_a_document_without_sets_is_written_as_before() {
        assert!(!serde_json::to_string(&Document::default()).unwrap().contains("sets"));
        let member =
            |clip| SetMember { clip, requirements: ClipRequirements { fps: Some(30.0), ..Default::default() } };
        let walk = MemberClip::Clip { file: FileId(1), clip: "walk".into() };
        let requirements = SetRequirements { kind: SetKind::Ring, ..SetRequirements::default() };
        let members = vec![member(walk.clone()), member(MemberClip::Take(TakeId(2)))];
        let set = ClipSet { name: "gaits".into(), members, stance: Some(walk), requirements };
        let mut document = Document::default();
        document.add_set(set.clone());
        document.add_set(set);
        assert_eq!(document.sets.iter().map(|set| &*set.name).collect::<Vec<_>>(), ["gaits", "gaits 2"]);
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
    }
}

//! Takes named where settings name clips: as source, in a blend, as gait, start, stop, turn or stand of a walk, as skill.

use super::{Document, FileId, StageKind, Take, TakeId, TakeSource};
use crate::systems::locomotion::ClipRoles;

/// What stands before the number of a take.
const PREFIX: &str = "take:";

/// The text that means take `id` wherever a clip is named; no change of the take's name touches it.
pub fn take_ref(id: TakeId) -> String {
    format!("{PREFIX}{}", id.0)
}

/// The take that `name` means; `None` for the name of a clip.
pub fn referred_take(name: &str) -> Option<TakeId> {
    name.strip_prefix(PREFIX)?.parse().ok().map(TakeId)
}

/// A clip of a file, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileClip<'a> {
    /// The file that holds it.
    pub file: FileId,
    /// What it is called there.
    pub clip: &'a str,
}

impl Take {
    /// The takes that it names as clips, muted stages included, each once.
    pub fn used_takes(&self) -> Vec<TakeId> {
        let stages = self.stages.iter().flat_map(|stage| stage.kind.clip_names());
        let mut used: Vec<TakeId> =
            self.source.clip_names().into_iter().chain(stages).filter_map(referred_take).collect();
        used.sort_unstable();
        used.dedup();
        used
    }
}

impl Document {
    /// The takes that name take `id` as a clip.
    pub fn users_of(&self, id: TakeId) -> impl Iterator<Item = &Take> {
        self.takes.iter().filter(move |take| take.used_takes().contains(&id))
    }

    /// Whether take `user` may name `used` as a clip: not where `used` is made from `user`.
    pub fn may_use(&self, user: TakeId, used: TakeId) -> bool {
        let mut reached = vec![used];
        let mut next = 0;
        while let Some(&id) = reached.get(next) {
            let more = self.take(id).map(Take::used_takes).unwrap_or_default();
            reached.extend(more.into_iter().filter(|more| !reached.contains(more)).collect::<Vec<_>>());
            next += 1;
        }
        !reached.contains(&user)
    }

    /// What to show for `name`: the name of the take it means, else itself.
    pub fn clip_title(&self, name: &str) -> String {
        let take = referred_take(name).and_then(|id| self.take(id));
        take.map_or_else(|| name.to_owned(), |take| take.name.clone())
    }
}

impl TakeSource {
    /// The clips and takes it names.
    pub fn clip_names(&self) -> Vec<&str> {
        match self {
            Self::Clip { clip, .. } => vec![clip],
            Self::Retarget(retarget) => vec![&retarget.clip],
            Self::Scenario(blend) => blend.clip_names(),
            Self::Walk(walk) => role_names(&walk.settings.clips),
            Self::Vertices(vertices) => vertices.clip.as_deref().into_iter().collect(),
            Self::Rest { .. } | Self::Images { .. } | Self::Cloth(_) => Vec::new(),
        }
    }

    /// Puts `new` wherever a clip is named `old`.
    pub fn replace_clip(&mut self, old: &str, new: &str) {
        let names: Vec<&mut String> = match self {
            Self::Clip { clip, .. } => vec![clip],
            Self::Retarget(retarget) => vec![&mut retarget.clip],
            Self::Scenario(blend) => blend.settings.clip_names_mut(),
            Self::Walk(walk) => role_names_mut(&mut walk.settings.clips),
            Self::Vertices(vertices) => vertices.clip.iter_mut().collect(),
            Self::Rest { .. } | Self::Images { .. } | Self::Cloth(_) => Vec::new(),
        };
        replace(names, old, new);
    }
}

impl StageKind {
    /// The clips and takes it names.
    pub fn clip_names(&self) -> Vec<&str> {
        match self {
            Self::Layer(layer) => layer.settings.clip_names(),
            _ => Vec::new(),
        }
    }

    /// Puts `new` wherever a clip is named `old`.
    pub fn replace_clip(&mut self, old: &str, new: &str) {
        if let Self::Layer(layer) = self {
            replace(layer.settings.clip_names_mut(), old, new);
        }
    }
}

fn replace(names: Vec<&mut String>, old: &str, new: &str) {
    names.into_iter().filter(|name| *name == old).for_each(|name| new.clone_into(name));
}

fn role_names(roles: &ClipRoles) -> Vec<&str> {
    let single = [&roles.idle, &roles.stop, &roles.start].into_iter().flatten();
    let gaits = roles.gaits.iter().map(|gait| &gait.clip);
    single.chain(gaits).chain(&roles.turns).map(String::as_str).collect()
}

fn role_names_mut(roles: &mut ClipRoles) -> Vec<&mut String> {
    let single = [&mut roles.idle, &mut roles.stop, &mut roles.start].into_iter().flatten();
    let gaits = roles.gaits.iter_mut().map(|gait| &mut gait.clip);
    single.chain(gaits).chain(&mut roles.turns).collect()
}

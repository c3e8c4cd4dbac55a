//! References to takes in settings that name clips: sources, blends, walk roles (gait, start, stop, turn, idle) and layers.

use super::{Document, FileId, StageKind, Take, TakeId, TakeSource};
use portamento_walk::locomotion::ClipRoles;

/// The prefix of a take reference, followed by the take's id.
const PREFIX: &str = "take:";

/// Returns the text that refers to take `id` where a clip name is expected. It does not depend on the take's name.
pub fn take_ref(id: TakeId) -> String {
    format!("{PREFIX}{}", id.0)
}

/// Returns the take that `name` refers to; `None` for a clip name. The take may not exist.
pub fn referred_take(name: &str) -> Option<TakeId> {
    name.strip_prefix(PREFIX)?.parse().ok().map(TakeId)
}

/// A clip of a file, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileClip<'a> {
    /// The file that contains the clip.
    pub file: FileId,
    /// The name of the clip in the file.
    pub clip: &'a str,
}

impl Take {
    /// Returns the takes that this take uses as clips, each once. Muted stages count.
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
    /// Returns the takes that use take `id` as a clip.
    pub fn users_of(&self, id: TakeId) -> impl Iterator<Item = &Take> {
        self.takes.iter().filter(move |take| take.used_takes().contains(&id))
    }

    /// True if take `user` may use take `used` as a clip, which is not the case if `used` depends on `user`. False if both
    /// are the same take.
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

    /// Returns the display name of `name`: the name of the take it refers to, else `name`.
    pub fn clip_title(&self, name: &str) -> String {
        let take = referred_take(name).and_then(|id| self.take(id));
        take.map_or_else(|| name.to_owned(), |take| take.name.clone())
    }
}

impl Take {
    /// Replaces references to takes, given as pairs of the old and the new id, all at once.
    pub fn replace_takes(&mut self, ids: &[(TakeId, TakeId)]) {
        // A new id may be the old one of another take.
        let pending = |index: usize| format!("{PENDING}{index}");
        for (index, (old, _)) in ids.iter().enumerate() {
            self.replace_clip(&take_ref(*old), &pending(index));
        }
        for (index, (_, new)) in ids.iter().enumerate() {
            self.replace_clip(&pending(index), &take_ref(*new));
        }
    }

    fn replace_clip(&mut self, old: &str, new: &str) {
        self.source.replace_clip(old, new);
        self.stages.iter_mut().for_each(|stage| stage.kind.replace_clip(old, new));
    }
}

/// Prefix of references while ids are replaced; no clip has such a name.
const PENDING: &str = "\u{0}";

impl TakeSource {
    /// Returns the clip names and take references that it uses.
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

    /// Replaces the clip name or take reference `old` by `new` in all settings of the source.
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
    /// Returns the clip names and take references that it uses.
    pub fn clip_names(&self) -> Vec<&str> {
        match self {
            Self::Layer(layer) => layer.settings.clip_names(),
            Self::Align(align) => {
                let names = [&align.settings.begin, &align.settings.end];
                names.into_iter().filter(|name| !name.is_empty()).map(String::as_str).collect()
            }
            Self::Additive(additive) => additive.settings.reference_clip().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Replaces the clip name or take reference `old` by `new` in all settings of the stage.
    pub fn replace_clip(&mut self, old: &str, new: &str) {
        match self {
            Self::Layer(layer) => replace(layer.settings.clip_names_mut(), old, new),
            Self::Align(align) => replace(vec![&mut align.settings.begin, &mut align.settings.end], old, new),
            Self::Additive(additive) => replace(vec![&mut additive.settings.clip], old, new),
            _ => {}
        }
    }
}

fn replace(names: Vec<&mut String>, old: &str, new: &str) {
    names.into_iter().filter(|name| *name == old).for_each(|name| new.clone_into(name));
}

/// Returns the clip names of all roles, with repetitions; open roles have none.
fn role_names(roles: &ClipRoles) -> Vec<&str> {
    let single = [&roles.idle, &roles.stop, &roles.start].into_iter().flatten();
    let gaits = roles.gaits.iter().map(|gait| &gait.clip);
    single.chain(gaits).chain(&roles.turns).chain(&roles.crossings).map(String::as_str).collect()
}

/// Returns the names of [`role_names`] for editing.
fn role_names_mut(roles: &mut ClipRoles) -> Vec<&mut String> {
    let single = [&mut roles.idle, &mut roles.stop, &mut roles.start].into_iter().flatten();
    let gaits = roles.gaits.iter_mut().map(|gait| &mut gait.clip);
    single.chain(gaits).chain(&mut roles.turns).chain(&mut roles.crossings).collect()
}

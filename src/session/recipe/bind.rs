//! Binding of recipe takes to a rig: joints by name or role, and slots.

use std::collections::BTreeMap;

use serde_json::Value;

use super::joints::{each_length, each_named, each_numbered};
use super::{Recipe, RecipeSource, RecipeTake, SLOT};
use crate::OpenDocument;
use portamento_anim::rig::preset::Names;
use portamento_anim::{Roles, Skeleton};
use portamento_base::message::{Message, message};
use portamento_takes::document::clip_ref::{FileClip, referred_take, take_ref};
use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};

/// The clip for each slot by slot name; other slots use the clip with the slot's name.
pub type Fills = BTreeMap<String, String>;

impl<'a> OpenDocument<'a> {
    /// Returns a take of `recipe` that is not a stack, from the recipe's own files.
    ///
    /// Returns `Err` if it is a stack, or if a joint is missing.
    pub fn recipe_take(self, recipe: &Recipe, take: &RecipeTake) -> Result<Take, Message> {
        let (RecipeSource::Of(source), Some(character)) = (&take.source, take.character) else {
            return Err(unfilled("clip"));
        };
        let stages = self.stages_on(recipe, take, character, 1.0)?;
        Ok(Take {
            id: take.id,
            name: take.name.clone(),
            character,
            source: (**source).clone(),
            stages,
            loops: take.loops,
        })
    }

    /// Returns the stack `take` of `recipe` on a clip of `file`, without a unique id and name.
    ///
    /// Returns `Err` if a joint or clip is missing, or if a slot cannot be filled.
    pub(super) fn stacked(
        self,
        recipe: &Recipe,
        take: &RecipeTake,
        fills: &Fills,
        FileClip { file, clip }: FileClip,
    ) -> Result<Take, Message> {
        if !self.has_clip(file, clip) {
            return Err(no_clip(clip));
        }
        let unit = self.document.file(file).map_or(1.0, |file| file.metres_per_unit);
        let scale = recipe.metres_per_unit.map_or(1.0, |metres| if metres == unit { 1.0 } else { metres / unit });
        let mut stages = self.stages_on(recipe, take, file, scale)?;
        stages.iter_mut().try_for_each(|stage| self.fill(recipe, &mut stage.kind, fills, file))?;
        let source = TakeSource::Clip { file, clip: clip.to_owned() };
        let stem = self.document.file(file).and_then(|file| file.path.file_stem());
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Take {
            id: TakeId(0),
            name: named(&take.name, clip, &stem),
            character: file,
            source,
            stages,
            loops: take.loops,
        })
    }

    /// Returns `stages`, made for the character of the file `from`, for that of `to`: joints by name or role, lengths in its unit.
    ///
    /// Returns `Err` if a joint is missing or has no unique name.
    pub(crate) fn stages_for(self, stages: &[Stage], from: FileId, to: FileId) -> Result<Vec<Stage>, Message> {
        if from == to {
            return Ok(stages.to_vec());
        }
        let mut recipe = Recipe::default();
        let mut named = Vec::new();
        for stage in stages {
            let mut json = serde_json::to_value(stage).unwrap_or_default();
            recipe.roles.append(&mut self.name_joints(&mut json, from)?);
            named.push(json);
        }
        let take = RecipeTake {
            id: TakeId(0),
            name: String::new(),
            character: None,
            source: RecipeSource::Slot,
            stages: named,
            loops: None,
        };
        let [own, other] = [from, to].map(|file| self.document.file(file).map_or(1.0, |file| file.metres_per_unit));
        self.stages_on(&recipe, &take, to, own / other)
    }

    /// Returns the stages of `take` for the rig of `file`; lengths are multiplied by `scale`. Returns `Err` if a joint is
    /// missing.
    fn stages_on(self, recipe: &Recipe, take: &RecipeTake, file: FileId, scale: f64) -> Result<Vec<Stage>, Message> {
        let (no_skeleton, unknown) = (Skeleton::default(), Roles::default());
        let skeleton = self.library.get(file).map_or(&no_skeleton, |loaded| &loaded.model.skeleton);
        let roles = self.document.character(file).map_or(&unknown, |known| &known.roles);
        let rig = NamedRig { recipe, skeleton, names: Names::from_skeleton(skeleton), words: roles.in_words() };
        take.stages.iter().map(|stage| rig.stage(stage.clone(), scale)).collect()
    }

    /// Fills the slots of a stage from `file` first, and checks that its other clips exist.
    ///
    /// Returns `Err` if a slot cannot be filled or a clip is missing.
    fn fill(self, recipe: &Recipe, kind: &mut StageKind, fills: &Fills, file: FileId) -> Result<(), Message> {
        let names: Vec<String> = kind.clip_names().into_iter().map(str::to_owned).collect();
        for name in names.iter().filter(|name| !name.is_empty()) {
            if let Some(slot) = name.strip_prefix(SLOT) {
                let (clip, from) = self.filled(slot, fills, file).ok_or_else(|| unfilled(slot))?;
                kind.replace_clip(name, &clip);
                let layer = kind.as_layer_mut().filter(|layer| from != file && !layer.files.contains(&from));
                layer.into_iter().for_each(|layer| layer.files.push(from));
                continue;
            }
            let exists = match referred_take(name) {
                Some(id) => recipe.takes.iter().any(|take| take.id == id) && self.document.take(id).is_some(),
                None => kind.files().iter().chain([&file]).any(|&file| self.has_clip(file, name)),
            };
            exists.then_some(()).ok_or_else(|| no_clip(name))?;
        }
        Ok(())
    }

    /// Returns the clip for `slot` and its file: from the file `own`, otherwise from another file, otherwise a take. `None` if
    /// no clip or take has the name.
    fn filled(self, slot: &str, fills: &Fills, own: FileId) -> Option<(String, FileId)> {
        let wanted = fills.get(slot).map_or(slot, String::as_str);
        let others = self.document.files.iter().map(|file| file.id);
        let clip = [own].into_iter().chain(others).find(|&file| self.has_clip(file, wanted));
        let matches_slot = |take: &&Take| take.name == wanted && take.moves_joints();
        let take = || self.document.takes.iter().find(matches_slot).map(|take| (take_ref(take.id), own));
        clip.map(|file| (wanted.to_owned(), file)).or_else(take)
    }

    /// True if `file` is loaded and contains the clip.
    fn has_clip(self, file: FileId, clip: &str) -> bool {
        self.library.get(file).is_some_and(|loaded| loaded.model.clip(clip).is_some())
    }
}

/// The joints of a rig, found by the names in a recipe.
struct NamedRig<'a> {
    recipe: &'a Recipe,
    skeleton: &'a Skeleton,
    names: Names<'a>,
    words: Vec<(String, usize)>,
}

impl NamedRig<'_> {
    /// Returns the stage in `json` with the joints of this rig, and with lengths multiplied by `scale`. Returns `Err` if a
    /// joint is not found or `json` is no stage.
    fn stage(&self, mut json: Value, scale: f64) -> Result<Stage, Message> {
        let mut missing = None;
        let mut find = |named: &Value| {
            let name = named.as_str()?;
            let joint = self.joint(name);
            missing = missing.take().or(joint.is_none().then(|| name.to_owned()));
            joint
        };
        each_numbered(&mut json, |joint| {
            find(joint).into_iter().for_each(|found| *joint = found.into());
        });
        each_named(&mut json, |joint| {
            let found = find(joint).and_then(|found| self.skeleton.joints.get(found));
            found.into_iter().for_each(|found| *joint = found.name.clone().into());
        });
        if let Some(joint) = missing {
            return Err(no_joint(&joint));
        }
        // A factor of 1 leaves every bit unchanged.
        each_length(&mut json, |length| {
            let scaled = length.as_f64().map(|length| length * scale);
            scaled.into_iter().for_each(|scaled| *length = scaled.into());
        });
        serde_json::from_value(json).map_err(super::text::no_recipe)
    }

    /// Returns the joint with that name, otherwise the joint whose role the recipe gives to that name. `None` if the rig has
    /// neither.
    fn joint(&self, name: &str) -> Option<usize> {
        let of_role = || {
            let role = self.recipe.roles.get(name)?;
            self.words.iter().find(|(word, _)| word == role).map(|(_, joint)| *joint)
        };
        self.names.find(name).or_else(of_role)
    }
}

/// Returns the name of a stack on a clip of a file: `pattern` with its placeholders replaced. The clip comes first if the
/// pattern does not name it.
fn named(pattern: &str, clip: &str, file: &str) -> String {
    let pattern = if pattern.contains("{clip}") { pattern.to_owned() } else { format!("{{clip}} {pattern}") };
    pattern.replace("{file}", file).replace("{clip}", clip)
}

/// Returns the error that the rig has no such joint.
fn no_joint(joint: &str) -> Message {
    message!("error.recipe.no_joint", "The rig has no joint “%{joint}” and no joint with the same role.", joint)
}

/// Returns the error that the file has no such clip.
fn no_clip(clip: &str) -> Message {
    message!("error.recipe.no_clip", "The file has no clip “%{clip}”.", clip)
}

/// Returns the error that no clip fits the slot.
fn unfilled(slot: &str) -> Message {
    message!("error.recipe.unfilled", "The slot “%{slot}” is empty. Open a file with a clip of that name first.", slot)
}

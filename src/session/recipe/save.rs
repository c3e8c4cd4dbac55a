//! Saving a take as a recipe: its stages, with a slot as the source.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::joints::{each_named, each_numbered};
use super::{Recipe, RecipeSource, RecipeTake, SLOT};
use crate::notices::about;
use crate::{OpenDocument, Session, Severity, Topic};
use portamento_anim::Skeleton;
use portamento_base::message::{Message, Tell, message};
use portamento_formats::export::{FileSet, Replace};
use portamento_takes::document::{FileId, SceneObject, Stage, StageKind, Take, TakeId, TakeSource};

impl Session {
    /// Saves the stages of take `id` as a recipe to `path`, over an existing file. Adds a notice with the result.
    pub(crate) fn save_recipe(&mut self, id: TakeId, path: &Path) {
        let recipe = match self.opened().recipe_of(id) {
            Ok(recipe) => recipe,
            Err(reason) => return self.notices.fail(Topic::SaveRecipe, reason),
        };
        let mut files = FileSet::on(self.disk.clone(), self.sources().into());
        // The file dialog has already asked about overwriting.
        let written = files.write(path, recipe.to_json().as_bytes()).and_then(|()| files.commit(Replace::Allow));
        match written {
            Ok(_) => {
                self.notices.succeed(&Topic::SaveRecipe);
                let path = path.display().to_string();
                let message = message!("notice.recipe_written", "Recipe saved to %{path}.", path = path);
                self.notices.add(Severity::Done, message);
            }
            Err(error) => self.notices.fail(Topic::SaveRecipe, error.message()),
        }
    }
}

impl<'a> OpenDocument<'a> {
    /// Returns the stages of take `id` as a stack for any clip, without muted stages.
    ///
    /// Returns `Err` as [`Self::may_be_recipe`] does, or if a joint has no unique name.
    pub fn recipe_of(self, id: TakeId) -> Result<Recipe, Message> {
        self.may_be_recipe(id)?;
        let take = self.document.take(id).ok_or_else(take_gone)?;
        let kinds: Vec<StageKind> = take
            .stages
            .iter()
            .filter(|stage| stage.on)
            .map(|stage| self.with_slots(&stage.kind, take.character))
            .collect();
        let aims: Vec<&String> =
            kinds.iter().filter_map(|kind| kind.as_stretch()).filter_map(|stretch| stretch.aim_at.as_ref()).collect();
        let aimed_at = self.document.objects.iter().filter(|object| aims.contains(&&object.name));
        let objects = aimed_at.map(SceneObject::as_point).collect();
        let has_target = |kind: &StageKind| kind.as_stretch().is_some_and(|stretch| stretch.aim_at.is_none());
        let unit = self.document.file(take.character).map(|file| file.metres_per_unit);
        let metres_per_unit = unit.filter(|_| kinds.iter().any(has_target));
        let (mut stages, mut roles) = (Vec::new(), BTreeMap::new());
        for stage in Stage::numbered(kinds) {
            let mut json = serde_json::to_value(&stage).unwrap_or_default();
            roles.append(&mut self.name_joints(&mut json, take.character)?);
            stages.push(json);
        }
        let stack = RecipeTake {
            id: TakeId(1),
            name: pattern(take),
            character: None,
            source: RecipeSource::Slot,
            stages,
            loops: take.loops,
        };
        Ok(Recipe { files: Vec::new(), objects, roles, metres_per_unit, takes: vec![stack] })
    }

    /// Returns `Err` with the reason if take `id` does not exist, moves no joints, or has no enabled stage.
    /// [`Self::recipe_of`] can still fail because of a joint without a unique name.
    pub fn may_be_recipe(self, id: TakeId) -> Result<(), Message> {
        let take = self.document.take(id).ok_or_else(take_gone)?;
        let has_stages = take.moves_joints() && take.stages.iter().any(|stage| stage.on);
        if has_stages { Ok(()) } else { Err(no_stack(&take.name)) }
    }

    /// Returns `kind` with slots for clips that the character's own file does not contain.
    fn with_slots(self, kind: &StageKind, character: FileId) -> StageKind {
        let mut kind = kind.clone();
        let model = self.library.get(character).map(|loaded| &loaded.model);
        let is_own = |name: &str| name.is_empty() || model.is_some_and(|model| model.clip(name).is_some());
        let names: Vec<String> = kind.clip_names().into_iter().map(str::to_owned).collect();
        for name in names.iter().filter(|name| !is_own(name)) {
            kind.replace_clip(name, &format!("{SLOT}{}", self.document.clip_title(name)));
        }
        kind.as_layer_mut().into_iter().for_each(|layer| layer.files.clear());
        kind
    }

    /// Replaces joint indices in `stage` by names; returns the roles of these joints by their names.
    ///
    /// Returns `Err` if a joint is missing or has no unique name.
    pub(super) fn name_joints(self, stage: &mut Value, character: FileId) -> Result<BTreeMap<String, String>, Message> {
        let no_skeleton = Skeleton::default();
        let skeleton = self.library.get(character).map_or(&no_skeleton, |loaded| &loaded.model.skeleton);
        let known = self.document.character(character);
        let words: BTreeMap<usize, String> = known
            .map(|known| known.roles.in_words())
            .into_iter()
            .flatten()
            .map(|(word, joint)| (joint, word))
            .collect();
        let (mut roles, mut unnamed) = (BTreeMap::new(), None);
        let mut note_role = |joint: usize, name: &str| {
            roles.extend(words.get(&joint).map(|word| (name.to_owned(), word.clone())));
        };
        each_numbered(stage, |joint| {
            let Some(number) = joint.as_u64().and_then(|number| usize::try_from(number).ok()) else { return };
            match skeleton.joints.get(number).filter(|named| skeleton.find(&named.name) == Some(number)) {
                Some(named) => {
                    note_role(number, &named.name);
                    *joint = named.name.clone().into();
                }
                None => unnamed = Some(number),
            }
        });
        each_named(stage, |joint| {
            let name = joint.as_str().unwrap_or_default();
            skeleton.find(name).into_iter().for_each(|found| note_role(found, name));
        });
        unnamed.map_or(Ok(roles), |joint| Err(nameless_joint(skeleton, joint)))
    }
}

/// Returns the take's name with `{clip}` in place of the clip's name, if it begins with that name. Otherwise, and for
/// a source that is no clip, `{clip}` and a blank come before the name.
fn pattern(take: &Take) -> String {
    let TakeSource::Clip { clip, .. } = &take.source else { return format!("{{clip}} {}", take.name) };
    match take.name.strip_prefix(clip.as_str()).filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
        Some(rest) => format!("{{clip}}{rest}"),
        None => format!("{{clip}} {}", take.name),
    }
}

/// Returns the error that a take no longer exists.
fn take_gone() -> Message {
    message!("notice.take_gone", "the take is no longer in the project. Choose another.")
}

/// Returns the error that `take` has no stages for a recipe.
fn no_stack(take: &str) -> Message {
    let reason = message!(
        "error.recipe.no_stages",
        "A recipe needs at least one enabled stage on a take that moves a skeleton. Add or enable one first."
    );
    about(take, reason)
}

/// Returns the error that the name of `joint` does not identify it.
fn nameless_joint(skeleton: &Skeleton, joint: usize) -> Message {
    let name = skeleton.joints.get(joint).map_or_else(|| joint.to_string(), |joint| joint.name.clone());
    message!(
        "error.recipe.nameless",
        "A stage uses joint “%{joint}”, which is missing or not unique in this rig, so a recipe cannot refer to it by name. \
         Choose another joint.",
        joint = name
    )
}

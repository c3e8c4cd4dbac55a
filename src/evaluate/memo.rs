//! Built takes, kept while what they were made from is equal.

use std::sync::Arc;

use crate::anim::made_root::{self, NoRootMotion};
use crate::anim::{Clip, Roles, RootKind, RootMotion, clip_match};
use crate::document::take::{RootChoice, Stretch};
use crate::document::{Asset, Document, FileId, Library, Loaded, Modifier, SceneObject, Take, TakeSource};
use crate::progress::Progress;
use crate::systems::stretch;

/// Why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// The file is missing or could not be read.
    #[error("the file of “{0}” is not loaded. Open it, or choose another source.")]
    NotLoaded(String),
    /// The clip is not in its file (any more).
    #[error("there is no clip “{clip}” in {file}. It has: {known}.")]
    NoClip {
        /// The name asked for.
        clip: String,
        /// Where it was looked for.
        file: String,
        /// What is there.
        known: String,
    },
    /// No joint of the clip is in the character.
    #[error(
        "no joint of “{0}” has the name of a joint of the character. Choose a clip made for a rig with the same names."
    )]
    NothingInCommon(String),
    /// The scene object is gone.
    #[error("there is no scene object “{0}”. Choose another target.")]
    NoObject(String),
    /// A skeleton without joints.
    #[error("the file of “{0}” has no joints to move. Choose a file with a rig.")]
    NoJoints(String),
    /// Root motion could not be made.
    #[error(transparent)]
    NoRootMotion(#[from] NoRootMotion),
    /// Stretching was refused.
    #[error(transparent)]
    Stretch(#[from] stretch::BuildError),
}

/// A take, ready to be sampled.
#[derive(Clone, Debug)]
pub struct BuiltTake {
    /// The character's file.
    pub character: Asset<Loaded>,
    /// Name of the source clip.
    pub clip_name: String,
    /// Whether the source clip is one of the character's own file.
    pub is_own_clip: bool,
    /// The source, on the character's joints.
    pub source: Arc<Clip>,
    /// One per modifier, in order.
    pub stages: Vec<Stage>,
    /// What comes out of the last stage: shown and exported.
    pub clip: Arc<Clip>,
    /// Frames per second of the source.
    pub fps: f64,
    /// What carries the character, if anything does.
    pub root: Option<RootMotion>,
    /// Metres per file unit.
    pub metres_per_unit: f64,
    /// Limits and fallbacks that were applied, as sentences.
    pub warnings: Vec<String>,
}

/// A built modifier.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Displacement stretching.
    Stretch(Arc<stretch::Built>),
}

impl BuiltTake {
    /// The first stretch, for its path, plots and numbers.
    pub fn stretch(&self) -> Option<&stretch::Built> {
        self.stages.first().map(|Stage::Stretch(built)| &**built)
    }

    /// The numbers that say whether the take is right, for reports.
    pub fn report(&self) -> serde_json::Value {
        let mut report = serde_json::json!({
            "clip": self.clip.name,
            "source": self.clip_name,
            "seconds": self.clip.duration,
            "fps": self.fps,
            "warnings": self.warnings,
        });
        if let Some(built) = self.stretch() {
            report["stretch"] = super::report::stretch(self, built);
        }
        report
    }
}

/// Everything a built take depends on; equal inputs give the same bits.
#[derive(Clone, Debug, PartialEq)]
struct Inputs {
    take: Take,
    character: Asset<Loaded>,
    clip_file: Asset<Loaded>,
    roles: Roles,
    metres_per_unit: f64,
    objects: Vec<SceneObject>,
}

/// The takes built lately.
#[derive(Debug, Default)]
pub struct Memo {
    newest_first: Vec<(Inputs, Arc<BuiltTake>)>,
}

/// Takes kept: enough to flip between all takes of a usual project.
const CAPACITY: usize = 24;

impl Memo {
    /// `take` of `document` built, or as it was built before from equal inputs.
    pub fn take(
        &mut self,
        document: &Document,
        library: &Library,
        take: &Take,
        progress: &Progress,
    ) -> Result<Arc<BuiltTake>, TakeError> {
        let inputs = inputs(document, library, take)?;
        if let Some(at) = self.newest_first.iter().position(|(known, _)| *known == inputs) {
            let entry = self.newest_first.remove(at);
            self.newest_first.insert(0, entry);
        } else {
            let built = Arc::new(build(&inputs, progress)?);
            self.newest_first.insert(0, (inputs, built));
            self.newest_first.truncate(CAPACITY);
        }
        Ok(self.newest_first[0].1.clone())
    }
}

fn inputs(document: &Document, library: &Library, take: &Take) -> Result<Inputs, TakeError> {
    let TakeSource::Clip { file, .. } = &take.source;
    let loaded = |id: FileId| library.get(id).cloned().ok_or_else(|| TakeError::NotLoaded(take.name.clone()));
    let uses_objects = take.modifiers.iter().any(|Modifier::Stretch(stretch)| stretch.aim_at.is_some());
    Ok(Inputs {
        take: take.clone(),
        character: loaded(take.character)?,
        clip_file: loaded(*file)?,
        roles: document.character(take.character).map(|character| character.roles.clone()).unwrap_or_default(),
        metres_per_unit: document.file(take.character).map_or(1.0, |file| file.metres_per_unit),
        objects: if uses_objects { document.objects.clone() } else { Vec::new() },
    })
}

fn build(inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
    let (source, mut warnings) = source_clip(inputs)?;
    let skeleton = &inputs.character.model.skeleton;
    let root = RootMotion::find(skeleton, &source, &inputs.roles);
    let fps = source.fps();
    let TakeSource::Clip { clip, .. } = &inputs.take.source;
    let mut built = BuiltTake {
        character: inputs.character.clone(),
        clip_name: clip.clone(),
        is_own_clip: inputs.clip_file == inputs.character,
        clip: source.clone(),
        source,
        stages: Vec::new(),
        fps,
        root,
        metres_per_unit: inputs.metres_per_unit,
        warnings: Vec::new(),
    };
    for modifier in &inputs.take.modifiers {
        let Modifier::Stretch(stretch) = modifier;
        choose_root(inputs, stretch.root, &mut built)?;
        let stage = build_stretch(inputs, stretch, &built, progress)?;
        warnings.extend(stage.report.warnings.iter().map(stretch::Warning::sentence));
        built.clip = Arc::new(stage.clip().clone());
        built.stages.push(Stage::Stretch(Arc::new(stage)));
    }
    if built.clip.name != inputs.take.name {
        built.clip = Arc::new(Clip { name: inputs.take.name.clone(), ..Clip::clone(&built.clip) });
    }
    built.warnings = warnings;
    Ok(built)
}

/// The source clip on the character's joints, and what did not fit.
fn source_clip(inputs: &Inputs) -> Result<(Arc<Clip>, Vec<String>), TakeError> {
    let TakeSource::Clip { clip: name, .. } = &inputs.take.source;
    let model = &inputs.clip_file.model;
    let clip = model.clip(name).ok_or_else(|| TakeError::NoClip {
        clip: name.clone(),
        file: model.name.clone(),
        known: model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    if inputs.clip_file == inputs.character {
        return Ok((Arc::new(clip.clone()), Vec::new()));
    }
    let (matched, missing) = clip_match::clip_by_names(&model.skeleton, clip, &inputs.character.model.skeleton);
    if matched.tracks.iter().all(|tracks| tracks.is_empty()) {
        return Err(TakeError::NothingInCommon(name.clone()));
    }
    let warning = format!("Joints of “{name}” that the character does not have were left out: {}.", missing.join(", "));
    Ok((Arc::new(matched), if missing.is_empty() { Vec::new() } else { vec![warning] }))
}

/// Takes the root motion the user chose; making one changes the clip.
fn choose_root(inputs: &Inputs, choice: RootChoice, built: &mut BuiltTake) -> Result<(), TakeError> {
    match choice {
        RootChoice::Found => {}
        RootChoice::Joint(joint) => {
            let kind = if inputs.roles.hips == Some(joint) { RootKind::HipsGroundPart } else { RootKind::Root };
            built.root = Some(RootMotion { joint, kind });
        }
        RootChoice::Made => {
            let skeleton = &inputs.character.model.skeleton;
            let made = made_root::make(skeleton, &built.clip, &inputs.roles, built.fps, inputs.metres_per_unit)?;
            (built.clip, built.root) = (Arc::new(made.0), Some(made.1));
        }
    }
    Ok(())
}

fn build_stretch(
    inputs: &Inputs,
    stretch: &Stretch,
    before: &BuiltTake,
    progress: &Progress,
) -> Result<stretch::Built, TakeError> {
    let mut settings = stretch.settings.clone();
    if let Some(name) = &stretch.aim_at {
        let object = inputs.objects.iter().find(|object| object.name == *name);
        let object = object.ok_or_else(|| TakeError::NoObject(name.clone()))?;
        settings.target = Some(stretch::Target::World(object.position / inputs.metres_per_unit));
    }
    let root = before.root.ok_or_else(|| TakeError::NoJoints(before.clip_name.clone()))?;
    let input = stretch::Input {
        skeleton: &inputs.character.model.skeleton,
        clip: &before.clip,
        roles: &inputs.roles,
        root,
        fps: before.fps,
        metres_per_unit: inputs.metres_per_unit,
    };
    Ok(stretch::build(&input, &settings, progress)?)
}

//! The inputs of a built take.

use std::sync::{Arc, LazyLock, OnceLock};

use glam::DVec3;

use super::TakeError;
use super::named_clips::{NamedClips, Resolver, TakeClip};
use crate::document::keyed::INFLUENCE;
use crate::document::{
    Asset, FileId, KeyedSetting, Library, Loaded, ObstacleBox, SceneObject, Stage, StageKind, Take, TakeSource, Walk,
};
use portamento_anim::Roles;
use portamento_anim::math::key_curve::KeyCurve;

/// Everything a built take depends on. Equal inputs produce identical results.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    /// The motion before any stage.
    pub source: TakeSource,
    /// The stages, in order.
    pub stages: Vec<StageInput>,
    /// The name of the result; `None` keeps the name of the source.
    pub name: Option<String>,
    /// The character's file.
    pub character: Asset<Loaded>,
    /// The clips that the source references, and its files.
    pub clips: NamedClips,
    /// The roles of the character's joints.
    pub roles: Roles,
    /// Metres per unit of the file.
    pub metres_per_unit: f64,
    /// The source rig of a retarget.
    pub source_rig: Option<SourceRig>,
    /// The parts of a walk that are built; ignored for other sources.
    pub walk_stage: WalkStage,
    /// The clips with which the character of a walk crosses, for its search graph and its routes.
    pub crosser: Option<TakeClip>,
    /// Metres per unit of the level of a walk.
    pub level_unit: f64,
    /// Scene objects, if a stage aims at one; else empty.
    pub objects: Vec<SceneObject>,
    /// Boxes on the ground of a walk, each with the centre of its base in metres; empty for other sources.
    pub obstacles: Vec<(DVec3, ObstacleBox)>,
}

/// The rig that a retargeted clip was created for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceRig {
    /// The roles of its joints.
    pub roles: Roles,
    /// Metres per unit of its file.
    pub metres_per_unit: f64,
}

/// The inputs of a stage apart from the incoming motion. Its id is excluded, and keyed numbers count only by their keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StageInput {
    /// Blend weight of the stage's effect, 0…1.
    pub influence: f64,
    /// Keyed settings.
    pub keys: Vec<KeyedSetting>,
    /// The kind and settings, without muted parts.
    pub kind: StageKind,
    /// The clips that the settings reference.
    pub clips: NamedClips,
}

impl StageInput {
    /// Returns the inputs of `stage`, with its clip names resolved. Returns `Err` if a setting cannot be keyed, or a file or
    /// take is missing.
    fn resolve(resolver: &mut Resolver, take: &Take, stage: Stage) -> Result<Self, TakeError> {
        let Stage { influence, keys, mut kind, .. } = at_start(stage)?;
        let named = kind.clone();
        let named = named.clip_names();
        let files: Vec<FileId> = if named.is_empty() {
            Vec::new()
        } else {
            [take.character].into_iter().chain(kind.files().iter().copied()).collect()
        };
        let on = Some(take.character);
        let clips = resolver.clips(take, &named, &files, on, |old, new| kind.replace_clip(old, new))?;
        Ok(Self { influence, keys, kind, clips })
    }

    /// Returns the keys of `setting`, if it has any.
    pub fn curve(&self, setting: &str) -> Option<&KeyCurve> {
        self.keys.iter().find(|keyed| keyed.setting == setting).map(|keyed| &keyed.keys)
    }
}

/// Returns `stage` with the values that its keyed numbers have at time 0. Returns `Err` if a keyed setting cannot be keyed.
fn at_start(mut stage: Stage) -> Result<Stage, TakeError> {
    stage.keys.retain(|keyed| !keyed.keys.is_empty());
    let refused = |stage: &Stage, setting: &str| {
        Err(TakeError::NotKeyed { stage: stage.kind.name(), setting: setting.to_owned() })
    };
    if stage.influence != 1.0 && !stage.kind.has_influence() {
        return refused(&stage, INFLUENCE);
    }
    let mut started = stage.at(0.0);
    match started.keys.clone().iter().find(|keyed| started.number_mut(&keyed.setting).is_none()) {
        Some(wrong) => refused(&stage, &wrong.setting),
        None => Ok(started),
    }
}

/// Maximum number of active stages of a take. Every stage is a build step with all stages before it, so that time and
/// memory grow with the square.
const MAX_STAGES: usize = 256;
/// Maximum number of events of a blend or layer. The time to build grows with the square: 10 000 take seconds.
const MAX_EVENTS: usize = 10_000;

/// Returns `Err` if the take has too many stages or events to build. Muted stages do not count.
fn check_size(take: &Take) -> Result<(), TakeError> {
    let count = take.stages.iter().filter(|stage| stage.on).count();
    if count > MAX_STAGES {
        return Err(TakeError::TooManyStages { count, most: MAX_STAGES });
    }
    let layers = take.stages.iter().filter_map(|stage| stage.kind.as_layer()).map(|layer| layer.settings.events.len());
    let blend = take.blend().map(|blend| blend.settings.events().len());
    match layers.chain(blend).max().filter(|&count| count > MAX_EVENTS) {
        Some(count) => Err(TakeError::TooManyEvents { count, most: MAX_EVENTS }),
        None => Ok(()),
    }
}

/// The parts of a walk. Ground, graph and routes need no character apart from its clips that cross.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkStage {
    /// The clips with which the character crosses. Independent of the level, and used by the graph.
    Clips,
    /// The voxelized level.
    Ground,
    /// The ground as a search graph, with links.
    Graph,
    /// The routes across the level.
    Routes,
    /// The character walking one of the routes.
    Steps,
}

impl Inputs {
    /// Returns the inputs of `take`, with clip names resolved by `resolver`. Muted stages are left out. Returns `Err` if
    /// there are too many stages or events, a setting cannot be keyed, or a file or take is missing.
    pub fn resolve(resolver: &mut Resolver, take: &Take) -> Result<Self, TakeError> {
        check_size(take)?;
        let mut source = take.source.without_labels();
        source.use_rate_of_file(resolver.document);
        let files = take.source.files(take.character);
        let rename = |old: &str, new: &str| source.replace_clip(old, new);
        let plays_other_bodies =
            matches!(take.source, TakeSource::Clip { .. } | TakeSource::Scenario(_) | TakeSource::Walk(_));
        let on = plays_other_bodies.then_some(take.character);
        let mut clips = resolver.clips(take, &take.source.clip_names(), &files, on, rename)?;
        if take.walk().is_some() && files.is_empty() {
            clips.files.push(Asset::flat_ground());
        }
        let active = take.stages.iter().filter_map(Stage::active);
        let stages = active.map(|stage| StageInput::resolve(resolver, take, stage)).collect::<Result<_, _>>()?;
        let (document, library) = (resolver.document, resolver.library);
        // Ground and routes can be built without a character.
        let has_no_character = take.walk().is_some() && document.file(take.character).is_none();
        let shown_file = take.source.shown_file(take.character).filter(|_| !has_no_character);
        let loaded = |id: FileId| library.get(id).cloned().ok_or_else(|| resolver.not_loaded(take, id));
        let character = shown_file.map_or_else(|| Ok(NO_CHARACTER.clone()), loaded)?;
        let roles = shown_file.and_then(|id| document.character(id));
        let roles = roles.map(|known| known.roles.fitting(&character.model.skeleton)).unwrap_or_default();
        let unit =
            |file: Option<FileId>| file.and_then(|id| document.file(id)).map_or(1.0, |file| file.metres_per_unit);
        let source_rig = match &take.source {
            TakeSource::Retarget(retarget) => Some(SourceRig {
                roles: document.character(retarget.file).map(|known| known.roles.clone()).unwrap_or_default(),
                metres_per_unit: unit(Some(retarget.file)),
            }),
            _ => None,
        };
        let boxes = document.objects.iter().filter_map(|object| Some((object.position, object.obstacle?)));
        let aims = take.stages.iter().any(|stage| stage.kind.aims_at_object());
        Ok(Self {
            source,
            stages,
            name: Some(take.name.clone()),
            character,
            clips,
            roles,
            metres_per_unit: unit(shown_file),
            source_rig,
            walk_stage: WalkStage::Steps,
            crosser: None,
            level_unit: unit(take.walk().map(|walk| walk.level)),
            objects: document.objects.iter().filter(|_| aims).map(SceneObject::as_point).collect(),
            obstacles: boxes.filter(|_| take.walk().is_some()).collect(),
        })
    }

    /// Returns the name of the result, or the title of the source if only a part is built.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.source.title())
    }

    /// Returns the takes that the last step uses as clips; none if that step sets the name.
    pub(super) fn last_takes(&self) -> &[TakeClip] {
        match self.stages.last() {
            _ if self.name.is_some() => &[],
            Some(stage) => &stage.clips.takes,
            None if self.walk_stage == WalkStage::Graph => self.crosser.as_slice(),
            None => &self.clips.takes,
        }
    }

    /// True if every file that it uses is in `library`, in use or set aside for undo.
    pub fn uses_only(&self, library: &Library) -> bool {
        let of_stages = self.stages.iter().map(|stage| &stage.clips);
        let known = |file: &Asset<Loaded>| *file == *NO_CHARACTER || library.contains(file);
        known(&self.character)
            && [&self.clips].into_iter().chain(of_stages).all(|clips| {
                clips.files.iter().all(known) && clips.takes.iter().all(|take| take.inputs.uses_only(library))
            })
            && self.crosser.iter().all(|clips| clips.inputs.uses_only(library))
    }

    /// Returns the inputs without the last step; `None` if there is none. The steps in reverse order: the name, each stage, the
    /// parts of a walk.
    pub fn without_last_step(&self) -> Option<Self> {
        let mut before = self.clone();
        if before.name.take().is_some() {
            return Some(before);
        }
        if before.stages.pop().is_none() {
            return self.before_walk_stage();
        }
        if !before.stages.iter().any(|stage| stage.kind.aims_at_object()) {
            before.objects.clear();
        }
        Some(before)
    }

    /// Returns the inputs of the previous part of a walk, with the clips that cross in place of the character; `None` for the first
    /// part and for other sources.
    fn before_walk_stage(&self) -> Option<Self> {
        let TakeSource::Walk(walk) = &self.source else { return None };
        let (walk_stage, part, crosser) = match self.walk_stage {
            WalkStage::Clips | WalkStage::Ground => return None,
            WalkStage::Graph => (WalkStage::Ground, walk.ground_part(), None),
            WalkStage::Routes => (WalkStage::Graph, walk.graph_part(), self.crosser.clone()),
            WalkStage::Steps => (WalkStage::Routes, walk.routes_part(), self.crossing_clips(walk)),
        };
        Some(Self {
            source: TakeSource::Walk(Box::new(part)),
            walk_stage,
            crosser,
            character: NO_CHARACTER.clone(),
            clips: NamedClips { takes: Vec::new(), ..self.clips.clone() },
            roles: Roles::default(),
            metres_per_unit: 1.0,
            ..self.clone()
        })
    }

    /// Returns the inputs of the clips that cross in `walk`, which do not depend on the level; `None` if the character does not cross.
    fn crossing_clips(&self, walk: &Walk) -> Option<TakeClip> {
        // A closed loop stays on the ground.
        let crosses = walk.own_crossings.on && walk.settings.laps == 0 && !self.character.model.skeleton.is_empty();
        let inputs = || Self {
            source: TakeSource::Walk(Box::new(walk.clips_part())),
            walk_stage: WalkStage::Clips,
            clips: NamedClips { takes: self.clips.takes.clone(), ..NamedClips::default() },
            level_unit: 1.0,
            obstacles: Vec::new(),
            ..self.clone()
        };
        crosses.then(|| TakeClip { name: String::new(), inputs: Arc::new(inputs()), built: OnceLock::new() })
    }
}

/// The placeholder of takes without a character. A single shared instance, so that inputs can be equal.
static NO_CHARACTER: LazyLock<Asset<Loaded>> = LazyLock::new(|| Asset::new(Loaded::default()));

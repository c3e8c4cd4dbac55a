//! Everything a built take depends on.

use std::sync::LazyLock;

use super::TakeError;
use super::named_clips::{NamedClips, Resolver, TakeClip};
use crate::anim::Roles;
use crate::document::keyed::INFLUENCE;
use crate::document::{Asset, FileId, KeyedSetting, Loaded, SceneObject, Stage, StageKind, Take, TakeSource};
use crate::math::key_curve::KeyCurve;

/// Everything a built take depends on; equal inputs give the same bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    /// What plays before any stage.
    pub source: TakeSource,
    /// Applied in order.
    pub stages: Vec<StageInput>,
    /// The name of the result; `None` leaves it that of the source.
    pub name: Option<String>,
    /// The character's file.
    pub character: Asset<Loaded>,
    /// The clips the source names, and its files.
    pub clips: NamedClips,
    /// The character's joints by role.
    pub roles: Roles,
    /// Length of the file's unit.
    pub metres_per_unit: f64,
    /// The rig of another file whose clip is put on the character.
    pub source_rig: Option<SourceRig>,
    /// How much of a walk is built; of no meaning for other sources.
    pub walk_stage: WalkStage,
    /// Length of the unit of a walk's level.
    pub level_unit: f64,
    /// Scene objects, where a stage aims at one.
    pub objects: Vec<SceneObject>,
}

/// What is known of the rig that a clip was made for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SourceRig {
    /// Its joints by role.
    pub roles: Roles,
    /// Length of its file's unit.
    pub metres_per_unit: f64,
}

/// What a stage depends on besides what comes in; its id does not matter. Of a number with keys only these count.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StageInput {
    /// How much of it is taken.
    pub influence: f64,
    /// What changes over time.
    pub keys: Vec<KeyedSetting>,
    /// What it does, without what is muted in it.
    pub kind: StageKind,
    /// The clips it names.
    pub clips: NamedClips,
}

impl StageInput {
    fn resolve(resolver: &mut Resolver, take: &Take, stage: Stage) -> Result<Self, TakeError> {
        let Stage { influence, keys, mut kind, .. } = at_start(stage)?;
        let named = kind.clone();
        let named = named.clip_names();
        let files: Vec<FileId> = if named.is_empty() {
            Vec::new()
        } else {
            [take.character].into_iter().chain(kind.files().iter().copied()).collect()
        };
        let clips = resolver.clips(take, &named, &files, |old, new| kind.replace_clip(old, new))?;
        Ok(Self { influence, keys, kind, clips })
    }

    /// The keys of `setting`, if it has some.
    pub fn curve(&self, setting: &str) -> Option<&KeyCurve> {
        self.keys.iter().find(|keyed| keyed.setting == setting).map(|keyed| &keyed.keys)
    }
}

/// `stage` with all keyed numbers as they are at the start. Refuses what cannot be keyed.
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

/// How much of a walk is built. Parts before the last need no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkStage {
    /// The level as ground.
    Ground,
    /// The routes across it.
    Routes,
    /// The character on one of them.
    Steps,
}

impl Inputs {
    /// What `take` depends on, its names followed by `resolver`.
    pub fn resolve(resolver: &mut Resolver, take: &Take) -> Result<Self, TakeError> {
        let mut source = take.source.without_labels();
        let files = take.source.files(take.character);
        let rename = |old: &str, new: &str| source.replace_clip(old, new);
        let clips = resolver.clips(take, &take.source.clip_names(), &files, rename)?;
        let active = take.stages.iter().filter_map(Stage::active);
        let stages = active.map(|stage| StageInput::resolve(resolver, take, stage)).collect::<Result<_, _>>()?;
        let (document, library) = (resolver.document, resolver.library);
        // The ground and the ways of a walk can be looked at before anybody walks.
        let walks_alone = take.walk().is_some() && document.file(take.character).is_none();
        let shown_file = take.source.shown_file(take.character).filter(|_| !walks_alone);
        let loaded = |id: FileId| library.get(id).cloned().ok_or_else(|| TakeError::NotLoaded(take.name.clone()));
        let character = shown_file.map_or_else(|| Ok(NOBODY.clone()), loaded)?;
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
            level_unit: unit(take.walk().map(|walk| walk.level)),
            objects: document.objects.iter().filter(|_| aims).map(SceneObject::as_point).collect(),
        })
    }

    /// What the result is called, or its source where that is not built to its end.
    pub fn title(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.source.title())
    }

    /// Every take that the last step needs as a clip.
    pub(super) fn last_takes(&self) -> &[TakeClip] {
        match self.stages.last() {
            _ if self.name.is_some() => &[],
            Some(stage) => &stage.clips.takes,
            None => &self.clips.takes,
        }
    }

    /// The same without its last step: the name, then one stage after the other, then parts of the source; `None` for what
    /// has no step before it.
    pub fn before(&self) -> Option<Self> {
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

    fn before_walk_stage(&self) -> Option<Self> {
        let TakeSource::Walk(walk) = &self.source else { return None };
        let (walk_stage, walk) = match self.walk_stage {
            WalkStage::Ground => return None,
            WalkStage::Routes => (WalkStage::Ground, walk.ground_part()),
            WalkStage::Steps => (WalkStage::Routes, walk.routes_part()),
        };
        Some(Self {
            source: TakeSource::Walk(Box::new(walk)),
            walk_stage,
            character: NOBODY.clone(),
            clips: NamedClips { takes: Vec::new(), ..self.clips.clone() },
            roles: Roles::default(),
            metres_per_unit: 1.0,
            ..self.clone()
        })
    }
}

/// The character of takes that have none: always the same, so that their inputs can be equal.
static NOBODY: LazyLock<Asset<Loaded>> = LazyLock::new(|| Asset::new(Loaded::default()));

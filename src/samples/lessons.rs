//! Small projects with one take each, in which a first task is done step by step.

use std::path::Path;

use glam::DVec3;

use crate::File;
use crate::level;
use crate::project;
use portamento_anim::geometry::level::UpAxis;
use portamento_anim::{Model, Roles};
use portamento_blend as blend;
use portamento_blend::{Action, Event, Scenario};
use portamento_formats::import::{ImportError, bvh};
use portamento_stretch::{Settings, Target};
use portamento_takes::document::stage::Stretch;
use portamento_takes::document::take::{Blend, Retarget};
use portamento_takes::document::{
    Character, Document, FileId, SourceFile, Stage, StageKind, Take, TakeId, TakeSource, Walk, file,
};
use portamento_walk::locomotion::GaitClip;

const HERO: FileId = FileId(1);
/// The second file of a project.
const OTHER: FileId = FileId(2);
/// Metres per unit of a recording.
const CENTIMETRE: f64 = 0.01;

/// Duration of a cycle of the run, seconds.
const RUN_SECONDS: f64 = 2.0 / 3.0;
/// Cycles of the run in the lesson on blending: whole ones, so that the run loops.
const CYCLES: f64 = 5.0;

/// The take of a lesson: its name, source and stages.
type Lesson<'a> = (&'a str, TakeSource, Vec<StageKind>);

/// The files that the projects use.
pub(super) struct Sources<'a> {
    pub hero: &'a File,
    pub yard: &'a File,
    pub jog: &'a File,
    pub mocap: &'a File,
}

/// Returns the projects of the lessons.
pub(super) fn projects(hero: &Model, sources: &Sources) -> Result<Vec<File>, ImportError> {
    let clip = |clip: &str| TakeSource::Clip { file: HERO, clip: clip.into() };
    let stretch = Settings { target: Some(Target::World(DVec3::new(0.0, 0.0, 3.0))), ..Settings::default() };
    let stretch = StageKind::Stretch(Box::new(Stretch { settings: stretch, ..Stretch::default() }));
    let jog = Retarget { file: OTHER, clip: "jog_on_the_spot".into(), settings: Default::default() };
    let mut walk = Walk { level: OTHER, stops: vec![level::far_ends()[0]], ..Walk::default() };
    walk.settings.clips.gaits = ["walk", "run"].map(GaitClip::from).to_vec();
    let read = |(name, bytes): &File| bvh::from_bytes(Path::new(name), bytes).map(|imported| imported.model);
    let (jogging, lying) = (read(sources.jog)?, read(sources.mocap)?);
    let lesson = |name: &'static str, others: Vec<(SourceFile, Option<&Model>)>, (title, source, stages): Lesson| {
        let model = |id: FileId| match id {
            HERO => Some(hero),
            _ => others.iter().find_map(|(_, model)| *model),
        };
        let files =
            std::iter::once(project::source(HERO, sources.hero)).chain(others.iter().map(|(file, _)| file.clone()));
        let take = Take {
            id: TakeId(3),
            name: title.into(),
            character: HERO,
            source,
            stages: Stage::numbered(stages),
            loops: None,
        };
        let document = document(model, files.collect(), take);
        (name, file::to_bytes(&document, &Path::new("/").join(name)))
    };
    let yard = || vec![(project::source(OTHER, sources.yard), None)];
    let jogs = || vec![(recording(sources.jog), Some(&jogging))];
    let mocap = || vec![(SourceFile { up: Some(UpAxis::Y), ..recording(sources.mocap) }, Some(&lying))];
    Ok(vec![
        lesson("stretch.portamento", Vec::new(), ("leap", clip("leap_strike"), vec![stretch])),
        lesson("blend.portamento", Vec::new(), ("run and cast", TakeSource::Scenario(Box::new(run())), Vec::new())),
        lesson("hair.portamento", Vec::new(), ("run with hair", clip("run"), Vec::new())),
        lesson("loop.portamento", jogs(), ("jog", TakeSource::Retarget(Box::new(jog)), Vec::new())),
        lesson("walk.portamento", yard(), ("walk through the yard", TakeSource::Walk(Box::new(walk)), Vec::new())),
        lesson("mocap.portamento", mocap(), ("recorded walk", recorded(), Vec::new())),
    ])
}

fn recording(file: &File) -> SourceFile {
    SourceFile { metres_per_unit: CENTIMETRE, ..project::source(OTHER, file) }
}

/// A run without a skill.
fn run() -> Blend {
    let scenario = Scenario {
        run: "run".into(),
        stand: "idle".into(),
        skill: "cast".into(),
        events: vec![Event { time: 0.0, action: Action::Run, ..Event::default() }],
        ..Scenario::default()
    };
    Blend { settings: blend::Settings::Scenario(scenario), length: Some(CYCLES * RUN_SECONDS), ..Blend::default() }
}

/// The recording on its own joints.
fn recorded() -> TakeSource {
    TakeSource::Clip { file: OTHER, clip: "mocap".into() }
}

/// Returns the project of `take`. `model` returns the model of a file that has joints.
pub(super) fn document<'a>(
    model: impl Fn(FileId) -> Option<&'a Model>,
    files: Vec<SourceFile>,
    take: Take,
) -> Document {
    let roles = |id: FileId| match model(id) {
        Some(model) => Roles::find(&model.skeleton, &model.clips),
        None => Roles::default(),
    };
    let characters = files.iter().map(|source| Character { file: source.id, roles: roles(source.id) }).collect();
    // A take of a recording shows the joints of the recording.
    let character = match &take.source {
        TakeSource::Clip { file, .. } => *file,
        _ => take.character,
    };
    Document {
        removed_files: Vec::new(),
        files,
        characters,
        objects: Vec::new(),
        takes: vec![Take { character, ..take }],
        folders: Vec::new(),
        sets: Vec::new(),
        next_id: 4,
    }
}

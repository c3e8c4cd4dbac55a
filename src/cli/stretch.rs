//! `portamento stretch`: stretches a clip to a new end.

use std::path::PathBuf;

use glam::DVec3;
use serde_json::json;

use super::flags::rig::RigArguments;
use super::flags::up::UpArgument;
use super::{Failure, NamedClip};
use portamento_session::{ExportRequest, ExportSettings, Keep, Session};
use portamento_stretch::{Facing, LengthMeasure, Method, Settings, Target, Window, ZeroMotion};
use portamento_takes::document::stage::{RootChoice, Stretch};
use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};

/// Stretches a clip to a new end position.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Character: glTF, GLB, VRM, FBX or BVH.
    file: PathBuf,
    /// Name of the clip, or FILE:NAME for a clip of another file, matched by joint name.
    #[arg(long)]
    clip: String,
    /// Take the clip from this file, matched by joint name.
    #[arg(long, value_name = "FILE")]
    clip_from: Option<PathBuf>,
    /// End position: a point in the file's world space.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    to: DVec3,
    /// Distribution of the correction over the frames.
    #[arg(long, default_value = "displacement", value_parser = ["displacement", "uniform", "shear"])]
    method: String,
    /// Component of the travel that the correction is proportional to.
    #[arg(long, default_value = "full", value_parser = ["full", "horizontal", "vertical"])]
    measure: String,
    /// Stretch only between these seconds; later frames are offset.
    #[arg(long, value_name = "A..B", value_parser = range)]
    window: Option<(f64, f64)>,
    /// Time over which the correction sets in and fades out at the edges of the window, seconds; 0 changes the speed at once.
    #[arg(long, value_name = "S", default_value_t = Window::DEFAULT_SOFT_EDGES, requires = "window")]
    soft_edges: f64,
    /// Keep the speed of the source: the window lasts as long as its new path needs.
    #[arg(long, requires = "window")]
    keep_speed: bool,
    /// Speed below which a frame counts as idle, metres per second.
    #[arg(long, value_name = "V", default_value_t = 0.0)]
    dead_zone: f64,
    /// Also turn towards the target.
    #[arg(long)]
    face_target: bool,
    /// Keep planted feet planted.
    #[arg(long)]
    feet: bool,
    /// Root motion joint. Default: automatic.
    #[arg(long, value_name = "JOINT", conflicts_with = "make_root")]
    root: Option<String>,
    /// First compute root motion from foot contacts, for in-place clips.
    #[arg(long)]
    make_root: bool,
    /// Distribute evenly over time if the source does not move, instead of reporting an error.
    #[arg(long)]
    spread_still: bool,
    /// Sample keys on every frame at this rate. Default: the keys of the source.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Clips already in the file: append, replace, alone, or motion (alone, without mesh).
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// Name of the new clip. Default: the source's name, or `NAME stretched` if appended.
    #[arg(long)]
    name: Option<String>,
    /// The .glb, .gltf or .fbx file to write.
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    up: UpArgument,
    #[command(flatten)]
    rig: RigArguments,
}

impl Arguments {
    /// Exports the stretched clip and prints the report. Returns `Err` if the clip or the root joint does not exist, or nothing
    /// could be written.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        let (mut session, character, _) = super::open_up(&self.file, self.up)?;
        self.rig.apply(&mut session, character)?;
        let searched_file = match &self.clip_from {
            None => character,
            Some(path) => {
                super::open_more(&mut session, path)?;
                session.document.files.last().map_or(character, |file| file.id)
            }
        };
        let NamedClip { file: clip_file, name } = super::named_clip(&mut session, searched_file, &self.clip)?;
        self.clip = name;
        let root = self.root(&session, character)?;
        let take = self.take(&mut session, character, clip_file, root);
        let request = ExportRequest {
            takes: vec![take],
            destination: self.out.clone(),
            settings: ExportSettings { keep: self.keep, fps: self.fps, ..Default::default() },
            replace: self.force.into(),
            ..Default::default()
        };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exports.reports().first()), self.json)
    }

    /// Returns the joint of `--root`. Without that flag, returns [`RootChoice::Made`] for `--make-root`, else
    /// [`RootChoice::Found`]. Returns `Err` if the character has no joint of that name. If the character is not open,
    /// the result is [`RootChoice::Found`].
    fn root(&self, session: &Session, character: FileId) -> Result<RootChoice, Failure> {
        let Some(name) = &self.root else {
            return Ok(if self.make_root { RootChoice::Made } else { RootChoice::Found });
        };
        let asset = session.library.get(character);
        asset.map_or(Ok(RootChoice::Found), |asset| super::joint(&asset.model, name).map(RootChoice::Joint))
    }

    /// Adds a take with the stretch stage to the project and returns its id. `file` contains the clip.
    fn take(&self, session: &mut Session, character: FileId, file: FileId, root: RootChoice) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let default_name = match self.keep {
            Keep::Append => format!("{} stretched", self.clip),
            Keep::Replace | Keep::Alone | Keep::Motion => self.clip.clone(),
        };
        session.document.takes.push(Take {
            id,
            name: self.name.clone().unwrap_or(default_name),
            character,
            source: TakeSource::Clip { file, clip: self.clip.clone() },
            stages: Stage::numbered(vec![StageKind::Stretch(Box::new(Stretch {
                settings: self.settings(),
                aim_at: None,
                root,
            }))]),
            loops: None,
        });
        id
    }

    /// Returns the settings that the flags give. The target is in the file's world space.
    fn settings(&self) -> Settings {
        let target = Target::World(self.to);
        let facing = if self.face_target { Facing::Target } else { Facing::Keep };
        let window = |(start, end): (f64, f64)| Window {
            facing,
            soft_edges: self.soft_edges,
            keep_speed: self.keep_speed,
            ..Window::new(start, end, target)
        };
        Settings {
            target: Some(target),
            facing,
            windows: self.window.map(window).into_iter().collect(),
            method: match self.method.as_str() {
                "uniform" => Method::Uniform,
                "shear" => Method::Shear,
                _ => Method::Displacement,
            },
            measure: match self.measure.as_str() {
                "horizontal" => LengthMeasure::Horizontal,
                "vertical" => LengthMeasure::Vertical,
                _ => LengthMeasure::Full,
            },
            zero_motion: if self.spread_still { ZeroMotion::Uniform } else { ZeroMotion::Refuse },
            dead_zone: self.dead_zone,
            feet: self.feet,
            ..Settings::default()
        }
    }
}

/// Parses `A..B`, seconds, with A before B. Either may be negative. Returns `Err` with what is allowed for any other
/// text.
fn range(text: &str) -> Result<(f64, f64), String> {
    let bounds = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    bounds
        .filter(|(a, b): &(f64, f64)| a < b)
        .ok_or_else(|| "give seconds as A..B with A before B, for example 0.4..1.2".into())
}

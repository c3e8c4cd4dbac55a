//! `portamento dynamics`: dynamic bones.

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use super::flags::collider::{ColliderArgument, PresetArgument};
use super::flags::up::UpArgument;
use portamento_anim::{Model, Pose, Tolerance};
use portamento_dynamics::{Chain, Input, Settings, TestVectors};
use portamento_session::{ExportRequest, ExportSettings, Keep, Session};
use portamento_takes::document::stage::Dynamics;
use portamento_takes::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};

/// Simulates tails, hair and cloth as dynamic bones.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Character: glTF, GLB, VRM, FBX or BVH.
    file: PathBuf,
    /// Name of the clip.
    #[arg(long)]
    clip: String,
    /// Root joint of a dynamic chain; may be given several times. Default: the avatar's own spring bones.
    #[arg(long, value_name = "JOINT", num_args = 1..)]
    chain: Vec<String>,
    /// Preset of the chains: hair, tail, cloth, antenna or chain; or a JSON file with chain settings.
    #[arg(long, value_name = "NAME|FILE", default_value = "tail", value_parser = PresetArgument::parse)]
    preset: PresetArgument,
    /// Collider in metres along the joint's axes: a sphere, or with two points a capsule. JOINT may be `world`.
    #[arg(long, value_name = "JOINT:RADIUS[:X,Y,Z[:X,Y,Z]]", value_parser = ColliderArgument::parse)]
    collider: Vec<ColliderArgument>,
    /// Settle into a loop: the clip's end continues at its start.
    #[arg(long = "loop")]
    looping: bool,
    /// Keys per second of the dynamic joints. Default: the clip's rate.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Length of a bone added after each last joint, so that it rotates too; metres.
    #[arg(long, value_name = "M", default_value_t = 0.1)]
    end_length: f64,
    /// Scale of the character relative to life size.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Clips already in the file: append, replace, alone, or motion (alone, without mesh).
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// Name of the new clip. Default: the source's name, or `NAME swinging` if appended.
    #[arg(long)]
    name: Option<String>,
    /// Reduce keys: points 3 cm around a joint may move by at most this many millimetres.
    #[arg(long, value_name = "MM", value_parser = super::tolerance)]
    tolerance: Option<Tolerance>,
    /// Also write chains and colliders as VRMC_springBone; always done for .vrm.
    #[arg(long)]
    springs: bool,
    /// The .glb, .gltf, .vrm or .fbx file to write.
    #[arg(short, long)]
    out: PathBuf,
    /// Write every solver step with all inputs as test vectors for other implementations.
    #[arg(long, value_name = "OUT.json")]
    vectors: Option<PathBuf>,
    #[command(flatten)]
    up: UpArgument,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Exports the clip with simulated bones and prints the report. Returns `Err` if the clip, a joint or the chains do not
    /// exist, or nothing could be written.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, character, asset) = super::open_up(&self.file, self.up)?;
        super::check_clip(&asset.model, &self.clip)?;
        self.preset.path().into_iter().for_each(|preset| session.read.protect(preset));
        let settings = self.settings(&session, character, &asset.model)?;
        let metres_per_unit = session.document.file(character).map_or(1.0, |file| file.metres_per_unit);
        let vectors = self.vectors(&asset.model, &settings, metres_per_unit)?;
        let take = self.take(&mut session, character, settings);
        let request = ExportRequest {
            takes: vec![take],
            destination: self.out.clone(),
            settings: ExportSettings { keep: self.keep, tolerance: self.tolerance, ..Default::default() },
            springs: self.springs,
            replace: self.force.into(),
            further: vectors.into_iter().collect(),
            ..ExportRequest::default()
        };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exports.reports().first()), self.json)
    }

    /// Returns the settings for the given chains, or those of the avatar's spring bones without any, with the given colliders.
    /// Returns `Err` if a joint does not exist, or if there are no chains.
    fn settings(&self, session: &Session, file: FileId, model: &Model) -> Result<Settings, Failure> {
        let colliders = self.collider.iter().map(|collider| collider.on(model)).collect::<Result<Vec<_>, Failure>>()?;
        if self.chain.is_empty() {
            let none = || Failure::Usage("The file has no spring bones. Give a joint with --chain.".into());
            let mut own = session.opened().spring_bones(file).ok_or_else(none)?;
            own.colliders.extend(colliders);
            return Ok(Settings { scale: self.scale, ..own });
        }
        let chain = |name: &String| {
            let joint = super::joint(model, name)?;
            let mut chain = Chain { name: name.clone(), joint, end_length: self.end_length, ..Chain::default() };
            self.preset.apply(&mut chain);
            Ok(chain)
        };
        let chains = self.chain.iter().map(chain).collect::<Result<_, Failure>>()?;
        Ok(Settings { chains, colliders, scale: self.scale, ..Settings::default() })
    }

    /// Returns the path and the bytes of the test vectors, if requested. They are recorded without a loop.
    fn vectors(
        &self,
        model: &Model,
        settings: &Settings,
        metres_per_unit: f64,
    ) -> Result<Option<(PathBuf, Vec<u8>)>, Failure> {
        let (Some(path), Some(clip)) = (&self.vectors, model.clip(&self.clip)) else { return Ok(None) };
        let skeleton = &model.skeleton;
        let driver = |time: f64, pose: &mut Pose| clip.sample(skeleton, time, pose);
        let input = Input { skeleton, driver: &driver, duration: clip.duration, looping: false, metres_per_unit };
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
        let vectors = TestVectors::record(&input, settings).map_err(|error| failed(&error))?;
        let bytes = serde_json::to_vec(&vectors).map_err(|error| failed(&error))?;
        Ok(Some((path.clone(), bytes)))
    }

    /// Adds a take with the dynamics stage to the project and returns its id. The name is that of the flags, or derived
    /// from that of the clip.
    fn take(&self, session: &mut Session, character: FileId, settings: Settings) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let default_name = match self.keep {
            Keep::Append => format!("{} swinging", self.clip),
            Keep::Replace | Keep::Alone | Keep::Motion => self.clip.clone(),
        };
        let dynamics = Dynamics { settings, looping: self.looping, fps: self.fps, span: None };
        session.document.takes.push(Take {
            id,
            name: self.name.clone().unwrap_or(default_name),
            character,
            source: TakeSource::Clip { file: character, clip: self.clip.clone() },
            stages: Stage::numbered(vec![StageKind::Dynamics(Box::new(dynamics))]),
            loops: None,
        });
        id
    }
}

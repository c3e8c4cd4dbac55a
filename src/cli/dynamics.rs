//! `portamento dynamics`: joints made dynamic.

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use super::collider::{ColliderArgument, PresetArgument};
use crate::anim::{Model, Pose, Tolerance};
use crate::document::stage::Dynamics;
use crate::document::{FileId, Stage, StageKind, Take, TakeId, TakeSource};
use crate::session::{ExportFormat, ExportRequest, Keep, Session};
use crate::systems::dynamics::{Chain, Input, Settings, TestVectors};

/// Lets tails, hair and cloth swing.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The character: glTF, GLB, VRM, FBX or BVH.
    file: PathBuf,
    /// The clip's name.
    #[arg(long)]
    clip: String,
    /// A joint that swings, with all its children; may be given several times. An avatar's own spring bones when absent.
    #[arg(long, value_name = "JOINT", num_args = 1..)]
    chain: Vec<String>,
    /// What swings: hair, tail, cloth, antenna or chain; or a JSON file of a chain's values.
    #[arg(long, value_name = "NAME|FILE", default_value = "tail", value_parser = PresetArgument::parse)]
    preset: PresetArgument,
    /// What chains stay out of, in metres along the joint's axes: a ball, or with two points a capsule; JOINT may be `world`.
    #[arg(long, value_name = "JOINT:RADIUS[:X,Y,Z[:X,Y,Z]]", value_parser = ColliderArgument::parse)]
    collider: Vec<ColliderArgument>,
    /// The clip's end runs on into its start: run it until it repeats.
    #[arg(long = "loop")]
    looping: bool,
    /// Keys per second for the joints that swing; the clip's own rate when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Metres of bone added after each last joint, so that it turns too.
    #[arg(long, value_name = "M", default_value_t = 0.1)]
    end_length: f64,
    /// How many times larger than life the character is.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// What becomes of the file's other clips.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// The name of the new clip; by default that of the source, or `NAME swinging` beside it.
    #[arg(long)]
    name: Option<String>,
    /// Leave out keys without which no point 3 cm around a joint moves by more than this many millimetres.
    #[arg(long, value_name = "MM", value_parser = super::tolerance)]
    tolerance: Option<Tolerance>,
    /// Write the chains and colliders as VRMC_springBone too; a .vrm always gets them.
    #[arg(long)]
    springs: bool,
    /// The .glb, .gltf, .vrm or .fbx to write.
    #[arg(short, long)]
    out: PathBuf,
    /// Write every step of the solver, with all that went in, as test vectors for other implementations.
    #[arg(long, value_name = "OUT.json")]
    vectors: Option<PathBuf>,
    #[command(flatten)]
    force: super::Force,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, character, asset) = super::open(&self.file)?;
        super::check_clip(&asset.model, &self.clip)?;
        let settings = self.settings(&session, character, &asset.model)?;
        let metres_per_unit = session.document.file(character).map_or(1.0, |file| file.metres_per_unit);
        self.write_vectors(&session, &asset.model, &settings, metres_per_unit)?;
        let take = self.take(&mut session, character, settings);
        let (destination, format) = (self.out.clone(), ExportFormat::default());
        let (keep, springs, tolerance) = (self.keep, self.springs, self.tolerance);
        let takes = vec![take];
        let request = ExportRequest {
            takes,
            destination,
            format,
            keep,
            springs,
            tolerance,
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exports.reports().first()), self.json)
    }

    fn settings(&self, session: &Session, file: FileId, model: &Model) -> Result<Settings, Failure> {
        let colliders = self.collider.iter().map(|collider| collider.on(model)).collect::<Result<Vec<_>, Failure>>()?;
        if self.chain.is_empty() {
            let none = || Failure::Usage("The file has no spring bones of its own. Name a joint with --chain.".into());
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

    fn write_vectors(
        &self,
        session: &Session,
        model: &Model,
        settings: &Settings,
        metres_per_unit: f64,
    ) -> Result<(), Failure> {
        let (Some(path), Some(clip)) = (&self.vectors, model.clip(&self.clip)) else { return Ok(()) };
        let skeleton = &model.skeleton;
        let driver = |time: f64, pose: &mut Pose| clip.sample(skeleton, time, pose);
        let input = Input { skeleton, driver: &driver, duration: clip.duration, looping: false, metres_per_unit };
        let failed = |error: &dyn std::fmt::Display| Failure::Failed(error.to_string());
        let vectors = TestVectors::record(&input, settings).map_err(|error| failed(&error))?;
        let text = serde_json::to_vec(&vectors).map_err(|error| failed(&error))?;
        super::write(session, self.force, |files| files.write(path, &text))
    }

    fn take(&self, session: &mut Session, character: FileId, settings: Settings) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let default_name = match self.keep {
            Keep::Append => format!("{} swinging", self.clip),
            Keep::Replace | Keep::Alone => self.clip.clone(),
        };
        let dynamics = Dynamics { settings, looping: self.looping, fps: self.fps, span: None };
        session.document.takes.push(Take {
            id,
            name: self.name.clone().unwrap_or(default_name),
            character,
            source: TakeSource::Clip { file: character, clip: self.clip.clone() },
            stages: Stage::numbered(vec![StageKind::Dynamics(Box::new(dynamics))]),
        });
        id
    }
}

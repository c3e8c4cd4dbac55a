//! `portamento dynamics`: joints that swing.

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use crate::anim::Model;
use crate::document::take::Dynamics;
use crate::document::{FileId, Modifier, Take, TakeId, TakeSource};
use crate::session::{ExportFormat, ExportRequest, Keep, Session};
use crate::systems::dynamics::{Chain, Preset, Settings};

/// Lets tails, hair and cloth swing.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The character: glTF, GLB, VRM or BVH.
    file: PathBuf,
    /// The clip's name.
    #[arg(long)]
    clip: String,
    /// A joint that swings, with all its children; may be given several times.
    #[arg(long, value_name = "JOINT", required = true, num_args = 1..)]
    chain: Vec<String>,
    /// What swings: hair, tail, cloth, antenna or chain.
    #[arg(long, default_value = "tail", value_parser = preset)]
    preset: Preset,
    /// The clip's end runs on into its start: run it until it repeats.
    #[arg(long = "loop")]
    looping: bool,
    /// Keys per second for the joints that swing; the clip's own rate when absent.
    #[arg(long)]
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
    /// The .glb or .gltf to write.
    #[arg(short, long)]
    out: PathBuf,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, character, asset) = super::open(&self.file)?;
        super::check_clip(&asset.model, &self.clip)?;
        if let Some(fps) = self.fps.filter(|fps| !(1.0..=1000.0).contains(fps)) {
            return Err(Failure::Usage(format!("--fps {fps} makes no sense; give a rate between 1 and 1000.")));
        }
        let settings = self.settings(&asset.model)?;
        let take = self.take(&mut session, character, settings);
        let (destination, format) = (self.out.clone(), ExportFormat::default());
        let request =
            ExportRequest { takes: vec![take], destination, format, keep: self.keep, fps: None, weights: false };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exported().first()), self.json);
        Ok(())
    }

    fn settings(&self, model: &Model) -> Result<Settings, Failure> {
        let chain = |name: &String| {
            let joint = super::joint(model, name)?;
            let mut chain = Chain { name: name.clone(), joint, end_length: self.end_length, ..Chain::default() };
            self.preset.apply(&mut chain);
            Ok(chain)
        };
        let chains = self.chain.iter().map(chain).collect::<Result<_, Failure>>()?;
        Ok(Settings { chains, scale: self.scale, ..Settings::default() })
    }

    fn take(&self, session: &mut Session, character: FileId, settings: Settings) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let default_name = match self.keep {
            Keep::Append => format!("{} swinging", self.clip),
            Keep::Replace | Keep::Alone => self.clip.clone(),
        };
        let dynamics = Dynamics { settings, looping: self.looping, fps: self.fps };
        session.document.takes.push(Take {
            id,
            name: self.name.clone().unwrap_or(default_name),
            character,
            source: TakeSource::Clip { file: character, clip: self.clip.clone() },
            modifiers: vec![Modifier::Dynamics(Box::new(dynamics))],
        });
        id
    }
}

fn preset(name: &str) -> Result<Preset, String> {
    let names = || Preset::ALL.map(Preset::name).join(", ");
    Preset::find(name).ok_or_else(|| format!("there is no preset of that name; use {}", names()))
}

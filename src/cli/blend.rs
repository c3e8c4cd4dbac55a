//! `portamento blend`: blends run, stand and skill clips by events.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::flags::rig::RigArguments;
use super::flags::up::UpArgument;
use super::{Failure, NamedClip};
use portamento_anim::{MaskChoice, Region};
use portamento_base::message::Message;
use portamento_blend::{Action, Event, Interrupt, Scenario, Settings};
use portamento_session::{ExportRequest, ExportSettings, Keep, Session};
use portamento_takes::document::take::Blend;
use portamento_takes::document::{FileId, Take, TakeId, TakeSource};

/// Blends run, stand and skill clips by events.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Character: glTF, GLB, VRM, FBX or BVH.
    file: PathBuf,
    /// Clip of run events, or FILE:NAME for a clip of another file, matched by joint name. `FILE:` is enough for a file with one
    /// clip.
    #[arg(long, value_name = "CLIP")]
    run: String,
    /// Clip of stand and stop events, or FILE:NAME.
    #[arg(long, value_name = "CLIP")]
    stand: String,
    /// Clip of cast events, or FILE:NAME.
    #[arg(long, value_name = "CLIP")]
    skill: String,
    /// Events as SECONDS:EVENT pairs, with the events run, stand, cast, stop and end; for example "0:run 0.8:cast
    /// 1.5:stop 2:end".
    #[arg(long, value_parser = events)]
    events: Events,
    /// Joint where the upper body begins. Default: automatic.
    #[arg(long, value_name = "JOINT")]
    upper_from: Option<String>,
    /// Duration of each transition in seconds; 0 is a cut.
    #[arg(long, value_name = "S", default_value_t = 0.2, value_parser = seconds)]
    trans_time: f64,
    /// Lengthen transitions that would spin the body, and give those that would move a joint abruptly another midpoint.
    #[arg(long)]
    adapt_times: bool,
    /// The default; accepted for older scripts.
    #[arg(long = "exact-times", hide = true, conflicts_with = "adapt_times")]
    _exact_times: bool,
    /// Length in seconds. Default: one second after the last event or the end of the last cast.
    #[arg(long, value_name = "S", value_parser = seconds)]
    length: Option<f64>,
    /// Loop the skill until an end event. Default: a cast without an end event ends with its clip.
    #[arg(long)]
    skill_loops: bool,
    /// Hold the skill's last pose until an end event.
    #[arg(long, conflicts_with = "skill_loops")]
    skill_holds: bool,
    /// Synchronise the steps of run and stand clips.
    #[arg(long)]
    synchronise: bool,
    /// Handling of interrupted transitions: captured keeps the blend, inertial lets the pose decay.
    #[arg(long, default_value = "captured", value_parser = Interrupt::parse)]
    interrupt: Interrupt,
    /// Clips already in the file: append to them, or write the new clip alone.
    #[arg(long, default_value = "append", value_parser = ["append", "alone"])]
    keep: String,
    /// Name of the new clip.
    #[arg(long, default_value = "blend")]
    name: String,
    /// Also write events, joints and the weights of every frame as JSON.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The .glb, .gltf or .fbx file to write.
    #[arg(short, long)]
    out: PathBuf,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON, with the weights and turns of every frame.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    up: UpArgument,
    #[command(flatten)]
    rig: RigArguments,
}

/// Events with their times in seconds.
#[derive(Clone, Debug, PartialEq)]
struct Events(Vec<(f64, Action)>);

impl Arguments {
    /// Exports the blend as a clip and prints the report. Returns `Err` if a clip or joint does not exist, or nothing could be
    /// written.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        let (mut session, character, asset) = super::open_up(&self.file, self.up)?;
        self.rig.apply(&mut session, character)?;
        let mut files = Vec::new();
        for clip in [&mut self.run, &mut self.stand, &mut self.skill] {
            let NamedClip { file, name } = super::named_clip(&mut session, character, clip)?;
            *clip = super::name_in_blend(&session, &[&[character][..], &files].concat(), file, &name);
            if file != character && !files.contains(&file) {
                files.push(file);
            }
        }
        if let Some(name) = &self.upper_from {
            super::joint(&asset.model, name)?;
        }
        let take = self.take(&mut session, character, files);
        let lengthened = if self.adapt_times { session.fades(take).lengthen() } else { Vec::new() };
        let shifted = if self.adapt_times { session.fades(take).shift_midpoints() } else { Vec::new() };
        let destination = self.out.clone();
        let keep = if self.keep == "alone" { Keep::Alone } else { Keep::Append };
        let weights = self.weights.as_ref().and_then(|path| Some((path.clone(), weights(&mut session, take)?)));
        super::bake::bake(
            &mut session,
            ExportRequest {
                takes: vec![take],
                destination,
                settings: ExportSettings { keep, ..Default::default() },
                replace: self.force.into(),
                further: weights.into_iter().collect(),
                ..Default::default()
            },
        )?;
        let mut report = json!(session.exports.reports().first());
        let texts = |messages: &[Message]| messages.iter().map(ToString::to_string).collect();
        (report["longer_fades"], report["bent_fades"]) = (texts(&lengthened), texts(&shifted));
        if !self.json {
            shorten(&mut report);
        }
        super::print(&report, self.json)
    }

    /// Adds a take of the blend to the project and returns its id. The take gets a free name.
    fn take(&self, session: &mut Session, character: FileId, files: Vec<FileId>) -> TakeId {
        let id = TakeId(session.document.fresh_id());
        let settings = Settings::Scenario(self.scenario());
        let blend = Blend { settings, files, length: self.length, ..Blend::default() };
        session.document.takes.push(Take {
            id,
            name: session.document.free_take_name(&self.name),
            character,
            source: TakeSource::Scenario(Box::new(blend)),
            stages: Vec::new(),
            loops: None,
        });
        id
    }

    /// Returns the blend's settings. All events have the same transition time.
    fn scenario(&self) -> Scenario {
        let event =
            |&(time, action): &(f64, Action)| Event { time, action, trans_time: self.trans_time, ..Event::default() };
        Scenario {
            run: self.run.clone(),
            stand: self.stand.clone(),
            skill: self.skill.clone(),
            skill_loops: self.skill_loops,
            skill_holds: self.skill_holds,
            upper: MaskChoice { from: self.upper_from.clone(), ..MaskChoice::from_region(Region::UpperBody) },
            events: self.events.0.iter().map(event).collect(),
            synchronise: self.synchronise,
            interrupt: self.interrupt,
        }
    }
}

/// Returns the weights of every frame as JSON; `None` if the take has no blend or cannot be built.
fn weights(session: &mut Session, take: TakeId) -> Option<Vec<u8>> {
    let take = session.document.take(take).cloned()?;
    let built = session.built(&take).ok()?;
    let blended = built.blended.as_ref()?;
    Some(format!("{:#}\n", blended.built.export_json(blended.fps, blended.length)).into_bytes())
}

/// Removes report entries with one line per frame.
fn shorten(report: &mut Value) {
    for take in report["takes"].as_array_mut().into_iter().flatten() {
        if let Some(blend) = take["blend"].as_object_mut() {
            blend.retain(|name, _| name != "weights" && name != "pop_meter");
        }
    }
}

/// Parses `SECONDS:EVENT` pairs between spaces, in their order. Returns `Err` for an unknown event, a time outside 0…600 s, or
/// no pair.
fn events(text: &str) -> Result<Events, String> {
    let names = Action::ALL.map(Action::name).join(", ");
    let one = |word: &str| {
        let (time, name) = word.split_once(':').ok_or_else(|| format!("“{word}” is not a SECONDS:EVENT pair"))?;
        let time = seconds(time).map_err(|error| format!("in “{word}”: {error}"))?;
        let action = Action::ALL.into_iter().find(|action| action.name() == name);
        Ok((time, action.ok_or_else(|| format!("unknown event “{name}”; use {names}"))?))
    };
    let all: Vec<(f64, Action)> = text.split_whitespace().map(one).collect::<Result<_, String>>()?;
    if all.is_empty() {
        Err(format!("give at least one SECONDS:EVENT pair; events are {names}"))
    } else {
        Ok(Events(all))
    }
}

/// Parses seconds, 0…600. Returns `Err` with what is allowed for any other text.
fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds| (0.0..=600.0).contains(seconds));
    number.ok_or_else(|| "give seconds from 0 to 600".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_parsed_strictly_and_errors_name_the_problem() {
        let read = events("0:run 0.8:cast\n2:end").unwrap();
        assert_eq!(read, Events(vec![(0.0, Action::Run), (0.8, Action::Cast), (2.0, Action::End)]));
        for (wrong, says) in [("0:fly", "unknown event “fly”"), ("x:run", "seconds"), ("run", "pair"), ("", "at least")]
        {
            assert!(events(wrong).unwrap_err().contains(says), "{wrong}");
        }
        assert!(events("-1:run").is_err() && events("NaN:run").is_err());
    }
}

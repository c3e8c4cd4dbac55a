//! A skill laid over a motion of any kind: the standard tree with that motion as WholeBody.
//!
//! Whether the character runs is read off the speed of the motion's root, so that a cast while running holds the upper body, a
//! cast while standing the whole, and setting off or stopping underneath hands the legs over. The motion itself never starts
//! again: where the skill has no weight its values come out bit for bit. Its root motion stays in any case; of the skill's only
//! what it does in place is seen.

mod blend_times;
mod running;
mod sampler;

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::{Action, BuildError, Event, Input, Interrupt, Scenario, Settings, Weights};
use crate::anim::{Clip, Curve, JointTracks, MaskChoice, Region, RootMotion, Skeleton};
use crate::math::mean::aligned;
use crate::message::message;
use crate::progress::Progress;
pub use blend_times::BlendTime;
use blend_times::TimeGroups;
use running::running;
use sampler::{Groups, LayeredFrame, Sampler};

/// What is laid over the motion, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LayerSettings {
    /// Clip of cast events.
    pub skill: String,
    /// The skill starts again at its end; otherwise its end is held.
    pub skill_loops: bool,
    /// The upper body; all else is the lower body.
    pub upper: MaskChoice,
    /// Casts and ends, on the timeline of the motion. Run, stand and stop events say from when on the character runs or stands, in
    /// place of its speed; none of them leaves that to the speed.
    pub events: Vec<Event>,
    /// The character stands below the first and runs above the second speed; between them it goes on as before. Metres a second.
    pub run_speeds: [f64; 2],
    /// How a transition goes on that an event interrupts.
    pub interrupt: Interrupt,
    /// What the skill does to the motion.
    pub mode: LayerMode,
    /// Joints whose transitions take another time; the later of two for one joint counts.
    pub blend_times: Vec<BlendTime>,
}

/// What a skill does to the motion under it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayerMode {
    /// Takes its place, joint by joint relative to the parent.
    #[default]
    Override,
    /// Takes its place with rotations relative to the character, so that an aim does not follow the lean of the hips.
    MeshSpace,
    /// Adds what it does relative to its first frame.
    Additive,
}

/// What a layer begins with.
#[derive(Clone, Copy, Debug)]
pub struct LayerInput<'a> {
    /// The skeleton of the motion and of the clips.
    pub skeleton: &'a Skeleton,
    /// The motion that comes in.
    pub motion: &'a Clip,
    /// What carries the character in it.
    pub root: Option<RootMotion>,
    /// The clips that events name.
    pub clips: &'a [&'a Clip],
    /// Where the body parts of the mask begin.
    pub roles: &'a crate::anim::Roles,
    /// Frames per second of what comes out.
    pub fps: f64,
    /// Metres per unit of the clips.
    pub metres_per_unit: f64,
}

/// A layer over a motion.
#[derive(Clone, Debug)]
pub struct Layered {
    /// What comes out: joints that the skill never has keep their curves, the others have a key in every frame.
    pub clip: Clip,
    /// Weights of the standard tree in every frame.
    pub weights: Vec<Weights>,
    /// The events with what was read off the speed: when it runs and stands.
    pub events: Vec<Event>,
    /// The skill's joints: where it has weight at any time.
    pub joints: Vec<usize>,
    /// The clips of [`LayerSettings::clip_names`], in that order.
    pub clips: Vec<Clip>,
    /// Frames in which the skill has weight.
    pub held_frames: usize,
}

impl Default for LayerSettings {
    fn default() -> Self {
        Self {
            skill: String::new(),
            skill_loops: false,
            upper: MaskChoice::from_region(Region::UpperBody),
            events: Vec::new(),
            // Between shifting one's weight and the slowest steps.
            run_speeds: [0.2, 0.5],
            interrupt: Interrupt::default(),
            mode: LayerMode::default(),
            blend_times: Vec::new(),
        }
    }
}

impl LayerMode {
    /// Every choice, in the order menus show them.
    pub const ALL: [Self; 3] = [Self::Override, Self::MeshSpace, Self::Additive];

    /// The name used in menus and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::MeshSpace => "mesh_space",
            Self::Additive => "additive",
        }
    }
}

impl LayerSettings {
    /// Every clip that is named, each once, in the order of their first use.
    pub fn clip_names(&self) -> Vec<&str> {
        let events = self.events.iter().filter(|event| event.action == Action::Cast);
        let named: Vec<&str> =
            events.map(|event| event.clip.as_deref().unwrap_or(&self.skill)).chain([&*self.skill]).collect();
        let first = |(i, name): &(usize, &str)| !name.is_empty() && !named[..*i].contains(name);
        named.iter().copied().enumerate().filter(first).map(|(_, name)| name).collect()
    }

    /// The names of all clips, to edit.
    pub fn clip_names_mut(&mut self) -> Vec<&mut String> {
        self.events.iter_mut().filter_map(|event| event.clip.as_mut()).chain([&mut self.skill]).collect()
    }

    fn check(&self) -> Result<(), BuildError> {
        let [stand, run] = self.run_speeds;
        let bad = [stand, run].into_iter().find(|speed| !(speed.is_finite() && *speed >= 0.0));
        match bad.or((stand > run).then_some(run)) {
            Some(value) => {
                let what = message!("setting.layer.run_speeds", "speed below which it stands, and above which it runs");
                Err(BuildError::BadNumber { node: "layer".into(), what, value })
            }
            None => Ok(()),
        }
    }
}

/// Lays the skill of `settings` over the motion of `input`.
pub fn layer(input: &LayerInput, settings: &LayerSettings, progress: &Progress) -> Result<Layered, BuildError> {
    settings.check()?;
    let motion = endless(input);
    let clips: Vec<&Clip> = std::iter::once(&motion).chain(input.clips.iter().copied()).collect();
    let scenario = scenario(input, settings, &motion.name);
    let blend_input = Input { skeleton: input.skeleton, clips: &clips, roles: input.roles, markers: &[], travels: &[] };
    let groups = TimeGroups::new(input.skeleton, settings)?;
    let each = groups.scenarios(&scenario).into_iter();
    let builts = each
        .map(|scenario| super::build(&blend_input, &Settings::Scenario(scenario), progress))
        .collect::<Result<Vec<_>, _>>()?;
    let upper = settings.upper.resolve(input.skeleton, input.roles).map_or_else(|_| Vec::new(), |mask| mask.weights);
    let skill = clips.iter().find(|clip| clip.name == settings.skill).copied();
    let sampler =
        Sampler::new(input, settings.mode, Groups { builts: &builts, of_joint: &groups.of_joint }, skill, upper);
    let times = frame_times(input.motion.duration, input.fps);
    let mut frames = Vec::with_capacity(times.len());
    for (i, &time) in times.iter().enumerate() {
        progress.step(i, times.len())?;
        frames.push(sampler.frame(time));
    }
    let weights: Vec<Weights> = times.iter().filter_map(|&time| builts[0].weights(time)).collect();
    let held = |weights: &&Weights| weights.skill_on_upper > 0.0 || weights.skill_on_lower > 0.0;
    let held_frames = weights.iter().filter(held).count();
    let joints: Vec<usize> =
        (0..input.skeleton.len()).filter(|&joint| frames.iter().any(|frame| frame.held[joint])).collect();
    let clip = with_keys(input, &joints, &frames, &times);
    let clips = input.clips.iter().map(|&clip| clip.clone()).collect();
    Ok(Layered { clip, weights, events: scenario.events, joints, clips, held_frames })
}

/// The motion under a name that no clip has and with its end held for long, so that WholeBody, which repeats, never comes round.
fn endless(input: &LayerInput) -> Clip {
    const HELD: f64 = 60.0;
    let mut name = format!("{} (motion)", input.motion.name);
    while input.clips.iter().any(|clip| clip.name == name) {
        name.push('\'');
    }
    Clip { name, duration: input.motion.duration + HELD, tracks: input.motion.tracks.clone() }
}

/// The standard tree with the motion as its run and its stand.
fn scenario(input: &LayerInput, settings: &LayerSettings, motion: &str) -> Scenario {
    let is_body = |event: &&Event| !matches!(event.action, Action::Cast | Action::End);
    let given = settings.events.iter().any(|event| is_body(&event));
    let mut events = if given { Vec::new() } else { running(input, settings.run_speeds, &settings.events) };
    let starts_running = settings.events.iter().filter(is_body).find(|event| event.time <= 0.0);
    if given && starts_running.is_none() {
        events.push(Event { action: Action::Stand, trans_time: 0.0, ..Event::default() });
    }
    events.extend(settings.events.iter().cloned());
    events.iter_mut().filter(|event| is_body(&&**event)).for_each(|event| {
        (event.clip, event.start) = (None, 0.0);
    });
    Scenario {
        run: motion.into(),
        stand: motion.into(),
        skill: settings.skill.clone(),
        skill_loops: settings.skill_loops,
        upper: settings.upper.clone(),
        events,
        synchronise: false,
        interrupt: settings.interrupt,
    }
}

impl Layered {
    /// Counts the skill only where `acts` at a time in seconds: the layer shows there alone.
    pub fn keep_frames(&mut self, acts: &dyn Fn(f64) -> bool, fps: f64) {
        let held = |(frame, weights): (usize, &Weights)| {
            acts(frame as f64 / fps) && (weights.skill_on_upper > 0.0 || weights.skill_on_lower > 0.0)
        };
        self.held_frames = self.weights.iter().enumerate().filter(|each| held(*each)).count();
    }
}

fn frame_times(duration: f64, fps: f64) -> Vec<f64> {
    let frames = (duration * fps + 1e-6).floor() as usize;
    let mut times: Vec<f64> = (0..=frames).map(|frame| (frame as f64 / fps).min(duration)).collect();
    // Frames closer to the end than a thousandth of a frame are the end.
    times.retain(|time| duration - time > 1e-3 / fps);
    times.push(duration);
    // As keys hold them, so that the motion is read at its own keys and not beside them.
    times.into_iter().map(|time| f64::from(time as f32)).collect()
}

/// The motion with a key in every frame for `joints`.
fn with_keys(input: &LayerInput, joints: &[usize], frames: &[LayeredFrame], times: &[f64]) -> Clip {
    let mut clip = input.motion.clone();
    let times: Vec<f32> = times.iter().map(|&time| time as f32).collect();
    for &joint in joints {
        let row = &input.skeleton.joints[joint];
        let locals = || frames.iter().map(|frame| frame.pose.locals[joint]);
        let mut turns: Vec<Quat> = Vec::with_capacity(frames.len());
        locals().for_each(|local| turns.push(aligned(local.rotation, *turns.last().unwrap_or(&local.rotation))));
        let morphs = row.first_morph..row.first_morph + row.morph_count;
        let moves = |part: &dyn Fn(&crate::math::Transform) -> bool| locals().any(|local| part(&local));
        let had = &input.motion.tracks[joint];
        clip.tracks[joint] = JointTracks {
            rotation: Some(Curve::linear(times.clone(), turns)),
            translation: (had.translation.is_some() || moves(&|local| local.translation != row.rest.translation))
                .then(|| Curve::linear(times.clone(), locals().map(|local| local.translation).collect())),
            scale: (had.scale.is_some() || moves(&|local| local.scale != row.rest.scale))
                .then(|| Curve::linear(times.clone(), locals().map(|local| local.scale).collect())),
            morphs: (!morphs.is_empty()).then(|| {
                let values = frames.iter().flat_map(|frame| frame.pose.morphs[morphs.clone()].iter().copied());
                Curve::linear(times.clone(), values.collect())
            }),
            ..JointTracks::default()
        };
    }
    clip
}

//! Clips with which a character crosses obstacles and gaps, cut to the part that its gaits do not play.

use super::clip_roles::{self, ClipSet};
use super::in_place_clip::RootCarrier;
use crate::crossing::{self, BuildError, CrossingClip, FitCost, Fitted, Moments, Obstacle};
use crate::locomotion::segments::pose_match::{limbs, pose_distance};
use crate::locomotion::{Input, Settings, WalkError};
use portamento_anim::foot_shape::SolePart;
use portamento_anim::rig::chains::Chain;
use portamento_anim::root_motion::world_at;
use portamento_anim::{Clip, Pose};
use portamento_base::message::message;
use portamento_base::progress::Progress;
use portamento_stretch::trim;

/// The body of a character, as far as crossings touch obstacles with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossingBody<'a> {
    /// Arms and legs of the rig; may be empty.
    pub limbs: &'a [Chain],
    /// Per joint, true if the mesh is bound to it; empty without a mesh.
    pub mesh_joints: &'a [bool],
    /// Mesh points of trunk, limbs, hands and feet; empty without a mesh.
    pub points: &'a [SolePart],
}

/// A clip of the character that crosses something.
#[derive(Clone, Debug, PartialEq)]
pub struct CrossingMotion {
    /// Name of the clip.
    pub name: String,
    /// The clip, cut at poses of a gait.
    pub clip: Clip,
    /// Its contacts, moments and own obstacle.
    pub crossing: CrossingClip,
    fps: f64,
}

/// Shortest time from the first pose to the take-off, seconds: the push of a running jump.
const RUN_UP_MIN_SECONDS: f64 = 0.2;
/// Shortest time from the landing to the last pose, seconds. The landing foot then bears the body.
const RUN_OUT_MIN_SECONDS: f64 = 0.2;
/// Largest excess of the distance from a gait's pose over the least one of the clip, metres.
const POSE_TOLERANCE_M: f64 = 0.02;
/// Phases of a gait to which a pose is compared.
const PHASES: usize = 32;
/// Speed below which the character stands at an end of the clip, m/s.
const STAND_MAX_SPEED: f64 = 0.4;
/// Keys per second of a clip without regular keys.
const DEFAULT_FPS: f64 = 30.0;

/// Returns the clips that `names` name, or those that are recognised if there are none, each recognised and cut.
///
/// Returns `Err` if
/// - a named clip does not exist or crosses nothing;
/// - the clips for standing and walking cannot be found, as listed at [`crate::locomotion::build`];
/// - `progress` is cancelled.
pub fn crossing_clips(
    input: &Input,
    body: &CrossingBody,
    names: &[String],
    settings: &Settings,
    progress: &Progress,
) -> Result<Vec<CrossingMotion>, WalkError> {
    let carrier = RootCarrier::find(input);
    let clips = clip_roles::find(input, &carrier, settings)?;
    let finder = Finder { input, carrier: &carrier, body, clips: &clips };
    if names.is_empty() {
        let mut found = Vec::new();
        for clip in finder.proposed() {
            progress.step(found.len(), found.len() + 1)?;
            found.extend(finder.motion(clip, progress).ok());
        }
        return Ok(found);
    }
    let named = |name: &String| {
        let clip = input.clip(name, message!("role.walk.crossing", "crossing"))?;
        finder.motion(clip, progress).map_err(|error| WalkError::NoCrossing { error: Box::new(error) })
    };
    names.iter().map(named).collect()
}

/// The character and the clips that it plays between crossings.
struct Finder<'a> {
    input: &'a Input<'a>,
    carrier: &'a RootCarrier,
    body: &'a CrossingBody<'a>,
    clips: &'a ClipSet,
}

impl<'a> Finder<'a> {
    /// Returns the clips that may cross by their names. If the name of any says so, only such clips are returned.
    fn proposed(&self) -> Vec<&'a Clip> {
        const WORDS: [&str; 8] = ["vault", "mantle", "climb", "jump", "hop", "drop", "hurdle", "leap"];
        // A start or an anticipation of a jump ends in the air.
        const NO_WORDS: [&str; 16] = [
            "strike",
            "attack",
            "slash",
            "punch",
            "kick",
            "hit",
            "shoot",
            "dodge",
            "roll",
            "dash",
            "death",
            "die",
            "idle",
            "loop",
            "start",
            "anticipation",
        ];
        let has = |clip: &Clip, words: &[&str]| {
            let name = clip.name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        };
        let gaits = self.clips.gaits.iter().map(|gait| &gait.source);
        let others = self.clips.start.iter().chain(&self.clips.stop).map(|clip| &clip.source);
        let used: Vec<&str> =
            gaits.chain(others).chain([&self.clips.idle]).map(|source| source.clip.name.as_str()).collect();
        let is_free = |clip: &&Clip| !used.contains(&clip.name.as_str()) && !has(clip, &NO_WORDS);
        let mut clips: Vec<&Clip> = self.input.clips.iter().filter(is_free).collect();
        if clips.iter().any(|clip| has(clip, &WORDS)) {
            clips.retain(|clip| has(clip, &WORDS));
        }
        clips
    }

    /// Recognises `clip` and cuts it. Returns `Err` if it crosses nothing.
    fn motion(&self, clip: &Clip, progress: &Progress) -> Result<CrossingMotion, BuildError> {
        let fps = clip.key_rate().unwrap_or(DEFAULT_FPS).clamp(1.0, 1000.0);
        let whole = self.recognised(clip, fps)?;
        let [from, to] = self.cuts(clip, &whole, fps);
        let is_whole = CrossingMotion { name: clip.name.clone(), clip: clip.clone(), crossing: whole, fps };
        if from <= 0.0 && to >= clip.duration {
            return Ok(is_whole);
        }
        let source = trim::Input { skeleton: self.input.skeleton, clip };
        let Ok(cut) = trim::build(&source, &trim::Settings { from, to: Some(to) }, progress) else {
            return Ok(is_whole);
        };
        // A cut that removes what shows the crossing is not used.
        Ok(match self.recognised(&cut.clip, fps) {
            Ok(crossing) if crossing.kind == is_whole.crossing.kind => {
                CrossingMotion { clip: cut.clip, crossing, ..is_whole }
            }
            _ => is_whole,
        })
    }

    fn recognised(&self, clip: &Clip, fps: f64) -> Result<CrossingClip, BuildError> {
        let input = fit_input(self.input, self.body, clip, fps);
        CrossingClip::recognise(&input.ok_or(BuildError::BadNumber { value: fps })?, &Moments::default(), None)
    }

    /// Returns the start and the end of the part that no gait plays, seconds: the last pose of a gait before the take-off and the
    /// first one after the landing. An end at which the character stands stays.
    fn cuts(&self, clip: &Clip, crossing: &CrossingClip, fps: f64) -> [f64; 2] {
        let frame = |time: f64| (time * fps).floor().max(0.0) as usize;
        let last = frame(clip.duration + 1e-6);
        let [take_off, .., landing] = crossing.moments;
        let before: Vec<usize> = (0..=frame(take_off - RUN_UP_MIN_SECONDS)).collect();
        let after: Vec<usize> = (frame(landing + RUN_OUT_MIN_SECONDS).min(last)..=last).collect();
        let nearest = |frames: Vec<usize>, at_start: bool| -> Option<f64> {
            let times = frames.iter().map(|frame| *frame as f64 / fps);
            let distances: Vec<f64> = times.clone().map(|time| self.distance(clip, time)).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            let mut near = times.zip(&distances).filter(|(_, distance)| **distance <= least + POSE_TOLERANCE_M);
            let found = if at_start { near.next_back() } else { near.next() };
            found.map(|(time, _)| time)
        };
        let stands = |time: f64| self.speed(clip, time) < STAND_MAX_SPEED;
        let from = if stands(0.0) { None } else { nearest(before, true) };
        let to = if stands(clip.duration) { None } else { nearest(after, false) };
        [from.unwrap_or(0.0), to.unwrap_or(clip.duration)]
    }

    /// Returns the ground-plane speed of the root around `time` (seconds), m/s.
    fn speed(&self, clip: &Clip, time: f64) -> f64 {
        const SECONDS: f64 = 0.1;
        let Some(root) = self.carrier.root else { return 0.0 };
        let from = (time - 0.5 * SECONDS).clamp(0.0, (clip.duration - SECONDS).max(0.0));
        let [a, b] =
            [from, from + SECONDS].map(|time| world_at(self.input.skeleton, clip, root.joint, time).translation);
        (b - a).with_y(0.0).length() * self.input.metres_per_unit / SECONDS
    }

    /// Returns the least mean distance of hands and feet at `time` from those of the gait with the nearest speed, metres.
    fn distance(&self, clip: &Clip, time: f64) -> f64 {
        let speed = self.speed(clip, time);
        let off = |gait: &&crate::locomotion::gaits::gait::Gait| (gait.speed() - speed).abs();
        let Some(gait) = self.clips.gaits.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { return f64::INFINITY };
        let limbs = limbs(self.input);
        let pose = clip.pose_at(self.input.skeleton, time);
        let mut other = Pose::default();
        let distance = |phase: usize| {
            let time = gait.time(phase as f64 / PHASES as f64);
            gait.source.sample(self.input.skeleton, self.carrier, time, &mut other);
            pose_distance(self.input, &limbs, &other, &pose)
        };
        (0..PHASES).map(distance).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the input of a fit of `clip`; `None` without a joint that carries the character.
fn fit_input<'a>(input: &Input<'a>, body: &CrossingBody<'a>, clip: &'a Clip, fps: f64) -> Option<crossing::Input<'a>> {
    Some(crossing::Input {
        skeleton: input.skeleton,
        clip,
        roles: input.roles,
        limbs: body.limbs,
        root: RootCarrier::find(input).root?,
        fps,
        metres_per_unit: input.metres_per_unit,
        mesh_joints: body.mesh_joints,
        body: body.points,
    })
}

impl CrossingMotion {
    /// Returns the time and the change of the clip over `obstacle`. Returns `Err` as [`CrossingClip::cost`].
    pub fn cost(&self, obstacle: &Obstacle) -> Result<FitCost, BuildError> {
        self.crossing.cost(obstacle)
    }

    /// Fits the clip to `obstacle`. `input` and `body` are those with which it was found. Returns `Err` as
    /// [`crossing::build`].
    pub fn fitted(
        &self,
        input: &Input,
        body: &CrossingBody,
        obstacle: &Obstacle,
        progress: &Progress,
    ) -> Result<Fitted, BuildError> {
        let input = fit_input(input, body, &self.clip, self.fps).ok_or(BuildError::BadNumber { value: self.fps })?;
        Fitted::new(&input, &self.crossing, obstacle, progress)
    }
}

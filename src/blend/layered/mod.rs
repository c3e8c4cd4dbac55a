//! A skill over an arbitrary motion: the standard tree with that motion as WholeBody.
//!
//! The speed of the motion's root determines whether the character runs. A cast covers the upper body while running and the whole
//! body while standing. Starting or stopping underneath hands over the legs. The motion itself never restarts: where the skill
//! has no weight, its values are returned bit for bit. The root motion is always that of the motion. The skill's root motion is
//! ignored; only its movement in place is visible.

mod blend_times;
mod input;
mod running;
mod sampler;
mod settings;

use glam::Quat;

use super::{Action, BuildError, Event, Input, Scenario, Settings, Weights};
use blend_times::TimeGroups;
pub use input::LayerInput;
use input::frame_times;
use portamento_anim::math::mean::aligned;
use portamento_anim::mirrored_scale::with_equal_signs;
use portamento_anim::{Clip, Curve, JointTracks};
use portamento_base::progress::Progress;
use running::running;
use sampler::{Groups, LayeredFrame, Sampler};
pub use settings::{BlendTime, LayerMode, LayerSettings};

/// The result of a layer.
#[derive(Clone, Debug)]
pub struct Layered {
    /// The resulting clip. Joints that the skill never affects keep their curves; the others have a key in every frame.
    pub clip: Clip,
    /// Weights of the standard tree in every frame.
    pub weights: Vec<Weights>,
    /// The events, including the run and stand events derived from the speed.
    pub events: Vec<Event>,
    /// The joints on which the skill has weight at any time.
    pub joints: Vec<usize>,
    /// Copies of [`LayerInput::clips`].
    pub clips: Vec<Clip>,
    /// Number of frames in which the skill has weight.
    pub held_frames: usize,
}

/// Applies the skill of `settings` over the motion of `input`.
///
/// Returns `Err` if the speeds, blend times, events or clips of `settings` are invalid, or if `progress` is cancelled.
pub fn layer(input: &LayerInput, settings: &LayerSettings, progress: &Progress) -> Result<Layered, BuildError> {
    settings.check()?;
    let motion = with_extended_end(input);
    let clips: Vec<&Clip> = std::iter::once(&motion).chain(input.clips.iter().copied()).collect();
    clips.iter().try_for_each(|clip| super::check_clip(clip, input.skeleton))?;
    let alike = with_equal_signs(input.skeleton, &clips);
    let clips: Vec<&Clip> = alike.iter().map(AsRef::as_ref).collect();
    let scenario = scenario(input, settings, &motion.name);
    let blend_input = Input { skeleton: input.skeleton, clips: &clips, roles: input.roles, markers: &[], travels: &[] };
    let groups = TimeGroups::new(input.skeleton, settings)?;
    let scenarios = groups.scenarios(&scenario).into_iter();
    let builts = scenarios
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
    let has_skill = |weights: &&Weights| weights.skill_on_upper > 0.0 || weights.skill_on_lower > 0.0;
    let held_frames = weights.iter().filter(has_skill).count();
    let joints: Vec<usize> =
        (0..input.skeleton.len()).filter(|&joint| frames.iter().any(|frame| frame.affected[joint])).collect();
    let clip = with_keys(input, &joints, &frames, &times);
    let clips = input.clips.iter().map(|&clip| clip.clone()).collect();
    Ok(Layered { clip, weights, events: scenario.events, joints, clips, held_frames })
}

/// Returns the motion under a unique name and 60 s longer, so that WholeBody, which loops, never restarts.
fn with_extended_end(input: &LayerInput) -> Clip {
    const EXTENSION_SECONDS: f64 = 60.0;
    let mut name = format!("{} (motion)", input.motion.name);
    while input.clips.iter().any(|clip| clip.name == name) {
        name.push('\'');
    }
    Clip { name, duration: input.motion.duration + EXTENSION_SECONDS, tracks: input.motion.tracks.clone() }
}

/// Returns the standard tree with the motion as both run and stand clip. Without run, stand or stop events in `settings` they
/// are derived from the speed. Run and stand events lose their own clip and entry. If they do not begin at 0, a stand is
/// added there.
fn scenario(input: &LayerInput, settings: &LayerSettings, motion: &str) -> Scenario {
    let is_body = |event: &&Event| !matches!(event.action, Action::Cast | Action::End);
    let has_body_events = settings.events.iter().any(|event| is_body(&event));
    let mut events = if has_body_events { Vec::new() } else { running(input, settings.run_speeds, &settings.events) };
    let starts_running = settings.events.iter().filter(is_body).find(|event| event.time <= 0.0);
    if has_body_events && starts_running.is_none() {
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
        skill_holds: settings.skill_holds,
        upper: settings.upper.clone(),
        events,
        synchronise: false,
        interrupt: settings.interrupt,
    }
}

impl Layered {
    /// Counts [`Self::held_frames`] again, with only those frames of the skill for which `acts` returns true. `acts` takes a
    /// time in seconds. The clip is unchanged.
    pub fn keep_frames(&mut self, acts: &dyn Fn(f64) -> bool, fps: f64) {
        let has_skill = |(frame, weights): (usize, &Weights)| {
            acts(frame as f64 / fps) && (weights.skill_on_upper > 0.0 || weights.skill_on_lower > 0.0)
        };
        self.held_frames = self.weights.iter().enumerate().filter(|each| has_skill(*each)).count();
    }
}

/// Returns the motion with the local transforms and morphs of `frames` as keys at `times` (seconds) for `joints`.
fn with_keys(input: &LayerInput, joints: &[usize], frames: &[LayeredFrame], times: &[f64]) -> Clip {
    let mut clip = input.motion.clone();
    let times: Vec<f32> = times.iter().map(|&time| time as f32).collect();
    for &joint in joints {
        let row = &input.skeleton.joints[joint];
        let locals = || frames.iter().map(|frame| frame.pose.locals[joint]);
        let mut turns: Vec<Quat> = Vec::with_capacity(frames.len());
        locals().for_each(|local| turns.push(aligned(local.rotation, *turns.last().unwrap_or(&local.rotation))));
        let morphs = row.first_morph..row.first_morph + row.morph_count;
        let is_changed = |part: &dyn Fn(&portamento_anim::math::Transform) -> bool| locals().any(|local| part(&local));
        let source_tracks = &input.motion.tracks[joint];
        clip.tracks[joint] = JointTracks {
            rotation: Some(Curve::linear(times.clone(), turns)),
            translation: (source_tracks.translation.is_some()
                || is_changed(&|local| local.translation != row.rest.translation))
            .then(|| Curve::linear(times.clone(), locals().map(|local| local.translation).collect())),
            scale: (source_tracks.scale.is_some() || is_changed(&|local| local.scale != row.rest.scale))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use portamento_anim::Curve;

    #[test]
    fn a_long_motion_continues_under_the_skill_to_its_end() {
        let hero = portamento_test_support::hero();
        let roles = portamento_anim::Rig::of_model(&hero).roles;
        let thigh = roles.legs[0].thigh;
        let mut motion = hero.clip("idle").unwrap().clone();
        motion.duration = 40.0;
        let turned = [0.0_f32, 1.0].map(glam::Quat::from_rotation_x);
        motion.tracks[thigh].rotation = Some(Curve::linear(vec![0.0, 40.0], turned.to_vec()));
        let input = LayerInput {
            skeleton: &hero.skeleton,
            motion: &motion,
            root: None,
            clips: &[hero.clip("cast").unwrap()],
            roles: &roles,
            fps: 2.0,
            metres_per_unit: 1.0,
        };
        let event = |time: f64, action: Action| Event { time, action, ..Event::default() };
        let events = vec![event(1.0, Action::Cast), event(3.0, Action::End)];
        let settings = LayerSettings { skill: "cast".into(), events, ..LayerSettings::default() };
        let clip = layer(&input, &settings, &Progress::default()).unwrap().clip;
        for time in [10.0, 30.0, 39.5] {
            let at = |clip: &Clip| clip.pose_at(&hero.skeleton, time).locals[thigh].rotation;
            assert!(at(&clip).angle_between(at(&motion)) < 1e-3, "{time} s");
        }
    }

    #[test]
    fn a_cast_over_a_motion_ends_with_its_clip_unless_it_holds() {
        let hero = portamento_test_support::hero();
        let roles = portamento_anim::Rig::of_model(&hero).roles;
        let [motion, cast] = ["idle", "cast"].map(|name| hero.clip(name).unwrap().clone());
        let motion = Clip { duration: cast.duration + 3.0, ..motion };
        let input = LayerInput {
            skeleton: &hero.skeleton,
            motion: &motion,
            root: None,
            clips: &[&cast],
            roles: &roles,
            fps: 30.0,
            metres_per_unit: 1.0,
        };
        let events = vec![Event { time: 0.5, action: Action::Cast, ..Event::default() }];
        let weights = |skill_holds: bool| {
            let settings =
                LayerSettings { skill: "cast".into(), skill_holds, events: events.clone(), ..LayerSettings::default() };
            layer(&input, &settings, &Progress::default()).unwrap().weights
        };
        let at = |weights: &[Weights], time: f64| weights[(time * 30.0).round() as usize].skill_on_upper;
        let (ends, holds) = (weights(false), weights(true));
        let end = 0.5 + cast.duration;
        assert_eq!([end - 0.1, end + 0.3].map(|time| at(&ends, time)), [1.0, 0.0]);
        assert_eq!(at(&holds, end + 2.0), 1.0);
    }
}

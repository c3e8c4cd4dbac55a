//! The blend source: several clips blended and baked into one, with measurements.

mod spinning;
mod joint_spikes;
mod warnings;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use glam::{DVec3, Quat, Vec3};

use super::clip::{self, FoundClip};
use super::source::{Source, unmodified};
use crate::document::take::Blend;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{Blended, BuiltTake, TakeError, memory};
use portamento_anim::contacts::{ContactLimits, contact_starts, contacts};
use portamento_anim::math::mean::aligned;
use portamento_anim::resample::frame_times;
use portamento_anim::{Clip, Curve, JointTracks, Pose, Roles, RootMotion, Skeleton, root_motion, root_synthesis};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_blend as blend;
use portamento_blend::{ClipTravel, Event, Node, NodeKind, RootTrajectory, Scenario, Scratch, Settings};

/// Plays a blend.
pub(super) struct BlendSource<'a>(pub &'a Blend);

impl Source for BlendSource<'_> {
    /// Returns the size of poses, weights and measurements.
    fn bytes(&self, inputs: &Inputs) -> u64 {
        let clips = self.0.clip_names().into_iter();
        let clips = clips.filter_map(|name| inputs.clips.clip(name).map(|(_, clip)| clip));
        let fps = clips.map(Clip::fps).fold(30.0, f64::max);
        let seconds = self.0.length.unwrap_or(MAX_LENGTH_SECONDS).min(MAX_LENGTH_SECONDS);
        memory::of_poses(seconds, fps, inputs.character.model.skeleton.len()).saturating_mul(2)
    }

    fn build(&self, inputs: &Inputs, progress: &Progress) -> Result<BuiltTake, TakeError> {
        let baked = bake(inputs, self.0, progress)?;
        let mut built = unmodified(inputs, baked.clip);
        (built.fps, built.warnings) = (baked.fps, baked.warnings);
        built.blended = Some(Arc::new(baked.blended));
        built.events = self.0.settings.events();
        built.events.retain(|event| event.time <= built.clip.duration);
        Ok(built)
    }
}

/// A blend baked to a clip.
struct Baked {
    blended: Blended,
    clip: Clip,
    fps: f64,
    warnings: Vec<Message>,
}

/// Maximum length of a blend, seconds.
const MAX_LENGTH_SECONDS: f64 = 600.0;

/// Blends the clips and bakes the result at their highest rate. Returns `Err` if the length is not above 0 and at most
/// [`MAX_LENGTH_SECONDS`], or if the blend cannot be built. Clips and parts that cannot be used are listed as faults.
fn bake(inputs: &Inputs, blend: &Blend, progress: &Progress) -> Result<Baked, TakeError> {
    let FoundClips { clips, warnings, mut faults } = FoundClips::search(inputs, blend)?;
    let clips: Vec<&Clip> = clips.iter().map(Cow::as_ref).collect();
    let mut playing: Vec<&Clip> = clips.iter().copied().filter(|clip| blend.settings.plays(&clip.name)).collect();
    if playing.is_empty() {
        // If no clip contributes, the length of all clips is used, so that the reported error is about the tree and not about the
        // length.
        playing.clone_from(&clips);
    }
    let fps = playing.iter().map(|clip| clip.fps()).reduce(f64::max).unwrap_or(30.0);
    let length = blend.length.unwrap_or_else(|| default_length(&blend.settings, &playing));
    if !(length > 0.0 && length <= MAX_LENGTH_SECONDS) {
        return Err(TakeError::BadLength(length));
    }
    let gaits: Vec<Gait> = clips.iter().map(|clip| Gait::measure(inputs, clip)).collect();
    let foot_downs: Vec<(String, Vec<f64>)> =
        gaits.iter().map(|gait| (gait.travel.clip.clone(), gait.foot_downs.clone())).collect();
    let travels: Vec<ClipTravel> = gaits.into_iter().map(|gait| gait.travel).collect();
    let markers: Vec<(&str, &[f64])> = foot_downs.iter().map(|(name, times)| (&**name, &times[..])).collect();
    let skeleton = &inputs.character.model.skeleton;
    let input = blend::Input { skeleton, clips: &clips, roles: &inputs.roles, markers: &markers, travels: &travels };
    let (settings, refused) = blend.settings.validated(&input);
    faults.extend(refused.into_iter().map(TakeError::from));
    let built = blend::build(&input, &settings, progress)?;
    let clips: Vec<&Clip> = clips.into_iter().filter(|clip| settings.plays(&clip.name)).collect();
    let travelling_clips = travelling_clips(skeleton, &clips, &inputs.roles);
    // The root joint nearest to the top of the skeleton becomes the root of the blend. A lower one would leave the joints that do
    // not descend from it behind, such as legs parented next to the hips.
    let root = travelling_clips.iter().map(|(_, root)| *root).min_by_key(|root| skeleton.ancestors(root.joint).count());
    let trajectory = root.map(|root| built.root_trajectory(root, blend.owner, length));
    let mut clip = empty_clip(&clips, trajectory.as_ref().and(root), skeleton.len());
    fill_keys(&mut clip, &built, skeleton, trajectory.as_ref(), frame_times(length, fps));
    (clip.name, clip.duration) = (inputs.source.title(), f64::from(length as f32));
    let weights = built.weight_curves(fps, length);
    let out_of_step = warnings::out_of_step(&settings, &foot_downs);
    let spikes = joint_spikes::find(skeleton, &clip, &built.active_clips(length), fps);
    let worst_spike = spikes.iter().max_by(|a, b| a.beyond.total_cmp(&b.beyond)).copied();
    let worst_spike =
        worst_spike.map(|found| warnings::spike(skeleton, found, &settings, 100.0 * inputs.metres_per_unit));
    let spin = inputs.roles.hips.filter(|&hips| hips < skeleton.len()).and_then(|hips| {
        let found = spinning::find(skeleton, hips, [&[&clip], &built.active_clips(length)], fps)?;
        Some(warnings::spins(&skeleton.joints[hips].name, found, &settings))
    });
    let warnings = warnings
        .into_iter()
        .chain(warnings::of_built(&built, fps, length))
        .chain(out_of_step)
        .chain(worst_spike)
        .chain(spin)
        .chain(root.and_then(|root| other_root_warning(skeleton, &travelling_clips, root)))
        .collect();
    let carrier = trajectory.as_ref().and(root).map(|root| root.joint);
    let hurried = inputs.roles.hips.map_or_else(Vec::new, |hips| built.fast_turns(hips, carrier));
    let figures = OnceLock::new();
    let blended =
        Blended { built, length, fps, figures, weights, foot_downs, travels, hurried, thrown: spikes, faults };
    Ok(Baked { blended, clip, fps, warnings })
}

/// The clips of a blend, mapped to the character's joints.
#[derive(Default)]
struct FoundClips<'a> {
    clips: Vec<Cow<'a, Clip>>,
    warnings: Vec<Message>,
    faults: Vec<TakeError>,
}

impl<'a> FoundClips<'a> {
    /// Finds the clips of `blend`. Missing clips are left out, and unusable ones are listed as faults. Returns `Err` if a take
    /// used as a clip is not built or has no joints.
    fn search(inputs: &'a Inputs, blend: &Blend) -> Result<Self, TakeError> {
        let mut all = Self::default();
        for name in blend.clip_names() {
            match clip::find(inputs, &inputs.clips, name) {
                Ok(FoundClip { clip, warning }) => match blend::check_clip(&clip, &inputs.character.model.skeleton) {
                    Ok(()) => {
                        all.clips.push(clip);
                        all.warnings.extend(warning);
                    }
                    Err(broken) => all.faults.push(broken.into()),
                },
                // A missing clip is reported with the node or event that uses it, and only if that is active.
                Err(TakeError::NoClip { .. }) => {}
                Err(fault @ TakeError::NothingInCommon(_)) => all.faults.push(fault),
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

/// Returns the clips that travel, each with its root motion. The others are left out.
fn travelling_clips<'a>(skeleton: &Skeleton, clips: &[&'a Clip], roles: &Roles) -> Vec<(&'a Clip, RootMotion)> {
    let carrier = |clip: &&'a Clip| {
        let root = RootMotion::find(skeleton, clip, roles)?;
        blend::travels(skeleton, clip, root).then_some((*clip, root))
    };
    clips.iter().filter_map(carrier).collect()
}

/// Returns a warning about the first clip whose root motion uses another joint than `root`. `None` if all use it.
fn other_root_warning(
    skeleton: &Skeleton,
    travelling_clips: &[(&Clip, RootMotion)],
    root: RootMotion,
) -> Option<Message> {
    let name = |joint: usize| skeleton.joints[joint].name.clone();
    let (clip, other) = travelling_clips.iter().find(|(_, other)| other.joint != root.joint)?;
    Some(message!(
        "warning.blend.other_carrier",
        "“%{clip}” has its root motion on %{other}, but the blend uses %{carrier}: its travel restarts with every \
         cycle. Give all clips the same root motion joint.",
        clip = clip.name.clone(),
        other = name(other.joint),
        carrier = name(root.joint)
    ))
}

/// Returns the length in seconds of a blend that has none: until a second after the last event and until the last key of a
/// parameter. Without a standard scenario it is at least the longest of `clips`.
fn default_length(settings: &Settings, clips: &[&Clip]) -> f64 {
    let last = |events: &[Event]| events.iter().map(|event| event.time).fold(0.0, f64::max) + 1.0;
    let duration_of = |name: &str| clips.iter().find(|clip| clip.name == name).map(|clip| clip.duration);
    let timed = |scenario: &Scenario| -> Vec<Event> {
        scenario.timed_events(duration_of).into_iter().map(|timed| timed.event).collect()
    };
    let events = settings.standard().map(|scenario| last(&timed(scenario)));
    let longest = || clips.iter().map(|clip| clip.duration).fold(0.0, f64::max);
    let changes = settings.events();
    let changes = if changes.is_empty() { 0.0 } else { last(&changes) };
    let parameters = match settings {
        Settings::Tree(tree) => tree.nodes.iter().map(parameter_end).fold(0.0, f64::max),
        Settings::Scenario(_) => 0.0,
    };
    events.unwrap_or_else(longest).max(parameters).max(changes)
}

/// Returns the time of the last key of a blend space's parameter, seconds.
fn parameter_end(node: &Node) -> f64 {
    if let NodeKind::Space(space) = &node.kind { space.end() } else { 0.0 }
}

/// The steps and the travel of a clip.
struct Gait {
    /// Touchdown times of the first leg's foot, seconds.
    foot_downs: Vec<f64>,
    travel: ClipTravel,
}

impl Gait {
    /// Measures `clip`. For a clip that walks in place, root motion is computed first. The travel is that of the root, or
    /// that of the feet if it is more than twice as fast.
    fn measure(inputs: &Inputs, clip: &Clip) -> Self {
        let (skeleton, unit) = (&inputs.character.model.skeleton, inputs.metres_per_unit);
        let own = travel_of(inputs, clip);
        let synthesized = root_synthesis::synthesize_root_motion(skeleton, clip, &inputs.roles, clip.fps(), unit);
        let Ok((synthesized, _)) = synthesized else { return Self { foot_downs: steps_of(inputs, clip), travel: own } };
        let by_feet = travel_of(inputs, &synthesized);
        // Feet determine the speed of a clip that walks in place. For other clips, the root is more accurate.
        let is_in_place = by_feet.mean_speed() > 2.0 * own.mean_speed();
        Self { foot_downs: steps_of(inputs, &synthesized), travel: if is_in_place { by_feet } else { own } }
    }
}

/// Measures the distance that `clip` has travelled at every frame. In metres, horizontally.
fn travel_of(inputs: &Inputs, clip: &Clip) -> ClipTravel {
    let skeleton = &inputs.character.model.skeleton;
    let times = frame_times(clip.duration, clip.fps());
    let root = RootMotion::find(skeleton, clip, &inputs.roles).map(|root| root.joint).or(inputs.roles.hips);
    let points = root.map(|joint| root_motion::path(skeleton, clip, joint, &times)).unwrap_or_default();
    let step = |i: usize| match i {
        0 => 0.0,
        _ => points.get(i).map_or(0.0, |point| (*point - points[i - 1]).with_y(0.0).length() * inputs.metres_per_unit),
    };
    let mut distance = 0.0;
    let add = |i: usize| {
        distance += step(i);
        distance
    };
    let metres = (0..times.len()).map(add).collect();
    ClipTravel { clip: clip.name.clone(), times, metres }
}

/// Returns the touchdown times of the first leg's foot in `clip`, seconds. It is empty without legs. Without stances,
/// landings count.
fn steps_of(inputs: &Inputs, clip: &Clip) -> Vec<f64> {
    let Some(leg) = inputs.roles.legs.first() else { return Vec::new() };
    let (skeleton, unit) = (&inputs.character.model.skeleton, inputs.metres_per_unit);
    let times = frame_times(clip.duration, clip.fps());
    let points = root_motion::path(skeleton, clip, leg.foot, &times);
    let downs = contact_starts(&contacts(&points, &times, unit, &ContactLimits::default()));
    let touchdowns: Vec<f64> =
        downs.into_iter().map(|frame| times[frame]).filter(|&time| time < clip.duration).collect();
    if touchdowns.is_empty() { landings(&points, &times, unit) } else { touchdowns }
}

/// Returns the times (seconds) at which a foot without stance falls through a quarter of its height range; empty if that range
/// is less than 3 cm.
fn landings(points: &[DVec3], times: &[f64], metres_per_unit: f64) -> Vec<f64> {
    const MIN_RISE_M: f64 = 0.03;
    let heights = || points.iter().map(|point| point.y);
    let (low, high) = (heights().fold(f64::MAX, f64::min), heights().fold(f64::MIN, f64::max));
    if (high - low) * metres_per_unit < MIN_RISE_M {
        return Vec::new();
    }
    let threshold = low + 0.25 * (high - low);
    let is_landing = |i: &usize| points[*i].y > threshold && points[i + 1].y <= threshold;
    let crossing = |i: usize| {
        let part = (points[i].y - threshold) / (points[i].y - points[i + 1].y);
        times[i] + part * (times[i + 1] - times[i])
    };
    (0..points.len().saturating_sub(1)).filter(is_landing).map(crossing).collect()
}

/// Returns a clip with empty curves for every curve that any clip has, and for the root joint.
fn empty_clip(clips: &[&Clip], root: Option<RootMotion>, joints: usize) -> Clip {
    let tracks = |joint: usize| {
        let any = |has: fn(&JointTracks) -> bool| clips.iter().any(|clip| has(&clip.tracks[joint]));
        let carries = root.is_some_and(|root| root.joint == joint);
        let vectors = || Curve::linear(Vec::new(), Vec::<Vec3>::new());
        JointTracks {
            translation: (carries || any(|tracks| tracks.translation.is_some())).then(vectors),
            rotation: (carries || any(|tracks| tracks.rotation.is_some()))
                .then(|| Curve::linear(Vec::new(), Vec::<Quat>::new())),
            scale: any(|tracks| tracks.scale.is_some()).then(vectors),
            morphs: any(|tracks| tracks.morphs.is_some()).then(Curve::default),
            ..JointTracks::default()
        }
    };
    Clip { tracks: (0..joints).map(tracks).collect(), ..Clip::default() }
}

/// Appends a key for each of `times` (seconds) to the curves of `clip`. Curves that it lacks are not created.
fn fill_keys(
    clip: &mut Clip,
    built: &blend::Built,
    skeleton: &Skeleton,
    trajectory: Option<&RootTrajectory>,
    times: Vec<f64>,
) {
    let (mut scratch, mut pose) = (Scratch::default(), Pose::rest(skeleton));
    for time in times {
        built.sample(time, &mut scratch, &mut pose);
        if let Some(trajectory) = trajectory {
            built.apply_root_motion(trajectory, time, &mut pose);
        }
        for (joint, tracks) in clip.tracks.iter_mut().enumerate() {
            let local = pose.locals[joint];
            push(&mut tracks.translation, time, &[local.translation]);
            push(&mut tracks.scale, time, &[local.scale]);
            // Players disagree on the direction of rotation between quaternion keys of opposite sign.
            let last = tracks.rotation.as_ref().and_then(|curve| curve.values.last().copied());
            push(&mut tracks.rotation, time, &[aligned(local.rotation, last.unwrap_or(local.rotation))]);
            let row = &skeleton.joints[joint];
            push(&mut tracks.morphs, time, &pose.morphs[row.first_morph..row.first_morph + row.morph_count]);
        }
    }
}

/// Appends a key to `curve`, if there is one. `values` are the numbers of the key.
fn push<T: Copy>(curve: &mut Option<Curve<T>>, time: f64, values: &[T]) {
    if let Some(curve) = curve {
        curve.times.push(time as f32);
        curve.values.extend_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_lands_when_it_falls_through_a_quarter_of_its_height() {
        let points = |heights: &[f64]| heights.iter().map(|&y| DVec3::Y * y).collect::<Vec<_>>();
        let times: Vec<f64> = (0..9).map(|frame| f64::from(frame) * 0.1).collect();
        let steps = points(&[0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0]);
        let found = landings(&steps, &times, 1.0);
        // From 10 cm to 0, the threshold at 5 cm is half way between two frames.
        assert!(found.len() == 2 && (found[0] - 0.35).abs() < 1e-9 && (found[1] - 0.75).abs() < 1e-9, "{found:?}");
        // 20 units of 1 mm are less than 3 cm.
        assert!(landings(&steps, &times, 0.1).is_empty() && landings(&steps, &times, 0.2).len() == 2);
        assert!(landings(&points(&[0.2, 0.2, 0.2]), &times, 1.0).is_empty() && landings(&[], &[], 1.0).is_empty());
        // A foot that starts on the ground has not landed, and a foot that only rises never lands.
        assert!(landings(&points(&[0.0, 0.1, 0.2]), &times, 1.0).is_empty());
    }
}

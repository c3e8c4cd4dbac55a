//! Gaits in place: their feet slide, so stances exist only if the body travels at the speed of the feet.

use glam::DVec3;

use super::{BuildError, Built, Input, Settings, body, put_on_ground};
use portamento_anim::root_motion::{local_at, world_at};
use portamento_anim::travelling::{Travelling, travelling};
use portamento_base::progress::Progress;

/// Distance to the ground below which planted feet are correct, metres. Foot slide is expected in place. Tuned; no derivation
/// recorded.
const GROUND_TOLERANCE_M: f64 = 0.005;

/// Corrects a gait in place as if it travelled, on the ground under its body, and removes the travel again. A motion that is
/// already correct is unchanged. Returns `None` for any other motion. Returns `Err` as [`super::build`].
pub(super) fn build(input: &Input, settings: &Settings, progress: &Progress) -> Option<Result<Built, BuildError>> {
    let gait = travelling(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit)?;
    let body = world_at(input.skeleton, input.clip, input.root.joint, 0.0).translation * input.metres_per_unit;
    // The ground height at the body is used everywhere, whatever the travel.
    let ground = |position: DVec3| (input.ground)(body.with_y(position.y));
    let travels = Input { clip: &gait.clip, root: gait.root, ground: &ground, ..*input };
    let built = put_on_ground(&travels, settings, progress);
    Some(built.map(|mut built| {
        if built.report.off_ground[0] <= GROUND_TOLERANCE_M && built.report.in_ground[0] <= body::depth_threshold(input)
        {
            built.clip = input.clip.clone();
            built.report = built.report.unchanged();
        } else {
            remove_travel(input, &gait, &mut built);
        }
        built
    }))
}

/// Removes the travel of `gait` from `built`.
fn remove_travel(input: &Input, gait: &Travelling, built: &mut Built) {
    let joint = gait.root.joint;
    let translation = &mut built.clip.tracks[joint].translation;
    if *translation == gait.clip.tracks[joint].translation {
        translation.clone_from(&input.clip.tracks[joint].translation);
        return;
    }
    for (&time, position) in translation.iter_mut().flat_map(|curve| curve.times.iter().zip(&mut curve.values)) {
        let [in_place, travelling] = [input.clip, &gait.clip]
            .map(|clip| local_at(input.skeleton, clip, joint, f64::from(time)).translation.as_dvec3());
        *position = (position.as_dvec3() + in_place - travelling).as_vec3();
    }
}

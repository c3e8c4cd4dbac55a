//! Gaits on the spot: their feet slide, so that none ever stands, but they do while the body goes as fast as they tell.

use glam::DVec3;

use super::{BuildError, Built, Input, Settings, body, put_on_ground};
use crate::anim::root_motion::{local_at, world_at};
use crate::anim::travelling::{Travelling, travelling};
use crate::progress::Progress;

/// Metres that feet are off the ground up to which they are on it: how far they slide on the spot is no fault of theirs.
const ON_GROUND: f64 = 0.005;

/// `input` on the ground under its body as it would travel, and the way taken back; as it is where its
/// feet are on the ground. `None` for everything but a gait on the spot.
pub(super) fn build(input: &Input, settings: &Settings, progress: &Progress) -> Option<Result<Built, BuildError>> {
    let gait = travelling(input.skeleton, input.clip, input.roles, input.fps, input.metres_per_unit)?;
    let body = world_at(input.skeleton, input.clip, input.root.joint, 0.0).translation * input.metres_per_unit;
    // However far it would go, it is used where it is.
    let ground = |place: DVec3| (input.ground)(body.with_y(place.y));
    let travels = Input { clip: &gait.clip, root: gait.root, ground: &ground, ..*input };
    let built = put_on_ground(&travels, settings, progress);
    Some(built.map(|mut built| {
        if built.report.off_ground[0] <= ON_GROUND && built.report.in_ground[0] <= body::seen(input) {
            built.clip = input.clip.clone();
            built.report = built.report.unchanged();
        } else {
            take_back(input, &gait, &mut built);
        }
        built
    }))
}

/// Takes the way of `gait` out of `built`.
fn take_back(input: &Input, gait: &Travelling, built: &mut Built) {
    let joint = gait.root.joint;
    let made = &mut built.clip.tracks[joint].translation;
    if *made == gait.clip.tracks[joint].translation {
        made.clone_from(&input.clip.tracks[joint].translation);
        return;
    }
    for (&time, place) in made.iter_mut().flat_map(|curve| curve.times.iter().zip(&mut curve.values)) {
        let [here, there] = [input.clip, &gait.clip]
            .map(|clip| local_at(input.skeleton, clip, joint, f64::from(time)).translation.as_dvec3());
        *place = (place.as_dvec3() + here - there).as_vec3();
    }
}

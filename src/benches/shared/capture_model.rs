//! A long capture of one body, for benches and for a law of memory.

use glam::{Quat, Vec3};
use portamento_anim::math::Transform;
use portamento_anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};

const JOINTS: usize = 42;
const FRAMES_PER_SECOND: usize = 120;

/// Returns a body that walks in circles of 8 m, with all joints turning. `round` makes the contents differ.
pub fn capture(seconds: usize, round: usize) -> Model {
    let joint = |i: usize| Joint {
        name: format!("joint {i}"),
        parent: i.checked_sub(1).map(|before| if i.is_multiple_of(6) { 0 } else { before }),
        rest: Transform::from_translation(if i == 0 { Vec3::Y } else { Vec3::Y * 0.1 }),
        node: i,
        first_morph: 0,
        morph_count: 0,
    };
    let skeleton = Skeleton { joints: (0..JOINTS).map(joint).collect(), rest_morphs: Vec::new() };
    let times: Vec<f32> = (0..=seconds * FRAMES_PER_SECOND).map(|i| i as f32 / FRAMES_PER_SECOND as f32).collect();
    let turn = |joint: usize| {
        let speed = 0.7 + 0.05 * joint as f32 + 0.001 * round as f32;
        times.iter().map(|&time| Quat::from_rotation_x((speed * time).sin())).collect()
    };
    let mut tracks: Vec<JointTracks> = (0..JOINTS)
        .map(|joint| JointTracks {
            rotation: Some(Curve::linear(times.clone(), turn(joint))),
            ..JointTracks::default()
        })
        .collect();
    let path = times.iter().map(|&time| Vec3::new(4.0 * (0.3 * time).cos(), 1.0, 4.0 * (0.3 * time).sin())).collect();
    tracks[0].translation = Some(Curve::linear(times.clone(), path));
    let clips = vec![Clip { name: "capture".into(), duration: seconds as f64, tracks }];
    Model { name: "capture".into(), skeleton, clips, ..Model::default() }
}

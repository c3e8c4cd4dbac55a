//! Skeletons, clips and pictures that are made of a few numbers. `portamento_anim` compiles this file into its own tests too.

use glam::Vec3;
use portamento_anim::math::Transform;
use portamento_anim::media::{Channels, Depth, ImageInfo};
use portamento_anim::{Clip, Curve, Joint, JointTracks, Skeleton};

/// Rows of a root, hips and two legs of three joints each.
pub const LEGGED: [(&str, Option<usize>); 8] = [
    ("root", None),
    ("hips", Some(0)),
    ("thigh.l", Some(1)),
    ("shin.l", Some(2)),
    ("foot.l", Some(3)),
    ("thigh.r", Some(1)),
    ("shin.r", Some(5)),
    ("foot.r", Some(6)),
];

/// A chain or tree from (name, parent) rows, each joint 1 m above its parent.
pub fn skeleton_of(rows: &[(&str, Option<usize>)]) -> Skeleton {
    let joints = rows
        .iter()
        .enumerate()
        .map(|(node, &(name, parent))| Joint {
            name: name.into(),
            parent,
            rest: Transform::from_translation(Vec3::Y),
            node,
            first_morph: 0,
            morph_count: 0,
        })
        .collect();
    Skeleton { joints, rest_morphs: Vec::new() }
}

/// The same rig and motion in a file whose unit is `factor` times shorter.
pub fn in_smaller_unit(skeleton: &Skeleton, clip: &Clip, factor: f32) -> (Skeleton, Clip) {
    let (mut skeleton, mut clip) = (skeleton.clone(), clip.clone());
    skeleton.joints.iter_mut().for_each(|joint| joint.rest.translation *= factor);
    let curves = clip.tracks.iter_mut().filter_map(|tracks| tracks.translation.as_mut());
    curves.flat_map(|curve| &mut curve.values).for_each(|place| *place *= factor);
    (skeleton, clip)
}

/// Two feet on the spot: each slides back 0.4 m in half a second while it stands, then swings forward 20 cm up.
pub fn treadmill() -> (Skeleton, Clip) {
    let skeleton = skeleton_of(&LEGGED);
    let times: Vec<f32> = (0..=30).map(|i| i as f32 / 30.0).collect();
    let foot = |time: f32, half: f32| {
        let at = (time + half).rem_euclid(1.0);
        if at <= 0.5 { Vec3::new(0.0, 0.0, 0.2 - 0.8 * at) } else { Vec3::new(0.0, 0.2, -0.2 + 0.8 * (at - 0.5)) }
    };
    let mut clip = Clip { name: "walk".into(), duration: 1.0, tracks: vec![JointTracks::default(); 8] };
    for (joint, half) in [(4, 0.0), (7, 0.5)] {
        let values = times.iter().map(|&time| foot(time, half)).collect();
        clip.tracks[joint].translation = Some(Curve::linear(times.clone(), values));
    }
    (skeleton, clip)
}

/// An 8-bit sRGB description.
pub fn image_info(width: u32, height: u32, frames: usize) -> ImageInfo {
    ImageInfo {
        width,
        height,
        depth: Depth::U8,
        channels: Channels::Rgba,
        premultiplied: false,
        linear: false,
        frames,
        fps: 24.0,
    }
}

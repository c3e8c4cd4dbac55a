//! A motion in any layout, and the model built from it.

use glam::{Quat, Vec3};

use super::layout::Node;
use crate::import::frames;
use portamento_anim::geometry::UpAxis;
use portamento_anim::math::Transform;
use portamento_anim::{Clip, Curve, Joint, JointTracks, Model, Skeleton};

/// The motion of a figure whose rest pose is a T pose with +Y up and all rotations zero.
#[derive(Debug)]
pub(super) struct Motion {
    /// The joints; the first one is the only root.
    pub nodes: Vec<Node>,
    /// Offset of each joint from its parent at rest, metres. That of the root is ignored.
    pub offsets: Vec<Vec3>,
    /// Rotation of each joint relative to its parent, unit quaternions: by joint, then by frame.
    pub rotations: Vec<Vec<Quat>>,
    /// Position of the root in each frame, metres.
    pub path: Vec<Vec3>,
    /// The axis that points up by the convention of the layout.
    pub up: UpAxis,
    /// Frames per second, if the file states them.
    pub fps: Option<f64>,
    /// Frames per second that the layout usually has.
    pub usual_fps: f64,
    /// True if the file holds the bone lengths of its figure.
    pub has_bone_lengths: bool,
}

impl Motion {
    /// Returns the frames per second that the file states, else the usual ones.
    pub fn rate(&self) -> f64 {
        self.fps.unwrap_or(self.usual_fps)
    }

    /// Builds the model with one clip, both called `name`. Its lowest joint is at height 0 at rest.
    pub fn into_model(self, name: &str) -> Model {
        let fps = self.rate();
        let times: Vec<f32> = (0..self.path.len()).map(|frame| (frame as f64 / fps) as f32).collect();
        let skeleton = skeleton(&self.nodes, &self.offsets);
        let mut path = Some(self.path);
        let track = |turns: Vec<Quat>| {
            let moves = turns.iter().any(|turn| *turn != Quat::IDENTITY);
            JointTracks {
                translation: path.take().map(|path| Curve::linear(times.clone(), path)),
                rotation: moves.then(|| Curve::linear(times.clone(), without_sign_changes(turns))),
                ..JointTracks::default()
            }
        };
        let tracks = self.rotations.into_iter().map(track).collect();
        let duration = f64::from(times.last().copied().unwrap_or(0.0));
        let clip = Clip { name: name.to_owned(), duration, tracks };
        Model { name: name.to_owned(), skeleton, clips: vec![clip], ..Model::default() }
    }
}

/// Builds the skeleton from the offset of each node from its parent, which precedes it. The root is as high as the lowest joint
/// is below it.
fn skeleton(nodes: &[Node], offsets: &[Vec3]) -> Skeleton {
    let mut positions = vec![Vec3::ZERO; nodes.len()];
    for (joint, node) in nodes.iter().enumerate() {
        positions[joint] = node.parent.map_or(Vec3::ZERO, |parent| positions[parent] + offsets[joint]);
    }
    let lowest = positions.iter().map(|position| position.y).fold(0.0, f32::min);
    let joint = |(index, node): (usize, &Node)| {
        let translation = if node.parent.is_some() { offsets[index] } else { Vec3::new(0.0, -lowest, 0.0) };
        let rest = Transform { translation, ..Transform::IDENTITY };
        Joint { name: node.name.clone(), parent: node.parent, rest, node: index, first_morph: 0, morph_count: 0 }
    };
    Skeleton { joints: nodes.iter().enumerate().map(joint).collect(), rest_morphs: Vec::new() }
}

/// Returns the rotations with the sign of each quaternion nearer to the previous one.
fn without_sign_changes(mut rotations: Vec<Quat>) -> Vec<Quat> {
    for frame in 1..rotations.len() {
        if rotations[frame].dot(rotations[frame - 1]) < 0.0 {
            rotations[frame] = -rotations[frame];
        }
    }
    rotations
}

/// The direction of the file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Up {
    /// +Y or +Z.
    Axis(UpAxis),
    /// −Y, as in the coordinates of a camera.
    Down,
}

/// Minimum mean component of the trunk along an axis, of 1, that outweighs the convention of the layout.
const MIN_TRUNK_COMPONENT: f32 = 0.5;
/// Minimum ratio to the component along the axis of the convention. Tuned so that crawling and lying figures stay as they are.
const MIN_TRUNK_RATIO: f32 = 2.0;

/// Returns the direction of the file that points up in the first clip of `model`: +Y, +Z or −Y. `model` still has the
/// axes of the file.
///
/// The direction is `usual` unless the trunk, averaged over all frames, clearly points along another one. Its
/// component along that one must exceed [`MIN_TRUNK_COMPONENT`], and [`MIN_TRUNK_RATIO`] times that along `usual`.
/// Returns `usual` if no joint is named head.
pub(super) fn up(model: &Model, usual: UpAxis) -> Up {
    let is_head = |joint: &Joint| joint.name.eq_ignore_ascii_case("head");
    let Some(head) = model.skeleton.joints.iter().position(is_head) else { return Up::Axis(usual) };
    let frames = frames::positions(model);
    let trunks = frames.iter().map(|frame| (frame[head] - frame[0]).normalize_or_zero());
    let trunk = trunks.sum::<Vec3>() / frames.len().max(1) as f32;
    let candidates = [(Up::Axis(UpAxis::Y), trunk.y), (Up::Axis(UpAxis::Z), trunk.z), (Up::Down, -trunk.y)];
    let component = |up: Up| candidates.iter().find(|(one, _)| *one == up).map_or(0.0, |&(_, along)| along.max(0.0));
    let highest = candidates.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    highest
        .filter(|&(_, along)| along > MIN_TRUNK_COMPONENT && along > MIN_TRUNK_RATIO * component(Up::Axis(usual)))
        .map_or(Up::Axis(usual), |(up, _)| up)
}

/// Turns the motion of `model` so that +Y is up. The rest pose already is. Only the root is turned.
pub(super) fn turn_to_y(model: &mut Model, up: Up) {
    let (turn, rotation): (fn(Vec3) -> Vec3, Quat) = match up {
        Up::Axis(UpAxis::Y) => return,
        Up::Axis(UpAxis::Z) => {
            let half = std::f32::consts::FRAC_1_SQRT_2;
            (|point| Vec3::new(point.x, point.z, -point.y), Quat::from_xyzw(-half, 0.0, 0.0, half))
        }
        Up::Down => (|point| Vec3::new(point.x, -point.y, -point.z), Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
    };
    for clip in &mut model.clips {
        let Some(root) = clip.tracks.first_mut() else { continue };
        root.translation.iter_mut().flat_map(|curve| &mut curve.values).for_each(|value| *value = turn(*value));
        let turns = root.rotation.get_or_insert_with(|| Curve::linear(vec![0.0], vec![Quat::IDENTITY]));
        turns.values.iter_mut().for_each(|value| *value = rotation * *value);
    }
}

/// Fraction of the frames whose lowest joint may be under the ground.
const FLOOR_QUANTILE: f32 = 0.05;

/// Returns the distance in metres by which the root must rise so that the feet are on the ground. It is minus the height of
/// the lowest joint, of which [`FLOOR_QUANTILE`] of all frames may be lower. 0 if the root is not above the ground at rest.
pub(super) fn distance_to_floor(model: &Model) -> f32 {
    let rest = model.skeleton.joints.first().map_or(0.0, |root| root.rest.translation.y);
    if rest <= 0.0 {
        return 0.0;
    }
    let lowest = frames::positions(model).iter().map(|frame| frames::span(frame, Vec3::Y)[0]).collect();
    -frames::quantile(lowest, FLOOR_QUANTILE)
}

/// Adds `height` to the path of the root, metres.
pub(super) fn raise(model: &mut Model, height: f32) {
    let roots = model.clips.iter_mut().filter_map(|clip| clip.tracks.first_mut());
    roots.filter_map(|root| root.translation.as_mut()).for_each(|path| {
        path.values.iter_mut().for_each(|position| position.y += height);
    });
}

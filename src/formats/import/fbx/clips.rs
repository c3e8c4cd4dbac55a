//! Converts animation stacks to clips.
//!
//! FBX curves animate angles and offsets separately; Portamento's animate joints.
//! Each joint is therefore evaluated through all layers of the stack, with keys where the file has them.
//! [`super::keyframe_fit`] then fits the motion between the keys.

use glam::{Quat, Vec3};
use ufbx::{Node, Scene};

use super::keyframe_fit::{Keys, MAX_ADDED_KEYS, Motion, Row, fit_keys};
use super::node_motion::NodeMotion;
use super::nodes::Nodes;
use super::prepared_stack::Stack;
use super::shape_weights::ShapeWeights;
use crate::import::ImportError;
use portamento_anim::{Clip, Curve, JointTracks, Model, Pose};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

/// Largest error of one joint between keys, relative to the body size: a tenth of the error allowed for a chain.
const FIT_TOLERANCE: f64 = 1e-6;
/// Keys that may be added for a whole file.
/// More are allowed per key of the file. The limits keep a joint that spins a thousand times between two keys from taking minutes.
const MAX_ADDED_KEYS_BASE: usize = 1 << 16;
const MAX_ADDED_KEYS_PER_KEY: usize = 16;
/// Converts every stack to a clip. Adds one warning about the added keys of all of them. Clips have one track per joint of
/// `model` and begin at 0. Returns `Err` if the budget is exceeded or the user cancels.
pub(super) fn load(
    stacks: &[Stack],
    scene: &Scene,
    nodes: &Nodes,
    model: &Model,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Vec<Clip>, ImportError> {
    let budget = progress.budget();
    let mut count = FitStatistics { left: MAX_ADDED_KEYS_BASE, ..FitStatistics::default() };
    let mut clips = Vec::new();
    let body = FigureSize::from_model(model);
    for (index, stack) in stacks.iter().enumerate() {
        let what = || format!("The clip “{}”", stack.name);
        count.left += MAX_ADDED_KEYS_PER_KEY * stack.times.count();
        let bytes = model.skeleton.len() * size_of::<JointTracks>();
        budget.take(bytes as u64, &what)?;
        let mut tracks = vec![JointTracks::default(); model.skeleton.len()];
        for node in &scene.nodes {
            let Some(joint) = nodes.of_node(node) else { continue };
            progress.step(stacks.len() + index, 2 * stacks.len())?;
            let rest = model.skeleton.joints[joint.placed].rest;
            let motion = NodeMotion::new(stack, node, &nodes.inheritance, rest);
            tracks[joint.placed] = fit_transform(&motion, stack.fps, body.tolerances(joint.placed), &mut count);
            if joint.scaled != joint.placed {
                tracks[joint.scaled].scale = fit_scale(&motion, stack.fps, &mut count);
            }
            if model.skeleton.joints[joint.scaled].morph_count > 0 {
                tracks[joint.scaled].morphs = fit_morphs(stack, node, &mut count);
            }
            let keys = tracks[joint.placed].rotation.iter().map(|curve| curve.values.len()).sum::<usize>() as u64;
            budget.take(3 * 32 * keys, &what)?;
        }
        clips.push(Clip { name: stack.name.clone(), duration: f64::from(stack.times.length()), tracks });
    }
    count.warn(warnings);
    Ok(clips)
}

/// Fits the offset, rotation and scale of the node's joint. Properties that are not animated get no curve. `tolerances` are
/// as in [`FigureSize::tolerances`], `fps` in frames per second.
fn fit_transform(node: &NodeMotion, fps: f64, tolerances: [f64; 3], count: &mut FitStatistics) -> JointTracks {
    let mut fit = |property: usize| {
        let keys = node.keys(property);
        let at = |time: f64| node.at(time, property);
        let motion = Motion { at: &at, keys: &keys, rotation: property == 1, tolerance: tolerances[property], fps };
        (!keys.is_empty()).then(|| fit_and_count(&motion, count))
    };
    let [offset, rotation, scale] = [0, 1, 2].map(&mut fit);
    let turn = |row: &Row| Quat::from_xyzw(row[0] as f32, row[1] as f32, row[2] as f32, row[3] as f32);
    JointTracks {
        translation: offset.map(|keys| curve(keys, vector)),
        rotation: rotation.map(|keys| curve(keys, turn)),
        scale: scale.map(|keys| curve(keys, vector)),
        ..JointTracks::default()
    }
}

/// Fits the scale of the node's scale joint; `None` if it has no keys.
fn fit_scale(node: &NodeMotion, fps: f64, count: &mut FitStatistics) -> Option<Curve<Vec3>> {
    let keys = node.keys_of_scale();
    let at = |time: f64| node.scale_at(time);
    let motion = Motion { at: &at, keys: &keys, rotation: false, tolerance: FIT_TOLERANCE, fps };
    (!keys.is_empty()).then(|| curve(fit_and_count(&motion, count), vector))
}

/// Fits the weights of the node's blend shapes; `None` if they have no keys.
fn fit_morphs(stack: &Stack, node: &Node, count: &mut FitStatistics) -> Option<Curve<f32>> {
    let weights = ShapeWeights::new(&stack.prepared.without_overrides, node.mesh.as_ref()?, &stack.times);
    let keys = weights.keys(MAX_ADDED_KEYS.min(count.left));
    if keys.is_empty() {
        return None;
    }
    let at = |time: f64| weights.at(time);
    let keys = fit_and_count(
        &Motion { at: &at, keys: &keys, rotation: false, tolerance: FIT_TOLERANCE, fps: stack.fps },
        count,
    );
    let Keys { interpolation, times, rows, .. } = keys;
    let values = rows.into_iter().flatten().map(|weight| weight as f32).collect();
    Some(Curve { interpolation, times: times.into(), values })
}

/// Returns the first three numbers of the row.
fn vector(row: &Row) -> Vec3 {
    Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32)
}

/// Fits keys to `motion` and adds them to the statistics. Adds at most as many keys as are left.
fn fit_and_count(motion: &Motion, count: &mut FitStatistics) -> Keys {
    let keys = fit_keys(motion, MAX_ADDED_KEYS.min(count.left));
    count.add(&keys);
    keys
}

/// Converts fitted keys to a curve. `make` converts a row to a value.
fn curve<T>(keys: Keys, make: impl Fn(&Row) -> T) -> Curve<T> {
    Curve { interpolation: keys.interpolation, times: keys.times.into(), values: keys.rows.iter().map(make).collect() }
}

/// Statistics of the fitted curves of a file.
#[derive(Default)]
struct FitStatistics {
    bent: usize,
    keys: usize,
    added: usize,
    rough: usize,
    /// Number of keys that may still be added.
    left: usize,
}

impl FitStatistics {
    /// Counts a curve if it was fitted with cubic splines.
    fn add(&mut self, keys: &Keys) {
        if keys.interpolation == portamento_anim::Interpolation::CubicSpline {
            self.bent += 1;
            self.keys += keys.times.len() - keys.added;
            self.added += keys.added;
            self.left = self.left.saturating_sub(keys.added);
            self.rough += usize::from(keys.rough);
        }
    }

    /// Adds a warning about the fitted curves and one about those that are imprecise, if there are any.
    fn warn(&self, warnings: &mut Vec<Message>) {
        let Self { bent, keys, added, rough, .. } = *self;
        if bent > 0 {
            warnings.push(message!(
                "warning.import.fbx_bent",
                "%{bent} %{bent|curve bends between its keys and became a cubic spline|curves bend between their keys and became \
                 cubic splines}: through the file's %{keys} keys, and %{added} more where more precision was needed (1e-6 of the body size).",
                bent, keys, added
            ).harmless());
        }
        if rough > 0 {
            warnings.push(message!(
                "warning.import.fbx_rough",
                "%{rough} %{rough|curve changes|curves change} too quickly to fit; %{rough|it is|they are} imprecise between keys.",
                rough
            ));
        }
    }
}

/// Size of the figure, and the scale that each joint inherits.
struct FigureSize {
    size: f64,
    scales: Vec<f64>,
}

impl FigureSize {
    /// Measures `model` in its rest pose, in the unit of its joints. The size is 1 if it has none. The scale of a joint is
    /// the largest axis of its parent's world scale; 1 for a root.
    fn from_model(model: &Model) -> Self {
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        let size = f64::from(model.rest_bounds().size().max_element());
        let scale = |joint: &portamento_anim::Joint| {
            let parent = joint.parent.and_then(|parent| world.get(parent));
            parent.map_or(1.0, |parent| {
                f64::from(
                    parent
                        .matrix3
                        .to_cols_array_2d()
                        .map(|axis| Vec3::from(axis).length())
                        .into_iter()
                        .fold(0.0, f32::max),
                )
            })
        };
        let scales = model.skeleton.joints.iter().map(scale).collect();
        Self { size: if size.is_finite() && size > 0.0 { size } else { 1.0 }, scales }
    }

    /// Returns the largest allowed errors: offset in the parent's unit, rotation in radians, and scale.
    fn tolerances(&self, joint: usize) -> [f64; 3] {
        let scale = self.scales[joint];
        let offset = if scale.is_finite() && scale > 0.0 { self.size / scale } else { self.size };
        [FIT_TOLERANCE * offset, FIT_TOLERANCE, FIT_TOLERANCE]
    }
}

//! Animation stacks as clips.
//!
//! Curves of an FBX move angles and offsets one by one; ours move joints. Each joint is therefore followed as a whole through all
//! layers of the stack, with keys where the file has them, and [`super::keyframe_fit`] finds what lies between.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Quat, Vec3};
use ufbx::{Anim, AnimStack, BlendChannel, Node, Scene};

use super::keyframe_fit::{KeyTime, Keys, MOST_ADDED, Motion, Row, fitted};
use super::meshes::keyframes;
use super::nodes::{name, transform};
use super::played::played;
use crate::anim::{Clip, Curve, JointTracks, Model, Pose};
use crate::import::ImportError;
use crate::math::Transform;
use crate::message::{Message, message};
use crate::progress::Progress;

/// Largest error of one joint between keys, by the size of the body: a tenth of what a whole chain may be off.
const TOLERANCE: f64 = 1e-6;
/// Longest stack that is read, seconds: two days.
const LONGEST: f64 = 172_800.0;
/// Keys that may be added to those of a whole file, and more for each that it has: what spins a thousand times between two keys
/// takes no minutes.
const LEAST_ADDED: usize = 1 << 16;
const MOST_ADDED_PER_KEY: usize = 16;
/// Property names of offset, rotation and scale, in that order.
pub(super) const PROPERTIES: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];

/// Reads every stack; what its curves needed is told once for all of them.
pub(super) fn load(
    scene: &Scene,
    joint_of_node: &[Option<usize>],
    model: &Model,
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Vec<Clip>, ImportError> {
    let budget = progress.budget();
    let stacks = scene.anim_stacks.len();
    let mut count = Count { left: LEAST_ADDED, ..Count::default() };
    let mut clips = Vec::new();
    let body = FigureSize::from_model(model);
    for (index, stack) in scene.anim_stacks.iter().enumerate() {
        let Some(times) = StackTimes::read(stack) else {
            let clip = name(&stack.element.name, "clip", index);
            warnings.push(message!("warning.import.fbx_still", "“%{clip}” is left out: it has no keys.", clip));
            continue;
        };
        count.left += MOST_ADDED_PER_KEY * times.of_property.values().map(Vec::len).sum::<usize>();
        let bytes = model.skeleton.len() * size_of::<JointTracks>();
        budget.take(bytes as u64, &|| format!("The clip “{}”", &*stack.element.name))?;
        let mut tracks = vec![JointTracks::default(); model.skeleton.len()];
        let Some(played) = played(scene, stack) else {
            budget.take(u64::MAX, &|| format!("The clip “{}”", &*stack.element.name))?;
            continue;
        };
        if !played.mixed_up.is_empty() {
            let (count, clip) = (played.mixed_up.len(), stack.element.name.to_string());
            warnings.push(message!(
                "warning.import.fbx_layers",
                "In “%{clip}” %{count} joints may be off: some layers move them only in part, or they do not take the scale above them. Bake the animation before export.",
                clip, count
            ));
        }
        for node in &scene.nodes {
            let Some(joint) = joint_of_node[node.element.typed_id as usize] else { continue };
            progress.step(stacks + index, 2 * stacks)?;
            let mover = Mover { anim: &played.anim, node, rest: model.skeleton.joints[joint].rest, times: &times };
            tracks[joint] = mover.tracks(model.skeleton.joints[joint].morph_count, body.tolerances(joint), &mut count);
            let keys = tracks[joint].rotation.iter().map(|curve| curve.values.len()).sum::<usize>() as u64;
            budget.take(3 * 32 * keys, &|| format!("The clip “{}”", &*stack.element.name))?;
        }
        let name = name(&stack.element.name, "clip", index);
        clips.push(Clip { name, duration: f64::from(times.length()), tracks });
    }
    count.tell(warnings);
    Ok(clips)
}

/// What the curves of a file needed.
#[derive(Default)]
struct Count {
    bent: usize,
    keys: usize,
    added: usize,
    rough: usize,
    /// How many keys may still be added.
    left: usize,
}

impl Count {
    fn add(&mut self, keys: &Keys) {
        if keys.interpolation == crate::anim::Interpolation::CubicSpline {
            self.bent += 1;
            self.keys += keys.times.len() - keys.added;
            self.added += keys.added;
            self.left = self.left.saturating_sub(keys.added);
            self.rough += usize::from(keys.rough);
        }
    }

    fn tell(&self, warnings: &mut Vec<Message>) {
        let Self { bent, keys, added, rough, .. } = *self;
        if bent > 0 {
            warnings.push(message!(
                "warning.import.fbx_bent",
                "%{bent} curves bend between their keys and became cubic splines: through the file's %{keys} keys, and %{added} \
                 more where those were not near enough (1e-6 of the body's size).",
                bent, keys, added
            ));
        }
        if rough > 0 {
            warnings.push(message!(
                "warning.import.fbx_rough",
                "%{rough} curves change too wildly to be followed; they are off between keys.",
                rough
            ));
        }
    }
}

/// How large the figure is, and how far from 1 its joints scale it.
struct FigureSize {
    size: f64,
    scales: Vec<f64>,
}

impl FigureSize {
    fn from_model(model: &Model) -> Self {
        let mut world = Vec::new();
        Pose::rest(&model.skeleton).world_from_joints(&model.skeleton, &mut world);
        let size = f64::from(model.rest_bounds().size().max_element());
        let scale = |joint: &crate::anim::Joint| {
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

    /// Largest error of the joint's offset in its parent's unit, of its rotation in radians, and of its scale.
    fn tolerances(&self, joint: usize) -> [f64; 3] {
        let scale = self.scales[joint];
        let offset = if scale.is_finite() && scale > 0.0 { self.size / scale } else { self.size };
        [TOLERANCE * offset, TOLERANCE, TOLERANCE]
    }
}

/// When a stack has keys, by what they move.
struct StackTimes {
    begin: f64,
    end: f64,
    /// Times of each element's property, absolute; empty where only its value is set.
    of_property: BTreeMap<(u32, String), Vec<f64>>,
    /// Times at which the weights of layers have keys: they move everything.
    of_layers: Vec<f64>,
}

impl StackTimes {
    /// `None` where nothing is animated.
    fn read(stack: &AnimStack) -> Option<Self> {
        let mut of_property: BTreeMap<(u32, String), Vec<f64>> = BTreeMap::new();
        let mut of_layers = Vec::new();
        for layer in &stack.layers {
            for property in &layer.anim_props {
                let curves = property.anim_value.curves.iter().flatten();
                let keys = curves.flat_map(|curve| curve.keyframes.iter().map(|key| key.time));
                if property.element.type_ == ufbx::ElementType::AnimLayer {
                    of_layers.extend(keys);
                } else {
                    let key = (property.element.element_id, property.prop_name.to_string());
                    of_property.entry(key).or_default().extend(keys);
                }
            }
        }
        let all = || of_property.values().flatten().copied().filter(|time| time.is_finite());
        let (first, last) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let (begin, end) = (stack.time_begin, stack.time_end);
        let is_sound = begin.is_finite() && end.is_finite() && end > begin;
        // Some exporters leave the range of the stack at nothing, or at what it was in another scene.
        let (begin, end) = if is_sound && first <= end && last >= begin { (begin, end) } else { (first, last) };
        let end = end.min(begin + LONGEST);
        (!of_property.is_empty() && begin.is_finite() && end.is_finite()).then_some(Self {
            begin,
            end,
            of_property,
            of_layers,
        })
    }

    fn length(&self) -> f32 {
        ((self.end - self.begin) as f32).max(0.0)
    }

    /// The times from the beginning at which any of `properties` of `elements` has a key, with both ends; empty where none is moved.
    fn at(&self, elements: &[u32], properties: &[&str]) -> Vec<KeyTime> {
        let keys = elements.iter().flat_map(|&element| {
            properties.iter().filter_map(move |property| self.of_property.get(&(element, (*property).to_owned())))
        });
        let mut times: Vec<f64> = Vec::new();
        let mut is_moved = false;
        keys.for_each(|more| {
            is_moved = true;
            times.extend(more);
        });
        if !is_moved {
            return Vec::new();
        }
        let inside = times.iter().chain(&self.of_layers).filter(|time| (self.begin..=self.end).contains(*time));
        let mut times: Vec<KeyTime> = inside.chain([&self.begin, &self.end]).map(|&time| self.key_time(time)).collect();
        times.sort_by(|a, b| a.written.total_cmp(&b.written).then(b.exact.total_cmp(&a.exact)));
        times.dedup_by_key(|time| time.written);
        times
    }

    /// The absolute `time` from the beginning.
    fn key_time(&self, time: f64) -> KeyTime {
        let exact = time - self.begin;
        let near = exact as f32;
        // The last key is at the end of the clip, whichever way that is rounded.
        let is_late = f64::from(near) > exact && time < self.end;
        let written = if is_late { near.next_down().max(0.0) } else { near };
        KeyTime { written: written.min(self.length()), exact }
    }
}

/// A node in one stack.
struct Mover<'a> {
    anim: &'a Anim,
    node: &'a Node,
    rest: Transform,
    times: &'a StackTimes,
}

impl Mover<'_> {
    fn tracks(&self, morph_count: usize, tolerances: [f64; 3], count: &mut Count) -> JointTracks {
        let own = self.node.element.element_id;
        let related = self.related();
        let elements: &[u32] = if related.is_empty() { &[own] } else { &related };
        // Turning or scaling about a pivot moves the node, and a helper takes its scale from another property.
        let mixed = !related.is_empty() || self.has_pivot();
        let times = |property: usize| {
            let names: &[&str] = if mixed { &PROPERTIES } else { &PROPERTIES[property..=property] };
            self.times.at(elements, names)
        };
        let mut follow = |property: usize| {
            let times = times(property);
            let at = |time: f64| self.at(time, property);
            let motion = Motion { at: &at, keys: &times, rotation: property == 1, tolerance: tolerances[property] };
            (!times.is_empty()).then(|| counted(&motion, count))
        };
        let [offset, rotation, scale] = [0, 1, 2].map(&mut follow);
        let vector = |keys: Keys| curve(keys, |row| Vec3::new(row[0] as f32, row[1] as f32, row[2] as f32));
        let turn = |row: &Row| Quat::from_xyzw(row[0] as f32, row[1] as f32, row[2] as f32, row[3] as f32);
        JointTracks {
            translation: offset.map(vector),
            rotation: rotation.map(|keys| curve(keys, turn)),
            scale: scale.map(vector),
            morphs: if morph_count > 0 { self.morphs(morph_count, count) } else { None },
            ..JointTracks::default()
        }
    }

    /// Offset, rotation or scale at `time` from the stack's beginning; as at rest where the file's numbers are not finite.
    fn at(&self, time: f64, property: usize) -> Row {
        let found = ufbx::evaluate_transform(self.anim, self.node, self.times.begin + time);
        let Some(rounded) = transform(&found) else {
            let Transform { translation, rotation, scale } = self.rest;
            let rest = [translation.to_array().to_vec(), rotation.to_array().to_vec(), scale.to_array().to_vec()];
            return rest[property].iter().copied().map(f64::from).collect();
        };
        let ufbx::Transform { translation, rotation, scale } = &found;
        match property {
            0 => vec![translation.x, translation.y, translation.z],
            1 if rounded.rotation == Quat::IDENTITY => vec![0.0, 0.0, 0.0, 1.0],
            1 => vec![rotation.x, rotation.y, rotation.z, rotation.w],
            _ => vec![scale.x, scale.y, scale.z],
        }
    }

    /// The node, its parent and where it takes its scale from, where their keys move it too.
    fn related(&self) -> Vec<u32> {
        let node = self.node;
        let helps = node.is_scale_helper || node.is_geometry_transform_helper || node.is_scale_compensate_parent;
        if !helps && node.inherit_scale_node.is_none() && node.scale_helper.is_none() {
            return Vec::new();
        }
        let others = [&node.parent, &node.inherit_scale_node, &node.scale_helper].into_iter().flatten();
        let others = others.map(|other| other.element.element_id);
        let all: BTreeSet<u32> = others.chain([node.element.element_id]).collect();
        all.into_iter().collect()
    }

    fn has_pivot(&self) -> bool {
        ["RotationPivot", "ScalingPivot"].iter().any(|name| {
            let found = ufbx::find_prop(&self.node.element.props, name);
            found.is_some_and(|pivot| {
                [pivot.value_vec4.x, pivot.value_vec4.y, pivot.value_vec4.z].iter().any(|part| *part != 0.0)
            })
        })
    }

    fn morphs(&self, count_of_shapes: usize, count: &mut Count) -> Option<Curve<f32>> {
        let mesh = self.node.mesh.as_ref()?;
        let channels: Vec<&BlendChannel> = mesh
            .blend_deformers
            .iter()
            .flat_map(|deformer| deformer.channels.iter().map(|channel| -> &BlendChannel { channel }))
            .collect();
        debug_assert_eq!(keyframes(mesh).count(), count_of_shapes);
        let elements: Vec<u32> = channels.iter().map(|channel| channel.element.element_id).collect();
        let times = self.times.at(&elements, &["DeformPercent"]);
        if times.is_empty() {
            return None;
        }
        let at = |time: f64| -> Row {
            let weight = |channel: &&BlendChannel| {
                shares(channel, ufbx::evaluate_blend_weight(self.anim, channel, self.times.begin + time))
            };
            channels.iter().flat_map(weight).collect()
        };
        let keys = counted(&Motion { at: &at, keys: &times, rotation: false, tolerance: TOLERANCE }, count);
        let Keys { interpolation, times, rows, .. } = keys;
        let values = rows.into_iter().flatten().map(|weight| weight as f32).collect();
        Some(Curve { interpolation, times, values })
    }
}

fn counted(motion: &Motion, count: &mut Count) -> Keys {
    let keys = fitted(motion, MOST_ADDED.min(count.left));
    count.add(&keys);
    keys
}

fn curve<T>(keys: Keys, make: impl Fn(&Row) -> T) -> Curve<T> {
    Curve { interpolation: keys.interpolation, times: keys.times, values: keys.rows.iter().map(make).collect() }
}

/// The weight of each of a channel's shapes where the channel stands at `weight`: between two shapes both have a share, and the
/// outermost go on past their own.
fn shares(channel: &BlendChannel, weight: f64) -> Vec<f64> {
    let targets: Vec<f64> = channel.keyframes.iter().map(|key| key.target_weight).collect();
    shares_between(&targets, weight)
}

fn shares_between(targets: &[f64], weight: f64) -> Vec<f64> {
    let mut shares = vec![0.0; targets.len()];
    let weight = if weight.is_finite() { weight } else { 0.0 };
    let split = targets.iter().filter(|target| **target < 0.0).count();
    // From the undeformed mesh outwards, on the side on which the weight lies.
    let outwards: Vec<usize> = if weight > 0.0 { (split..targets.len()).collect() } else { (0..split).rev().collect() };
    let past = |index: &&usize| if weight > 0.0 { targets[**index] > weight } else { targets[**index] < weight };
    let Some(next) = outwards.iter().find(past).or(outwards.last()).copied() else { return shares };
    let before = outwards
        .iter()
        .position(|index| *index == next)
        .and_then(|place| place.checked_sub(1))
        .map(|place| outwards[place]);
    let from = before.map_or(0.0, |before| targets[before]);
    if targets[next] != from {
        let share = (weight - from) / (targets[next] - from);
        if let Some(before) = before {
            shares[before] = 1.0 - share;
        }
        shares[next] = share;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares_between;

    #[test]
    fn a_weight_between_two_shapes_is_shared_by_them() {
        assert_eq!(shares_between(&[1.0], 0.25), [0.25]);
        assert_eq!(shares_between(&[0.5, 1.0], 0.25), [0.5, 0.0]);
        assert_eq!(shares_between(&[0.5, 1.0], 0.75), [0.5, 0.5]);
        assert_eq!(shares_between(&[0.5, 1.0], 1.5), [-1.0, 2.0]);
        assert_eq!(shares_between(&[-1.0, 1.0], -0.5), [0.5, 0.0]);
        assert_eq!((shares_between(&[1.0], -0.5), shares_between(&[], 1.0)), (vec![0.0], vec![]));
    }
}

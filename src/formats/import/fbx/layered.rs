//! Evaluates a node that only some layers of a stack animate, from its own curves.
//!
//! Layers are combined as `ufbx` does (`ufbxi_combine_anim_layer`). The first layer sets the value.
//! Later layers add to it, blend with it by their weight, or replace it.
//! Rotations and scales combine as angles and factors, or as quaternions and powers if the layer says so.

use ufbx::{AnimLayer, AnimOpts, AnimProp, AnimStack, AnimValue, Node, PropOverrideDesc, Quat, Scene, Vec3};

use super::properties::{PROPERTIES, own_value_override};

const IDENTITY: Quat = Quat { x: 0.0, y: 0.0, z: 0.0, w: 1.0 };
/// Layer weight from which the layer replaces the value entirely, as in `ufbx`.
const FULL_WEIGHT: f64 = 0.99999;

/// The curves of one node's offset, rotation and scale in all layers.
pub(super) struct Layered<'a> {
    node: &'a Node,
    curves: [Vec<LayerCurves<'a>>; 3],
}

/// The curves of one property in one layer.
struct LayerCurves<'a> {
    layer: &'a AnimLayer,
    is_first: bool,
    value: &'a AnimValue,
}

impl<'a> Layered<'a> {
    /// Finds the curves of `node` in all layers of `stack`, in the order of the layers.
    pub(super) fn new(node: &'a Node, stack: &'a AnimStack) -> Self {
        let of_property = |name: &str| {
            let layers = stack.layers.iter().enumerate();
            let found = layers.filter_map(|(at, layer)| {
                let value = &layer.anim_props.iter().find(|property| is_of(property, node, name))?.anim_value;
                Some(LayerCurves { layer, is_first: at == 0, value })
            });
            found.collect()
        };
        Self { node, curves: PROPERTIES.map(of_property) }
    }

    /// Returns the node's local transform at the absolute `time`, seconds. `options` select the layers. `None` if memory runs out.
    pub(super) fn transform(&self, scene: &Scene, options: AnimOpts, time: f64) -> Option<ufbx::Transform> {
        let values: Vec<PropOverrideDesc> = (0..3).map(|property| self.value(property, time)).collect();
        let anim = ufbx::create_anim(scene, AnimOpts { prop_overrides: values.into(), ..options }).ok()?;
        Some(ufbx::evaluate_transform(&anim, self.node, time))
    }

    /// Returns an override of `property`, an index of [`PROPERTIES`], with its combined value at the absolute `time`, seconds.
    fn value(&self, property: usize, time: f64) -> PropOverrideDesc<'static> {
        let mut desc = own_value_override(self.node, PROPERTIES[property]);
        let lower = Vec3 { x: desc.value.x, y: desc.value.y, z: desc.value.z };
        let combine = |lower: Vec3, curves: &LayerCurves| curves.combine_with(lower, property, self.node, time);
        let Vec3 { x, y, z } = self.curves[property].iter().fold(lower, combine);
        desc.value = ufbx::Vec4 { x, y, z, w: 0.0 };
        desc
    }
}

/// True if `property` is the property `name` of `node`.
fn is_of(property: &AnimProp, node: &Node, name: &str) -> bool {
    property.element.element_id == node.element.element_id && &*property.prop_name == name
}

impl LayerCurves<'_> {
    /// Combines the layer's value at the absolute `time`, seconds, with `lower`, the value of the layers before it.
    /// `property` is an index of [`PROPERTIES`]. Rotations are Euler angles in degrees.
    fn combine_with(&self, lower: Vec3, property: usize, node: &Node, time: f64) -> Vec3 {
        let own = ufbx::evaluate_anim_value_vec3(self.value, time);
        let (layer, weight) = (self.layer, self.weight(time));
        if self.is_first || !(layer.additive || layer.blended) {
            return own;
        }
        let left = if layer.additive { 1.0 } else { 1.0 - weight };
        match property {
            1 if layer.compose_rotation => {
                let [lower, own] = [lower, own].map(|angles| ufbx::euler_to_quat(angles, node.rotation_order));
                let turn = match layer.additive {
                    true => ufbx::quat_mul(lower, ufbx::quat_slerp(IDENTITY, own, weight)),
                    false => ufbx::quat_slerp(lower, own, weight),
                };
                ufbx::quat_to_euler(turn, node.rotation_order)
            }
            2 if layer.compose_scale => {
                component_wise(lower, own, |lower, own| power(lower, left) * power(own, weight))
            }
            _ => component_wise(lower, own, |lower, own| lower * left + own * weight),
        }
    }

    /// Returns the layer's weight, 0…1, at the absolute `time`, seconds.
    fn weight(&self, time: f64) -> f64 {
        let own = self.layer.element.element_id;
        let mut moved = self.layer.anim_props.iter().filter(|property| property.element.element_id == own);
        match moved.next().filter(|_| self.layer.weight_is_animated && self.layer.blended) {
            Some(weight) => {
                let weight = ufbx::evaluate_anim_value_real(&weight.anim_value, time) / 100.0;
                if weight > FULL_WEIGHT { 1.0 } else { weight.max(0.0) }
            }
            None => self.layer.weight,
        }
    }
}

/// Applies `of` to each component of both vectors.
fn component_wise(a: Vec3, b: Vec3, of: impl Fn(f64, f64) -> f64) -> Vec3 {
    Vec3 { x: of(a.x, b.x), y: of(a.y, b.y), z: of(a.z, b.z) }
}

/// Raises `factor` to the power `share`, 0…1, keeping its sign. Shares outside give 1 or `factor`.
fn power(factor: f64, share: f64) -> f64 {
    match share {
        ..=0.0 => 1.0,
        1.0.. => factor,
        _ => factor.abs().powf(share).copysign(factor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_factor_keeps_its_sign() {
        assert_eq!(
            [(4.0, 0.5), (-4.0, 0.5), (-4.0, 1.0), (3.0, 0.0), (3.0, -1.0)].map(|(factor, share)| power(factor, share)),
            [2.0, -2.0, -4.0, 1.0, 1.0]
        );
    }
}

//! The animated properties of a node, and overrides of them.

use ufbx::{Node, PropOverrideDesc, StringOpt, Vec4};

/// Property names of offset, rotation and scale, in that order.
pub(super) const PROPERTIES: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];

/// Returns an override of the property `name` with the node's own value.
pub(super) fn own_value_override(node: &Node, name: &'static str) -> PropOverrideDesc<'static> {
    let default = if name == PROPERTIES[2] { 1.0 } else { 0.0 };
    let found = ufbx::find_prop(&node.element.props, name).map(|property| &property.value_vec4);
    let value = found.map_or(Vec4 { x: default, y: default, z: default, w: 0.0 }, |value| Vec4 { w: 0.0, ..*value });
    PropOverrideDesc {
        element_id: node.element.element_id,
        prop_name: StringOpt::Ref(name),
        value,
        ..Default::default()
    }
}

//! How a node is moved: its three properties, and one held at the node's own value.

use ufbx::{Node, PropOverrideDesc, StringOpt, Vec4};

/// Property names of offset, rotation and scale, in that order.
pub(super) const PROPERTIES: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];

/// The node's own value of the property.
pub(super) fn fixed(node: &Node, name: &'static str) -> PropOverrideDesc<'static> {
    let whole = if name == PROPERTIES[2] { 1.0 } else { 0.0 };
    let found = ufbx::find_prop(&node.element.props, name).map(|property| &property.value_vec4);
    let value = found.map_or(Vec4 { x: whole, y: whole, z: whole, w: 0.0 }, |value| Vec4 { w: 0.0, ..*value });
    PropOverrideDesc {
        element_id: node.element.element_id,
        prop_name: StringOpt::Ref(name),
        value,
        ..Default::default()
    }
}

//! Links of the navigation as a scene of `NavigationLink3D` nodes.

use std::fmt::Write;

use glam::DVec3;

use crate::export::clip_set::rounded;
use crate::export::nav_link::NavLink;

/// End of the file name of the scene.
pub const LINKS_ENDING: &str = "links.tscn";

/// Returns a scene in text form with one node per link.
///
/// A link is a layer of its kind: the mask `navigation_layers` has one bit per kind, so that an agent uses some kinds only. Entering it
/// costs as many metres as are walked in its time, and its length costs nothing more. Kind, clip and seconds are metadata.
pub fn links(links: &[NavLink]) -> String {
    let mut text = String::from("[gd_scene format=3]\n\n[node name=\"links\" type=\"Node3D\"]\n");
    for (index, NavLink { kind, layer, clip, start, landing, seconds, metres }) in links.iter().enumerate() {
        // Writing to a string cannot fail.
        _ = write!(
            text,
            "\n[node name=\"{kind}_{index}\" type=\"NavigationLink3D\" parent=\".\"]\nbidirectional = false\n\
             navigation_layers = {}\nstart_position = {}\nend_position = {}\nenter_cost = {}\ntravel_cost = 0.0\n\
             metadata/kind = \"{kind}\"\nmetadata/clip = {clip}\nmetadata/seconds = {}\n",
            1_u32 << layer,
            vector(*start),
            vector(*landing),
            number(*metres),
            number(*seconds)
        );
    }
    text
}

fn vector(at: DVec3) -> String {
    format!("Vector3({})", at.to_array().map(number).join(", "))
}

/// Returns a number with a decimal point, by which Godot tells it from an integer.
fn number(value: f64) -> String {
    format!("{:?}", rounded(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_node_with_ends_costs_and_a_layer_of_its_kind() {
        let vault = NavLink {
            kind: "vault".into(),
            layer: 1,
            clip: 0,
            start: DVec3::new(-1.0, 0.5, 2.25),
            landing: DVec3::new(-1.0, 0.5, 5.0),
            seconds: 1.5,
            metres: 3.0,
        };
        let jump = NavLink { kind: "jump_across".into(), layer: 4, clip: 2, ..vault.clone() };
        let text = links(&[vault, jump]);
        let nodes: Vec<&str> = text.split("\n[node").collect();
        assert_eq!(nodes.len(), 4, "{text}");
        for line in [
            " name=\"vault_0\" type=\"NavigationLink3D\" parent=\".\"]",
            "bidirectional = false",
            "navigation_layers = 2",
            "start_position = Vector3(-1.0, 0.5, 2.25)",
            "end_position = Vector3(-1.0, 0.5, 5.0)",
            "enter_cost = 3.0",
            "travel_cost = 0.0",
            "metadata/kind = \"vault\"",
            "metadata/clip = 0",
            "metadata/seconds = 1.5",
        ] {
            assert!(nodes[2].lines().any(|each| each == line), "{line} is not in {}", nodes[2]);
        }
        assert!(nodes[3].contains("jump_across_1") && nodes[3].contains("navigation_layers = 16"));
    }
}

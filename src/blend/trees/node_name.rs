//! Translated display names of nodes with default names.

use portamento_base::message::{Message, message};

/// Returns the display name of a node: translated for a default name, otherwise `name` itself.
pub fn node_name(name: &str) -> Message {
    match name {
        "Root" => message!("node.root", "Output pose"),
        "UpperBody" => message!("node.upper_body", "UpperBody"),
        "WholeBody" => message!("node.whole_body", "WholeBody"),
        "PreAni" => message!("node.pre_ani", "Previous"),
        "CurAni" => message!("node.cur_ani", "Current"),
        "Standard" => message!("node.standard", "Standard"),
        "Blend" => message!("node.blend", "Blend"),
        "Blend space" => message!("node.space", "Blend space"),
        "Additive" => message!("node.additive", "Additive"),
        _ => Message::verbatim(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, Weights};

    #[test]
    fn every_node_of_the_standard_tree_has_a_translated_name_and_other_names_are_unchanged() {
        let tree = Scenario::default().tree(&Weights::default());
        for node in &tree.nodes {
            let word = node_name(&node.name);
            assert_ne!(word, Message::verbatim(&*node.name));
            assert!(!word.to_string().is_empty());
        }
        assert_eq!(node_name("guard"), Message::verbatim("guard"));
    }
}

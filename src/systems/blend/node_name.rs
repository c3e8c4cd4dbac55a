//! What nodes are called that nobody gave a name: words, in every language.

use crate::message::{Message, message};

/// The words for a node called `name`; what somebody called it is said as it is.
pub fn node_name(name: &str) -> Message {
    match name {
        "Root" => message!("node.root", "Root"),
        "UpperBody" => message!("node.upper_body", "UpperBody"),
        "WholeBody" => message!("node.whole_body", "WholeBody"),
        "PreAni" => message!("node.pre_ani", "PreAni"),
        "CurAni" => message!("node.cur_ani", "CurAni"),
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
    use crate::systems::blend::{Scenario, Weights};

    #[test]
    fn every_node_of_the_standard_tree_has_words_and_a_given_name_is_kept() {
        let tree = Scenario::default().tree(&Weights::default());
        for node in &tree.nodes {
            let word = node_name(&node.name);
            assert!(word.key.starts_with("node."), "{}", node.name);
            assert_eq!(word.to_string(), node.name);
        }
        assert_eq!(node_name("guard"), Message::verbatim("guard"));
    }
}

//! Script that places the links of a level in Unreal as navigation link proxies.

use serde_json::{Value, json};

use crate::export::clip_set::rounded;
use crate::export::nav_link::NavLink;

/// End of the file name of the script.
pub const LINKS_ENDING: &str = "links.py";
/// The script template.
const SCRIPT: &str = include_str!("links.py");

/// Returns the Python script that places `links` in the open level. Their proxies are called `name`, their kind and their number.
pub fn links(name: &str, links: &[NavLink]) -> String {
    let link = |link: &NavLink| {
        let [start, landing] = [link.start, link.landing].map(|at| at.to_array().map(rounded));
        json!({ "kind": link.kind, "start": start, "landing": landing })
    };
    let data = json!({ "name": name, "links": links.iter().map(link).collect::<Vec<_>>() });
    // A JSON string is a Python string literal with the same value.
    SCRIPT.replace("%DATA%", &Value::from(data.to_string()).to_string())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::export::unreal::tests::run;

    #[test]
    fn each_link_is_a_proxy_that_leads_one_way_and_earlier_ones_are_replaced() {
        let link = NavLink {
            kind: "vault".into(),
            layer: 1,
            clip: 0,
            start: DVec3::new(1.0, 0.5, 2.0),
            landing: DVec3::new(1.0, 0.0, 5.0),
            seconds: 1.5,
            metres: 3.0,
        };
        let jump = NavLink { kind: "jump_across".into(), ..link.clone() };
        let script = links("yard", &[link, jump]);
        let Some(calls) = run(&script, "yard.links.py", &[("PROXIES", "1")], &["--at", "0,0,10"]) else { return };
        let calls = calls.unwrap();
        for call in [
            json!(["destroy_actor", "NavLinkProxy(old)"]),
            json!(["spawn_actor_from_class", "NavLinkProxy", "Vector(100.0, 200.0, 60.0)"]),
            json!(["set_actor_label", "yard_vault_0"]),
            json!(["NavLinkProxy.tags", ["Portamento.yard", "vault"]]),
            json!(["NavigationLink.right", "Vector(0.0, 300.0, -50.0)"]),
            json!(["NavigationLink.direction", "LEFT_TO_RIGHT"]),
            json!(["set_actor_label", "yard_jump_across_1"]),
            json!(["log", "placed 2 links"]),
        ] {
            assert!(calls.contains(&call), "{call} is not among {calls:#?}");
        }
    }
}

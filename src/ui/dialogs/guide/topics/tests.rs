//! Topics exist, and nothing that has a question mark lacks one.

use std::collections::BTreeMap;

use portamento_guide::Address;
use serde_json::Value;

use super::*;
use crate::shell::workspace::WORKSPACES;

#[test]
fn every_stage_panel_workspace_and_finding_has_its_place_in_the_guide() {
    let stages = StageType::ALL.iter().map(|kind| of_stage(*kind));
    let panels = Panel::ALL.into_iter().map(of_panel);
    let workspaces = WORKSPACES.into_iter().map(|(workspace, _)| of_workspace(workspace));
    let findings = Finding::ALL.into_iter().map(of_finding);
    let all: Vec<_> = stages.chain(panels).chain(workspaces).chain(findings).collect();
    assert!(all.len() > 35, "{}", all.len());
    let missing: Vec<_> = all.into_iter().filter(|topic| Address::of_topic(topic).is_none()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_warning_has_its_place_in_the_guide_and_no_place_is_for_a_warning_that_is_gone() {
    let texts: BTreeMap<String, Value> = serde_json::from_str(include_str!("../../../locales/messages.json")).unwrap();
    let keys: Vec<&str> = texts.keys().map(String::as_str).filter(|key| key.starts_with("warning.")).collect();
    assert!(keys.len() > 100, "{}", keys.len());
    let missing: Vec<_> =
        keys.iter().filter(|key| warnings::of_key(key).and_then(Address::of_topic).is_none()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
    let gone: Vec<_> = warnings::keys().filter(|key| !keys.contains(key)).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}

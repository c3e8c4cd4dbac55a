//! Reads the humanoid bone map of VRM 1.0 (`VRMC_vrm`), VRM animations (`VRMC_vrm_animation`) and VRM 0.x (`VRM`).

use serde_json::Value;

use portamento_anim::HumanBone;

/// Thumb bones of VRM 0.x and their names in VRM 1.0, which starts one bone further in.
const THUMB_NAMES: [(&str, &str); 4] = [
    ("leftThumbProximal", "leftThumbMetacarpal"),
    ("leftThumbIntermediate", "leftThumbProximal"),
    ("rightThumbProximal", "rightThumbMetacarpal"),
    ("rightThumbIntermediate", "rightThumbProximal"),
];

/// Returns every bone of the file's humanoid map under its VRM 1.0 name, in the order of the file.
///
/// `joint_of_node` gives the joint of each node. Entries without an existing node, and repeated names, are left out.
/// Empty if the file has no map.
pub fn read(json: &Value, joint_of_node: &[usize]) -> Vec<HumanBone> {
    let Some(extensions) = json.get("extensions") else { return Vec::new() };
    let map = |extension: &str| extensions.get(extension)?.get("humanoid")?.get("humanBones");
    let named: Vec<(&str, &Value)> = match (map("VRMC_vrm").or_else(|| map("VRMC_vrm_animation")), map("VRM")) {
        (Some(Value::Object(bones)), _) => bones.iter().map(|(name, bone)| (name.as_str(), bone)).collect(),
        (_, Some(Value::Array(bones))) => {
            bones.iter().filter_map(|bone| Some((vrm1_name(bone.get("bone")?.as_str()?), bone))).collect()
        }
        _ => Vec::new(),
    };
    let mut found: Vec<HumanBone> = Vec::new();
    for (name, bone) in named {
        let node = bone.get("node").and_then(Value::as_u64).and_then(|node| usize::try_from(node).ok());
        let Some(&joint) = node.and_then(|node| joint_of_node.get(node)) else { continue };
        if !found.iter().any(|known| known.name == name) {
            found.push(HumanBone { name: name.to_owned(), joint });
        }
    }
    found
}

/// Returns the VRM 1.0 name of a VRM 0.x bone, which differs for thumbs only.
fn vrm1_name(old: &str) -> &str {
    THUMB_NAMES.iter().find(|(known, _)| *known == old).map_or(old, |(_, new)| new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(json: &Value) -> Vec<(String, usize)> {
        read(json, &[5, 6, 7]).into_iter().map(|bone| (bone.name, bone.joint)).collect()
    }

    #[test]
    fn both_versions_give_the_names_of_the_newer() {
        let new = json!({ "extensions": { "VRMC_vrm": { "humanoid": { "humanBones": {
            "hips": { "node": 2 }, "leftThumbMetacarpal": { "node": 0 }, "head": { "node": 9 }, "jaw": {} } } } } });
        let old = json!({ "extensions": { "VRM": { "humanoid": { "humanBones": [
            { "bone": "hips", "node": 2, "useDefaultValues": true }, { "bone": "leftThumbProximal", "node": 0 },
            { "bone": "hips", "node": 1 }, { "bone": "head", "node": -1 }, { "node": 1 }, 7] } } } });
        let moving = json!({ "extensions": { "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": { "humanBones": {
            "hips": { "node": 2 }, "leftThumbMetacarpal": { "node": 0 } } } } } });
        let expected = [("hips".to_owned(), 7), ("leftThumbMetacarpal".to_owned(), 5)];
        assert_eq!(names(&new), expected);
        assert_eq!(names(&old), expected);
        assert_eq!(names(&moving), expected);
    }

    #[test]
    fn files_without_a_map_have_none() {
        for json in [json!({}), json!({ "extensions": { "VRM": { "humanoid": [] } } }), json!({ "extensions": 3 })] {
            assert!(names(&json).is_empty());
        }
    }
}

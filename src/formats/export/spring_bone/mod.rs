//! Writes spring bones into the JSON of a glTF, in the format of the avatar's VRM version only.

mod vrm0;
mod vrm1;

use serde_json::Value;

use portamento_anim::{SpringBoneFormat, SpringBones};

/// Writes `bones` into the JSON of a glTF, replacing existing ones. Everything else is unchanged. Those of the other VRM
/// version are removed.
pub fn write(json: &mut Value, bones: &SpringBones) {
    match SpringBoneFormat::of_file(json) {
        SpringBoneFormat::Vrm0 => {
            remove_vrm1(json);
            vrm0::write(json, bones);
        }
        SpringBoneFormat::Vrm1 => {
            remove_vrm0(json);
            vrm1::write(json, bones);
        }
    }
}

/// Removes the VRM 1.0 spring bones. Programs that read both versions would simulate them twice.
fn remove_vrm1(json: &mut Value) {
    let extensions = [vrm1::SPRING_BONE, vrm1::EXTENDED];
    if let Some(present) = json.get_mut("extensions").and_then(Value::as_object_mut) {
        present.retain(|name, _| !extensions.contains(&name.as_str()));
    }
    if let Some(used) = json.get_mut("extensionsUsed").and_then(Value::as_array_mut) {
        used.retain(|name| !extensions.iter().any(|extension| name == extension));
    }
}

/// Removes the VRM 0.x spring bones.
fn remove_vrm0(json: &mut Value) {
    let avatar = json.get_mut("extensions").and_then(|extensions| extensions.get_mut("VRM"));
    if let Some(avatar) = avatar.and_then(Value::as_object_mut) {
        avatar.remove("secondaryAnimation");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::spring_bone::read;
    use portamento_anim::{Spring, SpringJoint};
    use serde_json::json;

    fn chain() -> SpringBones {
        let joints = vec![SpringJoint::new(0), SpringJoint::new(1)];
        let spring = Spring { joints, end_length: 0.07, ..Spring::default() };
        SpringBones { springs: vec![spring], ..SpringBones::default() }
    }

    #[test]
    fn a_file_gets_springs_of_its_version_and_loses_those_of_the_other() {
        let nodes = json!([{"children": [1]}, {}]);
        let mut old = json!({"nodes": nodes, "extensions": {"VRM": {"title": "t"}, "VRMC_springBone": {}},
            "extensionsUsed": ["VRM", "VRMC_springBone"]});
        write(&mut old, &chain());
        assert_eq!(old["extensionsUsed"], json!(["VRM"]));
        assert!(old["extensions"].get("VRMC_springBone").is_none());
        assert_eq!(old["extensions"]["VRM"]["title"], "t");
        assert_eq!(read(&old), Some(chain()));

        let mut new = json!({"nodes": nodes, "extensions": {"VRM": {"secondaryAnimation": {}}, "VRMC_vrm": {}}});
        write(&mut new, &chain());
        assert_eq!(new["extensions"]["VRM"], json!({}));
        let springs = read(&new).unwrap().springs;
        assert_eq!((springs[0].joints.len(), springs[0].end_length), (2, 0.0));
    }
}

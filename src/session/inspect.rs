//! The content of a file as JSON.

use serde_json::{Value, json};

use crate::{Session, Severity};
use portamento_anim::{Clip, Curve, Front, Interpolation, JointTracks, Model, Rig, RootMotion, Skeleton};
use portamento_takes::document::{Character, FileId, Loaded};

/// Returns the joints, meshes, joint roles, clips and warnings of file `id` of `session`, which was opened as `loaded`.
/// Its name in the report is `name`. Lengths are seconds, rates keys per second.
pub fn report(session: &Session, id: FileId, loaded: &Loaded, name: &str) -> Value {
    let (document, model) = (&session.document, &loaded.model);
    let warnings = session.notices.all().iter().filter(|notice| notice.severity == Severity::Warning);
    let warnings: Vec<String> = warnings.map(|notice| notice.text()).collect();
    let character = document.character(id);
    json!({
        "file": name,
        "metres_per_unit": document.file(id).map(|file| file.metres_per_unit),
        "clips": model.clips.iter().map(|clip| describe(model, character, clip)).collect::<Vec<_>>(),
        "meshes": meshes(model),
        "roles": character.map(|character| roles(&model.skeleton, character)),
        "how_roles_were_found": character.map(|_| Rig::of_model(model).findings),
        "joints": joints(model),
        "warnings": warnings,
    })
}

/// Returns name, parent and number of morphs of each joint.
fn joints(model: &Model) -> Vec<Value> {
    let name = |joint: usize| model.skeleton.joints[joint].name.as_str();
    let joints = model.skeleton.joints.iter();
    joints
        .map(|joint| json!({ "name": joint.name, "parent": joint.parent.map(name), "morphs": joint.morph_count }))
        .collect()
}

/// Returns name and numbers of vertices and triangles of each mesh.
fn meshes(model: &Model) -> Vec<Value> {
    let describe = |mesh: &portamento_anim::geometry::Mesh| {
        let vertices: usize = mesh.primitives.iter().map(|part| part.positions.len()).sum();
        let triangles: usize = mesh.primitives.iter().map(|part| part.indices.len() / 3).sum();
        json!({ "name": mesh.name, "vertices": vertices, "triangles": triangles })
    };
    model.meshes.iter().map(describe).collect()
}

/// Returns the names of the joints in each role; `null` or an empty list for an open role.
fn roles(skeleton: &Skeleton, character: &Character) -> Value {
    let name = |joint: usize| skeleton.joints[joint].name.as_str();
    let roles = &character.roles;
    let names = |joints: &[usize]| joints.iter().map(|&joint| name(joint)).collect::<Vec<_>>();
    let feet: Vec<usize> = roles.legs.iter().map(|leg| leg.foot).collect();
    let toes: Vec<usize> = roles.legs.iter().filter_map(|leg| leg.toe).collect();
    json!({
        "root_motion": roles.root_motion.map(name),
        "hips": roles.hips.map(name),
        "feet": names(&feet),
        "toes": names(&toes),
        "upper_body_from": roles.spine_split.map(name),
        "head": roles.head.map(name),
        "hands": names(&roles.hands),
        "tail": names(&roles.tail),
        "front": roles.front.map(Front::name),
    })
}

/// Returns the properties of `clip`: its length, its numbers of curves, and the joint of its root motion. Without a `character`
/// the last is `null`. Its length is in seconds.
fn describe(model: &Model, character: Option<&Character>, clip: &Clip) -> Value {
    let count = |kind| clip.tracks.iter().map(|tracks| curves_of(tracks, kind)).sum::<usize>();
    let root = character.and_then(|character| RootMotion::find(&model.skeleton, clip, &character.roles));
    json!({
        "name": clip.name,
        "seconds": clip.duration,
        "key_rate": clip.key_rate(),
        "animated_joints": clip.tracks.iter().filter(|tracks| !tracks.is_empty()).count(),
        "step_curves": count(Interpolation::Step),
        "linear_curves": count(Interpolation::Linear),
        "cubic_curves": count(Interpolation::CubicSpline),
        "morphs": clip.tracks.iter().any(|tracks| tracks.morphs.is_some()),
        "root_motion": root.map(|root| json!({
            "joint": model.skeleton.joints[root.joint].name,
            "part": root.kind,
        })),
    })
}

/// Returns the number of curves, morphs included, with the interpolation `kind`: 0 to 4.
fn curves_of(tracks: &JointTracks, kind: Interpolation) -> usize {
    fn is<T>(curve: &Option<Curve<T>>, kind: Interpolation) -> usize {
        usize::from(curve.as_ref().is_some_and(|curve| curve.interpolation == kind))
    }
    is(&tracks.translation, kind) + is(&tracks.rotation, kind) + is(&tracks.scale, kind) + is(&tracks.morphs, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_is_reported_with_joint_names() {
        let hero = portamento_test_support::hero();
        let character = Character { file: FileId(1), roles: Rig::of_model(&hero).roles };
        let report = roles(&hero.skeleton, &character);
        assert_eq!((report["head"].as_str(), report["front"].as_str()), (Some("head"), Some("+z")), "{report}");
        assert_eq!(
            (&report["feet"], &report["toes"]),
            (&json!(["foot.L", "foot.R"]), &json!(["toe.L", "toe.R"])),
            "{report}"
        );
        assert!(report["hands"].as_array().is_some_and(|hands| hands.len() == 2), "{report}");
    }
}

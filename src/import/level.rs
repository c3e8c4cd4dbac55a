//! Levels: OBJ text, or whatever a model can be opened from, as triangles in metres with Y up.

use std::path::Path;

use glam::{Affine3A, Mat3, Vec3};

use super::{ImportError, file_name, import, obj};
use crate::anim::skinning::{Carrier, deform, morphs_of, palette};
use crate::anim::{Level, MeshInstance, Model, Pose, Triangle};

/// Which way is up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// As in glTF and most OBJ files.
    #[default]
    Y,
    /// As in many editors; x stays, and what was y points away.
    Z,
}

/// Opens a level; `metres_per_unit` is the length of the file's unit.
///
/// Errors when the file cannot be read, is of an unknown kind, or is damaged beyond use.
pub fn read(path: &Path, metres_per_unit: f64, up: UpAxis) -> Result<Level, ImportError> {
    let extension = path.extension().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut level = match extension.as_str() {
        "obj" => obj::from_bytes(path, &bytes_of(path)?)?,
        "glb" | "gltf" | "vrm" => of_model(&import(path)?.model),
        _ => return Err(ImportError::UnknownKind { file: file_name(path), known: ".obj, .glb, .gltf, .vrm".into() }),
    };
    level.points.iter_mut().for_each(|point| *point = placed(*point, metres_per_unit, up));
    Ok(level)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|reason| ImportError::Unreadable { file: path.display().to_string(), reason })
}

fn placed(point: Vec3, metres_per_unit: f64, up: UpAxis) -> Vec3 {
    let turned = match up {
        UpAxis::Y => point,
        UpAxis::Z => Vec3::new(point.x, point.z, -point.y),
    };
    (turned.as_dvec3() * metres_per_unit).as_vec3()
}

/// All meshes of a model where its rest pose puts them; materials become areas.
pub fn of_model(model: &Model) -> Level {
    let mut world = Vec::new();
    let pose = Pose::rest(&model.skeleton);
    pose.world_from_joints(&model.skeleton, &mut world);
    let mut level =
        Level { areas: model.materials.iter().map(|material| material.name.clone()).collect(), ..Level::default() };
    for instance in &model.instances {
        add_instance(&mut level, model, instance, (&world, &pose.morphs));
    }
    level
}

fn add_instance(level: &mut Level, model: &Model, instance: &MeshInstance, (world, morphs): (&[Affine3A], &[f32])) {
    let mesh = level.meshes.len() as u32;
    let name = &model.meshes[instance.mesh].name;
    level.meshes.push(if name.is_empty() { model.skeleton.joints[instance.joint].name.clone() } else { name.clone() });
    let mut joints = Vec::new();
    let carrier = match instance.skin {
        Some(skin) => {
            palette(&model.skins[skin], world, &mut joints);
            Carrier::Skinned(&joints)
        }
        None => Carrier::Rigid(world[instance.joint]),
    };
    // A mirrored mesh would show its inside.
    let mirrored = matches!(carrier, Carrier::Rigid(place) if Mat3::from(place.matrix3).determinant() < 0.0);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for part in &model.meshes[instance.mesh].primitives {
        deform(part, carrier, morphs_of(model, instance, morphs), &mut positions, &mut normals);
        let first = level.points.len() as u32;
        level.points.extend_from_slice(&positions);
        let area = part.material.map(|material| material as u32);
        level.triangles.extend(part.indices.chunks_exact(3).map(|corners| {
            let [a, b, c] = [corners[0], corners[1], corners[2]].map(|corner| first + corner);
            Triangle { corners: if mirrored { [a, c, b] } else { [a, b, c] }, mesh, area }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn a_level_in_centimetres_with_z_up_comes_out_in_metres_with_y_up() {
        let (_folder, path) = written("yard.OBJ", "v 0 0 0\nv 100 0 0\nv 0 100 50\nf 1 2 3\n");
        let level = read(&path, 0.01, UpAxis::Z).unwrap();
        assert_eq!(level.points, [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 0.5, -1.0)]);
        let [a, b, c] = level.corners(&level.triangles[0]).unwrap();
        assert!((b - a).cross(c - a).y > 0.0, "turning keeps the upper side up");
    }

    #[test]
    fn an_unknown_kind_is_refused_with_what_can_be_opened() {
        let (_folder, path) = written("yard.txt", "");
        let sentence = read(&path, 1.0, UpAxis::Y).unwrap_err().to_string();
        assert!(sentence.contains("yard.txt") && sentence.contains(".obj"), "{sentence}");
        assert!(matches!(read(&path.with_extension("obj"), 1.0, UpAxis::Y), Err(ImportError::Unreadable { .. })));
    }

    #[test]
    fn a_mirrored_mesh_keeps_its_outside_out() {
        let mut model =
            Model { skeleton: crate::anim::skeleton::tests::skeleton_of(&[("floor", None)]), ..Model::default() };
        model.skeleton.joints[0].rest.scale = Vec3::new(-2.0, 1.0, 1.0);
        let part = crate::anim::Primitive {
            positions: vec![Vec3::ZERO, Vec3::Z, Vec3::X],
            normals: vec![Vec3::Y; 3],
            indices: vec![0, 1, 2],
            ..Default::default()
        };
        model.meshes = vec![crate::anim::Mesh { name: String::new(), primitives: vec![part] }];
        model.instances = vec![MeshInstance { joint: 0, mesh: 0, skin: None }];
        let level = of_model(&model);
        let [a, b, c] = level.corners(&level.triangles[0]).unwrap();
        assert_eq!((b - a).cross(c - a), Vec3::Y * 2.0);
        assert_eq!(level.meshes, ["floor"]);
    }
}

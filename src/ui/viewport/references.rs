//! Meshes that stand in the scene to be compared with: which, and where.

use glam::{Affine3A, Quat, Vec3};

use crate::document::{Asset, Loaded, SceneObject};
use crate::session::Session;

/// The meshes of a file at a place.
#[derive(Clone, Debug)]
pub struct Reference {
    /// What stands there.
    pub file: Asset<Loaded>,
    /// From the file's space to that of the view.
    pub place: Affine3A,
}

/// Those that are seen, in a view whose unit is `metres` long.
pub fn shown(session: &Session, metres: f64) -> Vec<Reference> {
    session.document.objects.iter().filter_map(|object| reference(session, object, metres)).collect()
}

fn reference(session: &Session, object: &SceneObject, metres: f64) -> Option<Reference> {
    let mesh = object.mesh.as_ref().filter(|mesh| !mesh.hidden)?;
    let file = session.library.get(mesh.file)?.clone();
    let unit = session.document.file(mesh.file).map_or(1.0, |file| file.metres_per_unit);
    let place = Affine3A::from_scale_rotation_translation(
        Vec3::splat((mesh.size * unit / metres) as f32),
        Quat::from_rotation_y(mesh.heading as f32),
        (object.position / metres).as_vec3(),
    );
    Some(Reference { file, place })
}

//! Reference meshes in the scene and their positions.

use glam::{Affine3A, Quat, Vec3};

use super::posed_mesh::{self, Posed};
use portamento_anim::Pose;
use portamento_anim::geometry::Primitive;
use portamento_anim::math::Bounds;
use portamento_render::Ray;
use portamento_session::Session;
use portamento_takes::document::{Asset, Loaded, SceneObject};

/// The meshes of a file at one position.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Index of the scene object.
    pub object: usize,
    /// The file with the meshes.
    pub file: Asset<Loaded>,
    /// Transform from the file's space to the viewport's.
    pub transform: Affine3A,
}

/// Returns the visible reference meshes whose files are loaded. `metres` is the length of the view's unit.
pub fn visible_references(session: &Session, metres: f64) -> Vec<Reference> {
    let objects = session.document.objects.iter().enumerate();
    objects.filter_map(|(index, object)| reference(session, (index, object), metres)).collect()
}

impl Reference {
    /// Returns the box around the meshes, in scene units; `None` without vertices.
    pub fn bounds(&self) -> Option<Bounds> {
        let mut corners = Vec::new();
        self.each_part(|_, points| {
            corners.extend(Bounds::around(points.iter().copied()).into_iter().flat_map(|all| [all.low, all.high]));
        });
        Bounds::around(corners)
    }

    /// Returns the distance along `ray` to the nearest of its surfaces, in scene units; `None` if it misses.
    fn distance(&self, ray: Ray) -> Option<f32> {
        let mut nearest: Option<f32> = None;
        self.each_part(|part, points| {
            let distance = posed_mesh::distance(ray, part, points);
            nearest = nearest.into_iter().chain(distance).min_by(f32::total_cmp);
        });
        nearest
    }

    /// Calls `visit` with each part and its vertex positions in the viewport's space.
    fn each_part(&self, mut visit: impl FnMut(&Primitive, &[Vec3])) {
        let (model, mut world) = (&self.file.model, Vec::new());
        let pose = Pose::rest(&model.skeleton);
        pose.world_from_joints(&model.skeleton, &mut world);
        world.iter_mut().for_each(|joint| *joint = self.transform * *joint);
        let posed = Posed { world: &world, morphs: &pose.morphs };
        model.instances.iter().for_each(|instance| posed_mesh::each_part_of(model, posed, instance, &mut visit));
    }
}

/// Returns the index of the object whose mesh `ray` (scene units) hits first. `None` if it hits none or also hits the figure.
/// `metres` is the length of a scene unit.
pub fn object_at(session: &Session, metres: f64, ray: Ray) -> Option<usize> {
    let references = visible_references(session, metres);
    if references.is_empty() {
        return None;
    }
    let mut meets_figure = false;
    if let Some(frame) = session.frame() {
        posed_mesh::each_part(session, frame, |part, points| {
            meets_figure |= posed_mesh::distance(ray, part, points).is_some();
        });
    }
    let hits = references.iter().filter_map(|each| Some((each.object, each.distance(ray)?)));
    hits.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(object, _)| object).filter(|_| !meets_figure)
}

/// Returns the reference mesh of the scene object at the index, if it has a visible and loaded one. `metres` is the length of a
/// scene unit.
fn reference(session: &Session, (index, object): (usize, &SceneObject), metres: f64) -> Option<Reference> {
    let mesh = object.mesh.as_ref().filter(|mesh| !mesh.hidden)?;
    let file = session.library.get(mesh.file)?.clone();
    let unit = session.document.file(mesh.file).map_or(1.0, |file| file.metres_per_unit);
    let transform = Affine3A::from_scale_rotation_translation(
        Vec3::splat((mesh.size * unit / metres) as f32),
        Quat::from_rotation_y(mesh.heading as f32),
        (object.position / metres).as_vec3(),
    );
    Some(Reference { object: index, file, transform })
}

//! A project in which the hero takes the shortcut through the course: a walk that crosses what is quicker to cross, and the vault
//! alone, fitted to the low wall.

use std::path::Path;

use glam::DVec3;

use super::lessons;
use crate::File;
use crate::clips::vault;
use crate::level::course;
use crate::project;
use portamento_anim::Model;
use portamento_takes::document::{
    Document, FileId, OwnCrossings, ReferenceMesh, SceneObject, Stage, StageKind, Take, TakeId, TakeSource, Walk, file,
};
use portamento_walk::crossing::{Place, Settings, Shape};
use portamento_walk::navigation::RouteSetSettings;

const HERO: FileId = FileId(1);
const COURSE: FileId = FileId(2);
/// Name of the file.
const NAME: &str = "shortcut.portamento";

/// Returns the project. `files` are those of hero and course.
pub(super) fn project(hero: &Model, files: [&File; 2]) -> File {
    let stages = Stage::numbered(vec![StageKind::Cross(Box::new(settings()))]);
    let source = TakeSource::Clip { file: HERO, clip: "vault".into() };
    let take = Take { id: TakeId(3), name: "low wall".into(), character: HERO, source, stages, loops: None };
    let sources = [project::source(HERO, files[0]), project::source(COURSE, files[1])];
    let model = |id: FileId| (id == HERO).then_some(hero);
    let mut document = Document { objects: vec![lane()], ..lessons::document(model, sources.into(), take) };
    let source = TakeSource::Walk(Box::new(walk()));
    let walk =
        Take { id: TakeId(4), name: "shortcut".into(), character: HERO, source, stages: Vec::new(), loops: None };
    document.takes.insert(0, walk);
    document.next_id = 5;
    (NAME, file::to_bytes(&document, &Path::new("/").join(NAME)))
}

/// Returns the walk from one end of the course to the other.
fn walk() -> Walk {
    let own_crossings = OwnCrossings { on: true, ..OwnCrossings::default() };
    let routes = RouteSetSettings { count: 1, variety: 0.0, ..RouteSetSettings::default() };
    Walk { level: COURSE, stops: course::ends().to_vec(), routes, own_crossings, ..Walk::default() }
}

/// Returns the settings that fit the vault to the low wall of the course.
fn settings() -> Settings {
    let [low_wall, ..] = course::edges();
    let [near, far] = [Some(low_wall.near), low_wall.far].map(|edge| edge.map_or(0.0, |edge| edge[0].z));
    let width = low_wall.near[0].distance(low_wall.near[1]);
    let depth = far - near;
    let position = [0.0, 0.0, vault::WALL_Z[0] + 0.5 * depth];
    let (shape, place) = (Shape::Box, Place::World);
    Settings { shape, height: low_wall.height, depth, width, place, position, ..Settings::default() }
}

/// Returns the course, moved so that the run-up of the vault ends at the low wall.
fn lane() -> SceneObject {
    let [low_wall, ..] = course::edges();
    let wall = DVec3::new(0.0, low_wall.near[0].y - low_wall.height, low_wall.near[0].z);
    let mesh = ReferenceMesh::of(COURSE);
    SceneObject { mesh: Some(mesh), ..SceneObject::point("course", DVec3::Z * vault::WALL_Z[0] - wall) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::foot_shape::body_points;
    use portamento_anim::rig::chains::chains;
    use portamento_anim::{Clip, Roles, RootMotion};
    use portamento_base::progress::Progress;
    use portamento_walk::crossing::{CrossingKind, Input, cross};

    #[test]
    fn the_vault_fits_the_low_wall() {
        let hero = portamento_test_support::hero();
        let clip: &Clip = hero.clips.iter().find(|clip| clip.name == "vault").unwrap();
        let roles = Roles::find(&hero.skeleton, &hero.clips);
        let (mesh_joints, body) = (hero.mesh_joints(), body_points(&hero, &roles));
        let input = Input {
            skeleton: &hero.skeleton,
            clip,
            roles: &roles,
            limbs: &chains(&hero, &roles),
            root: RootMotion::find(&hero.skeleton, clip, &roles).unwrap(),
            fps: crate::motion::bake::FPS,
            metres_per_unit: 1.0,
            mesh_joints: &mesh_joints,
            body: &body,
        };
        let crossed = cross(&input, &settings(), None, &Progress::new()).unwrap();
        assert_eq!(crossed.clip.kind, CrossingKind::Vault);
        assert!(crossed.fitted.is_ok(), "{:?}", crossed.fitted.err());
        assert!((crossed.obstacle.near[0].y - 0.6).abs() < 1e-9 && crossed.motion().unwrap() != clip);
        let [_, deviation] = crossed.fitted.as_ref().unwrap().report.gravity.unwrap();
        assert!(deviation < 0.1, "the hips deviate by {deviation} from free fall");
    }
}

//! Bounds of the shown items.

use glam::Vec3;

use crate::viewport::scene::SceneCache;
use crate::viewport::subject::metres_per_unit;
use crate::viewport::{Viewport, posed_mesh};
use portamento_anim::math::Bounds;
use portamento_session::Session;
use portamento_takes::evaluate::{Frame, Overlay};

/// Returns the box around everything shown, in scene units (the shown file's unit): the level, or the character with its trails
/// and targets, and the second item of a pair. `None` if nothing is shown.
pub fn shown_bounds(viewport: &mut Viewport, session: &Session) -> Option<Bounds> {
    let frame = session.frame()?;
    let first = of_frame(&mut viewport.cache, frame, &frame.overlay, metres_per_unit(session))?;
    let second_item = session.pair().and_then(|pair| Some((pair.frame()?, pair.overlay()?)));
    let built = second_item.and_then(|(frame, _)| frame.built.as_ref());
    let (Some((frame, overlay)), Some(built)) = (second_item, built) else { return Some(first) };
    let second = of_frame(&mut viewport.pair.cache, frame, overlay, built.metres_per_unit)?;
    viewport.pair.update_transform(session, frame);
    let second = viewport.pair.in_first(second);
    Bounds::around([first.low, first.high, second.low, second.high])
}

/// Returns the box around the level or figure of `frame`, in scene units; one has `metres` metres. `None` if it is empty.
fn of_frame(cache: &mut SceneCache, frame: &Frame, overlay: &Overlay, metres: f64) -> Option<Bounds> {
    let level = frame.scenery.as_ref().and_then(|scenery| cache.level(scenery).bounds());
    let unit = metres as f32;
    level.map(|level| Bounds { low: level.low / unit, high: level.high / unit }).or_else(|| figure(frame, overlay))
}

/// Returns the box around the joints, trails, ghosts, targets and rest pose of `frame`, in scene units.
fn figure(frame: &Frame, overlay: &Overlay) -> Option<Bounds> {
    let joints = frame.world.iter().map(|transform| Vec3::from(transform.translation));
    let trails = overlay.trails.iter().flat_map(|trail| trail.points.iter().map(|point| point.as_vec3()));
    let ghosts =
        overlay.ghosts.iter().flat_map(|ghost| ghost.world.iter().map(|transform| Vec3::from(transform.translation)));
    let targets = overlay.targets.iter().map(|target| target.as_vec3());
    let Bounds { low, high } = frame.character.rest_bounds();
    Bounds::around(joints.chain(trails).chain(ghosts).chain(targets).chain([low, high]))
}

/// Returns the box around the visible, posed meshes of `frame`, in scene units; `None` without any.
pub fn mesh(session: &Session, frame: &Frame) -> Option<Bounds> {
    let mut corners = Vec::new();
    posed_mesh::each_part(session, frame, |_, points| {
        corners.extend(Bounds::around(points.iter().copied()).into_iter().flat_map(|all| [all.low, all.high]));
    });
    Bounds::around(corners)
}

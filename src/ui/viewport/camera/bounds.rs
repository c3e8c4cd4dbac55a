//! How far what is shown reaches.

use glam::Vec3;

use crate::evaluate::Frame;
use crate::math::Bounds;
use crate::session::Session;
use crate::ui::viewport::{Viewport, metres_per_unit};

/// The box around all that is shown, in the shown file's unit: a level with all that is on it, or the character.
pub fn shown_bounds(viewport: &mut Viewport, session: &Session) -> Option<Bounds> {
    let frame = session.frame()?;
    let level = frame.scenery.as_ref().and_then(|scenery| viewport.cache.level(scenery).bounds());
    let unit = metres_per_unit(session) as f32;
    level.map(|level| Bounds { low: level.low / unit, high: level.high / unit }).or_else(|| figure(frame))
}

/// The box around character, trails and target.
fn figure(frame: &Frame) -> Option<Bounds> {
    let joints = frame.world.iter().map(|place| Vec3::from(place.translation));
    let trails = frame.overlay.trails.iter().flat_map(|trail| trail.points.iter().map(|point| point.as_vec3()));
    let ghosts =
        frame.overlay.ghosts.iter().flat_map(|ghost| ghost.world.iter().map(|place| Vec3::from(place.translation)));
    let target = frame.overlay.target.map(|target| target.as_vec3());
    let Bounds { low, high } = frame.character.model.rest_bounds();
    Bounds::around(joints.chain(trails).chain(ghosts).chain(target).chain([low, high]))
}

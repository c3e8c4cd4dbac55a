//! What the cursor is over, and where a dragged target goes. Pure: no GPU, no window.

use glam::{DVec3, Vec2, Vec3};

use super::{Camera, Ray};

/// A part of the target that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The disc: moves on the ground plane.
    Ground,
    /// The arrow up: changes the height.
    Height,
    /// The red arrow.
    AxisX,
    /// The blue arrow.
    AxisZ,
}

/// The way a drag is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The plane through the target, parallel to the ground.
    Ground,
    /// One world axis: 0, 1 or 2.
    Axis(usize),
}

impl Handle {
    /// How a drag of this part is bound.
    pub fn constraint(self) -> Constraint {
        match self {
            Self::Ground => Constraint::Ground,
            Self::Height => Constraint::Axis(1),
            Self::AxisX => Constraint::Axis(0),
            Self::AxisZ => Constraint::Axis(2),
        }
    }
}

/// Screen size of the target's parts, pixels; constant whatever the zoom.
pub const RING: f32 = 26.0;
/// Length of the arrows from the target's middle, pixels.
pub const ARROW: f32 = 64.0;
/// How near the cursor must be to grab something, pixels.
const NEAR: f32 = 9.0;

/// How far outside the ring it is still the disc that is grabbed, pixels.
const EDGE: f32 = 4.0;

/// The part of a target at `target` under `cursor`: the disc up to its edge, beyond it the arrows. The height arrow only where
/// `has_height`.
pub fn handle_at(camera: &Camera, size: Vec2, target: Vec3, cursor: Vec2, has_height: bool) -> Option<Handle> {
    let unit = camera.units_per_pixel(size.y) * depth_factor(camera, target);
    if camera.project(target, size)?.distance(cursor) <= RING + EDGE {
        return Some(Handle::Ground);
    }
    let arrows = [(Handle::Height, Vec3::Y), (Handle::AxisX, Vec3::X), (Handle::AxisZ, Vec3::Z)];
    let mut seen = arrows.into_iter().filter(|(handle, _)| has_height || *handle != Handle::Height);
    let under = |(handle, axis): (Handle, Vec3)| {
        let tip = camera.project(target + axis * unit * ARROW, size);
        let start = camera.project(target + axis * unit * RING, size);
        (to_segment(cursor, start?, tip?) <= NEAR).then_some(handle)
    };
    seen.find_map(under)
}

/// How much larger a unit at `point` must be drawn than one at the camera's target to look the same.
pub fn depth_factor(camera: &Camera, point: Vec3) -> f32 {
    if camera.orthographic {
        return 1.0;
    }
    let depth = (camera.rotation() * Vec3::NEG_Z).dot(point - camera.eye());
    (depth / camera.distance).max(1e-3)
}

/// Where a target grabbed at `start` (with the cursor at `from`) is when the cursor is at `to`.
///
/// `None` where the cursor looks past the horizon. `snap` rounds what may move to multiples of itself, in scene units.
pub fn drag(
    camera: &Camera,
    size: Vec2,
    start: DVec3,
    [from, to]: [Vec2; 2],
    constraint: Constraint,
    snap: Option<f64>,
) -> Option<DVec3> {
    let at = |cursor: Vec2| match constraint {
        Constraint::Ground => on_plane(camera.ray(cursor, size), start),
        Constraint::Axis(axis) => on_axis(camera.ray(cursor, size), start, axis),
    };
    let moved = start + (at(to)? - at(from)?);
    let free = |axis: usize| match constraint {
        Constraint::Ground => axis != 1,
        Constraint::Axis(only) => axis == only,
    };
    let snapped = |axis: usize| match snap {
        Some(step) if free(axis) => (moved[axis] / step).round() * step,
        _ if free(axis) => moved[axis],
        _ => start[axis],
    };
    Some(DVec3::new(snapped(0), snapped(1), snapped(2)))
}

/// Where a point grabbed at `start` (with the cursor at `from`) is when the cursor is at `to`, in the plane through it that faces
/// the camera; `None` where that plane is not in view.
pub fn drag_in_view(camera: &Camera, size: Vec2, start: DVec3, [from, to]: [Vec2; 2]) -> Option<DVec3> {
    let facing = (camera.rotation() * Vec3::Z).as_dvec3();
    let at = |cursor: Vec2| {
        let ray = camera.ray(cursor, size);
        let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
        let along = (start - origin).dot(facing) / direction.dot(facing);
        along.is_finite().then(|| origin + direction * along)
    };
    Some(start + (at(to)? - at(from)?))
}

fn on_plane(ray: Ray, through: DVec3) -> Option<DVec3> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let along = (through.y - origin.y) / direction.y;
    // Flatter than this the point runs away by metres per pixel.
    (direction.y.abs() > 1e-3 && along > 0.0).then(|| origin + direction * along)
}

/// The point of the axis through `through` that is nearest to the ray.
fn on_axis(ray: Ray, through: DVec3, axis: usize) -> Option<DVec3> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let axis = DVec3::AXES[axis];
    let across = axis.dot(direction);
    let spread = 1.0 - across * across;
    // Looking along the axis, no point of it is meant more than another.
    if spread < 1e-4 {
        return None;
    }
    let offset = origin - through;
    Some(through + axis * ((axis.dot(offset) - across * direction.dot(offset)) / spread))
}

/// The joint whose head appears nearest to `cursor`, within a few pixels.
pub fn joint_at(camera: &Camera, size: Vec2, heads: &[Vec3], cursor: Vec2) -> Option<usize> {
    let near = heads.iter().enumerate().filter_map(|(joint, &head)| {
        let distance = camera.project(head, size)?.distance(cursor);
        (distance <= 2.0 * NEAR).then_some((joint, distance))
    });
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint)
}

/// Where `ray` meets the plane at that height; `None` where it runs along it or away from it.
pub fn ground(ray: Ray, height: f32) -> Option<Vec3> {
    on_plane(ray, DVec3::Y * f64::from(height)).map(|at| at.as_vec3())
}

fn to_segment(point: Vec2, a: Vec2, b: Vec2) -> f32 {
    let way = b - a;
    let along =
        if way.length_squared() > 0.0 { ((point - a).dot(way) / way.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(a + way * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Vec2 = Vec2::new(800.0, 600.0);

    #[test]
    fn a_ground_drag_keeps_the_height_and_follows_the_cursor() {
        let camera = Camera::default();
        let start = DVec3::new(0.2, 0.5, 0.1);
        let from = camera.project(start.as_vec3(), SIZE).unwrap();
        let to = from + Vec2::new(60.0, 25.0);
        let moved = drag(&camera, SIZE, start, [from, to], Constraint::Ground, None).unwrap();
        assert_eq!(moved.y, 0.5);
        assert!(camera.project(moved.as_vec3(), SIZE).unwrap().distance(to) < 0.1);
        assert_eq!(drag(&camera, SIZE, start, [from, from], Constraint::Ground, None), Some(start));
    }

    #[test]
    fn an_axis_drag_moves_along_its_axis_only_and_snaps() {
        let camera = Camera::default();
        let start = DVec3::new(0.2, 0.5, 0.1);
        let from = camera.project(start.as_vec3(), SIZE).unwrap();
        let to = from + Vec2::new(3.0, -70.0);
        let up = drag(&camera, SIZE, start, [from, to], Constraint::Axis(1), Some(0.1)).unwrap();
        assert_eq!((up.x, up.z), (0.2, 0.1));
        assert!(up.y > 0.55 && ((up.y * 10.0) - (up.y * 10.0).round()).abs() < 1e-9, "{up}");
    }

    #[test]
    fn a_drag_in_view_stays_under_the_cursor_and_as_deep_as_it_was() {
        let camera = Camera::default();
        let start = DVec3::new(0.2, 1.4, 0.3);
        let from = camera.project(start.as_vec3(), SIZE).unwrap();
        let to = from + Vec2::new(-40.0, 55.0);
        let moved = drag_in_view(&camera, SIZE, start, [from, to]).unwrap();
        assert!(camera.project(moved.as_vec3(), SIZE).unwrap().distance(to) < 0.1);
        let depth = (moved - start).dot((camera.rotation() * Vec3::Z).as_dvec3());
        assert!(depth.abs() < 1e-6, "{depth}");
    }

    #[test]
    fn a_cursor_above_the_horizon_moves_nothing() {
        let camera = Camera { pitch: 0.0, ..Camera::default() };
        let sky = Vec2::new(400.0, 5.0);
        assert_eq!(drag(&camera, SIZE, DVec3::ZERO, [sky, sky], Constraint::Ground, None), None);
    }

    #[test]
    fn the_disc_is_grabbed_up_to_its_edge_and_height_only_where_it_counts() {
        let camera = Camera::default();
        let target = Vec3::new(0.0, 1.0, 0.0);
        let unit = camera.units_per_pixel(SIZE.y) * depth_factor(&camera, target);
        let on_arrow = camera.project(target + Vec3::Y * unit * 50.0, SIZE).unwrap();
        assert_eq!(handle_at(&camera, SIZE, target, on_arrow, true), Some(Handle::Height));
        assert_eq!(handle_at(&camera, SIZE, target, on_arrow, false), None);
        let middle = camera.project(target, SIZE).unwrap();
        let edge = camera.project(target + Vec3::X * unit * RING, SIZE).unwrap();
        for on_disc in [middle, edge] {
            assert_eq!(handle_at(&camera, SIZE, target, on_disc, true), Some(Handle::Ground));
        }
        assert_eq!(handle_at(&camera, SIZE, target, middle + Vec2::splat(200.0), true), None);
    }

    #[test]
    fn the_nearest_joint_is_picked() {
        let camera = Camera::default();
        let heads = [Vec3::ZERO, Vec3::Y, Vec3::new(0.0, 1.05, 0.0)];
        let cursor = camera.project(heads[1], SIZE).unwrap();
        assert_eq!(joint_at(&camera, SIZE, &heads, cursor), Some(1));
        assert_eq!(joint_at(&camera, SIZE, &heads, Vec2::ZERO), None);
    }
}

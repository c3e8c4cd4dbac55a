//! Picking and dragging: the handle or joint under the cursor and the new position of a dragged target. Pure functions without
//! GPU or window.

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

/// The plane or axis that a drag is constrained to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The plane through the target, parallel to the ground.
    Ground,
    /// One world axis: 0, 1 or 2.
    Axis(usize),
}

impl Handle {
    /// Returns the constraint of a drag of this handle.
    pub fn constraint(self) -> Constraint {
        match self {
            Self::Ground => Constraint::Ground,
            Self::Height => Constraint::Axis(1),
            Self::AxisX => Constraint::Axis(0),
            Self::AxisZ => Constraint::Axis(2),
        }
    }
}

/// Radius of the target's ring in pixels, independent of the zoom.
pub const RING: f32 = 26.0;
/// Length of the arrows from the target's centre in pixels.
pub const ARROW: f32 = 64.0;
/// Largest distance of the cursor from an arrow that still grabs it, in pixels. Tuned; no derivation recorded.
const GRAB_MAX_PIXELS: f32 = 9.0;

/// Margin outside the ring that still belongs to the disc, in pixels. Tuned; no derivation recorded.
const RING_MARGIN_PIXELS: f32 = 4.0;

/// Returns the handle of the target at `target` (world) under `cursor`; `None` if there is none or the target is behind the eye.
///
/// `cursor` is in pixels from the upper left of the view of `size` pixels. The disc has priority over the arrows. The height
/// arrow exists only if `has_height`.
pub fn handle_at(camera: &Camera, size: Vec2, target: Vec3, cursor: Vec2, has_height: bool) -> Option<Handle> {
    let unit = camera.units_per_pixel(size.y) * depth_factor(camera, target);
    if camera.project(target, size)?.distance(cursor) <= RING + RING_MARGIN_PIXELS {
        return Some(Handle::Ground);
    }
    let arrows = [(Handle::Height, Vec3::Y), (Handle::AxisX, Vec3::X), (Handle::AxisZ, Vec3::Z)];
    let mut seen = arrows.into_iter().filter(|(handle, _)| has_height || *handle != Handle::Height);
    let under = |(handle, axis): (Handle, Vec3)| {
        let tip = camera.project(target + axis * unit * ARROW, size);
        let start = camera.project(target + axis * unit * RING, size);
        (to_segment(cursor, start?, tip?) <= GRAB_MAX_PIXELS).then_some(handle)
    };
    seen.find_map(under)
}

/// Returns the ratio between the scene units per pixel at `point` and at the camera's target; 1 in an orthographic view.
pub fn depth_factor(camera: &Camera, point: Vec3) -> f32 {
    if camera.orthographic {
        return 1.0;
    }
    let depth = (camera.rotation() * Vec3::NEG_Z).dot(point - camera.eye());
    (depth / camera.distance).max(1e-3)
}

/// Returns the new position of a target grabbed at `start` (world) when the cursor moves between the two pixels `[from, to]`.
///
/// Returns `None` above the horizon or when looking along the axis. `snap` rounds the free coordinates to multiples, in scene
/// units.
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
        Constraint::Axis(axis) => on_axis(camera.ray(cursor, size), start, DVec3::AXES[axis]),
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

/// Returns the new world position of a point grabbed at `start` when the cursor moves from pixel `from` to `to`.
///
/// The point stays in the plane through it that faces the camera. Returns `None` if a ray is parallel to that plane.
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

/// Returns the new position of a point grabbed at `start` when the cursor moves from `from` to `to` and the point stays on the
/// line along the unit vector `axis`. Returns `None` if the camera looks along that line.
pub fn drag_along(camera: &Camera, size: Vec2, start: DVec3, [from, to]: [Vec2; 2], axis: DVec3) -> Option<DVec3> {
    let at = |cursor: Vec2| on_axis(camera.ray(cursor, size), start, axis);
    Some(start + (at(to)? - at(from)?))
}

/// Returns the point where `ray` hits the horizontal plane through `through`, or `None` if the ray is nearly parallel to it or
/// points away.
fn on_plane(ray: Ray, through: DVec3) -> Option<DVec3> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let along = (through.y - origin.y) / direction.y;
    // At flatter angles the point would move by metres per pixel.
    (direction.y.abs() > 1e-3 && along > 0.0).then(|| origin + direction * along)
}

/// Returns the point on the line through `through` along the unit vector `axis` that is closest to the ray. `None` if they are
/// parallel.
fn on_axis(ray: Ray, through: DVec3, axis: DVec3) -> Option<DVec3> {
    let (origin, direction) = (ray.origin.as_dvec3(), ray.direction.as_dvec3());
    let across = axis.dot(direction);
    let spread = 1.0 - across * across;
    // Looking along the axis, no point on it is preferred.
    if spread < 1e-4 {
        return None;
    }
    let offset = origin - through;
    Some(through + axis * ((axis.dot(offset) - across * direction.dot(offset)) / spread))
}

/// Returns the index of the joint whose head (world) is nearest to `cursor`; `None` if none is within `2 · GRAB_MAX_PIXELS`.
pub fn joint_at(camera: &Camera, size: Vec2, heads: &[Vec3], cursor: Vec2) -> Option<usize> {
    let near = heads.iter().enumerate().filter_map(|(joint, &head)| {
        let distance = camera.project(head, size)?.distance(cursor);
        (distance <= 2.0 * GRAB_MAX_PIXELS).then_some((joint, distance))
    });
    near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(joint, _)| joint)
}

/// Returns the point where `ray` hits the horizontal plane at `height`, scene units.
///
/// Returns `None` if the ray is nearly parallel to it or points away.
pub fn ground(ray: Ray, height: f32) -> Option<Vec3> {
    on_plane(ray, DVec3::Y * f64::from(height)).map(|at| at.as_vec3())
}

/// Returns the distance from `point` to the nearest point of the segment from `a` to `b`.
fn to_segment(point: Vec2, a: Vec2, b: Vec2) -> f32 {
    let segment = b - a;
    let along = if segment.length_squared() > 0.0 {
        ((point - a).dot(segment) / segment.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    point.distance(a + segment * along)
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
    fn a_drag_in_the_view_plane_follows_the_cursor_at_constant_depth() {
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
    fn the_disc_is_grabbed_up_to_its_edge_and_the_height_arrow_only_if_it_exists() {
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

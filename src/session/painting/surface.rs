//! Surfaces for painted weights.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use portamento_anim::geometry::{Adjacency, weight_paint};
use portamento_anim::media::{ImageInfo, VertexClip};
use portamento_takes::evaluate::Content;

/// A surface with paintable units: vertices or pixels. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// A mesh; positions are in file units.
    Mesh(Arc<VertexClip>),
    /// An image; positions are pixels from the upper left corner.
    Image(ImageInfo),
}

/// Maximum distance of a vertex from the mirror position of its opposite, fraction of the mesh size. Tuned; no derivation recorded.
const MIRROR_TOLERANCE: f32 = 1e-3;

impl Surface {
    /// Returns the paintable surface of `content`, if any.
    pub(crate) fn from_content(content: &Content) -> Option<Self> {
        match content {
            Content::Joints => None,
            Content::Vertices(vertices) => Some(Self::Mesh(vertices.clip.clone())),
            Content::Images(images) => Some(Self::Image(images.clip.info)),
        }
    }

    /// Returns the number of vertices or pixels.
    pub fn units(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.vertices,
            Self::Image(info) => info.pixels(),
        }
    }

    /// Returns the position of each unit: vertices in the first frame, pixel centres.
    pub fn points(&self) -> Cow<'_, [Vec3]> {
        match self {
            Self::Mesh(mesh) => mesh.frame(0).into(),
            Self::Image(info) => weight_paint::pixel_centres(info.width as usize, info.height as usize).into(),
        }
    }

    /// Returns the neighbours of each unit; vertices that were split at UV or colour seams count as one.
    pub fn adjacency(&self) -> Adjacency {
        match self {
            Self::Mesh(mesh) => Adjacency::of_welded(&welded(mesh), &mesh.faces),
            Self::Image(info) => Adjacency::of_image(info.width as usize, info.height as usize),
        }
    }

    /// Returns the x coordinate of the mirror plane: 0 for meshes, half the width for images.
    pub fn middle(&self) -> f32 {
        match self {
            Self::Mesh(_) => 0.0,
            Self::Image(info) => info.width as f32 * 0.5,
        }
    }

    /// Returns the mirrored unit of each unit in the first frame; itself if there is none.
    pub(super) fn opposites(&self) -> Vec<u32> {
        match self {
            Self::Mesh(mesh) => {
                let points = mesh.frame(0);
                let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
                weight_paint::mirror_map(points, 0.0, reach * MIRROR_TOLERANCE)
            }
            Self::Image(info) => {
                let across = |i: u32| i - i % info.width + (info.width - 1 - i % info.width);
                (0..info.pixels() as u32).map(across).collect()
            }
        }
    }

    /// Returns the axis 0…2 (X, Y, Z) as displayed: right, up or forward. A higher index counts as 2.
    pub fn axis(&self, index: usize) -> Vec3 {
        match (self, index) {
            // Image rows are counted from the top.
            (Self::Image(_), 1) => Vec3::NEG_Y,
            _ => Vec3::AXES[index.min(2)],
        }
    }

    /// Returns the mirror position of `at` on an image, both in pixels.
    pub fn across(&self, at: Vec2) -> Vec2 {
        Vec2::new(2.0 * self.middle() - at.x, at.y)
    }
}

/// Returns for each vertex the first vertex with the same position in the first, middle and last frame.
fn welded(mesh: &VertexClip) -> Vec<u32> {
    let last = mesh.frames().saturating_sub(1);
    let frames = [0, last / 2, last].map(|frame| mesh.frame(frame));
    // Adding 0 turns −0 into +0.
    let position_key =
        |vertex: u32| frames.map(|frame| (frame[vertex as usize] + Vec3::ZERO).to_array().map(f32::to_bits));
    let mut first_at = BTreeMap::new();
    (0..mesh.vertices as u32).map(|vertex| *first_at.entry(position_key(vertex)).or_insert(vertex)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::image_info as info;

    #[test]
    fn pixels_have_opposites_and_their_y_axis_points_up() {
        let image = Surface::Image(info(3, 2, 1));
        assert_eq!((image.units(), image.opposites()), (6, vec![2, 1, 0, 5, 4, 3]));
        let points = image.points();
        assert!(points[0].dot(image.axis(1)) > points[3].dot(image.axis(1)));
        for (i, &other) in image.opposites().iter().enumerate() {
            assert_eq!(image.across(points[i].truncate()), points[other as usize].truncate());
        }
    }

    #[test]
    fn split_vertices_are_welded_and_vertices_that_meet_in_one_frame_are_not() {
        let still = [Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::X, Vec3::Z, Vec3::ONE];
        let mut moved = still;
        moved[4] = Vec3::Y;
        let frames = [still, moved].concat();
        let clip = VertexClip::new("strip", 30.0, 6, frames, vec![0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(welded(&clip), [0, 1, 2, 2, 4, 5]);
        let adjacency = Surface::Mesh(Arc::new(clip)).adjacency();
        assert_eq!(adjacency.neighbours(2).collect::<Vec<_>>(), [0, 1, 3, 4, 5]);
        assert_eq!(adjacency.neighbours(1).collect::<Vec<_>>(), [0, 2, 3]);
    }
}

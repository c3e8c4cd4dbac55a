//! What the fades of a loop are painted on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Vec2, Vec3};

use crate::evaluate::Content;
use crate::geometry::{Adjacency, weight_paint};
use crate::media::{ImageInfo, VertexClip};

/// What is painted on: its units are vertices or pixels. Cloning shares it.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// A mesh; places on it are in the file's unit.
    Mesh(Arc<VertexClip>),
    /// An image; places on it are pixels from its upper left corner.
    Image(ImageInfo),
}

/// Distance within which a vertex counts as the opposite one, in parts of the mesh's size.
const OPPOSITE: f32 = 1e-3;

impl Surface {
    /// What `content` offers to paint on, if anything.
    pub(in crate::session) fn from_content(content: &Content) -> Option<Self> {
        match content {
            Content::Joints => None,
            Content::Vertices(vertices) => Some(Self::Mesh(vertices.clip.clone())),
            Content::Images(images) => Some(Self::Image(images.clip.info)),
        }
    }

    /// Vertices or pixels.
    pub fn units(&self) -> usize {
        match self {
            Self::Mesh(mesh) => mesh.vertices,
            Self::Image(info) => info.pixels(),
        }
    }

    /// Where each unit is: vertices in the first frame, the middles of pixels.
    pub fn points(&self) -> Cow<'_, [Vec3]> {
        match self {
            Self::Mesh(mesh) => mesh.frame(0).into(),
            Self::Image(info) => weight_paint::pixel_centres(info.width as usize, info.height as usize).into(),
        }
    }

    /// Which units lie beside which; vertices that files split where colours or coordinates break off stay one.
    pub fn adjacency(&self) -> Adjacency {
        match self {
            Self::Mesh(mesh) => Adjacency::of_welded(&joined(mesh), &mesh.faces),
            Self::Image(info) => Adjacency::of_image(info.width as usize, info.height as usize),
        }
    }

    /// The middle from left to right: x = 0, or half of the image.
    pub fn middle(&self) -> f32 {
        match self {
            Self::Mesh(_) => 0.0,
            Self::Image(info) => info.width as f32 * 0.5,
        }
    }

    /// The unit opposite each across the middle; itself where there is none.
    pub(super) fn opposites(&self) -> Vec<u32> {
        match self {
            Self::Mesh(mesh) => {
                let points = mesh.frame(0);
                let reach = points.iter().map(|point| point.abs().max_element()).fold(0.0, f32::max);
                weight_paint::mirror_map(points, 0.0, reach * OPPOSITE)
            }
            Self::Image(info) => {
                let across = |i: u32| i - i % info.width + (info.width - 1 - i % info.width);
                (0..info.pixels() as u32).map(across).collect()
            }
        }
    }

    /// The axis that the view calls X, Y or Z (0…2), rising to the right, upwards or forwards.
    pub fn axis(&self, index: usize) -> Vec3 {
        match (self, index) {
            // Rows are counted from the top.
            (Self::Image(_), 1) => Vec3::NEG_Y,
            _ => Vec3::AXES[index.min(2)],
        }
    }

    /// The place opposite `at` on an image.
    pub fn across(&self, at: Vec2) -> Vec2 {
        Vec2::new(2.0 * self.middle() - at.x, at.y)
    }
}

/// The first of the vertices that lie at one place in the first, the middle and the last frame, for each vertex.
fn joined(mesh: &VertexClip) -> Vec<u32> {
    let last = mesh.frames().saturating_sub(1);
    let frames = [0, last / 2, last].map(|frame| mesh.frame(frame));
    // Adding 0 makes one of both zeros.
    let places = |vertex: u32| frames.map(|frame| (frame[vertex as usize] + Vec3::ZERO).to_array().map(f32::to_bits));
    let mut first_at = BTreeMap::new();
    (0..mesh.vertices as u32).map(|vertex| *first_at.entry(places(vertex)).or_insert(vertex)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::image_clip::tests::info;

    #[test]
    fn pixels_have_opposites_and_rise_upwards() {
        let image = Surface::Image(info(3, 2, 1));
        assert_eq!((image.units(), image.opposites()), (6, vec![2, 1, 0, 5, 4, 3]));
        let points = image.points();
        assert!(points[0].dot(image.axis(1)) > points[3].dot(image.axis(1)));
        for (i, &other) in image.opposites().iter().enumerate() {
            assert_eq!(image.across(points[i].truncate()), points[other as usize].truncate());
        }
    }

    #[test]
    fn a_split_edge_does_not_part_a_mesh_and_what_only_meets_for_once_stays_apart() {
        let still = [Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::X, Vec3::Z, Vec3::ONE];
        let mut moved = still;
        moved[4] = Vec3::Y;
        let frames = [still, moved].concat();
        let clip = VertexClip::new("strip", 30.0, 6, frames, vec![0, 1, 2, 3, 4, 5]).unwrap();
        assert_eq!(joined(&clip), [0, 1, 2, 2, 4, 5]);
        let adjacency = Surface::Mesh(Arc::new(clip)).adjacency();
        assert_eq!(adjacency.neighbours(2).collect::<Vec<_>>(), [0, 1, 3, 4, 5]);
        assert_eq!(adjacency.neighbours(1).collect::<Vec<_>>(), [0, 2, 3]);
    }
}

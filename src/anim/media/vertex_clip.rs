//! Vertex clips: frames of vertex positions over one set of faces.

use glam::Vec3;

use crate::geometry::MorphTarget;
use portamento_base::message::{message, messages};
use portamento_base::progress::Cancelled;

/// Positions of frames × vertices. Immutable; share it through an `Arc`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexClip {
    /// The name of the file or clip.
    pub name: String,
    /// Frames per second, above 0.
    pub fps: f64,
    /// Vertices per frame.
    pub vertices: usize,
    /// Positions in the file's unit, frame after frame; the length is a multiple of `vertices`.
    pub positions: Vec<Vec3>,
    /// Triangles, three indices each, for all frames; empty for a cache without its mesh.
    pub faces: Vec<u32>,
}

messages! {
/// Errors of vertex clips.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VertexClipError {
    /// No frames or no vertices.
    Empty {
        /// Name of the clip without frames.
        clip: String,
    } => message!(
        "error.vertices.empty",
        "\"%{clip}\" has no vertices in any frame. Choose a clip or cache with a mesh.",
        clip
    ),
    /// A frame has another number of vertices.
    Topology {
        /// Name of the clip whose frames differ.
        clip: String,
        /// Index of the frame, from 0.
        frame: usize,
        /// Vertices of that frame.
        found: usize,
        /// Vertices of frame 0.
        expected: usize,
    } => message!(
        "error.vertices.topology",
        "Frame %{frame} of \"%{clip}\" has %{found} vertices but frame 0 has %{expected}. A loop needs the same vertices in \
         every frame; export the cache before any step that adds or removes vertices.",
        frame, clip, found, expected
    ),
    /// A face has an index without a vertex.
    OtherMesh {
        /// Name of the clip to which the faces were applied.
        clip: String,
        /// Vertices per frame.
        vertices: usize,
        /// The missing vertex.
        index: u32,
    } => message!(
        "error.vertices.other_mesh",
        "\"%{clip}\" has %{vertices} vertices but its mesh refers to vertex %{index}. Choose the mesh of \
         this cache.",
        clip, vertices, index
    ),
    /// A coordinate is not finite.
    NotFinite {
        /// Name of the clip.
        clip: String,
        /// Index of the frame, from 0.
        frame: usize,
        /// Index of the vertex, from 0.
        vertex: usize,
    } => message!(
        "error.vertices.not_finite",
        "Vertex %{vertex} in frame %{frame} of \"%{clip}\" is not a finite number. Simulate or export that frame again.",
        vertex, frame, clip
    ),
    /// The frame rate is out of range.
    BadRate {
        /// Name of the clip.
        clip: String,
        /// The requested frames per second.
        fps: f64,
    } => message!(
        "error.vertices.bad_rate",
        "\"%{clip}\" cannot play at %{fps} frames per second. Choose a rate between 0.001 and 100000.",
        clip, fps
    ),
    /// The frames would exceed the memory limit.
    TooLarge {
        /// Name of the clip.
        clip: String,
        /// Bytes that the positions would need.
        bytes: u128,
    } => message!(
        "error.vertices.too_large",
        "\"%{clip}\" would need %{bytes} bytes. Choose a lower frame rate or fewer meshes.",
        clip, bytes
    ),
    /// The work was cancelled.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

impl VertexClip {
    /// Creates a validated clip.
    ///
    /// Returns `Err` if the rate is not 0.001 … 100 000, the clip is empty, the positions are no whole frames or not
    /// finite, or a face has an index without a vertex.
    pub fn new(
        name: impl Into<String>,
        fps: f64,
        vertices: usize,
        positions: Vec<Vec3>,
        faces: Vec<u32>,
    ) -> Result<Self, VertexClipError> {
        let clip = Self { name: name.into(), fps, vertices, positions, faces };
        clip.check()?;
        Ok(clip)
    }

    /// Returns `Err` in the cases of [`VertexClip::new`].
    fn check(&self) -> Result<(), VertexClipError> {
        let clip = || self.name.clone();
        if !(0.001..=100_000.0).contains(&self.fps) {
            return Err(VertexClipError::BadRate { clip: clip(), fps: self.fps });
        }
        if self.vertices == 0 || self.positions.is_empty() {
            return Err(VertexClipError::Empty { clip: clip() });
        }
        let rest = self.positions.len() % self.vertices;
        if rest != 0 {
            let frame = self.frames();
            return Err(VertexClipError::Topology { clip: clip(), frame, found: rest, expected: self.vertices });
        }
        if let Some(&index) = self.faces.iter().find(|&&index| index as usize >= self.vertices) {
            return Err(VertexClipError::OtherMesh { clip: clip(), vertices: self.vertices, index });
        }
        match self.positions.iter().position(|position| !position.is_finite()) {
            Some(at) => {
                let (frame, vertex) = (at / self.vertices, at % self.vertices);
                Err(VertexClipError::NotFinite { clip: clip(), frame, vertex })
            }
            None => Ok(()),
        }
    }

    /// Returns the number of whole frames; 0 without vertices.
    pub fn frames(&self) -> usize {
        self.positions.len().checked_div(self.vertices).unwrap_or(0)
    }

    /// Returns the positions of frame `index`; empty beyond the end.
    pub fn frame(&self, index: usize) -> &[Vec3] {
        let first = index.saturating_mul(self.vertices);
        self.positions.get(first..first.saturating_add(self.vertices)).unwrap_or(&[])
    }

    /// Returns the seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.fps
    }

    /// Returns the frames over `faces`, the triangles of the mesh of the cache. Returns `Err` if they do not fit.
    pub fn with_faces(mut self, faces: Vec<u32>) -> Result<Self, VertexClipError> {
        self.faces = faces;
        self.check()?;
        Ok(self)
    }

    /// Returns the frames as morph targets over frame 0, one per later frame, for formats without vertex frames.
    /// Frame k is frame 0 plus target k − 1 at full weight (within rounding), with all other weights 0.
    pub fn morph_targets(&self) -> Vec<MorphTarget> {
        let base = self.frame(0);
        let offsets = |k: usize| self.frame(k).iter().zip(base).map(|(&point, &base)| point - base).collect();
        (1..self.frames()).map(|k| MorphTarget { positions: offsets(k), normals: Vec::new() }).collect()
    }
}

/// Returns the number of frames from 0 to `duration` seconds at `fps`, including both ends.
pub fn frames_in(duration: f64, fps: f64) -> usize {
    // A last key slightly before its frame, because of rounded key times, counts as that frame.
    ((duration.max(0.0) * fps + 1e-3).floor() as usize).saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_invalid_frames_by_number() {
        let clip = |positions, faces| VertexClip::new("flag", 30.0, 2, positions, faces);
        let torn = clip(vec![Vec3::ZERO; 5], Vec::new()).unwrap_err();
        assert_eq!(torn, VertexClipError::Topology { clip: "flag".into(), frame: 2, found: 1, expected: 2 });
        let nan = clip(vec![Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::NAN], Vec::new()).unwrap_err();
        assert_eq!(nan, VertexClipError::NotFinite { clip: "flag".into(), frame: 1, vertex: 1 });
        assert!(clip(vec![Vec3::ZERO; 4], vec![0, 1, 2]).unwrap_err().to_string().contains("vertex 2"));
        assert!(VertexClip::new("flag", f64::NAN, 1, vec![Vec3::ZERO], Vec::new()).is_err());
    }
}

//! A mesh whose every vertex moves by itself: frames of positions over one set of faces.

use glam::{Affine3A, Vec3};

use super::skinning::{Carrier, deform, morphs_of, palette};
use super::{Clip, Curve, MeshInstance, Model, MorphTarget, Pose, Primitive};
use crate::progress::{Cancelled, Progress};

/// Frames × vertices. Immutable once made; share it through an `Arc`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexClip {
    /// The file's or the clip's name.
    pub name: String,
    /// Frames per second, above 0.
    pub fps: f64,
    /// Vertices per frame.
    pub vertices: usize,
    /// Positions in the file's unit, frame after frame; a whole multiple of `vertices`.
    pub positions: Vec<Vec3>,
    /// Triangles, three indices each, the same for all frames; empty for a cache that has not met its mesh.
    pub faces: Vec<u32>,
}

/// Why frames do not make a clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VertexClipError {
    /// Nothing to show.
    #[error("\"{clip}\" has no vertices in any frame. Choose a clip or cache with a mesh.")]
    Empty {
        /// The clip.
        clip: String,
    },
    /// A frame with another number of vertices.
    #[error(
        "Frame {frame} of \"{clip}\" has {found} vertices but frame 0 has {expected}. A loop needs the same vertices in every \
         frame; export the cache before any step that adds or removes vertices."
    )]
    Topology {
        /// The clip.
        clip: String,
        /// Counted from 0.
        frame: usize,
        /// Vertices there.
        found: usize,
        /// Vertices in frame 0.
        expected: usize,
    },
    /// A face that names no vertex.
    #[error(
        "\"{clip}\" has {vertices} vertices but its mesh asks for number {index}. Choose the mesh the cache was made from."
    )]
    OtherMesh {
        /// The clip.
        clip: String,
        /// Vertices per frame.
        vertices: usize,
        /// The index.
        index: u32,
    },
    /// A coordinate that is no number.
    #[error(
        "Vertex {vertex} in frame {frame} of \"{clip}\" is not a finite number. Simulate or export that frame again."
    )]
    NotFinite {
        /// The clip.
        clip: String,
        /// Counted from 0.
        frame: usize,
        /// Counted from 0.
        vertex: usize,
    },
    /// A rate that is no rate.
    #[error("\"{clip}\" cannot play at {fps} frames per second. Choose a rate between 0.001 and 100000.")]
    BadRate {
        /// The clip.
        clip: String,
        /// The rate.
        fps: f64,
    },
    /// More than fits in memory.
    #[error("\"{clip}\" would need {bytes} bytes. Choose a lower frame rate or fewer meshes.")]
    TooLarge {
        /// The clip.
        clip: String,
        /// The size.
        bytes: u128,
    },
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl VertexClip {
    /// A checked clip: whole frames of finite positions, faces within them, a rate above 0.
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

    /// Whole frames.
    pub fn frames(&self) -> usize {
        self.positions.len().checked_div(self.vertices).unwrap_or(0)
    }

    /// The positions of frame `index`; empty beyond the end.
    pub fn frame(&self, index: usize) -> &[Vec3] {
        let first = index.saturating_mul(self.vertices);
        self.positions.get(first..first.saturating_add(self.vertices)).unwrap_or(&[])
    }

    /// Seconds from the first frame to the last.
    pub fn duration(&self) -> f64 {
        self.frames().saturating_sub(1) as f64 / self.fps
    }

    /// The same frames over `faces`, the triangles of the mesh the cache was made from.
    pub fn with_faces(mut self, faces: Vec<u32>) -> Result<Self, VertexClipError> {
        self.faces = faces;
        self.check()?;
        Ok(self)
    }

    /// The frames as morph targets over frame 0, one per later frame, for carriers that know no vertex frames: frame k is
    /// frame 0 plus target k − 1 at full weight (to a rounding of the sum), with every other weight 0.
    pub fn morph_targets(&self) -> Vec<MorphTarget> {
        let base = self.frame(0);
        let offsets = |k: usize| self.frame(k).iter().zip(base).map(|(&point, &base)| point - base).collect();
        (1..self.frames()).map(|k| MorphTarget { positions: offsets(k), normals: Vec::new() }).collect()
    }

    /// The weights that play [`VertexClip::morph_targets`]: one row per frame, all 0 but the frame's own; straight lines
    /// between keys are then straight ways of vertices. `closing` adds a last key equal to the first.
    pub fn morph_weights(&self, closing: bool) -> Curve<f32> {
        let targets = self.frames().saturating_sub(1);
        let keys = self.frames() + usize::from(closing);
        let row = |key: usize| (1..=targets).map(move |target| if key == target { 1.0 } else { 0.0 });
        let times = (0..keys).map(|key| (key as f64 / self.fps) as f32).collect();
        Curve::linear(times, (0..keys).flat_map(row).collect())
    }

    /// What `clip` does to all meshes of `model`, skinned and morphed, at `fps`, in world space.
    ///
    /// Vertices come instance after instance, part after part, in the file's order.
    pub fn from_model(model: &Model, clip: &Clip, fps: f64, progress: &Progress) -> Result<Self, VertexClipError> {
        let name = || clip.name.clone();
        if !(0.001..=100_000.0).contains(&fps) {
            return Err(VertexClipError::BadRate { clip: name(), fps });
        }
        let (vertices, faces) = faces_of(model);
        let frames = frames_in(clip.duration, fps);
        let bytes = frames as u128 * vertices as u128 * 12;
        if bytes > 1 << 34 {
            return Err(VertexClipError::TooLarge { clip: name(), bytes });
        }
        let mut positions = Vec::with_capacity(frames * vertices);
        let mut scratch = Scratch { pose: Pose::rest(&model.skeleton), ..Scratch::default() };
        for frame in 0..frames {
            progress.step(frame, frames)?;
            scratch.pose.set_rest(&model.skeleton);
            clip.sample(&model.skeleton, frame as f64 / fps, &mut scratch.pose);
            append_frame(model, &mut scratch, &mut positions);
        }
        Self::new(name(), fps, vertices, positions, faces)
    }
}

/// Frames from 0 to `duration` seconds at `fps`, both ends counted.
pub fn frames_in(duration: f64, fps: f64) -> usize {
    // A last key a hair before its frame, from rounded key times, still counts as that frame.
    ((duration.max(0.0) * fps + 1e-3).floor() as usize).saturating_add(1)
}

#[derive(Default)]
struct Scratch {
    pose: Pose,
    world: Vec<Affine3A>,
    palette: Vec<Affine3A>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

/// All parts of all placed meshes, in the order in which [`VertexClip::from_model`] counts their vertices.
pub fn parts(model: &Model) -> impl Iterator<Item = (&MeshInstance, &Primitive)> {
    let of_instance = |instance: &MeshInstance| model.meshes[instance.mesh].primitives.iter();
    model.instances.iter().flat_map(move |instance| of_instance(instance).map(move |part| (instance, part)))
}

/// How many vertices all placed meshes of `model` have, and their triangles, counted as [`VertexClip::from_model`] does.
pub fn faces_of(model: &Model) -> (usize, Vec<u32>) {
    let mut first = 0;
    let mut faces = Vec::new();
    for (_, part) in parts(model) {
        faces.extend(part.indices.iter().map(|index| first + index));
        first += part.positions.len() as u32;
    }
    (first as usize, faces)
}

fn append_frame(model: &Model, scratch: &mut Scratch, frames: &mut Vec<Vec3>) {
    scratch.pose.world_from_joints(&model.skeleton, &mut scratch.world);
    for (instance, part) in parts(model) {
        let carrier = match instance.skin {
            Some(skin) => {
                palette(&model.skins[skin], &scratch.world, &mut scratch.palette);
                Carrier::Skinned(&scratch.palette)
            }
            None => Carrier::Rigid(scratch.world[instance.joint]),
        };
        let morphs = morphs_of(model, instance, &scratch.pose.morphs);
        deform(part, carrier, morphs, &mut scratch.positions, &mut scratch.normals);
        frames.extend_from_slice(&scratch.positions);
    }
}

/// Unit normals of `positions` over triangles `faces`, each vertex by itself: see [`super::Shading::normals`].
pub fn normals_of(positions: &[Vec3], faces: &[u32], normals: &mut Vec<Vec3>) {
    super::Shading::default().normals(positions, faces, normals);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{JointTracks, Mesh};

    fn triangle_model() -> Model {
        let mut skeleton = skeleton_of(&[("root", None)]);
        skeleton.joints[0].morph_count = 1;
        skeleton.rest_morphs = vec![0.0];
        let part = Primitive {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Z],
            normals: vec![Vec3::Y; 3],
            indices: vec![0, 1, 2],
            morphs: vec![MorphTarget { positions: vec![Vec3::ZERO, Vec3::Y * 2.0, Vec3::ZERO], normals: Vec::new() }],
            ..Primitive::default()
        };
        let mesh = Mesh { name: "leaf".into(), primitives: vec![part] };
        let instances = vec![MeshInstance { joint: 0, mesh: 0, skin: None }; 2];
        Model { skeleton, meshes: vec![mesh], instances, ..Model::default() }
    }

    #[test]
    fn morph_keys_and_joint_keys_become_frames_of_every_placed_mesh() {
        let tracks = JointTracks {
            translation: Some(Curve::linear(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z])),
            morphs: Some(Curve::linear(vec![0.0, 1.0], vec![0.0, 1.0])),
            ..JointTracks::default()
        };
        let clip = Clip { name: "wave".into(), duration: 1.0, tracks: vec![tracks] };
        let frames = VertexClip::from_model(&triangle_model(), &clip, 4.0, &Progress::new()).unwrap();
        assert_eq!((frames.frames(), frames.vertices), (5, 6));
        assert_eq!(frames.faces, [0, 1, 2, 3, 4, 5]);
        assert_eq!(frames.frame(2)[1], Vec3::new(1.0, 1.0, 0.5));
        assert_eq!(frames.frame(4)[4], Vec3::new(1.0, 2.0, 1.0));
    }

    #[test]
    fn morph_targets_and_their_weights_play_every_frame_again() {
        let positions: Vec<Vec3> = (0..8).map(|i| Vec3::new(i as f32, (i * i) as f32, 0.25)).collect();
        let clip = VertexClip::new("flag", 4.0, 2, positions, Vec::new()).unwrap();
        let (targets, weights) = (clip.morph_targets(), clip.morph_weights(true));
        assert_eq!((targets.len(), weights.times.len(), weights.values.len()), (3, 5, 15));
        for key in 0..5 {
            for vertex in 0..2 {
                let row = targets.iter().zip(&weights.values[key * 3..]);
                let moved: Vec3 = row.map(|(target, &weight)| target.positions[vertex] * weight).sum();
                assert_eq!(clip.frame(0)[vertex] + moved, clip.frame(key % 4)[vertex]);
            }
        }
        assert_eq!(weights.times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn broken_frames_are_refused_by_number() {
        let clip = |positions, faces| VertexClip::new("flag", 30.0, 2, positions, faces);
        let torn = clip(vec![Vec3::ZERO; 5], Vec::new()).unwrap_err();
        assert_eq!(torn, VertexClipError::Topology { clip: "flag".into(), frame: 2, found: 1, expected: 2 });
        let nan = clip(vec![Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::NAN], Vec::new()).unwrap_err();
        assert_eq!(nan, VertexClipError::NotFinite { clip: "flag".into(), frame: 1, vertex: 1 });
        assert!(clip(vec![Vec3::ZERO; 4], vec![0, 1, 2]).unwrap_err().to_string().contains("number 2"));
        assert!(VertexClip::new("flag", f64::NAN, 1, vec![Vec3::ZERO], Vec::new()).is_err());
    }

    #[test]
    fn normals_stand_on_their_faces_and_lonely_vertices_get_one_too() {
        let mut normals = Vec::new();
        normals_of(&[Vec3::ZERO, Vec3::Z, Vec3::X, Vec3::ONE], &[0, 1, 2], &mut normals);
        assert_eq!(normals, [Vec3::Y; 4]);
    }
}

//! Writes vertex animation as a glTF: the first frame is the mesh, later frames are morph targets with animated weights.

use glam::Vec3;

use super::from_model;
use crate::export::ExportError;
use crate::export::point_cache::ClosingKey;
use portamento_anim::geometry::{MorphTarget, Shading};
use portamento_anim::media::VertexClip;
use portamento_anim::morph_playback::morph_weights;
use portamento_anim::{Clip, GltfSource, Interpolation, JointTracks, Model};

/// Interpolation between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Between {
    /// Linear interpolation.
    #[default]
    Linear,
    /// Stepped: the earlier frame is shown.
    Step,
}

/// The mesh of a vertex clip and its shading.
#[derive(Clone, Copy, Debug)]
pub struct MorphedMesh<'a> {
    /// One mesh on one joint. Its primitives have the clip's vertices in order; their positions are ignored.
    pub model: &'a Model,
    /// Vertices that share normals.
    pub shading: &'a Shading,
}

impl MorphedMesh<'_> {
    /// Returns the model with vertices and normals of the first frame of `clip`. The clip must have a frame.
    pub fn first(&self, clip: &VertexClip) -> Model {
        let (mut model, mut normals, mut first) = (self.model.clone(), Vec::new(), 0);
        self.shading.normals(clip.frame(0), &clip.faces, &mut normals);
        for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
            let range = first..first + part.positions.len();
            first = range.end;
            part.positions = clip.frame(0)[range.clone()].to_vec();
            part.normals = normals[range].to_vec();
        }
        model
    }
}

/// Options of the animation.
#[derive(Clone, Copy, Debug)]
pub struct MorphClip<'a> {
    /// The animation's name.
    pub name: &'a str,
    /// Repetition of the first frame at the end.
    pub closing: ClosingKey,
    /// Interpolation between two frames.
    pub between: Between,
}

/// Returns `clip` as a glTF of one mesh with morph targets and one animation of their weights.
/// Normals are computed from the faces of each frame. Targets that move few vertices are stored sparsely.
///
/// A frame is frame 0 plus an offset, so it is exact to the rounding of the larger of the two.
/// Returns `Err` for a clip without faces or with a single frame. Positions keep the unit of the clip.
pub fn from_vertex_clip(clip: &VertexClip, mesh: MorphedMesh, play: MorphClip) -> Result<GltfSource, ExportError> {
    if clip.faces.is_empty() {
        return Err(ExportError::NoFaces { clip: clip.name.clone() });
    }
    if clip.frames() < 2 {
        return Err(ExportError::EmptyClip { clip: clip.name.clone() });
    }
    Ok(from_model(&model(clip, mesh, play), None))
}

/// Returns a model with the first frame of `clip` as its mesh, one morph target per later frame, and one clip that plays
/// them.
fn model(clip: &VertexClip, mesh: MorphedMesh, play: MorphClip) -> Model {
    let mut weights = morph_weights(clip, play.closing == ClosingKey::With);
    weights.interpolation = match play.between {
        Between::Linear => Interpolation::Linear,
        Between::Step => Interpolation::Step,
    };
    let duration = weights.times.last().copied().map_or(0.0, f64::from);
    let mut model = mesh.first(clip);
    let targets = targets(clip, mesh.shading);
    model.skeleton.joints.iter_mut().for_each(|joint| joint.morph_count = targets.len());
    model.skeleton.rest_morphs = vec![0.0; targets.len()];
    let mut first = 0;
    for part in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let range = first..first + part.positions.len();
        first = range.end;
        let of_part = |target: &MorphTarget| MorphTarget {
            positions: target.positions[range.clone()].to_vec(),
            normals: target.normals[range.clone()].to_vec(),
        };
        part.morphs = targets.iter().map(of_part).collect();
    }
    let tracks = vec![JointTracks { morphs: Some(weights), ..JointTracks::default() }];
    model.clips = vec![Clip { name: play.name.into(), duration, tracks }];
    model
}

/// Returns a morph target for every frame after the first.
fn targets(clip: &VertexClip, shading: &Shading) -> Vec<MorphTarget> {
    let (mut normals, mut rest) = (Vec::new(), Vec::new());
    shading.normals(clip.frame(0), &clip.faces, &mut rest);
    let mut targets = clip.morph_targets();
    for (target, k) in targets.iter_mut().zip(1..) {
        shading.normals(clip.frame(k), &clip.faces, &mut normals);
        target.normals = offsets(&normals, &rest);
    }
    targets
}

/// Returns the offset of each point from `here` to `there`.
fn offsets(there: &[Vec3], here: &[Vec3]) -> Vec<Vec3> {
    there.iter().zip(here).map(|(&there, &here)| there - here).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{gltf::to_glb_bytes, point_cache};
    use crate::import::{gltf::from_bytes, obj_sequence};
    use portamento_anim::footage::mesh_model;
    use portamento_anim::geometry::shading::vertex_normals;
    use portamento_base::progress::Progress;
    use portamento_test_support::corpus;

    /// Returns a strip of `columns` squares in which only the corners from column `from` on move.
    fn strip(columns: usize, from: usize, frames: usize) -> VertexClip {
        let point = |frame: usize, i: usize| {
            let (x, y) = (i / 2, i % 2);
            let lift = if x >= from { (frame as f32 * 0.7 + x as f32).sin() } else { 0.0 };
            Vec3::new(x as f32 * 0.1, y as f32, lift)
        };
        let vertices = 2 * (columns + 1);
        let positions = (0..frames).flat_map(|frame| (0..vertices).map(move |i| point(frame, i))).collect();
        let square = |i: u32| [2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3];
        VertexClip::new("strip", 24.0, vertices, positions, (0..columns as u32).flat_map(square).collect()).unwrap()
    }

    fn plain(clip: &VertexClip, closing: ClosingKey, between: Between) -> Result<GltfSource, ExportError> {
        let mesh = MorphedMesh { model: &mesh_model(clip), shading: &Shading::default() };
        from_vertex_clip(clip, mesh, MorphClip { name: &clip.name, closing, between })
    }

    fn round_trip(clip: &VertexClip, closing: ClosingKey, between: Between) -> Model {
        let source = plain(clip, closing, between).unwrap();
        let bytes = to_glb_bytes(&source).unwrap();
        let imported = from_bytes(&source.path, &bytes).unwrap();
        assert_eq!(imported.warnings, []);
        imported.model
    }

    /// Returns the largest distance of a vertex of `model` from `clip` over `frames` keys, relative to the largest coordinate.
    fn largest_error(clip: &VertexClip, model: &Model, frames: usize) -> f32 {
        let (part, played) = (&model.meshes[0].primitives[0], &model.clips[0]);
        let times = &played.tracks[0].morphs.as_ref().unwrap().times;
        assert_eq!((times.len(), part.positions.len()), (frames, clip.vertices));
        assert_eq!(part.indices, clip.faces);
        let largest = clip.positions.iter().map(|position| position.abs().max_element()).fold(0.0, f32::max);
        let mut worst = 0.0f32;
        for (k, &time) in times.iter().enumerate() {
            let weights = played.pose_at(&model.skeleton, f64::from(time)).morphs;
            for (vertex, expected) in clip.frame(k % clip.frames()).iter().enumerate() {
                let offset = |morph: &MorphTarget| morph.positions.get(vertex).copied().unwrap_or_default();
                let moved: Vec3 = part.morphs.iter().zip(&weights).map(|(morph, &weight)| offset(morph) * weight).sum();
                worst = worst.max((part.positions[vertex] + moved - *expected).abs().max_element());
            }
        }
        worst / largest
    }

    #[test]
    fn every_frame_round_trips_with_and_without_the_closing_key() {
        for (clip, closing) in [(strip(20, 0, 9), ClosingKey::With), (strip(20, 18, 9), ClosingKey::Without)] {
            for between in [Between::Linear, Between::Step] {
                let model = round_trip(&clip, closing, between);
                let frames = closing.order(9).count();
                assert!(largest_error(&clip, &model, frames) <= 2.0 * f32::EPSILON);
                let weights = model.clips[0].tracks[0].morphs.as_ref().unwrap();
                assert_eq!(weights.interpolation == Interpolation::Step, between == Between::Step);
                assert_eq!(model.clips[0].duration, f64::from(((frames - 1) as f64 / 24.0) as f32));
            }
        }
    }

    #[test]
    fn normals_match_the_faces_of_each_frame() {
        let clip = strip(12, 3, 6);
        let model = round_trip(&clip, ClosingKey::With, Between::Linear);
        let part = &model.meshes[0].primitives[0];
        let mut expected = Vec::new();
        for k in 1..6 {
            vertex_normals(clip.frame(k), &clip.faces, &mut expected);
            for (vertex, expected) in expected.iter().enumerate() {
                let normal = part.normals[vertex] + part.morphs[k - 1].normals.get(vertex).copied().unwrap_or_default();
                assert!(normal.angle_between(*expected).to_degrees() <= 0.1);
            }
        }
    }

    #[test]
    fn only_targets_that_move_few_vertices_are_stored_sparsely() {
        let accessors = |clip: &VertexClip| {
            let source = plain(clip, ClosingKey::Without, Between::Linear).unwrap();
            let sparse =
                source.json["accessors"].as_array().unwrap().iter().filter(|accessor| accessor.get("sparse").is_some());
            (sparse.count(), source.buffers[0].len())
        };
        let ((all, large), (few, small)) = (accessors(&strip(400, 0, 20)), accessors(&strip(400, 395, 20)));
        assert_eq!((all, few), (0, 2 * 19));
        assert!(small * 10 < large, "{small} {large}");
    }

    #[test]
    fn points_without_faces_and_a_single_frame_are_refused() {
        let faceless = VertexClip { faces: Vec::new(), ..strip(2, 0, 3) };
        let refused = |clip: &VertexClip| plain(clip, ClosingKey::With, Between::Step).unwrap_err().to_string();
        assert!(refused(&faceless).contains("no faces"));
        assert!(refused(&strip(2, 0, 1)).contains("has no keys"));
    }

    #[test]
    fn the_fox_runs_as_morph_targets() {
        let Some(folder) = corpus("caches/foxrun_obj") else { return };
        let clip = obj_sequence::read(&folder, 24.0, &Progress::new()).unwrap().clip;
        let model = round_trip(&clip, ClosingKey::Without, Between::Linear);
        assert!(largest_error(&clip, &model, 11) <= 2.0 * f32::EPSILON);
    }

    /// Writes the fox as morph targets and as both caches, each with its closing key.
    #[test]
    #[ignore = "writes files for other programs to read: set PORTAMENTO_DUMP to a folder"]
    fn write_the_fox_for_other_programs() {
        let folder =
            std::path::PathBuf::from(std::env::var("PORTAMENTO_DUMP").expect("PORTAMENTO_DUMP names a folder"));
        let fox = obj_sequence::read(&corpus("caches/foxrun_obj").unwrap(), 24.0, &Progress::new()).unwrap().clip;
        let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).unwrap();
        let glb = |clip: &VertexClip, closing, between| to_glb_bytes(&plain(clip, closing, between).unwrap()).unwrap();
        write("fox.glb", glb(&fox, ClosingKey::With, Between::Linear));
        write("fox_step.glb", glb(&fox, ClosingKey::Without, Between::Step));
        write("strip.glb", glb(&strip(400, 395, 20), ClosingKey::With, Between::Linear));
        write("fox.mdd", point_cache::mdd(&fox, ClosingKey::With).unwrap());
        write("fox.pc2", point_cache::pc2(&fox, ClosingKey::With).unwrap());
    }
}

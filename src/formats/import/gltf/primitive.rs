//! Reads a primitive: attributes, triangles and morph targets (glTF 2.0 §3.7).

use glam::{Vec2, Vec3};
use gltf::Semantic;
use gltf::json::validation::Checked;
use gltf::json::{self, Index, mesh};
use gltf::mesh::Mode;

use super::Fault;
use super::document::Document;
use portamento_anim::geometry::{MorphTarget, Primitive};
use portamento_base::message::{Message, message};

/// Reads one primitive of a document.
pub(super) struct Reader<'a> {
    pub document: &'a Document<'a>,
    /// The sets of texture coordinates of each material.
    pub uv_sets: &'a [[usize; 2]],
    /// Returns the name of the primitive for messages.
    pub label: &'a dyn Fn() -> String,
}

type Accessor = Index<json::Accessor>;

impl Reader<'_> {
    /// Reads the primitive. Errors name it; lesser damage becomes a warning.
    pub fn read(&self, entry: &mesh::Primitive, warnings: &mut Vec<Message>) -> Result<Primitive, Fault> {
        let material = entry.material.map(|material| material.value()).filter(|&index| index < self.uv_sets.len());
        let position = find(entry, Semantic::Positions).ok_or_else(|| self.fault("has no positions"))?;
        let positions = self.document.floats(position.value(), Vec3::from_array)?;
        self.finite(&positions)?;
        let mut out = Primitive { positions, material, ..Primitive::default() };
        out.indices = self.triangles(entry, out.positions.len(), warnings)?;
        self.surface(entry, material.map_or([0, 0], |material| self.uv_sets[material]), &mut out)?;
        self.influences(entry, &mut out, warnings)?;
        let targets = entry.targets.iter().flatten();
        out.morphs = targets.map(|target| self.morph(target, out.positions.len())).collect::<Result<_, _>>()?;
        Ok(out)
    }

    /// Returns a fault of this primitive. `reason` continues a sentence that begins with its name.
    fn fault(&self, reason: impl Into<String>) -> Fault {
        Fault::new((self.label)(), reason)
    }

    /// Returns `Err` if a point is not finite.
    fn finite(&self, points: &[Vec3]) -> Result<(), Fault> {
        match points.iter().position(|point| !point.is_finite()) {
            Some(vertex) => Err(self.fault(format!("has a value at vertex {vertex} that is not a number"))),
            None => Ok(()),
        }
    }

    /// Reads the accessor as one value per vertex, or an empty list if there is none. `key` is its name in faults. Returns
    /// `Err` if it has not `count` entries.
    fn attribute<T: Clone, const N: usize>(
        &self,
        accessor: Option<Accessor>,
        key: &str,
        count: usize,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, Fault> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        self.same_count(accessor, key, count)?;
        self.document.floats(accessor.value(), make)
    }

    /// Returns `Err` unless the accessor has `count` elements.
    fn same_count(&self, accessor: Accessor, key: &str, count: usize) -> Result<(), Fault> {
        let found = self.document.count(accessor.value())?;
        if found == count {
            return Ok(());
        }
        let accessor = accessor.value();
        Err(self.fault(format!("has {count} positions but {found} entries in {key} (accessor {accessor})")))
    }

    /// Reads normals, texture coordinates and colours. Without normals they are computed and the primitive is flat.
    /// `uv_sets` are the indices of the first and the second set of coordinates.
    fn surface(&self, entry: &mesh::Primitive, uv_sets: [usize; 2], out: &mut Primitive) -> Result<(), Fault> {
        let count = out.positions.len();
        out.normals = self.attribute(find(entry, Semantic::Normals), "NORMAL", count, Vec3::from_array)?;
        if out.normals.is_empty() || !out.normals.iter().all(|normal| normal.is_finite()) {
            // The format asks for flat shading (glTF 2.0 §3.7.2.1). Smooth normals are for code that needs the outside direction.
            out.normals = smooth_normals(&out.positions, &out.indices);
            out.flat = true;
        }
        let [first, second] = uv_sets.map(|set| u32::try_from(set).unwrap_or(0));
        let uvs = |set: u32| find(entry, Semantic::TexCoords(set)).or_else(|| find(entry, Semantic::TexCoords(0)));
        out.uvs = self.attribute(uvs(first), "TEXCOORD", count, Vec2::from_array)?;
        if second != first {
            out.second_uvs = self.attribute(uvs(second), "TEXCOORD", count, Vec2::from_array)?;
        }
        if let Some(colors) = find(entry, Semantic::Colors(0)) {
            let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
            out.colors = match self.document.width(colors.value())? {
                Some(3) => self.attribute(Some(colors), "COLOR_0", count, opaque)?,
                _ => self.attribute(Some(colors), "COLOR_0", count, |rgba: [f32; 4]| rgba)?,
            };
        }
        Ok(())
    }

    /// Reads the joint sets `JOINTS_0`, `JOINTS_1` … interleaved per vertex, four influences each. Sets `joints`, `weights`
    /// and `influences` of `out`.
    fn influences(
        &self,
        entry: &mesh::Primitive,
        out: &mut Primitive,
        warnings: &mut Vec<Message>,
    ) -> Result<(), Fault> {
        let count = out.positions.len();
        let mut sets = Vec::new();
        for set in 0.. {
            let Some(joints) = find(entry, Semantic::Joints(set)) else { break };
            let key = format!("WEIGHTS_{set}");
            let weights = find(entry, Semantic::Weights(set));
            let weights = self.attribute(weights, &key, count, |weights: [f32; 4]| weights)?;
            self.same_count(joints, &format!("JOINTS_{set}"), count)?;
            if weights.len() != count {
                return Err(self.fault(format!("has joints without {key}")));
            }
            // The format has no joint indices wider than 16 bits. A larger index fits no skin.
            let narrow = |joints: [u32; 4]| joints.map(|joint| u16::try_from(joint).unwrap_or(u16::MAX));
            sets.push((self.document.integers(joints.value(), narrow)?, weights));
        }
        out.influences = 4 * sets.len();
        self.document.charge(count.saturating_mul(6 * out.influences), self.label)?;
        (out.joints, out.weights) = match sets.pop() {
            Some((joints, weights)) if sets.is_empty() => (joints.into_flattened(), weights.into_flattened()),
            last => {
                sets.extend(last);
                let of_vertex =
                    |vertex: usize| sets.iter().flat_map(move |set| set.0[vertex].into_iter().zip(set.1[vertex]));
                (0..count).flat_map(of_vertex).unzip()
            }
        };
        let broken = clear_broken_weights(out);
        if broken > 0 {
            let label = (self.label)();
            warnings.push(message!(
                "warning.import.broken_weights",
                "%{count} skin %{count|weight|weights} of %{mesh} %{count|is|are} negative or not finite and %{count|is|are} read as 0.",
                count = broken,
                mesh = label
            ));
        }
        Ok(())
    }

    /// Reads a morph target for `count` vertices. Returns `Err` if a value is not finite.
    fn morph(&self, target: &mesh::MorphTarget, count: usize) -> Result<MorphTarget, Fault> {
        let positions = self.attribute(target.positions, "POSITION", count, Vec3::from_array)?;
        let normals = self.attribute(target.normals, "NORMAL", count, Vec3::from_array)?;
        self.finite(&positions)?;
        self.finite(&normals)?;
        Ok(MorphTarget { positions, normals })
    }

    /// Returns the triangle corners. Strips and fans become separate triangles. `count` is the number of vertices. Returns
    /// `Err` for points and lines and for indices from `count` on.
    fn triangles(&self, entry: &mesh::Primitive, count: usize, warnings: &mut Vec<Message>) -> Result<Vec<u32>, Fault> {
        let mode = match entry.mode {
            Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) => mode,
            Checked::Valid(_) => return Err(self.fault("consists of points or lines, which are not shown")),
            Checked::Invalid => return Err(self.fault("has a mode that is not known")),
        };
        let mut corners = match entry.indices {
            Some(accessor) => self.document.integers(accessor.value(), |[corner]: [u32; 1]| corner)?,
            None => (0..u32::try_from(count).unwrap_or(0)).collect(),
        };
        if let Some(&corner) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(self.fault(format!("has a triangle at vertex {corner} but only {count} vertices")));
        }
        let single = mode == Mode::Triangles;
        self.document.charge(if single { 0 } else { corners.len().saturating_mul(12) }, self.label)?;
        if single && corners.len() % 3 != 0 {
            warnings.push(message!(
                "warning.import.last_triangle",
                "The last triangle of %{mesh} is incomplete and left out.",
                mesh = (self.label)()
            ));
            corners.truncate(corners.len() / 3 * 3);
        }
        Ok(match mode {
            // Every second triangle of a strip has reversed winding.
            Mode::TriangleStrip => {
                corners.windows(3).enumerate().flat_map(|(i, w)| [w[0], w[1 + i % 2], w[2 - i % 2]]).collect()
            }
            Mode::TriangleFan => corners.windows(2).skip(1).flat_map(|w| [w[0], w[1], corners[0]]).collect(),
            _ => corners,
        })
    }
}

/// Returns the accessor of the attribute; `None` if the primitive does not have it.
fn find(entry: &mesh::Primitive, semantic: Semantic) -> Option<Accessor> {
    entry.attributes.get(&Checked::Valid(semantic)).copied()
}

/// Sets weights that are negative or not finite to 0 and returns their number. Joints with weight 0 become joint 0.
fn clear_broken_weights(out: &mut Primitive) -> usize {
    let mut broken = 0;
    for (joint, weight) in out.joints.iter_mut().zip(&mut out.weights) {
        if !(weight.is_finite() && *weight >= 0.0) {
            *weight = 0.0;
            broken += 1;
        }
        // Files fill unused influences with arbitrary joints, which must not be looked up.
        if *weight == 0.0 {
            *joint = 0;
        }
    }
    broken
}

/// Returns area-weighted normals. Vertices stay shared, so that their number and order match the file. Vertices without a
/// face get +Y.
fn smooth_normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corners in indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let face = (b - a).cross(c - a);
        corners.iter().for_each(|&corner| normals[corner as usize] += face);
    }
    normals.iter().map(|normal| normal.try_normalize().unwrap_or(Vec3::Y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Builds a square of four vertices as a primitive of `mode` with byte `indices`. Returns it with the warnings.
    fn square(mode: usize, indices: &[u8]) -> (Result<Primitive, Fault>, Vec<Message>) {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let mut bytes: Vec<u8> = corners.concat().iter().flat_map(|value: &f32| value.to_le_bytes()).collect();
        bytes.extend(indices);
        let json = json!({
            "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": indices.len() }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
                { "bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": indices.len() }] });
        let buffers = [bytes.into()];
        let entry = json!({ "attributes": { "POSITION": 0 }, "indices": 1, "mode": mode });
        let mut warnings = Vec::new();
        let progress = portamento_base::progress::Progress::new();
        let document = Document::new(&json, &buffers, &progress).unwrap();
        let reader = Reader { document: &document, uv_sets: &[], label: &|| "the square".into() };
        let read = reader.read(&serde_json::from_value(entry).unwrap(), &mut warnings);
        (read, warnings)
    }

    #[test]
    fn strips_and_fans_become_triangles_of_one_winding() {
        for (mode, indices) in [(4, vec![0, 1, 2, 2, 1, 3]), (5, vec![0, 1, 2, 3]), (6, vec![0, 1, 3, 2])] {
            let part = square(mode, &indices).0.unwrap();
            assert_eq!(part.indices.len(), 6, "mode {mode}");
            for corners in part.indices.as_chunks::<3>().0 {
                let [a, b, c] = corners.map(|corner| part.positions[corner as usize]);
                assert!((b - a).cross(c - a).z > 0.0, "mode {mode}: {corners:?}");
            }
            assert_eq!((part.normals, part.flat), (vec![Vec3::Z; 4], true));
        }
    }

    #[test]
    fn invalid_corners_and_lines_are_refused_and_an_incomplete_triangle_is_dropped() {
        assert!(square(4, &[0, 1, 9]).0.unwrap_err().to_string().contains("vertex 9"));
        assert!(square(1, &[0, 1]).0.unwrap_err().to_string().contains("lines"));
        let (part, warnings) = square(4, &[0, 1, 2, 3]);
        assert_eq!((part.unwrap().indices.len(), warnings.len()), (3, 1));
    }
}

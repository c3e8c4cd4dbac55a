//! One primitive: attributes, triangles, morph targets (glTF 2.0 §3.7).

use glam::{Vec2, Vec3};
use serde_json::Value;

use super::Fault;
use super::reader::{Document, list, number};
use crate::geometry::{MorphTarget, Primitive};

/// Names the primitive in a sentence.
type Part<'a> = &'a dyn Fn() -> String;

pub(super) fn primitive(
    document: &Document,
    entry: &Value,
    uv_sets: &[usize],
    part: Part,
    warnings: &mut Vec<String>,
) -> Result<Primitive, Fault> {
    let attributes = entry.get("attributes").unwrap_or(&Value::Null);
    let material = number(entry, "material", part)?.filter(|&it| it < uv_sets.len());
    let position = number(attributes, "POSITION", part)?.ok_or_else(|| Fault::new(part(), "has no positions"))?;
    let positions = document.floats(position, Vec3::from_array)?;
    finite(&positions, part)?;
    let count = positions.len();
    let mut out = Primitive { positions, material, ..Primitive::default() };
    out.indices = triangles(document, entry, count, part, warnings)?;
    read_surface(document, attributes, material.map_or(0, |it| uv_sets[it]), part, &mut out)?;
    read_influences(document, attributes, part, &mut out, warnings)?;
    out.morphs =
        list(entry, "targets").iter().map(|target| morph(document, target, count, part)).collect::<Result<_, _>>()?;
    Ok(out)
}

fn finite(points: &[Vec3], part: Part) -> Result<(), Fault> {
    match points.iter().position(|point| !point.is_finite()) {
        Some(vertex) => Err(Fault::new(part(), format!("has a value at vertex {vertex} that is not a number"))),
        None => Ok(()),
    }
}

/// The accessor under `key` as one value per vertex; empty when absent.
fn attribute<T: Clone, const N: usize>(
    document: &Document,
    attributes: &Value,
    (key, count): (&str, usize),
    part: Part,
    make: impl Fn([f32; N]) -> T,
) -> Result<Vec<T>, Fault> {
    let Some(accessor) = number(attributes, key, part)? else { return Ok(Vec::new()) };
    same_count(document, accessor, key, count, part)?;
    document.floats(accessor, make)
}

fn same_count(document: &Document, accessor: usize, key: &str, count: usize, part: Part) -> Result<(), Fault> {
    let found = document.count(accessor)?;
    if found == count {
        return Ok(());
    }
    Err(Fault::new(part(), format!("has {count} positions but {found} entries in {key} (accessor {accessor})")))
}

fn read_surface(
    document: &Document,
    attributes: &Value,
    uv_set: usize,
    part: Part,
    out: &mut Primitive,
) -> Result<(), Fault> {
    let count = out.positions.len();
    out.normals = attribute(document, attributes, ("NORMAL", count), part, Vec3::from_array)?;
    if out.normals.is_empty() || !out.normals.iter().all(|normal| normal.is_finite()) {
        out.normals = smooth_normals(&out.positions, &out.indices);
    }
    let uv_key = format!("TEXCOORD_{uv_set}");
    let uv_key = if attributes.get(&uv_key).is_some() { uv_key.as_str() } else { "TEXCOORD_0" };
    out.uvs = attribute(document, attributes, (uv_key, count), part, Vec2::from_array)?;
    if let Some(accessor) = number(attributes, "COLOR_0", part)? {
        let kind = document.element("accessors", "accessor", accessor)?.get("type").and_then(Value::as_str);
        out.colors = match kind {
            Some("VEC3") => attribute(document, attributes, ("COLOR_0", count), part, |[r, g, b]| [r, g, b, 1.0])?,
            _ => attribute(document, attributes, ("COLOR_0", count), part, |rgba: [f32; 4]| rgba)?,
        };
    }
    Ok(())
}

/// Joint sets `JOINTS_0`, `JOINTS_1` … side by side, four influences each.
fn read_influences(
    document: &Document,
    attributes: &Value,
    part: Part,
    out: &mut Primitive,
    warnings: &mut Vec<String>,
) -> Result<(), Fault> {
    let count = out.positions.len();
    let mut sets = Vec::new();
    while let Some(joints) = number(attributes, &format!("JOINTS_{}", sets.len()), part)? {
        let key = format!("WEIGHTS_{}", sets.len());
        let weights = attribute(document, attributes, (&key, count), part, |weights: [f32; 4]| weights)?;
        same_count(document, joints, &format!("JOINTS_{}", sets.len()), count, part)?;
        if weights.len() != count {
            return Err(Fault::new(part(), format!("has joints without {key}")));
        }
        // The format has no joint indices wider than 16 bits; what is wider fits no skin.
        sets.push((
            document.integers(joints, |joints: [u32; 4]| joints.map(|it| u16::try_from(it).unwrap_or(u16::MAX)))?,
            weights,
        ));
    }
    out.influences = 4 * sets.len();
    document.charge(count.saturating_mul(6 * out.influences), part)?;
    (out.joints, out.weights) = match sets.len() {
        1 => (sets[0].0.concat(), sets[0].1.concat()),
        _ => (0..count)
            .flat_map(|vertex| sets.iter().flat_map(move |set| set.0[vertex].into_iter().zip(set.1[vertex])))
            .unzip(),
    };
    let mut broken = 0;
    for (joint, weight) in out.joints.iter_mut().zip(&mut out.weights) {
        if !(weight.is_finite() && *weight >= 0.0) {
            *weight = 0.0;
            broken += 1;
        }
        // Files fill unused slots with anything; without weight the joint does not matter and must not be looked up.
        if *weight == 0.0 {
            *joint = 0;
        }
    }
    if broken > 0 {
        warnings.push(format!("{broken} skin weights of {} are negative or not numbers; they count as 0.", part()));
    }
    Ok(())
}

fn morph(document: &Document, target: &Value, count: usize, part: Part) -> Result<MorphTarget, Fault> {
    let positions = attribute(document, target, ("POSITION", count), part, Vec3::from_array)?;
    let normals = attribute(document, target, ("NORMAL", count), part, Vec3::from_array)?;
    finite(&positions, part)?;
    finite(&normals, part)?;
    Ok(MorphTarget { positions, normals })
}

/// Triangle corners; strips and fans become single triangles.
fn triangles(
    document: &Document,
    entry: &Value,
    count: usize,
    part: Part,
    warnings: &mut Vec<String>,
) -> Result<Vec<u32>, Fault> {
    let mode = number(entry, "mode", part)?.unwrap_or(4);
    if mode < 4 {
        return Err(Fault::new(part(), "is made of points or lines, which are not shown"));
    }
    let mut corners = match number(entry, "indices", part)? {
        Some(accessor) => document.integers(accessor, |[corner]: [u32; 1]| corner)?,
        None => (0..u32::try_from(count).unwrap_or(0)).collect(),
    };
    if let Some(&corner) = corners.iter().find(|&&corner| corner as usize >= count) {
        return Err(Fault::new(part(), format!("has a triangle at vertex {corner} where it has {count} vertices")));
    }
    document.charge(if mode == 4 { 0 } else { corners.len().saturating_mul(12) }, part)?;
    match mode {
        4 => {
            if corners.len() % 3 != 0 {
                warnings.push(format!("The last triangle of {} is incomplete and left out.", part()));
                corners.truncate(corners.len() / 3 * 3);
            }
            Ok(corners)
        }
        // Every second triangle of a strip is wound the other way.
        5 => Ok(corners.windows(3).enumerate().flat_map(|(i, w)| [w[0], w[1 + i % 2], w[2 - i % 2]]).collect()),
        6 => Ok(corners.windows(2).skip(1).flat_map(|w| [w[0], w[1], corners[0]]).collect()),
        _ => Err(Fault::new(part(), format!("has the unknown mode {mode}"))),
    }
}

/// Normals averaged over the faces at each vertex, larger faces counting more; vertices stay shared, so that their
/// number and order remain the file's.
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

    /// Four corners of a square as a primitive of `mode` with these byte indices; also the warnings.
    fn square(mode: usize, indices: &[u8]) -> (Result<Primitive, Fault>, Vec<String>) {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        let mut bytes: Vec<u8> = corners.concat().iter().flat_map(|it: &f32| it.to_le_bytes()).collect();
        bytes.extend(indices);
        let json = json!({
            "bufferViews": [{ "buffer": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": indices.len() }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 },
                { "bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": indices.len() }] });
        let buffers = [bytes];
        let entry = json!({ "attributes": { "POSITION": 0 }, "indices": 1, "mode": mode });
        let mut warnings = Vec::new();
        let read = primitive(&Document::new(&json, &buffers), &entry, &[], &|| "the square".into(), &mut warnings);
        (read, warnings)
    }

    #[test]
    fn strips_and_fans_become_triangles_of_one_winding() {
        for (mode, indices) in [(4, vec![0, 1, 2, 2, 1, 3]), (5, vec![0, 1, 2, 3]), (6, vec![0, 1, 3, 2])] {
            let part = square(mode, &indices).0.unwrap();
            assert_eq!(part.indices.len(), 6, "mode {mode}");
            for corners in part.indices.as_chunks::<3>().0 {
                let [a, b, c] = corners.map(|it| part.positions[it as usize]);
                assert!((b - a).cross(c - a).z > 0.0, "mode {mode}: {corners:?}");
            }
            assert_eq!(part.normals, [Vec3::Z; 4]);
        }
    }

    #[test]
    fn corners_past_the_vertices_and_lines_are_refused_and_crumbs_dropped() {
        assert!(square(4, &[0, 1, 9]).0.unwrap_err().to_string().contains("vertex 9"));
        assert!(square(1, &[0, 1]).0.unwrap_err().to_string().contains("lines"));
        let (part, warnings) = square(4, &[0, 1, 2, 3]);
        assert_eq!((part.unwrap().indices.len(), warnings.len()), (3, 1));
    }
}

//! Writes routes as JSON, CSV, or a glTF line strip.

use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};

use super::{ExportError, FileSet, csv};

/// A route and its measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RouteLine {
    /// The name shown in other programs.
    pub name: String,
    /// The seed of the route.
    pub seed: u64,
    /// The points in metres, +Y up.
    pub points: Vec<DVec3>,
    /// Time at each point in seconds from the first, at the speeds of the ground.
    pub times: Vec<f64>,
    /// Total time in seconds.
    pub seconds: f64,
    /// Time of the fastest route in seconds.
    pub optimal: f64,
    /// Guaranteed upper bound of `seconds / optimal`.
    pub bound: f64,
    /// Crossings of obstacles and gaps: index of the link, and of the point where it starts. It lands at the next point.
    pub crossings: Vec<[usize; 2]>,
}

/// Adds `routes` to `files` at `path`, in the format of its extension: `.json`, `.csv`, `.gltf` or `.glb`.
/// Returns `Err` for other extensions and if the file cannot be written.
pub fn write(files: &mut FileSet, path: &Path, routes: &[RouteLine]) -> Result<(), ExportError> {
    let ending = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let bytes = match ending.as_deref() {
        Some("json") => format!("{:#}\n", to_json(routes)).into_bytes(),
        Some("csv") => to_csv(routes).into_bytes(),
        Some("gltf") => to_gltf(routes),
        Some("glb") => to_glb(routes)?,
        _ => return Err(ExportError::UnknownRouteKind { file: path.display().to_string() }),
    };
    files.write(path, &bytes)
}

/// Returns all routes with their measurements. Points are in metres, with the distance and time of each from the start.
pub fn to_json(routes: &[RouteLine]) -> Value {
    let route = |route: &RouteLine| {
        let points: Vec<[f64; 3]> = route.points.iter().map(|point| point.to_array()).collect();
        let distances = distances(&route.points);
        let mut line = json!({
            "name": route.name, "seed": route.seed, "seconds": route.seconds, "optimalSeconds": route.optimal, "bound": route.bound,
            "length": distances.last().copied().unwrap_or(0.0), "points": points, "distances": distances,
            "times": route.times,
        });
        if !route.crossings.is_empty() {
            let crossing = |[link, point]: &[usize; 2]| json!({ "link": link, "point": point });
            line["crossings"] = route.crossings.iter().map(crossing).collect();
        }
        line
    };
    json!({ "unit": "metre", "up": "+Y", "routes": routes.iter().map(route).collect::<Vec<_>>() })
}

/// Returns one line per point: route, seed, number, x, y, z and distance from the start in metres, seconds from the start.
pub(super) fn to_csv(routes: &[RouteLine]) -> String {
    let mut text = String::from("route,seed,point,x_m,y_m,z_m,distance_m,time_s\n");
    for route in routes {
        let name = csv::field(&route.name);
        let measures = distances(&route.points).into_iter().zip(&route.times);
        for (index, (at, (distance, time))) in route.points.iter().zip(measures).enumerate() {
            text += &format!("{name},{},{index},{},{},{},{distance},{time}\n", route.seed, at.x, at.y, at.z);
        }
    }
    text
}

/// Returns the distance of each point from the first along the route, in metres.
fn distances(points: &[DVec3]) -> Vec<f64> {
    let mut distances = vec![0.0; points.len()];
    for index in 1..points.len() {
        distances[index] = distances[index - 1] + points[index - 1].distance(points[index]);
    }
    distances
}

/// Returns a text glTF with embedded data: one line strip per route of at least two points. Without such a route the file
/// has no scene.
fn to_gltf(routes: &[RouteLine]) -> Vec<u8> {
    use base64::Engine as _;
    let (mut json, bytes) = scene(routes);
    if !bytes.is_empty() {
        let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
        json["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{text}").into();
    }
    format!("{json:#}\n").into_bytes()
}

/// Returns the same scene as a GLB. Returns `Err` above 4 GiB.
fn to_glb(routes: &[RouteLine]) -> Result<Vec<u8>, ExportError> {
    let (json, bytes) = scene(routes);
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let chunks = [(&b"JSON"[..], &text), (&b"BIN\0"[..], &bytes)].into_iter().filter(|chunk| !chunk.1.is_empty());
    let total = 12 + chunks.clone().map(|chunk| 8 + chunk.1.len()).sum::<usize>();
    let size = u32::try_from(total).map_err(|_| ExportError::TooLarge { bytes: total })?;
    let mut file = Vec::with_capacity(total);
    file.extend(b"glTF");
    file.extend(2u32.to_le_bytes());
    file.extend(size.to_le_bytes());
    for (kind, chunk) in chunks {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    Ok(file)
}

/// Returns the glTF JSON and the bytes of its only buffer. Each route of at least two points is a node with a line strip,
/// whose extras are the measurements. The buffer is empty without such a route.
fn scene(routes: &[RouteLine]) -> (Value, Vec<u8>) {
    let mut json = json!({"asset": {"version": "2.0", "generator": "Portamento"}});
    let mut bytes = Vec::new();
    let (mut nodes, mut meshes, mut views, mut accessors) = (vec![], vec![], vec![], vec![]);
    for route in routes.iter().filter(|route| route.points.len() > 1) {
        let index = nodes.len();
        let positions: Vec<[f32; 3]> = route.points.iter().map(|point| point.as_vec3().to_array()).collect();
        let fold = |pick: fn(f32, f32) -> f32| {
            positions.iter().skip(1).fold(positions[0], |a, b| std::array::from_fn(|axis| pick(a[axis], b[axis])))
        };
        let (offset, length) = (bytes.len(), positions.len() * 12);
        bytes.extend(positions.iter().flatten().flat_map(|value| value.to_le_bytes()));
        let metres = distances(&route.points).last().copied().unwrap_or(0.0);
        let measures = json!({
            "seed": route.seed, "seconds": route.seconds, "optimalSeconds": route.optimal, "bound": route.bound,
            "length": metres,
        });
        nodes.push(json!({"name": route.name, "mesh": index, "extras": measures}));
        // Mode 3 is a line strip, component type 5126 a 32-bit float.
        meshes.push(json!({"name": route.name, "primitives": [{"mode": 3, "attributes": {"POSITION": index}}]}));
        // Target 34962 is a vertex buffer.
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length, "target": 34962}));
        accessors.push(json!({
            "bufferView": index, "componentType": 5126, "count": positions.len(), "type": "VEC3",
            "min": fold(f32::min), "max": fold(f32::max),
        }));
    }
    if !nodes.is_empty() {
        json["scene"] = 0.into();
        json["scenes"] = json!([{"nodes": (0..nodes.len()).collect::<Vec<_>>()}]);
        json["buffers"] = json!([{"byteLength": bytes.len()}]);
        for (key, list) in [("nodes", nodes), ("meshes", meshes), ("bufferViews", views), ("accessors", accessors)] {
            json[key] = list.into();
        }
    }
    (json, bytes)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;

    fn routes() -> Vec<RouteLine> {
        let points = vec![DVec3::ZERO, DVec3::new(3.0, 0.0, 4.0), DVec3::new(3.0, -1.5, 4.0)];
        let (name, times) = ("down, \"then\"".into(), vec![0.0, 2.5, 3.5]);
        let line =
            RouteLine { name, seed: 7, points, times, seconds: 3.5, optimal: 3.0, bound: 1.5, crossings: Vec::new() };
        let nowhere =
            RouteLine { name: "nowhere".into(), points: vec![DVec3::ONE], times: vec![0.0], ..RouteLine::default() };
        vec![line, nowhere]
    }

    #[test]
    fn text_keeps_every_point_and_its_distance() {
        let json = to_json(&routes());
        assert_eq!(json["routes"][0]["distances"], json!([0.0, 5.0, 6.5]));
        assert_eq!(json["routes"][0]["points"][2], json!([3.0, -1.5, 4.0]));
        assert_eq!(json["routes"][0]["times"], json!([0.0, 2.5, 3.5]));
        let csv = to_csv(&routes());
        assert_eq!(csv.lines().next(), Some("route,seed,point,x_m,y_m,z_m,distance_m,time_s"));
        assert_eq!(csv.lines().nth(2), Some("\"down, \"\"then\"\"\",7,1,3,0,4,5,2.5"));
        assert_eq!(csv.lines().count(), 5);
    }

    /// Returns the bytes of the only buffer.
    fn binary(file: &gltf::Gltf) -> Vec<u8> {
        match file.buffers().next().unwrap().source() {
            gltf::buffer::Source::Bin => file.blob.clone().unwrap(),
            gltf::buffer::Source::Uri(uri) => {
                base64::engine::general_purpose::STANDARD.decode(uri.split_once(',').unwrap().1).unwrap()
            }
        }
    }

    #[test]
    fn a_gltf_reader_finds_the_line_strip() {
        for bytes in [to_gltf(&routes()), to_glb(&routes()).unwrap()] {
            let file = gltf::Gltf::from_slice(&bytes).unwrap();
            let binary = binary(&file);
            assert_eq!((file.nodes().count(), file.nodes().next().unwrap().name()), (1, Some("down, \"then\"")));
            let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
            assert_eq!(primitive.mode(), gltf::mesh::Mode::LineStrip);
            let reader = primitive.reader(|_| Some(&binary));
            let positions: Vec<_> = reader.read_positions().unwrap().collect();
            assert_eq!(positions, [[0.0; 3], [3.0, 0.0, 4.0], [3.0, -1.5, 4.0]]);
            assert_eq!(primitive.bounding_box().min, [0.0, -1.5, 0.0]);
        }
    }

    #[test]
    fn a_file_without_routes_opens() {
        assert!(gltf::Gltf::from_slice(&to_gltf(&[])).is_ok());
        assert!(gltf::Gltf::from_slice(&to_glb(&[]).unwrap()).is_ok());
    }

    #[test]
    fn the_extension_selects_the_format() {
        let folder = tempfile::tempdir().unwrap();
        for (name, start) in [("a.json", "{"), ("a.csv", "route,"), ("a.gltf", "{"), ("a.GLB", "glTF")] {
            FileSet::write_now(|files| write(files, &folder.path().join(name), &routes())).unwrap();
            let bytes = std::fs::read(folder.path().join(name)).unwrap();
            assert!(bytes.starts_with(start.as_bytes()), "{name}");
        }
        let sentence =
            FileSet::write_now(|files| write(files, &folder.path().join("a.txt"), &routes())).unwrap_err().to_string();
        assert!(sentence.contains("a.txt") && sentence.contains(".csv"), "{sentence}");
    }
}

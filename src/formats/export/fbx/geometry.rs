//! Writes meshes with their skins, blend shapes and materials as FBX objects.

use glam::{DAffine3, DVec3};

use super::objects::{Bones, Scene};
use super::record::{Property, Record};
use portamento_anim::geometry::{Material, Mesh, Primitive, Skin};

/// All primitives of a mesh as one list of vertices.
pub(super) struct MergedMesh<'a> {
    parts: Vec<(&'a Primitive, usize)>,
    shape_names: &'a [String],
}

impl<'a> MergedMesh<'a> {
    /// Joins the primitives of `mesh` in order. Their vertices are numbered one after the other.
    pub fn new(mesh: &'a Mesh) -> Self {
        let mut first = 0;
        let part = |part: &'a Primitive| {
            let begin = first;
            first += part.positions.len();
            (part, begin)
        };
        Self { parts: mesh.primitives.iter().map(part).collect(), shape_names: &mesh.morph_names }
    }

    /// Returns the vertex index of every triangle corner, over all parts.
    fn corners(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|(part, first)| part.indices.iter().map(move |&index| index as usize + first))
    }

    /// Returns the largest number of blend shapes of any part.
    pub fn shapes(&self) -> usize {
        self.parts.iter().map(|(part, _)| part.morphs.len()).max().unwrap_or(0)
    }

    /// Returns the materials of the parts, each once, in order of first use.
    pub fn materials(&self) -> Vec<usize> {
        let mut found = Vec::new();
        for material in self.parts.iter().filter_map(|(part, _)| part.material) {
            if !found.contains(&material) {
                found.push(material);
            }
        }
        found
    }

    /// Returns the geometry object with its triangles, and with normals, colours and texture coordinates if every part has
    /// them. Texture coordinates get 0 at the bottom.
    pub fn geometry(&self, id: i64, name: &str) -> Record {
        let positions = self.parts.iter().flat_map(|(part, _)| &part.positions);
        let vertices: Vec<f64> = positions.flat_map(|point| point.as_dvec3().to_array()).collect();
        // The last corner of a face is written as its complement.
        let ends = |(at, corner): (usize, usize)| if at % 3 == 2 { !(corner as i32) } else { corner as i32 };
        let polygons: Vec<i32> = self.corners().enumerate().map(ends).collect();
        let mut record = Record::object("Geometry", id, name, "Mesh").children([
            Record::of("Vertices", vertices),
            Record::of("PolygonVertexIndex", polygons),
            Record::of("GeometryVersion", 124),
        ]);
        let has = |of: fn(&Primitive) -> usize| self.parts.iter().all(|(part, _)| of(part) == part.positions.len());
        let parts = || self.parts.iter().map(|(part, _)| *part);
        let mut layers = Vec::new();
        if has(|part| part.normals.len()) {
            let normals = parts().flat_map(|part| &part.normals).flat_map(|normal| normal.as_dvec3().to_array());
            record = record.child(self.layer("LayerElementNormal", ["Normals", "NormalsIndex"], normals.collect()));
            layers.push("LayerElementNormal");
        }
        if has(|part| part.colors.len()) {
            let colors = parts().flat_map(|part| &part.colors).flatten().map(|&channel| f64::from(channel));
            record = record.child(self.layer("LayerElementColor", ["Colors", "ColorIndex"], colors.collect()));
            layers.push("LayerElementColor");
        }
        if has(|part| part.uvs.len()) {
            let uvs = parts().flat_map(|part| &part.uvs).flat_map(|uv| [f64::from(uv.x), 1.0 - f64::from(uv.y)]);
            record = record.child(self.layer("LayerElementUV", ["UV", "UVIndex"], uvs.collect()));
            layers.push("LayerElementUV");
        }
        let materials = self.materials();
        let material_index =
            |part: &Primitive| materials.iter().position(|&known| Some(known) == part.material).unwrap_or(0) as i32;
        let of_faces: Vec<i32> = parts().flat_map(|part| vec![material_index(part); part.indices.len() / 3]).collect();
        record = record.child(Record::of("LayerElementMaterial", 0).children([
            Record::of("Version", 101),
            Record::of("Name", ""),
            Record::of("MappingInformationType", "ByPolygon"),
            Record::of("ReferenceInformationType", "IndexToDirect"),
            Record::of("Materials", of_faces),
        ]));
        layers.push("LayerElementMaterial");
        let element =
            |kind: &str| Record::new("LayerElement").children([Record::of("Type", kind), Record::of("TypedIndex", 0)]);
        record.child(Record::of("Layer", 0).child(Record::of("Version", 100)).children(layers.into_iter().map(element)))
    }

    /// Returns a layer with one value per vertex, indexed by corner. The second argument has the record names of the values
    /// and of their indices.
    fn layer(&self, kind: &'static str, [values, indices]: [&'static str; 2], numbers: Vec<f64>) -> Record {
        Record::of(kind, 0).children([
            Record::of("Version", 101),
            Record::of("Name", if kind == "LayerElementUV" { "UVMap" } else { "" }),
            Record::of("MappingInformationType", "ByPolygonVertex"),
            Record::of("ReferenceInformationType", "IndexToDirect"),
            Record::of(values, numbers),
            Record::of(indices, self.corners().map(|corner| corner as i32).collect::<Vec<i32>>()),
        ])
    }

    /// Returns the geometry of blend shape `shape`: the vertices it moves and their offsets. Offsets are in the unit of the
    /// mesh.
    pub fn shape(&self, id: i64, name: &str, shape: usize) -> Record {
        let (mut vertices, mut offsets, mut normals) = (Vec::new(), Vec::new(), Vec::new());
        for (part, first) in &self.parts {
            let Some(target) = part.morphs.get(shape) else { continue };
            for vertex in 0..part.positions.len() {
                let offset = target.positions.get(vertex).copied().unwrap_or_default();
                let normal = target.normals.get(vertex).copied().unwrap_or_default();
                if offset != glam::Vec3::ZERO || normal != glam::Vec3::ZERO {
                    vertices.push((vertex + first) as i32);
                    offsets.extend(offset.as_dvec3().to_array());
                    normals.extend(normal.as_dvec3().to_array());
                }
            }
        }
        Record::object("Geometry", id, name, "Shape").children([
            Record::of("Version", 100),
            Record::of("Indexes", vertices),
            Record::of("Vertices", offsets),
            Record::of("Normals", normals),
        ])
    }

    /// Returns the vertices that a joint of the skin moves and its share of each, above 0 and at most 1. `slot` is the
    /// index of the joint in the skin.
    fn influence(&self, slot: usize) -> (Vec<i32>, Vec<f64>) {
        let (mut vertices, mut weights) = (Vec::new(), Vec::new());
        for (part, first) in self.parts.iter().filter(|(part, _)| part.influences > 0) {
            let lanes = part.joints.chunks_exact(part.influences).zip(part.weights.chunks_exact(part.influences));
            for (vertex, (joints, shares)) in lanes.enumerate() {
                // Weights are normalised by their sum, as skinning does.
                let sum: f64 = shares.iter().filter(|share| **share > 0.0).map(|&share| f64::from(share)).sum();
                let own =
                    joints.iter().zip(shares).filter(|(joint, share)| usize::from(**joint) == slot && **share > 0.0);
                let weight: f64 = own.map(|(_, &share)| f64::from(share)).sum();
                if weight > 0.0 {
                    vertices.push((vertex + first) as i32);
                    weights.push(weight / sum);
                }
            }
        }
        (vertices, weights)
    }
}

/// Adds the skin of `geometry`. `mesh_world` is the world transform of the mesh at bind time. Joints without weights are
/// left out.
pub(super) fn skin(
    scene: &mut Scene,
    geometry: i64,
    mesh: &MergedMesh,
    skin: &Skin,
    mesh_world: DAffine3,
    bones: &Bones,
) {
    let deformer = scene.id();
    scene.add(
        Record::object("Deformer", deformer, "Skin", "Skin")
            .children([Record::of("Version", 101), Record::of("Link_DeformAcuracy", 50.0)]),
    );
    scene.connect(deformer, geometry);
    for (slot, (&joint, inverse)) in skin.joints.iter().zip(&skin.inverse_bind).enumerate() {
        let (vertices, weights) = mesh.influence(slot);
        if vertices.is_empty() {
            continue;
        }
        let cluster = scene.id();
        let bind = to_f64(inverse);
        let mut record = Record::object("Deformer", cluster, "Cluster", "Cluster")
            .children([Record::of("Version", 100), Record::of("UserData", "").with("")]);
        record = record.child(Record::of("Indexes", vertices)).child(Record::of("Weights", weights));
        scene.add(record.children([
            Record::of("Transform", matrix(&bind)),
            Record::of(
                "TransformLink",
                matrix(&(DAffine3::from_translation(bones.bind_offsets[joint]) * mesh_world * bind.inverse())),
            ),
        ]));
        scene.connect(cluster, deformer);
        scene.connect(bones.ids[joint], cluster);
    }
}

/// Adds the blend shapes of `geometry` and returns their channels. `weights` are the rest weights. Returns an empty list
/// without blend shapes. Unnamed shapes are called `shape 1` and so on.
pub(super) fn shapes(scene: &mut Scene, geometry: i64, mesh: &MergedMesh, weights: &[f32]) -> Vec<i64> {
    if mesh.shapes() == 0 {
        return Vec::new();
    }
    let deformer = scene.id();
    scene.add(Record::object("Deformer", deformer, "Shapes", "BlendShape").child(Record::of("Version", 100)));
    scene.connect(deformer, geometry);
    let mut channels = Vec::new();
    for index in 0..mesh.shapes() {
        let (channel, shape) = (scene.id(), scene.id());
        let known_name = mesh.shape_names.get(index).filter(|name| !name.is_empty());
        let name = known_name.cloned().unwrap_or_else(|| format!("shape {}", index + 1));
        let percent = 100.0 * f64::from(weights.get(index).copied().unwrap_or(0.0));
        let settings = Record::settings([Record::setting(["DeformPercent", "Number", "", "A"]).with(percent)]);
        scene.add(Record::object("Deformer", channel, &name, "BlendShapeChannel").children([
            Record::of("Version", 100),
            Record::of("DeformPercent", percent),
            Record::of("FullWeights", vec![100.0_f64]),
            settings,
        ]));
        scene.add(mesh.shape(shape, &name, index));
        scene.connect(channel, deformer);
        scene.connect(shape, channel);
        channels.push(channel);
    }
    channels
}

/// Adds a material and returns its id. `image` is the file name of its colour image in the same folder.
pub(super) fn material(scene: &mut Scene, material: &Material, image: Option<&str>) -> i64 {
    let id = scene.id();
    let [red, green, blue, alpha] = material.base_color.map(f64::from);
    let colour = DVec3::new(red, green, blue);
    let number = |name: &str, value: f64| Record::setting([name, "Number", "", "A"]).with(value);
    scene.add(Record::object("Material", id, &material.name, "").children([
        Record::of("Version", 102),
        Record::of("ShadingModel", "phong"),
        Record::of("MultiLayer", 0),
        Record::settings([
            Record::vector(["DiffuseColor", "Color", "", "A"], colour),
            number("DiffuseFactor", 1.0),
            Record::vector(["SpecularColor", "Color", "", "A"], DVec3::splat(0.1)),
            number("Shininess", 10.0),
            number("TransparencyFactor", 1.0 - alpha),
            number("Opacity", alpha),
        ]),
    ]));
    if let Some(file) = image {
        let (texture, video) = (scene.id(), scene.id());
        let names = || [Record::of("FileName", file), Record::of("RelativeFilename", file)];
        scene.add(
            Record::object("Texture", texture, file, "")
                .children([
                    Record::of("Type", "TextureVideoClip"),
                    Record::of("Version", 202),
                    Record::of("TextureName", file),
                    Record::of("Media", file),
                ])
                .children(names()),
        );
        let path = Record::setting(["Path", "KString", "XRefUrl", ""]).with(file);
        scene.add(
            Record::object("Video", video, file, "Clip")
                .children([Record::of("Type", "Clip"), Record::settings([path])])
                .children([Record::of("Filename", file), Record::of("RelativeFilename", file)]),
        );
        scene.connect_to(texture, id, "DiffuseColor");
        scene.connect(video, texture);
    }
    id
}

/// Returns a matrix by columns, as FBX stores it.
pub(super) fn matrix(transform: &DAffine3) -> Property {
    glam::DMat4::from(*transform).to_cols_array().to_vec().into()
}

/// Converts a matrix to f64.
pub(super) fn to_f64(matrix: &glam::Affine3A) -> DAffine3 {
    DAffine3::from_mat3_translation(
        glam::Mat3::from(matrix.matrix3).as_dmat3(),
        glam::Vec3::from(matrix.translation).as_dvec3(),
    )
}

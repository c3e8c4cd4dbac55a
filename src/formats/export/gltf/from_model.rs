//! Builds a new glTF from a model without a glTF source: samples, and motion from other formats.

use std::path::PathBuf;

use glam::{Mat4, Vec3};
use serde_json::{Map, Value, json};

use super::clip::{Target, animation};
use super::clip_edit::ClipEdit;
use super::material::MaterialLists;
use super::region::{Region, push};
use crate::export::texture_png::texture_png;
use portamento_anim::geometry::{Mesh, MeshInstance, MorphTarget, Primitive, Skin, Texture};
use portamento_anim::math::Transform;
use portamento_anim::{GltfSource, Joint, Model, SharedList};

/// Returns `model`, in metres, as a new glTF of one buffer. Node `i` is joint `i`. `extras` becomes the extras of the
/// asset. Clips that are empty or invalid are left out. Its path is the name of the model with `.glb`; no file is written.
pub fn from_model(model: &Model, extras: Option<Value>) -> GltfSource {
    let mut json =
        json!({ "asset": { "version": "2.0", "generator": concat!("Portamento ", env!("CARGO_PKG_VERSION")) } });
    if let Some(extras) = extras {
        json["asset"]["extras"] = extras;
    }
    let mut blob = Blob { json, bytes: Vec::new() };
    add_scenes(&mut blob.json, model);
    add_all(
        &mut blob,
        "nodes",
        model.skeleton.joints.iter().enumerate().map(|(i, joint)| node(model, i, joint)).collect(),
    );
    let meshes = model.meshes.iter().filter(|mesh| !mesh.primitives.is_empty()).map(|mesh| blob.mesh(mesh)).collect();
    add_all(&mut blob, "meshes", meshes);
    let skins = model.skins.iter().map(|skin| blob.skin(skin)).collect();
    add_all(&mut blob, "skins", skins);
    let images: Vec<Value> = model.textures.iter().map(|texture| blob.image(texture)).collect();
    let lists = MaterialLists::of(&model.materials);
    add_all(&mut blob, "materials", lists.materials);
    add_all(&mut blob, "images", images);
    add_all(&mut blob, "textures", lists.textures);
    add_all(&mut blob, "samplers", lists.samplers);
    add_all(&mut blob, "extensionsUsed", lists.extensions.into_iter().map(Value::from).collect());
    if !blob.bytes.is_empty() {
        blob.json["buffers"] = json!([{ "byteLength": blob.bytes.len() }]);
    }
    let buffers = if blob.bytes.is_empty() { Vec::new() } else { vec![blob.bytes.into()] };
    let path = PathBuf::from(format!("{}.glb", model.name));
    let mut source = GltfSource { path, json: blob.json, buffers, binary: true, chunks: Vec::new() };
    add_clips(&mut source, model);
    source
}

/// Sets the top-level list `key`, unless it is empty.
fn add_all(blob: &mut Blob, key: &str, entries: Vec<Value>) {
    if !entries.is_empty() {
        blob.json[key] = Value::Array(entries);
    }
}

/// Adds the scenes of `model`, or one with all roots if it has none.
fn add_scenes(json: &mut Value, model: &Model) {
    let roots: Vec<usize> = model.skeleton.roots().collect();
    if model.scenes.is_empty() && !roots.is_empty() {
        json["scene"] = json!(0);
        json["scenes"] = json!([{ "nodes": roots }]);
    }
    for scene in &model.scenes {
        let mut entry = json!({ "name": scene.name });
        if !scene.roots.is_empty() {
            entry["nodes"] = json!(scene.roots);
        }
        push(json, "scenes", entry);
    }
    if let Some(scene) = model.default_scene {
        json["scene"] = json!(scene);
    }
}

/// Returns the node of joint `index`, with its children, rest transform, mesh and skin. Of several meshes on the joint, the
/// first is written. Meshes without primitives are skipped.
fn node(model: &Model, index: usize, joint: &Joint) -> Value {
    let mut entry = json!({ "name": joint.name });
    let children: Vec<usize> = model.skeleton.children(index).collect();
    if !children.is_empty() {
        entry["children"] = json!(children);
    }
    let Transform { translation, rotation, scale } = joint.rest;
    if translation != Vec3::ZERO {
        entry["translation"] = json!(translation.to_array());
    }
    if rotation != glam::Quat::IDENTITY {
        entry["rotation"] = json!(rotation.to_array());
    }
    if scale != Vec3::ONE {
        entry["scale"] = json!(scale.to_array());
    }
    // A file must not have a mesh without primitives, so such meshes are skipped and later indices shift.
    let filled = |mesh: &usize| !model.meshes[*mesh].primitives.is_empty();
    let is_at_joint = |instance: &&MeshInstance| instance.joint == index && filled(&instance.mesh);
    if let Some(instance) = model.instances.iter().find(is_at_joint) {
        entry["mesh"] = json!((0..instance.mesh).filter(filled).count());
        if let Some(skin) = instance.skin {
            entry["skin"] = json!(skin);
        }
        let weights = &model.skeleton.rest_morphs[joint.first_morph..joint.first_morph + joint.morph_count];
        if !weights.is_empty() {
            entry["weights"] = json!(weights);
        }
    }
    entry
}

/// Adds the clips of `model` to `source`, which has no animations yet. Clips that are empty or invalid are left out.
fn add_clips(source: &mut GltfSource, model: &Model) {
    // Nodes of the new file are the joints in order, regardless of the model's origin.
    let mut skeleton = model.skeleton.clone();
    skeleton.joints.iter_mut().enumerate().for_each(|(index, joint)| joint.node = index);
    let mut region = Region::new(&source.json);
    let mut animations = Vec::new();
    for clip in &model.clips {
        let target = Target { source, skeleton: &skeleton, adds: false };
        animations.extend(animation(&target, &ClipEdit { clip, original: None }, &mut region).ok());
    }
    if !animations.is_empty() {
        source.json["animations"] = Value::Array(animations);
        if source.buffers.is_empty() {
            source.json["buffers"] = json!([{ "byteLength": 0 }]);
            source.buffers.push(SharedList::default());
        }
        region.attach(&mut source.json, &mut source.buffers);
    }
}

/// Targets of buffer views: vertex attributes and indices.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The file under construction and its buffer.
struct Blob {
    json: Value,
    bytes: Vec<u8>,
}

/// Element type of an accessor.
#[derive(Clone, Copy)]
struct Element {
    /// The glTF name of the type.
    kind: &'static str,
    /// Number of components.
    width: usize,
    /// The glTF number of the component type.
    component: u32,
}

impl Blob {
    /// Appends `bytes` as a buffer view at a multiple of 4 and returns its index. `target` is [`VERTICES`], [`INDICES`] or
    /// `None` for other data.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        push(&mut self.json, "bufferViews", view);
        self.json["bufferViews"].as_array().map_or(0, |views| views.len() - 1)
    }

    /// Appends `bytes`, the elements one after another, as an accessor and returns its index. `target` is as in
    /// [`Self::view`].
    fn accessor(&mut self, element: Element, bytes: &[u8], target: Option<u32>) -> usize {
        let Element { kind, width, component } = element;
        let size = match component {
            5121 => 1,
            5123 => 2,
            _ => 4,
        };
        let count = bytes.len() / (width * size);
        let view = self.view(bytes, target);
        push(
            &mut self.json,
            "accessors",
            json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }),
        );
        self.json["accessors"].as_array().map_or(0, |accessors| accessors.len() - 1)
    }

    /// Appends vertex attributes as an accessor of the glTF type `kind` with `width` components, and returns its index.
    fn floats(&mut self, kind: &'static str, width: usize, floats: impl Iterator<Item = f32>) -> usize {
        let bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
        self.accessor(Element { kind, width, component: 5126 }, &bytes, Some(VERTICES))
    }

    /// Adds an accessor of positions with the bounds that the format requires, and returns its index.
    fn points(&mut self, points: &[Vec3]) -> usize {
        let accessor = self.floats("VEC3", 3, points.iter().flat_map(|point| point.to_array()));
        self.bound(accessor, points);
        accessor
    }

    /// Writes the lowest and the highest coordinates of `points` to an accessor; 0 without points.
    fn bound(&mut self, accessor: usize, points: &[Vec3]) {
        let low = points.iter().copied().reduce(Vec3::min).unwrap_or_default();
        let high = points.iter().copied().reduce(Vec3::max).unwrap_or_default();
        self.json["accessors"][accessor]["min"] = json!(low.to_array());
        self.json["accessors"][accessor]["max"] = json!(high.to_array());
    }

    /// Adds the offsets of a morph target, as a sparse accessor if that takes fewer bytes, and returns its index.
    fn offsets(&mut self, offsets: &[Vec3]) -> usize {
        // An accessor needs bytes: some readers refuse one without, and an empty sparse list is not allowed.
        let is_still = offsets.iter().all(|offset| *offset == Vec3::ZERO);
        let listed = |(at, offset): &(usize, &Vec3)| **offset != Vec3::ZERO || is_still && *at == 0;
        let moved = || offsets.iter().enumerate().filter(listed);
        let count = moved().count();
        let (size, component) = if offsets.len() <= usize::from(u16::MAX) { (2, 5123) } else { (4, 5125) };
        if count * (size + 12) >= offsets.len() * 12 {
            return self.points(offsets);
        }
        let vertices: Vec<u8> = moved().flat_map(|(at, _)| (at as u32).to_le_bytes().into_iter().take(size)).collect();
        let values: Vec<u8> = moved().flat_map(|(_, offset)| offset.to_array()).flat_map(f32::to_le_bytes).collect();
        let (vertices, values) = (self.view(&vertices, None), self.view(&values, None));
        let indices = json!({ "bufferView": vertices, "componentType": component });
        let sparse = json!({ "count": count, "indices": indices, "values": { "bufferView": values } });
        let entry = json!({ "componentType": 5126, "count": offsets.len(), "type": "VEC3", "sparse": sparse });
        push(&mut self.json, "accessors", entry);
        let accessor = self.json["accessors"].as_array().map_or(0, |accessors| accessors.len() - 1);
        self.bound(accessor, offsets);
        accessor
    }

    /// Adds the data of `mesh` to the buffer and returns its glTF entry.
    fn mesh(&mut self, mesh: &Mesh) -> Value {
        let primitives: Vec<Value> = mesh.primitives.iter().map(|part| self.primitive(part)).collect();
        let mut entry = json!({ "name": mesh.name, "primitives": primitives });
        if !mesh.morph_names.is_empty() {
            entry["extras"] = json!({ "targetNames": mesh.morph_names });
        }
        entry
    }

    /// Adds the data of `part` to the buffer and returns its glTF entry. Empty attributes are left out, and the normals of a
    /// flat part too.
    fn primitive(&mut self, part: &Primitive) -> Value {
        let mut attributes = Map::new();
        attributes.insert("POSITION".into(), json!(self.points(&part.positions)));
        if !part.flat && !part.normals.is_empty() {
            let normals = self.floats("VEC3", 3, part.normals.iter().flat_map(|normal| normal.to_array()));
            attributes.insert("NORMAL".into(), json!(normals));
        }
        if !part.uvs.is_empty() {
            let uvs = self.floats("VEC2", 2, part.uvs.iter().flat_map(|uv| uv.to_array()));
            attributes.insert("TEXCOORD_0".into(), json!(uvs));
        }
        if !part.second_uvs.is_empty() {
            let uvs = self.floats("VEC2", 2, part.second_uvs.iter().flat_map(|uv| uv.to_array()));
            attributes.insert("TEXCOORD_1".into(), json!(uvs));
        }
        if !part.colors.is_empty() {
            let colors = self.floats("VEC4", 4, part.colors.iter().flatten().copied());
            attributes.insert("COLOR_0".into(), json!(colors));
        }
        self.influences(part, &mut attributes);
        let corners = self.corners(part);
        let mut entry = json!({ "attributes": attributes, "indices": corners });
        if let Some(material) = part.material {
            entry["material"] = json!(material);
        }
        if !part.morphs.is_empty() {
            entry["targets"] = part.morphs.iter().map(|morph| self.morph(morph, part.positions.len())).collect();
        }
        entry
    }

    /// Adds the vertex indices of `part` as an accessor, and returns its index.
    fn corners(&mut self, part: &Primitive) -> usize {
        let small = part.positions.len() < usize::from(u16::MAX);
        let bytes: Vec<u8> = match small {
            true => part.indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect(),
            false => part.indices.iter().flat_map(|index| index.to_le_bytes()).collect(),
        };
        self.accessor(
            Element { kind: "SCALAR", width: 1, component: if small { 5123 } else { 5125 } },
            &bytes,
            Some(INDICES),
        )
    }

    /// Adds joints and weights of `part` to `attributes`, four of each per set. Further influences than a multiple of four
    /// are left out.
    fn influences(&mut self, part: &Primitive, attributes: &mut Map<String, Value>) {
        for set in 0..part.influences / 4 {
            let rows = |at: usize| at * part.influences + 4 * set..at * part.influences + 4 * set + 4;
            let vertices = 0..part.positions.len();
            let wide = part.joints.iter().any(|&joint| joint > 255);
            let joints = vertices.clone().flat_map(|at| &part.joints[rows(at)]);
            let bytes: Vec<u8> = match wide {
                true => joints.flat_map(|joint| joint.to_le_bytes()).collect(),
                false => joints.map(|&joint| joint as u8).collect(),
            };
            let joints = self.accessor(
                Element { kind: "VEC4", width: 4, component: if wide { 5123 } else { 5121 } },
                &bytes,
                Some(VERTICES),
            );
            let weights = self.floats("VEC4", 4, vertices.flat_map(|at| part.weights[rows(at)].iter().copied()));
            attributes.insert(format!("JOINTS_{set}"), json!(joints));
            attributes.insert(format!("WEIGHTS_{set}"), json!(weights));
        }
    }

    /// Returns the target for `morph` of a primitive with `count` vertices. A target without positions gets zero offsets.
    fn morph(&mut self, morph: &MorphTarget, count: usize) -> Value {
        // A target without positions would be an empty object, which readers reject.
        let still = vec![Vec3::ZERO; count];
        let positions = if morph.positions.is_empty() { &still } else { &morph.positions };
        let mut entry = json!({ "POSITION": self.offsets(positions) });
        if !morph.normals.is_empty() {
            entry["NORMAL"] = json!(self.offsets(&morph.normals));
        }
        entry
    }

    /// Adds the inverse bind matrices to the buffer and returns the glTF entry of the skin.
    fn skin(&mut self, skin: &Skin) -> Value {
        let matrices = skin.inverse_bind.iter().flat_map(|matrix| Mat4::from(*matrix).to_cols_array());
        let bytes: Vec<u8> = matrices.flat_map(f32::to_le_bytes).collect();
        let accessor = self.accessor(Element { kind: "MAT4", width: 16, component: 5126 }, &bytes, None);
        json!({ "joints": skin.joints, "inverseBindMatrices": accessor })
    }

    /// Adds `texture` to the buffer as a PNG image and returns its glTF entry. A texture with too few pixels becomes one
    /// white pixel.
    fn image(&mut self, texture: &Texture) -> Value {
        let view = self.view(&texture_png(texture), None);
        json!({ "bufferView": view, "mimeType": "image/png" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::gltf::to_glb_bytes;
    use crate::import::gltf::from_bytes;
    use crate::import::gltf::tests::{opened, small_model};
    use portamento_test_support::gltf_files;

    /// The readers of the `gltf` crate, which share no code with this program's import beyond the JSON.
    mod independent_reader {
        use gltf::animation::util::ReadOutputs;
        use gltf::{Document, Gltf};
        use portamento_anim::{Clip, Curve};

        use super::super::*;

        /// Panics unless `bytes` hold the joints, meshes, skins, images and clips of `model`.
        pub fn assert_reads(model: &Model, bytes: &[u8]) {
            // glTF allows a scene without nodes, but the crate does not.
            if model.scenes.iter().any(|scene| scene.roots.is_empty()) {
                return;
            }
            let read = Gltf::from_slice(bytes);
            let Gltf { document, blob } = read.unwrap_or_else(|error| panic!("{}: {error}", model.name));
            let blob = blob.unwrap_or_default();
            assert_joints(model, &document);
            assert_meshes(model, &document, &blob);
            assert_skins(model, &document, &blob);
            assert_images(model, &document, &blob);
            assert_eq!(document.animations().len(), model.clips.len(), "{}", model.name);
            for (clip, animation) in model.clips.iter().zip(document.animations()) {
                assert_clip(clip, &animation, &blob);
            }
        }

        fn assert_joints(model: &Model, document: &Document) {
            assert_eq!(document.nodes().len(), model.skeleton.len());
            for ((index, joint), node) in model.skeleton.joints.iter().enumerate().zip(document.nodes()) {
                let Transform { translation, rotation, scale } = joint.rest;
                let rest = (translation.to_array(), rotation.to_array(), scale.to_array());
                assert_eq!((node.name(), node.transform().decomposed()), (Some(&joint.name[..]), rest));
                let children: Vec<usize> = node.children().map(|child| child.index()).collect();
                assert_eq!(children, model.skeleton.children(index).collect::<Vec<_>>(), "{}", joint.name);
            }
            for instance in &model.instances {
                let node = document.nodes().nth(instance.joint).unwrap();
                let carried = (node.mesh().map(|mesh| mesh.index()), node.skin().map(|skin| skin.index()));
                assert_eq!(carried, (Some(instance.mesh), instance.skin), "{}", model.name);
            }
        }

        fn assert_meshes(model: &Model, document: &Document, blob: &[u8]) {
            assert_eq!(document.meshes().len(), model.meshes.len());
            let parts = model.meshes.iter().flat_map(|mesh| &mesh.primitives);
            let written: Vec<_> = document.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>()).collect();
            assert_eq!(written.len(), parts.clone().count());
            for (part, written) in parts.zip(&written) {
                let reader = written.reader(|_| Some(blob));
                let points = |points: &[Vec3]| points.iter().map(Vec3::to_array).collect::<Vec<_>>();
                assert_eq!(reader.read_positions().unwrap().collect::<Vec<_>>(), points(&part.positions));
                assert_eq!(reader.read_indices().unwrap().into_u32().collect::<Vec<_>>(), part.indices);
                let normals: Vec<_> = reader.read_normals().into_iter().flatten().collect();
                assert_eq!(normals, if part.flat { Vec::new() } else { points(&part.normals) });
                for (set, uvs) in [&part.uvs, &part.second_uvs].into_iter().enumerate() {
                    let read: Vec<_> =
                        reader.read_tex_coords(set as u32).map_or(Vec::new(), |uvs| uvs.into_f32().collect());
                    assert_eq!(read, uvs.iter().map(|uv| uv.to_array()).collect::<Vec<_>>());
                }
                let colors: Vec<_> =
                    reader.read_colors(0).map_or(Vec::new(), |colors| colors.into_rgba_f32().collect());
                assert_eq!((colors, written.material().index()), (part.colors.clone(), part.material));
                for set in 0..part.influences / 4 {
                    let rows = |at: usize| at * part.influences + 4 * set..at * part.influences + 4 * set + 4;
                    let joints = reader.read_joints(set as u32).unwrap().into_u16();
                    let weights = reader.read_weights(set as u32).unwrap().into_f32();
                    for (at, (joints, weights)) in joints.zip(weights).enumerate() {
                        assert_eq!((&joints[..], &weights[..]), (&part.joints[rows(at)], &part.weights[rows(at)]));
                    }
                }
                let morphs: Vec<_> = reader.read_morph_targets().collect();
                assert_eq!(morphs.len(), part.morphs.len());
                for (morph, (positions, normals, _)) in part.morphs.iter().zip(morphs) {
                    let still = vec![Vec3::ZERO; part.positions.len()];
                    let expected = if morph.positions.is_empty() { &still } else { &morph.positions };
                    assert_eq!(positions.unwrap().collect::<Vec<_>>(), points(expected));
                    assert_eq!(normals.into_iter().flatten().collect::<Vec<_>>(), points(&morph.normals));
                }
            }
        }

        fn assert_skins(model: &Model, document: &Document, blob: &[u8]) {
            assert_eq!(document.skins().len(), model.skins.len());
            for (skin, written) in model.skins.iter().zip(document.skins()) {
                assert_eq!(written.joints().map(|joint| joint.index()).collect::<Vec<_>>(), skin.joints);
                let matrices = written.reader(|_| Some(blob)).read_inverse_bind_matrices().unwrap();
                let expected = skin.inverse_bind.iter().map(|matrix| Mat4::from(*matrix).to_cols_array_2d());
                assert_eq!(matrices.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
            }
        }

        fn assert_images(model: &Model, document: &Document, blob: &[u8]) {
            assert_eq!(document.images().len(), model.textures.len());
            for (texture, image) in model.textures.iter().zip(document.images()) {
                let gltf::image::Source::View { view, .. } = image.source() else { panic!("{}", model.name) };
                let png = &blob[view.offset()..view.offset() + view.length()];
                let read = image::load_from_memory_with_format(png, image::ImageFormat::Png).unwrap().into_rgba8();
                assert!(read.dimensions() == (texture.width, texture.height) && *read == texture.rgba[..]);
            }
        }

        fn assert_clip(clip: &Clip, animation: &gltf::Animation, blob: &[u8]) {
            let tracks = clip.tracks.iter().map(|tracks| {
                usize::from(tracks.translation.is_some())
                    + usize::from(tracks.rotation.is_some())
                    + usize::from(tracks.scale.is_some())
                    + usize::from(tracks.morphs.is_some())
            });
            assert_eq!((animation.name(), animation.channels().count()), (Some(&clip.name[..]), tracks.sum()));
            for channel in animation.channels() {
                let tracks = &clip.tracks[channel.target().node().index()];
                let reader = channel.reader(|_| Some(blob));
                let times: Vec<f32> = reader.read_inputs().unwrap().collect();
                let vectors = |curve: &Option<Curve<Vec3>>| {
                    let curve = curve.as_ref().unwrap();
                    (curve.times.to_vec(), curve.values.iter().flat_map(Vec3::to_array).collect::<Vec<f32>>())
                };
                let (values, expected): (Vec<f32>, _) = match reader.read_outputs().unwrap() {
                    ReadOutputs::Translations(values) => (values.flatten().collect(), vectors(&tracks.translation)),
                    ReadOutputs::Scales(values) => (values.flatten().collect(), vectors(&tracks.scale)),
                    ReadOutputs::Rotations(values) => {
                        let curve = tracks.rotation.as_ref().unwrap();
                        let turns = curve.values.iter().flat_map(|turn| turn.to_array()).collect();
                        (values.into_f32().flatten().collect(), (curve.times.to_vec(), turns))
                    }
                    ReadOutputs::MorphTargetWeights(values) => {
                        let curve = tracks.morphs.as_ref().unwrap();
                        (values.into_f32().collect(), (curve.times.to_vec(), curve.values.to_vec()))
                    }
                };
                assert_eq!((times, values), expected, "{}", clip.name);
            }
        }
    }

    /// Writes the model, reads it again and restores its name.
    fn round_trip(model: &Model) -> Model {
        let source = from_model(model, Some(json!({ "made": "for a test" })));
        let imported = from_bytes(&source.path, &to_glb_bytes(&source).unwrap()).unwrap();
        assert_eq!(imported.warnings, []);
        imported.model
    }

    #[test]
    fn a_model_with_one_of_everything_round_trips() {
        let model = small_model();
        independent_reader::assert_reads(&model, &to_glb_bytes(&from_model(&model, None)).unwrap());
        let mut again = round_trip(&model);
        // The written file always has a scene, or nothing would be shown.
        assert_eq!(again.scenes[0].roots, [0, 3]);
        (again.scenes, again.default_scene) = (Vec::new(), None);
        assert_eq!(again, model);
    }

    #[test]
    fn files_survive_being_rewritten_also_for_an_independent_reader() {
        for path in gltf_files().into_iter().filter(|path| !path.parent().unwrap().ends_with("springs")) {
            let mut model = opened(&path).1.model;
            independent_reader::assert_reads(&model, &to_glb_bytes(&from_model(&model, None)).unwrap());
            let again = round_trip(&model);
            model.skeleton.joints.iter_mut().enumerate().for_each(|(index, joint)| joint.node = index);
            model.instances.sort_by_key(|instance| instance.joint);
            assert_eq!(again.skeleton, model.skeleton, "{}", path.display());
            assert_eq!(again.clips, model.clips, "{}", path.display());
            assert_eq!((again.skins, again.instances), (model.skins, model.instances), "{}", path.display());
            assert_eq!((again.materials, again.textures), (model.materials, model.textures), "{}", path.display());
            assert_eq!(again.meshes.len(), model.meshes.len());
            for (again, mesh) in again.meshes.iter().zip(&model.meshes) {
                assert_eq!(again.primitives.len(), mesh.primitives.len());
                for (again, part) in again.primitives.iter().zip(&mesh.primitives) {
                    assert_eq!(
                        (&again.positions, &again.indices, &again.weights),
                        (&part.positions, &part.indices, &part.weights)
                    );
                    assert_eq!((&again.normals, &again.uvs, &again.colors), (&part.normals, &part.uvs, &part.colors));
                }
            }
        }
    }

    #[test]
    fn a_mesh_without_shapes_is_written_without_targets() {
        let mut model = small_model();
        let written = |model: &Model| from_model(model, None).json["meshes"].to_string().contains("\"targets\"");
        assert!(written(&model));
        model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives).for_each(|part| part.morphs.clear());
        assert!(!written(&model), "an empty list is no glTF");
    }
}

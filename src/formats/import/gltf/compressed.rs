//! Decompresses `EXT_meshopt_compression` and `KHR_meshopt_compression` buffer views and
//! `KHR_draco_mesh_compression` primitives.
//!
//! The rest of the import reads a copy in which these are plain buffer views.
//! The source is unchanged, so export writes the compressed bytes back.
//! A part that cannot be decoded gives a warning and stays compressed; what refers to it is left out later.

use draco_core::{DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute, PointIndex};
use draco_gltf::meshopt::{self, MeshoptFilter, MeshoptMode};
use gltf::json::Value;
use serde_json::json;

use super::Fault;
use super::json_part::list;
use crate::import::ImportError;
use portamento_anim::SharedList;
use portamento_base::budget::Budget;
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;

/// Names of the meshopt extension: the vendor's and the ratified one.
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
const DRACO: &str = "KHR_draco_mesh_compression";

/// Maximum ratio of decoded to compressed bytes. Tuned; no derivation recorded.
const MAX_EXPANSION_RATIO: u64 = 4096;

/// A copy of the file with its compressed parts decoded.
pub(super) struct Unpacked {
    pub json: Value,
    pub buffers: Vec<SharedList<u8>>,
}

/// True if `buffer` is a fallback buffer without content, a placeholder for decoded bytes.
pub(super) fn is_fallback(buffer: &Value) -> bool {
    let of = |name: &&str| buffer.get("extensions").and_then(|all| all.get(*name)?.get("fallback")?.as_bool());
    MESHOPT.iter().any(|name| of(name) == Some(true))
}

/// Decodes the compressed parts of a file. Returns `None` if nothing in it is compressed. Parts that cannot be decoded give
/// a warning and stay compressed. Returns `Err` if the budget is exceeded or the user cancels.
pub(super) fn unpack(
    json: &Value,
    buffers: &[SharedList<u8>],
    progress: &Progress,
    warnings: &mut Vec<Message>,
) -> Result<Option<Unpacked>, ImportError> {
    let budget = progress.budget();
    let views = list(json, "bufferViews").iter().any(|view| meshopt_of(view).is_some());
    let primitives = list(json, "meshes").iter().flat_map(|mesh| list(mesh, "primitives"));
    if !views && !primitives.into_iter().any(|primitive| draco_of(primitive).is_some()) {
        return Ok(None);
    }
    let stored: usize = buffers.iter().map(|bytes| bytes.len()).sum();
    budget.take(stored as u64, &|| "Unpacking the file".into())?;
    let mut out = Unpacked { json: json.clone(), buffers: buffers.to_vec() };
    let mut warn = |fault: Fault| {
        warnings.push(message!(
            "warning.import.not_unpacked",
            "A compressed part cannot be decoded, so its content is left out: %{fault}.",
            fault
        ));
    };
    for index in 0..list(json, "bufferViews").len() {
        progress.step(0, 1)?;
        out.unpack_view(index, budget).unwrap_or_else(&mut warn);
    }
    for mesh in 0..list(json, "meshes").len() {
        for part in 0..list(&json["meshes"][mesh], "primitives").len() {
            progress.step(0, 1)?;
            out.unpack_primitive(mesh, part, budget).unwrap_or_else(&mut warn);
        }
    }
    Ok(Some(out))
}

fn meshopt_of(view: &Value) -> Option<&Value> {
    let extensions = view.get("extensions")?;
    MESHOPT.iter().find_map(|name| extensions.get(*name))
}

fn draco_of(primitive: &Value) -> Option<&Value> {
    primitive.get("extensions")?.get(DRACO)
}

/// Returns the whole number under `key`; `None` if it is missing or negative.
fn number(value: &Value, key: &str) -> Option<usize> {
    usize::try_from(value.get(key)?.as_u64()?).ok()
}

impl Unpacked {
    /// Returns the bytes of `location`: a buffer view, or the same fields in an extension. `None` if it exceeds its buffer.
    fn bytes(&self, location: &Value) -> Option<&[u8]> {
        let (offset, length) = (number(location, "byteOffset").unwrap_or(0), number(location, "byteLength")?);
        self.buffers.get(number(location, "buffer")?)?.get(offset..offset.checked_add(length)?)
    }

    /// Appends `bytes` as a new buffer and returns a buffer view of it.
    fn store(&mut self, bytes: Vec<u8>) -> Value {
        let location = json!({ "buffer": self.buffers.len(), "byteLength": bytes.len() });
        self.buffers.push(bytes.into());
        location
    }

    /// Decodes buffer view `index` if it is compressed with meshopt. Returns `Err` if it cannot be decoded.
    fn unpack_view(&mut self, index: usize, budget: &Budget) -> Result<(), Fault> {
        let view = &self.json["bufferViews"][index];
        let Some(packed) = meshopt_of(view) else { return Ok(()) };
        let fault = |reason: String| Fault::new(format!("buffer view {index}"), reason);
        let missing = || fault("does not describe its content, or extends past the end of its buffer".into());
        let word = |key: &str| packed.get(key).and_then(Value::as_str);
        let mode = word("mode").and_then(|name| MeshoptMode::from_name(name).ok()).ok_or_else(missing)?;
        let filter = MeshoptFilter::from_name(word("filter").unwrap_or("NONE")).map_err(|_| missing())?;
        let (count, stride) = number(packed, "count").zip(number(packed, "byteStride")).ok_or_else(missing)?;
        let source = self.bytes(packed).ok_or_else(missing)?;
        let length = count.checked_mul(stride).ok_or_else(missing)?;
        reserve_decoded(length as u64, source.len(), budget).map_err(fault)?;
        let mut bytes = vec![0; length];
        meshopt::decode_buffer_view(&mut bytes, source, mode, filter, count, stride)
            .map_err(|error| fault(format!("cannot be decoded ({error})")))?;
        let stride = view.get("byteStride").cloned();
        let mut location = self.store(bytes);
        if let Some(stride) = stride {
            location["byteStride"] = stride;
        }
        self.json["bufferViews"][index] = location;
        Ok(())
    }

    /// Decodes a primitive if it is compressed with Draco. Its accessors then refer to new buffers. Returns `Err` if it
    /// cannot be decoded.
    fn unpack_primitive(&mut self, mesh: usize, part: usize, budget: &Budget) -> Result<(), Fault> {
        let primitive = self.json["meshes"][mesh]["primitives"][part].clone();
        let Some(packed) = draco_of(&primitive) else { return Ok(()) };
        let fault = |reason: String| Fault::new(format!("part {part} of mesh {mesh}"), reason);
        let missing = || fault("does not refer to its compressed bytes".into());
        let view = number(packed, "bufferView").and_then(|view| self.json.get("bufferViews")?.get(view));
        let payload = view.and_then(|view| self.bytes(view)).ok_or_else(missing)?;
        let decoded = draco(payload, budget).map_err(fault)?;
        let attributes = packed.get("attributes").and_then(Value::as_object).ok_or_else(missing)?;
        for (name, id) in attributes {
            let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
            let attribute = id.and_then(|id| decoded.attribute_by_unique_id(id));
            let accessor = primitive.pointer("/attributes").and_then(|all| number(all, name));
            let (Some(attribute), Some(accessor)) = (attribute, accessor) else {
                return Err(fault(format!("lacks the announced attribute {name}")));
            };
            let component = component(attribute.data_type())
                .ok_or_else(|| fault(format!("has the attribute {name} of a type that glTF does not know")))?;
            let bytes = values_by_point(attribute, decoded.num_points());
            self.redirect_accessor(accessor, bytes, component, decoded.num_points());
        }
        let corners: Vec<u8> =
            decoded.faces().iter().flatten().flat_map(|corner: &PointIndex| corner.0.to_le_bytes()).collect();
        let count = corners.len() / 4;
        let indices = number(&primitive, "indices").unwrap_or_else(|| {
            let accessor = list(&self.json, "accessors").len();
            push(&mut self.json, "accessors", json!({ "type": "SCALAR" }));
            accessor
        });
        self.json["meshes"][mesh]["primitives"][part]["indices"] = json!(indices);
        self.redirect_accessor(indices, corners, 5125, count);
        Ok(())
    }

    /// Redirects accessor `index` to a new buffer view with `bytes`: `count` elements whose glTF component type is
    /// `component`. Its sparse values are removed. Does nothing for an accessor that does not exist, apart from the view.
    fn redirect_accessor(&mut self, index: usize, bytes: Vec<u8>, component: u32, count: usize) {
        let view = list(&self.json, "bufferViews").len();
        let location = self.store(bytes);
        push(&mut self.json, "bufferViews", location);
        let Some(accessor) = self.json.get_mut("accessors").and_then(|all| all.get_mut(index)?.as_object_mut()) else {
            return;
        };
        for (key, value) in
            [("bufferView", view), ("byteOffset", 0), ("count", count), ("componentType", component as usize)]
        {
            accessor.insert(key.into(), json!(value));
        }
        accessor.remove("sparse");
    }
}

/// Appends `entry` to the list `key` of `json`, which is created if it is missing.
fn push(json: &mut Value, key: &str, entry: Value) {
    match json.get_mut(key).and_then(Value::as_array_mut) {
        Some(entries) => entries.push(entry),
        None => json[key] = json!([entry]),
    }
}

/// Takes memory for `length` bytes decoded from `packed` bytes. Returns `Err` with the reason if that is refused.
fn reserve_decoded(length: u64, packed: usize, budget: &Budget) -> Result<(), String> {
    if length > MAX_EXPANSION_RATIO * (packed as u64 + 16) {
        return Err(format!("announces {length} bytes from {packed} compressed ones, which is impossible"));
    }
    budget.take(length, &|| "Unpacking it".into()).map_err(|over| over.to_string())
}

/// Decodes a Draco payload within the budget. Returns `Err`, as the rest of a sentence, if that fails.
fn draco(payload: &[u8], budget: &Budget) -> Result<Mesh, String> {
    let most = budget.left().min(MAX_EXPANSION_RATIO * (payload.len() as u64 + 16));
    let limits =
        DecodeLimits::default().with_max_decoded_bytes(most).with_max_points(most / 4).with_max_faces(most / 12);
    let mut mesh = Mesh::new();
    let mut buffer = DecoderBuffer::new(payload).with_limits(limits);
    MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(|error| format!("cannot be decoded ({error})"))?;
    let attributes = (0..mesh.num_attributes()).filter_map(|id| mesh.try_attribute(id).ok());
    let stride: usize = attributes.map(stride).sum();
    reserve_decoded((mesh.num_points() * stride + 12 * mesh.num_faces()) as u64, payload.len(), budget)?;
    Ok(mesh)
}

/// Returns the bytes of one value.
fn stride(attribute: &PointAttribute) -> usize {
    usize::from(attribute.num_components()) * attribute.data_type().byte_length()
}

/// Returns one value per point, in order of the points. Missing values are zeros.
fn values_by_point(attribute: &PointAttribute, points: usize) -> Vec<u8> {
    let (size, step) = (stride(attribute), usize::try_from(attribute.byte_stride()).unwrap_or(0));
    let data = attribute.buffer().data();
    let mut bytes = Vec::with_capacity(points * size);
    for point in 0..points {
        let at = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        let value = at.checked_mul(step).and_then(|from| data.get(from..from.checked_add(size)?));
        match value {
            Some(value) => bytes.extend_from_slice(value),
            None => bytes.resize(bytes.len() + size, 0),
        }
    }
    bytes
}

/// Returns glTF's number of a component type; `None` for types that glTF does not have.
fn component(kind: DataType) -> Option<u32> {
    Some(match kind {
        DataType::Int8 => 5120,
        DataType::Uint8 | DataType::Bool => 5121,
        DataType::Int16 => 5122,
        DataType::Uint16 => 5123,
        DataType::Uint32 => 5125,
        DataType::Float32 => 5126,
        _ => return None,
    })
}

//! The JSON as types of the `gltf` crate, parsed part by part so that a broken part affects only itself.

use gltf::json::{self, Index, Value, animation, mesh::Primitive};
use serde::de::DeserializeOwned;

use super::accessor_table::Table;
use super::json_part::{label, list, name, part};
use crate::import::Fault;
use portamento_anim::SharedList;
use portamento_base::budget::{Budget, size};
use portamento_base::progress::Progress;

/// The parsed file and the memory that its accessors may still use.
pub(super) struct Document<'a> {
    /// The JSON as written, for content that the crate's types cannot store.
    pub json: &'a Value,
    pub buffers: &'a [SharedList<u8>],
    pub nodes: Vec<json::Node>,
    pub meshes: Vec<Mesh>,
    pub(super) accessors: Table,
    /// Memory allowed for the content, derived from the size of the file.
    allowance: Budget,
    /// Budget and cancellation of the whole import.
    pub progress: &'a Progress,
}

/// A mesh. Primitives that cannot be read carry their faults.
pub(super) struct Mesh {
    pub label: String,
    pub name: String,
    pub weights: Vec<f32>,
    /// Largest number of morph targets of any primitive.
    pub targets: usize,
    pub primitives: Vec<Result<Primitive, Fault>>,
    /// Names of the morph targets, from the keys that exporters commonly use.
    pub morph_names: Vec<String>,
}

/// An animation. Channels and samplers that cannot be read carry their faults.
pub(super) struct Animation {
    pub label: String,
    pub name: String,
    /// Index in the file and content of each channel. Channels without a node belong to an extension and are left out.
    pub channels: Vec<(usize, Result<animation::Channel, Fault>)>,
    pub samplers: Vec<Result<animation::Sampler, Fault>>,
}

impl<'a> Document<'a> {
    /// Parses the document. Returns `Err` if a node cannot be read, because the hierarchy would be incomplete.
    pub fn new(json: &'a Value, buffers: &'a [SharedList<u8>], progress: &'a Progress) -> Result<Self, Fault> {
        let nodes = list(json, "nodes").iter().enumerate();
        let nodes = nodes.map(|(index, node)| part(node, || label("node", node, index))).collect::<Result<_, _>>()?;
        let meshes = list(json, "meshes").iter().enumerate().map(|(index, entry)| mesh(entry, index)).collect();
        let accessors = Table::new(json, buffers.len());
        // Accessors may share bytes, so a small file could ask for any amount. Allow what real files need.
        let stored: usize = buffers.iter().map(|bytes| bytes.len()).sum();
        let allowance = Budget::with_limit(progress.budget().left().min((256 << 20) + 8 * stored as u64));
        Ok(Self { json, buffers, nodes, meshes, accessors, allowance, progress })
    }

    /// Takes `bytes` from the memory that the file may use. Returns `Err` with the name of `part` if it is not left.
    pub(super) fn charge(&self, bytes: usize, part: &dyn Fn() -> String) -> Result<(), Fault> {
        let taken = self.allowance.take(bytes as u64, &String::new);
        taken.map_err(|over| {
            let (needed, left) = (size(over.needed), size(over.left));
            Fault::new(part(), format!("needs {needed} of memory but only {left} is left for a file of this size"))
        })
    }

    /// Returns element `index` of the top-level list `key`. `kind` is its name in the fault. Returns `Err` if it does not
    /// exist or cannot be read.
    pub fn element<T: DeserializeOwned>(&self, key: &str, kind: &str, index: usize) -> Result<T, Fault> {
        let missing = || Fault::new(format!("{kind} {index}"), "is referred to but does not exist");
        part(list(self.json, key).get(index).ok_or_else(missing)?, || format!("{kind} {index}"))
    }
}

/// Reads mesh `index`. Damaged primitives become faults in the list, and weights that are no numbers become 0.
fn mesh(entry: &Value, index: usize) -> Mesh {
    let label = label("mesh", entry, index);
    let primitives = list(entry, "primitives");
    let weights = list(entry, "weights").iter().map(|weight| weight.as_f64().unwrap_or(0.0) as f32);
    let read = |(number, value)| part(value, || format!("part {number} of {label}"));
    Mesh {
        name: name(entry, "mesh", index),
        weights: weights.collect(),
        targets: primitives.iter().map(|primitive| list(primitive, "targets").len()).max().unwrap_or(0),
        primitives: primitives.iter().enumerate().map(read).collect(),
        morph_names: morph_names(entry),
        label,
    }
}

/// Returns the strings of the mesh's `extras.targetNames`, or of its first primitive's as in VRM 0.x.
/// Entries that are not strings give an empty name.
fn morph_names(entry: &Value) -> Vec<String> {
    let pointers = ["/extras/targetNames", "/primitives/0/extras/targetNames"];
    let names = pointers.iter().find_map(|pointer| entry.pointer(pointer)?.as_array()).into_iter().flatten();
    names.map(|name| name.as_str().unwrap_or_default().to_owned()).collect()
}

/// Reads animation `index`. Channels without a target node are left out; damaged channels and samplers become faults in the
/// list.
pub(super) fn animation(entry: &Value, index: usize) -> Animation {
    let label = label("animation", entry, index);
    let samplers = list(entry, "samplers").iter().enumerate();
    let channels = list(entry, "channels").iter().enumerate();
    let channels = channels.filter(|(_, channel)| channel.pointer("/target/node").is_some_and(|node| !node.is_null()));
    Animation {
        name: name(entry, "clip", index),
        channels: channels
            .map(|(number, channel)| (number, part(channel, || format!("channel {number} of {label}"))))
            .collect(),
        samplers: samplers.map(|(number, sampler)| part(sampler, || format!("sampler {number} of {label}"))).collect(),
        label,
    }
}

/// Returns the element of `list` that `index` refers to. `None` beyond the end.
pub(super) fn at<T, U>(list: &[T], index: Index<U>) -> Option<&T> {
    list.get(index.value())
}

#[cfg(test)]
mod tests {
    use super::morph_names;
    use serde_json::json;

    #[test]
    fn morph_names_come_from_the_mesh_or_its_first_primitive() {
        let first = json!({ "primitives": [{ "extras": { "targetNames": ["ah", 7, "oh"] } }, {}] });
        assert_eq!(morph_names(&first), ["ah", "", "oh"]);
        let mut both = first;
        both["extras"] = json!({ "targetNames": ["blink"] });
        assert_eq!(morph_names(&both), ["blink"]);
        assert!(morph_names(&json!({ "primitives": [], "extras": { "targetNames": 1 } })).is_empty());
    }
}

//! The objects of a file and their ids.

use glam::DVec3;

use super::record::Record;

/// Id of the root object. For a joint it means that the joint is left out.
pub(super) const ROOT: i64 = 0;

/// The objects and connections added so far.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) objects: Vec<Record>,
    pub(super) connections: Vec<Record>,
    last: i64,
}

impl Scene {
    /// Returns an unused id.
    pub fn id(&mut self) -> i64 {
        self.last += 1;
        // Some readers confuse small ids with 0, the root.
        1_000_000 + self.last
    }

    /// Appends an object to the scene.
    pub fn add(&mut self, object: Record) {
        self.objects.push(object);
    }

    /// Connects `child` to `parent`.
    pub fn connect(&mut self, child: i64, parent: i64) {
        self.connections.push(Record::of("C", "OO").with(child).with(parent));
    }

    /// Connects `source` to a property of `target`, which it drives.
    pub(super) fn connect_to(&mut self, source: i64, target: i64, property: &str) {
        self.connections.push(Record::of("C", "OP").with(source).with(target).with(property));
    }
}

/// The joints of a skeleton.
pub(super) struct Bones<'a> {
    /// The object of each joint, or [`ROOT`] if it is left out.
    pub ids: &'a [i64],
    /// The translation added to each joint's bind position, in world axes.
    pub bind_offsets: &'a [DVec3],
    /// The scale factor for meshes on each joint.
    pub sizes: &'a [f32],
}

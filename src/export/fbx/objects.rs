//! Objects of a file, and what they are called by.

use glam::DVec3;

use super::record::Record;

/// What all objects of a file hang under; for joints, that they are left out.
pub(super) const ROOT: i64 = 0;

/// Objects and connections so far.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) objects: Vec<Record>,
    pub(super) connections: Vec<Record>,
    last: i64,
}

impl Scene {
    /// A number that no other object has.
    pub fn id(&mut self) -> i64 {
        self.last += 1;
        // Small numbers look like 0, the root, in some readers' tables.
        1_000_000 + self.last
    }

    pub fn add(&mut self, object: Record) {
        self.objects.push(object);
    }

    /// `child` belongs to `parent`.
    pub fn connect(&mut self, child: i64, parent: i64) {
        self.connections.push(Record::of("C", "OO").with(child).with(parent));
    }

    /// `source` drives a property of `target`.
    pub(super) fn connect_to(&mut self, source: i64, target: i64, property: &str) {
        self.connections.push(Record::of("C", "OP").with(source).with(target).with(property));
    }
}

/// The joints of a skeleton.
pub(super) struct Bones<'a> {
    /// One object for each of them; [`ROOT`] where it is left out.
    pub ids: &'a [i64],
    /// How far beside its place each is bound, in the world.
    pub aside: &'a [DVec3],
    /// How many times as large what each carries is to be.
    pub sizes: &'a [f32],
}

//! VRM spring bones as a file carries them: plain data, nodes of the file by index.

use glam::DVec3;

/// All spring bones of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringBones {
    /// Bodies to stay out of.
    pub colliders: Vec<SpringCollider>,
    /// Named lists of colliders.
    pub groups: Vec<SpringColliderGroup>,
    /// The chains that swing.
    pub springs: Vec<Spring>,
}

/// A body on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringCollider {
    /// Node that carries it.
    pub node: usize,
    /// Its form in the node's space; radii are in the file's units.
    pub shape: SpringShape,
}

/// A body's form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringShape {
    /// A ball, or a capsule when `tail` differs from `offset`; with `inside` the bones stay within.
    Round {
        /// Middle, or one end of the axis.
        offset: DVec3,
        /// The other end of the axis; `None` for a ball.
        tail: Option<DVec3>,
        /// Radius in units of the file.
        radius: f64,
        /// Bones stay inside instead of outside.
        inside: bool,
    },
    /// The side a normal points to.
    Plane {
        /// A point of the plane.
        offset: DVec3,
        /// Away from the forbidden side.
        normal: DVec3,
    },
}

/// A named list of colliders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringColliderGroup {
    /// May be empty.
    pub name: String,
    /// Indices into [`SpringBones::colliders`].
    pub colliders: Vec<usize>,
}

/// One chain without branches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// May be empty.
    pub name: String,
    /// From the root outwards; the last is only the tip of the one before, unless a bone is made up after it.
    pub joints: Vec<SpringJoint>,
    /// Indices into [`SpringBones::groups`].
    pub groups: Vec<usize>,
    /// Node in whose space inertia counts.
    pub center: Option<usize>,
    /// Length of a bone made up after the last joint, which then moves too; units of the file, 0 for none. VRM 0.x always has one,
    /// 1.0 never.
    pub end_length: f64,
}

/// Length of the bone that VRM 0.x makes up after each last joint, metres.
pub const VRM0_END_LENGTH: f64 = 0.07;

/// The two incompatible ways in which avatars store spring bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringBoneFormat {
    /// `VRM.secondaryAnimation` of VRM 0.x.
    Vrm0,
    /// `VRMC_springBone` of VRM 1.0, which any glTF may carry.
    Vrm1,
}

impl SpringBoneFormat {
    /// The format of a glTF's JSON: that of the avatar it is, else that of 1.0.
    pub fn of_file(json: &serde_json::Value) -> Self {
        let has = |name: &str| json.get("extensions").is_some_and(|extensions| extensions.get(name).is_some());
        if has("VRM") && !has("VRMC_vrm") { Self::Vrm0 } else { Self::Vrm1 }
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrm0 => "VRM 0.x",
            Self::Vrm1 => "VRMC_springBone 1.0",
        }
    }
}

/// One joint's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringJoint {
    /// Index of the joint's node in the file.
    pub node: usize,
    /// Radius around the bone's tip, units of the file.
    pub hit_radius: f64,
    /// Pull to the rest direction, units per second.
    pub stiffness: f64,
    /// Pull along `gravity_dir`, units per second.
    pub gravity_power: f64,
    /// Unit vector in the world.
    pub gravity_dir: DVec3,
    /// Share of speed lost per frame, 0…1.
    pub drag_force: f64,
}

impl SpringJoint {
    /// A node with the values that the format gives to absent ones.
    pub const fn new(node: usize) -> Self {
        Self { node, hit_radius: 0.0, stiffness: 1.0, gravity_power: 0.0, gravity_dir: DVec3::NEG_Y, drag_force: 0.5 }
    }
}

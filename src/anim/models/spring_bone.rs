//! VRM spring bones as stored in a file: plain data; nodes are indices into the file.

use glam::DVec3;

/// All spring bones of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringBones {
    /// Colliders.
    pub colliders: Vec<SpringCollider>,
    /// Named lists of colliders.
    pub groups: Vec<SpringColliderGroup>,
    /// The chains of swinging bones.
    pub springs: Vec<Spring>,
}

/// A collider on a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringCollider {
    /// The node that carries it.
    pub node: usize,
    /// Its shape in the node's space; radii are in the file's unit.
    pub shape: SpringShape,
}

/// The shape of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SpringShape {
    /// A sphere, or a capsule if `tail` differs from `offset`; with `inside`, bones stay within it.
    Round {
        /// Centre, or one end of the axis.
        offset: DVec3,
        /// The other end of the axis; `None` for a sphere.
        tail: Option<DVec3>,
        /// Radius in the file's unit.
        radius: f64,
        /// True if bones stay inside instead of outside.
        inside: bool,
    },
    /// A half-space bounded by a plane.
    Plane {
        /// A point of the plane.
        offset: DVec3,
        /// Normal, pointing to the allowed side.
        normal: DVec3,
    },
}

/// A named list of colliders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringColliderGroup {
    /// The name; may be empty.
    pub name: String,
    /// Indices into [`SpringBones::colliders`].
    pub colliders: Vec<usize>,
}

/// One chain without branches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spring {
    /// The name; may be empty.
    pub name: String,
    /// The joints from the root outwards; the last one is only the tip of the previous, unless an extra bone is added
    /// after it.
    pub joints: Vec<SpringJoint>,
    /// Indices into [`SpringBones::groups`].
    pub groups: Vec<usize>,
    /// The node in whose space inertia is computed.
    pub center: Option<usize>,
    /// Length of an extra bone after the last joint, which then swings too, in the file's unit; 0 for none. VRM 0.x
    /// always has one, 1.0 never.
    pub end_length: f64,
}

/// Length of the extra bone that VRM 0.x adds after each last joint, metres.
pub const VRM0_END_LENGTH: f64 = 0.07;

/// The two incompatible formats of spring bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringBoneFormat {
    /// `VRM.secondaryAnimation` of VRM 0.x.
    Vrm0,
    /// `VRMC_springBone` of VRM 1.0, which any glTF may contain.
    Vrm1,
}

impl SpringBoneFormat {
    /// Returns the format for a glTF's JSON: that of its avatar, else 1.0.
    pub fn of_file(json: &serde_json::Value) -> Self {
        let has = |name: &str| json.get("extensions").is_some_and(|extensions| extensions.get(name).is_some());
        if has("VRM") && !has("VRMC_vrm") { Self::Vrm0 } else { Self::Vrm1 }
    }

    /// Returns the name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrm0 => "VRM 0.x",
            Self::Vrm1 => "VRMC_springBone 1.0",
        }
    }
}

/// The parameters of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringJoint {
    /// Index of the joint's node in the file.
    pub node: usize,
    /// Radius around the bone's tip, in the file's unit.
    pub hit_radius: f64,
    /// Stiffness towards the rest direction, per second.
    pub stiffness: f64,
    /// Gravity along `gravity_dir`, per second.
    pub gravity_power: f64,
    /// Direction of gravity, a unit vector in world space.
    pub gravity_dir: DVec3,
    /// Fraction of the velocity lost per frame, 0…1.
    pub drag_force: f64,
}

impl SpringJoint {
    /// Creates a joint with the format's default values.
    pub const fn new(node: usize) -> Self {
        Self { node, hit_radius: 0.0, stiffness: 1.0, gravity_power: 0.0, gravity_dir: DVec3::NEG_Y, drag_force: 0.5 }
    }
}

//! Settings of the cross stage, and the obstacle that they describe for a clip.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::plan::on_path;
use super::{BuildError, CrossingClip, CrossingKind, EdgeLine, Moments, Obstacle};

/// The kind of crossing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KindChoice {
    /// The kind that the clip shows.
    #[default]
    Automatic,
    /// [`CrossingKind::Vault`]
    Vault,
    /// [`CrossingKind::Mantle`]
    Mantle,
    /// [`CrossingKind::HopUp`]
    HopUp,
    /// [`CrossingKind::JumpAcross`]
    JumpAcross,
    /// [`CrossingKind::DropDown`]
    DropDown,
}

portamento_base::named!(KindChoice {
    Automatic: "automatic",
    Vault: "vault",
    Mantle: "mantle",
    HopUp: "hop_up",
    JumpAcross: "jump_across",
    DropDown: "drop_down",
});

impl KindChoice {
    /// Returns the kind; `None` if it is found automatically.
    pub fn kind(self) -> Option<CrossingKind> {
        match self {
            Self::Automatic => None,
            Self::Vault => Some(CrossingKind::Vault),
            Self::Mantle => Some(CrossingKind::Mantle),
            Self::HopUp => Some(CrossingKind::HopUp),
            Self::JumpAcross => Some(CrossingKind::JumpAcross),
            Self::DropDown => Some(CrossingKind::DropDown),
        }
    }
}

/// The shape of the obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The obstacle that the clip crosses as it is.
    #[default]
    Own,
    /// A box.
    Box,
    /// A gap or a ledge.
    Gap,
}

portamento_base::named!(Shape { Own: "own", Box: "box", Gap: "gap" });

/// The place of the obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// At the clip's own run-up.
    #[default]
    RunUp,
    /// At a position in the world.
    World,
    /// At a scene object.
    Object,
}

portamento_base::named!(Place { RunUp: "run_up", World: "world", Object: "object" });

/// Settings of the cross stage. Lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// The kind of crossing.
    pub kind: KindChoice,
    /// The shape of the obstacle.
    pub shape: Shape,
    /// Height of a box.
    pub height: f64,
    /// Length of a box along its own Z axis, or width of a gap.
    pub depth: f64,
    /// Length of a box along its own X axis, or length of the edges of a gap.
    pub width: f64,
    /// The place of the obstacle.
    pub place: Place,
    /// Centre of the base of a box, or middle of the near edge of a gap, in the world.
    pub position: [f64; 3],
    /// The scene object at which the obstacle stands, by name.
    pub object: String,
    /// Turn of the obstacle about the vertical axis from the clip's direction, degrees.
    pub yaw: f64,
    /// Height of the ground behind the obstacle over the ground before it; `None` for the top of what is climbed, and else the clip's
    /// own.
    pub rise: Option<f64>,
    /// Moments that replace those of the clip.
    #[serde(flatten)]
    pub moments: Moments,
    /// True if the hips fall freely in flight; false if they keep the deviation of the incoming motion.
    pub gravity: bool,
}

impl Settings {
    /// Smallest length of an edge, metres.
    pub const MIN_LENGTH_M: f64 = 0.01;
    /// Largest length of an edge, metres.
    pub const MAX_LENGTH_M: f64 = 100.0;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            kind: KindChoice::default(),
            shape: Shape::default(),
            height: 0.9,
            depth: 0.4,
            width: 2.0,
            place: Place::default(),
            position: [0.0; 3],
            object: String::new(),
            yaw: 0.0,
            rise: None,
            moments: Moments::default(),
            gravity: true,
        }
    }
}

impl Settings {
    /// Returns the position at which the obstacle stands for `clip`: centre of its base, or middle of the near edge of a gap.
    /// `object` is the position of the scene object, if one is named. All in metres, in the clip's space.
    pub fn base(&self, clip: &CrossingClip, object: Option<DVec3>) -> DVec3 {
        let near = clip.obstacle.near[0].midpoint(clip.obstacle.near[1]).with_y(clip.obstacle.start.y);
        let inset = if self.shape == Shape::Box { 0.5 * self.depth } else { 0.0 };
        match (self.place, object) {
            (Place::World, _) => DVec3::from(self.position),
            (Place::Object, Some(object)) => object,
            _ => near + clip.heading * inset,
        }
    }

    /// Returns the turn of the obstacle about the vertical axis, radians.
    pub fn heading(&self, clip: &CrossingClip) -> f64 {
        clip.heading.x.atan2(clip.heading.z) + self.yaw.to_radians()
    }

    /// Returns the points by which the obstacle that stands at `base` is dragged: its base, the top and the far side of a box, or the
    /// far edge of a gap. The clip's own obstacle has none. All in metres.
    pub fn handles(&self, clip: &CrossingClip, base: DVec3) -> Vec<DVec3> {
        let ahead = DQuat::from_rotation_y(self.heading(clip)) * DVec3::Z * self.depth;
        let rise = self.rise.unwrap_or(clip.obstacle.landing.y - clip.obstacle.start.y);
        match self.shape {
            Shape::Own => Vec::new(),
            Shape::Box => vec![base, base + DVec3::Y * self.height, base + 0.5 * ahead],
            Shape::Gap => vec![base, base + ahead + DVec3::Y * rise],
        }
    }

    /// Moves the handle with index `handle` of the obstacle that stands at `base` to `point`, metres.
    pub fn drag(&mut self, handle: usize, base: DVec3, point: DVec3) {
        let lengths = |length: f64| length.clamp(Self::MIN_LENGTH_M, Self::MAX_LENGTH_M);
        let across = (point - base).with_y(0.0).length();
        match (self.shape, handle) {
            (Shape::Own, _) => {}
            (_, 0) => {
                self.place = Place::World;
                self.position = point.to_array();
            }
            (Shape::Box, 1) => self.height = lengths(point.y - base.y),
            (Shape::Box, _) => self.depth = lengths(2.0 * across),
            (Shape::Gap, _) => (self.depth, self.rise) = (lengths(across), Some(point.y - base.y)),
        }
    }

    /// Returns the obstacle that `clip` is to cross. `object` as for [`Settings::base`].
    ///
    /// Returns `Err` if a number is not finite or a length is outside its range, the clip crosses no obstacle of this shape, or the
    /// obstacle is not ahead of the start.
    pub fn obstacle(&self, clip: &CrossingClip, object: Option<DVec3>) -> Result<Obstacle, BuildError> {
        let needed = match self.shape {
            Shape::Own => return Ok(clip.obstacle),
            Shape::Box => CrossingKind::Vault,
            Shape::Gap => CrossingKind::JumpAcross,
        };
        // The feet of a jump are low before and after its edges: they would pass through a box.
        if matches!(clip.kind, CrossingKind::JumpAcross | CrossingKind::DropDown) != (self.shape == Shape::Gap) {
            let [clip, obstacle] = [clip.kind, needed].map(|kind| Box::new(kind.message()));
            return Err(BuildError::OtherKind { clip, obstacle });
        }
        let lengths = Self::MIN_LENGTH_M..=Self::MAX_LENGTH_M;
        let base = self.base(clip, object);
        let numbers = [self.yaw, self.rise.unwrap_or(0.0)];
        let is_valid = [self.height, self.depth, self.width].iter().all(|length| lengths.contains(length));
        if !is_valid || !base.is_finite() || numbers.iter().any(|number| !number.is_finite()) {
            return Err(BuildError::BadObstacle);
        }
        let start = clip.obstacle.start;
        let [near, far] = self.edges(clip, base);
        let ahead = (near[0].midpoint(near[1]).midpoint(far[0].midpoint(far[1])) - start).with_y(0.0);
        let heading = ahead.try_normalize().ok_or(BuildError::BadObstacle)?;
        let heading = if self.place == Place::RunUp && self.yaw == 0.0 { clip.heading } else { heading };
        self.landed(clip, heading, near, far)
    }

    /// Returns the edge that faces the start, and the opposite one.
    fn edges(&self, clip: &CrossingClip, base: DVec3) -> [EdgeLine; 2] {
        let turn = DQuat::from_rotation_y(self.heading(clip));
        let [x, z] = [turn * DVec3::X, turn * DVec3::Z];
        if self.shape == Shape::Gap {
            let across = x * 0.5 * self.width;
            let near = [base - across, base + across];
            return [near, near.map(|point| point + z * self.depth)];
        }
        let top = base + DVec3::Y * self.height;
        let [x, z] = [x * 0.5 * self.width, z * 0.5 * self.depth];
        let ahead = base - clip.obstacle.start;
        // The side whose normal points most against the approach.
        let share = |normal: DVec3| normal.normalize().dot(ahead);
        let (normal, side) = [(z, x), (-z, -x), (x, -z), (-x, z)]
            .into_iter()
            .max_by(|a, b| share(a.0).total_cmp(&share(b.0)))
            .unwrap_or((z, x));
        [top - normal, top + normal].map(|middle| [middle - side, middle + side])
    }

    /// Returns the obstacle with these edges, approached along `heading`, and its landing. Returns `Err` if an edge
    /// does not cross the path.
    fn landed(
        &self,
        clip: &CrossingClip,
        heading: DVec3,
        near: EdgeLine,
        far: EdgeLine,
    ) -> Result<Obstacle, BuildError> {
        let (own, start) = (&clip.obstacle, clip.obstacle.start);
        let turned = CrossingClip { heading, ..clip.clone() };
        let along = |clip: &CrossingClip, edge: &EdgeLine| {
            on_path(clip, edge, 0.0).map(|point| clip.along(point)).ok_or(BuildError::BadObstacle)
        };
        let (own_near, new_near) = (along(clip, &own.near)?, along(&turned, &near)?);
        let climbs = matches!(clip.kind, CrossingKind::Mantle | CrossingKind::HopUp);
        let own_rise = own.landing.y - own.start.y;
        let rise = self.rise.unwrap_or(if climbs && self.shape == Shape::Box { self.height } else { own_rise });
        // A clip that clears more than it must keeps its landing.
        let longer = match own.far {
            Some(own_far) => {
                let own_depth = along(clip, &own_far)? - own_near;
                (along(&turned, &far)? - new_near - own_depth).max(0.0)
            }
            None => 0.0,
        };
        let landing = clip.along(own.landing) + new_near - own_near + longer;
        let landing = (start + heading * landing).with_y(start.y + rise);
        let level = |edge: EdgeLine, height: f64| edge.map(|point| point.with_y(height));
        let far = own.far.map(|_| if self.shape == Shape::Gap { level(far, landing.y) } else { far });
        let near = if self.shape == Shape::Gap { level(near, start.y) } else { near };
        Ok(Obstacle { kind: clip.kind, near, far, start, landing })
    }
}

//! Transfer of rotations between skeletons.
//!
//! With world rotations R at rest and W at a time:
//!
//! ```text
//! Δ = W · R⁻¹                     rotation of a source joint since rest
//! W' = F · Δ · F⁻¹ · C · R'       rotation of the character's joint
//! ```
//!
//! F rotates the source to the facing direction of the character. C bends the character's rest pose R' so that its bone has the
//! direction of the source's bone. Bones then have equal directions at every time, whatever the joint axes.
//!
//! If the source stretches a bone non-uniformly or moves a joint sideways, the bone deviates from the rotation of its joint. The
//! character's bone is then swung to the same direction without twist.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::links::{Aim, Link};
use super::rest_feet::RestFeet;
use super::{Body, Settings};
use portamento_anim::rig::chains::{Chain, Limb};
use portamento_anim::root_motion::rest_at;
use portamento_anim::{Pose, Skeleton};

/// Difference in direction below which trunks keep their own posture, radians. Tuned; no derivation recorded.
const SAME_POSTURE_MAX_RADIANS: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Deviation of a bone from its joint rotation below which it is not swung, radians: rounding.
const SWING_MIN_RADIANS: f64 = 1e-4;

/// The time-independent data of the transfer.
pub(super) struct Transfer<'a> {
    target: &'a Body<'a>,
    source: &'a Body<'a>,
    links: &'a [Link],
    /// Rotation of the source to the facing direction of the character.
    pub facing: DQuat,
    /// World rotations of the source's joints at rest.
    source_rest: Vec<DQuat>,
    /// World rotation of each linked joint of the character that corresponds to the rest pose of the source.
    pub aligned: Vec<DQuat>,
    /// Direction of the bone of each link in the source at rest, if directions must match.
    directions_at_rest: Vec<Option<DVec3>>,
}

impl<'a> Transfer<'a> {
    /// `rest_stands` is false if the rest pose of the source is a frame of its motion, in which any joint may be turned.
    pub fn new(
        source: &'a Body<'a>,
        target: &'a Body<'a>,
        links: &'a [Link],
        settings: &Settings,
        rest_stands: bool,
    ) -> Self {
        let facing = facing(source, target);
        let source_rest = turns(source.skeleton, &Pose::rest(source.skeleton));
        let target_rest = turns(target.skeleton, &Pose::rest(target.skeleton));
        let mut corrections: Vec<DQuat> = Vec::with_capacity(links.len());
        for link in links {
            let ancestors = target.skeleton.ancestors(link.joint).skip(1);
            let parent = ancestors
                .filter_map(|joint| links[..corrections.len()].iter().position(|link| link.joint == joint))
                .next();
            let inherited = parent.map_or(DQuat::IDENTITY, |parent| corrections[parent]);
            let bodies = [source, target];
            corrections.push(match (settings.align, rest_stands) {
                (false, _) => DQuat::IDENTITY,
                (true, true) => correction(source, target, link, facing, inherited),
                (true, false) => correction_to_frame(bodies, link, facing, inherited),
            });
        }
        let own = |joint: usize| {
            let name = &target.skeleton.joints[joint].name;
            Settings::rotation(settings.turn(name))
        };
        let aligned = links.iter().zip(&corrections);
        let aligned =
            aligned.map(|(link, correction)| own(link.joint) * *correction * target_rest[link.joint]).collect();
        let directions_at_rest = links.iter().map(|link| {
            let [from, to] = rigid_limb(source, target, link)?.source;
            let at = |joint: usize| rest_at(source.skeleton, joint).translation;
            (at(to) - at(from)).try_normalize()
        });
        Self { target, source, links, facing, source_rest, aligned, directions_at_rest: directions_at_rest.collect() }
    }

    /// Rotates the linked joints of `pose`, a pose of the character, as in the source pose `from`. Other joints keep their local
    /// transforms.
    pub fn apply(&self, from: &Pose, pose: &mut Pose) {
        let now = turns(self.source.skeleton, from);
        let turned = |joint: usize| now[joint] * self.source_rest[joint].inverse();
        let positions = positions(self.source.skeleton, from);
        let mut next = self.links.iter().zip(&self.aligned).zip(&self.directions_at_rest).peekable();
        let mut world: Vec<DQuat> = Vec::with_capacity(self.target.skeleton.len());
        for (joint, node) in self.target.skeleton.joints.iter().enumerate() {
            let parent_rotation = node.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
            let local = pose.locals[joint].rotation.as_dquat();
            let Some(((link, aligned), direction)) = next.next_if(|((link, _), _)| link.joint == joint) else {
                world.push((parent_rotation * local).normalize());
                continue;
            };
            let delta = if link.from == link.to {
                let delta = turned(link.to);
                swing(link, *direction, delta, &positions) * delta
            } else {
                shortest(turned(link.from), turned(link.to), link.share)
            };
            let wanted = (self.facing * delta * self.facing.inverse() * *aligned).normalize();
            let local = (parent_rotation.inverse() * wanted).normalize();
            pose.locals[joint].rotation = local.as_quat();
            world.push(wanted);
        }
    }
}

/// Returns the direction of a limb bone whose ends are a parent and its child in both skeletons.
fn rigid_limb(source: &Body, target: &Body, link: &Link) -> Option<Aim> {
    let is_limb = matches!(link.limb, Some(Limb::Arm(_) | Limb::Hand(_) | Limb::Finger(..) | Limb::Leg(..)));
    let hangs = |skeleton: &Skeleton, [on, joint]: [usize; 2]| skeleton.joints[joint].parent == Some(on);
    link.aim.filter(|aim| {
        is_limb
            && link.from == link.to
            && hangs(source.skeleton, [link.to, aim.source[1]])
            && hangs(target.skeleton, aim.target)
    })
}

/// Returns the rotation from the bone direction given by the joint rotation to the bone direction given by `positions`.
fn swing(link: &Link, direction: Option<DVec3>, turned: DQuat, positions: &[DVec3]) -> DQuat {
    let now = || {
        let [from, to] = link.aim?.source.map(|joint| positions[joint]);
        (to - from).try_normalize()
    };
    let Some((direction, now)) = direction.zip(now()) else { return DQuat::IDENTITY };
    let own = turned * direction;
    if own.cross(now).length().atan2(own.dot(now)) < SWING_MIN_RADIANS {
        return DQuat::IDENTITY;
    }
    DQuat::from_rotation_arc(own, now)
}

/// Returns the world positions of all joints in f64, because f32 would cause jitter far from the origin.
fn positions(skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for (local, node) in pose.locals.iter().zip(&skeleton.joints) {
        let parent = node.parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
        world.push(parent * local.to_affine_f64());
    }
    world.iter().map(|joint| joint.translation).collect()
}

/// Returns the world rotations of all joints. Scale is ignored, so that scaled or mirrored parents cause no shear.
pub(super) fn turns(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut world: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let local = pose.locals[joint].rotation.as_dquat();
        let turn = node.parent.map_or(local, |parent| world[parent] * local).normalize();
        world.push(if turn.is_finite() { turn } else { DQuat::IDENTITY });
    }
    world
}

fn shortest(a: DQuat, b: DQuat, weight: f64) -> DQuat {
    a.slerp(if a.dot(b) < 0.0 { -b } else { b }, weight)
}

/// Returns the rotation about +Y from the facing direction of the source to that of the character.
fn facing(source: &Body, target: &Body) -> DQuat {
    let heading = |body: &Body| {
        let front = body.roles.front.unwrap_or_default().direction();
        front.x.atan2(front.z)
    };
    DQuat::from_rotation_y(heading(target) - heading(source))
}

/// Returns the rotation that aligns the rest of the character's joint with the source. `inherited` is the rotation of its parent.
fn correction(source: &Body, target: &Body, link: &Link, facing: DQuat, inherited: DQuat) -> DQuat {
    let arc = |from: DQuat| {
        let [wanted, own] = directions(source, target, &link.aim?)?;
        Some(DQuat::from_rotation_arc(from * own, facing * wanted) * from)
    };
    match link.limb {
        // If feet are flat at rest in both rigs, only their heading is aligned.
        Some(Limb::Foot(..)) if RestFeet::measure(source).stand => {
            yaw(source, target, link, facing).unwrap_or_default()
        }
        // Collar bones differ too much between rigs to be aligned.
        Some(Limb::Hips | Limb::Head | Limb::Clavicle(_)) => DQuat::IDENTITY,
        Some(Limb::Spine | Limb::Neck | Limb::Tail) => {
            let bent = arc(DQuat::IDENTITY).unwrap_or_default();
            if bent.angle_between(DQuat::IDENTITY) > SAME_POSTURE_MAX_RADIANS { bent } else { DQuat::IDENTITY }
        }
        Some(Limb::Arm(_) | Limb::Hand(_) | Limb::Finger(..) | Limb::Leg(..) | Limb::Foot(..)) => {
            arc(inherited).unwrap_or(inherited)
        }
        Some(Limb::Toe(..)) | None => inherited,
    }
}

/// [`correction`] for a source whose rest pose is a frame of its motion. The hips are aligned by the lines between the legs and
/// along the trunk, and every other bone by its direction, starting from the correction of its parent.
fn correction_to_frame([source, target]: [&Body; 2], link: &Link, facing: DQuat, inherited: DQuat) -> DQuat {
    match link.limb {
        Some(Limb::Hips) => {
            let own_posture = || Some(facing * trunk_axes(source, target)? * trunk_axes(target, source)?.inverse());
            own_posture().unwrap_or(inherited)
        }
        Some(Limb::Foot(..)) if RestFeet::measure(source).stand => {
            let ahead = inherited * DVec3::Z;
            yaw(source, target, link, facing).unwrap_or_else(|| DQuat::from_rotation_y(ahead.x.atan2(ahead.z)))
        }
        Some(Limb::Clavicle(_) | Limb::Head | Limb::Toe(..)) | None => inherited,
        Some(_) => link
            .aim
            .and_then(|aim| directions(source, target, &aim))
            .map_or(inherited, |[wanted, own]| DQuat::from_rotation_arc(inherited * own, facing * wanted) * inherited),
    }
}

/// Returns the axes of the trunk of `body` at rest: X along the line between two legs that `other` has too, and Y upward along
/// the trunk.
fn trunk_axes(body: &Body, other: &Body) -> Option<DQuat> {
    let at = |joint: usize| rest_at(body.skeleton, joint).translation;
    let start = |chain: &Chain| at(chain.bones[0].joint);
    let legs = body.chains.iter().filter(|chain| matches!(chain.limb, Limb::Leg(..)));
    let mut shared: Vec<&Chain> = legs.filter(|leg| other.chains.iter().any(|chain| chain.limb == leg.limb)).collect();
    shared.sort_by_key(|chain| chain.limb);
    let [first, second] = shared.get(..2)?.try_into().ok()?;
    let top = [Limb::Neck, Limb::Head, Limb::Spine]
        .into_iter()
        .find(|limb| [body, other].iter().all(|body| body.chains.iter().any(|chain| chain.limb == *limb)))?;
    let top = body.chains.iter().find(|chain| chain.limb == top)?;
    let x = (start(first) - start(second)).try_normalize()?;
    let y = (start(top) - 0.5 * (start(first) + start(second))).reject_from(x).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))))
}

/// Returns the bone directions at rest in the source and in the character; `None` for a bone without length.
fn directions(source: &Body, target: &Body, aim: &Aim) -> Option<[DVec3; 2]> {
    let direction = |body: &Body, [from, to]: [usize; 2]| {
        let at = |joint: usize| rest_at(body.skeleton, joint).translation;
        (at(to) - at(from)).try_normalize()
    };
    Some([direction(source, aim.source)?, direction(target, aim.target)?])
}

fn yaw(source: &Body, target: &Body, link: &Link, facing: DQuat) -> Option<DQuat> {
    let [wanted, own] = directions(source, target, &link.aim?)?;
    let flat = |direction: DVec3| direction.with_y(0.0).try_normalize();
    // A foot that points nearly straight down, as in a hanging rest pose, has no heading.
    let [wanted, own] = [flat(facing * wanted)?, flat(own)?];
    Some(DQuat::from_rotation_arc(own, wanted))
}

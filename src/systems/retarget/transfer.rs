//! How the turns of one skeleton become those of another.
//!
//! With R the turns of all joints at rest and W those at a time, seen from the world, a joint has turned by Δ = W·R⁻¹ whatever its
//! own axes are. The character's joint then stands as F·Δ·F⁻¹·C·R: F turns the source to face as the character does, and C bends
//! the character's rest so that its bone points where the source's does. Bones so point alike at every time, and a turn about a bone
//! stays one about it. Where the source stretches a bone unevenly, or moves a joint to the side, its bone points elsewhere than its
//! joint has turned: the character's bone is swung there, about no axis of its own.

use glam::{DAffine3, DQuat, DVec3};

use super::links::{Aim, Link};
use super::rest_feet::RestFeet;
use super::{Body, Settings};
use crate::anim::rig::chains::Limb;
use crate::anim::root_motion::rest_at;
use crate::anim::{Pose, Skeleton};

/// Trunks that differ by less keep their own posture, radians.
const SAME_POSTURE: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Bones that point elsewhere than their joint has turned by less than this are not swung, radians: rounding.
const NO_SWING: f64 = 1e-4;

/// Everything about two skeletons that does not change over time.
pub(super) struct Transfer<'a> {
    target: &'a Body<'a>,
    source: &'a Body<'a>,
    links: &'a [Link],
    /// Turns the source to face as the character does.
    pub facing: DQuat,
    /// Turns of the source's joints at rest.
    source_rest: Vec<DQuat>,
    /// Turn of each linked joint of the character where the source rests.
    pub aligned: Vec<DQuat>,
    /// Where the bone of each link points in the source at rest, if it is to point alike.
    ways: Vec<Option<DVec3>>,
}

impl<'a> Transfer<'a> {
    pub fn new(source: &'a Body<'a>, target: &'a Body<'a>, links: &'a [Link], settings: &Settings) -> Self {
        let facing = facing(source, target);
        let source_rest = turns(source.skeleton, &Pose::rest(source.skeleton));
        let target_rest = turns(target.skeleton, &Pose::rest(target.skeleton));
        let mut corrections: Vec<DQuat> = Vec::with_capacity(links.len());
        for link in links {
            let above = target.skeleton.ancestors(link.joint).skip(1);
            let above =
                above.filter_map(|joint| links[..corrections.len()].iter().position(|link| link.joint == joint)).next();
            let carried = above.map_or(DQuat::IDENTITY, |above| corrections[above]);
            let correction =
                if settings.align { correction(source, target, link, facing, carried) } else { DQuat::IDENTITY };
            corrections.push(correction);
        }
        let own = |joint: usize| {
            let name = &target.skeleton.joints[joint].name;
            Settings::rotation(settings.turn(name))
        };
        let aligned = links.iter().zip(&corrections);
        let aligned =
            aligned.map(|(link, correction)| own(link.joint) * *correction * target_rest[link.joint]).collect();
        let ways = links.iter().map(|link| {
            let [from, to] = rigid_limb(source, target, link)?.source;
            let at = |joint: usize| rest_at(source.skeleton, joint).translation;
            (at(to) - at(from)).try_normalize()
        });
        Self { target, source, links, facing, source_rest, aligned, ways: ways.collect() }
    }

    /// Turns the linked joints of `pose`, which is a pose of the character, as `from` of the source; what does not follow keeps its
    /// place relative to its parent.
    pub fn apply(&self, from: &Pose, pose: &mut Pose) {
        let now = turns(self.source.skeleton, from);
        let turned = |joint: usize| now[joint] * self.source_rest[joint].inverse();
        let places = places(self.source.skeleton, from);
        let mut next = self.links.iter().zip(&self.aligned).zip(&self.ways).peekable();
        let mut world: Vec<DQuat> = Vec::with_capacity(self.target.skeleton.len());
        for (joint, node) in self.target.skeleton.joints.iter().enumerate() {
            let above = node.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
            let local = pose.locals[joint].rotation.as_dquat();
            let Some(((link, aligned), way)) = next.next_if(|((link, _), _)| link.joint == joint) else {
                world.push((above * local).normalize());
                continue;
            };
            let delta = if link.from == link.to {
                let delta = turned(link.to);
                swing(link, *way, delta, &places) * delta
            } else {
                shortest(turned(link.from), turned(link.to), link.share)
            };
            let wanted = (self.facing * delta * self.facing.inverse() * *aligned).normalize();
            let local = (above.inverse() * wanted).normalize();
            pose.locals[joint].rotation = local.as_quat();
            world.push(wanted);
        }
    }
}

/// The aim of a bone of a limb that hangs between its own two joints in both skeletons.
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

/// What swings the source's bone from where its joint has turned it to where it points among `places`.
fn swing(link: &Link, way: Option<DVec3>, turned: DQuat, places: &[DVec3]) -> DQuat {
    let now = || {
        let [from, to] = link.aim?.source.map(|joint| places[joint]);
        (to - from).try_normalize()
    };
    let Some((way, now)) = way.zip(now()) else { return DQuat::IDENTITY };
    let own = turned * way;
    if own.cross(now).length().atan2(own.dot(now)) < NO_SWING {
        return DQuat::IDENTITY;
    }
    DQuat::from_rotation_arc(own, now)
}

/// Where all joints are in the world. In f64: far from the origin fingers would tremble.
fn places(skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for (local, node) in pose.locals.iter().zip(&skeleton.joints) {
        let above = node.parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
        world.push(above * local.to_affine_f64());
    }
    world.iter().map(|place| place.translation).collect()
}

/// Turns of all joints seen from the world. Scales are left out, so that stretched or mirrored parents shear nothing.
pub(super) fn turns(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut world: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let local = pose.locals[joint].rotation.as_dquat();
        let turn = node.parent.map_or(local, |parent| world[parent] * local).normalize();
        world.push(if turn.is_finite() { turn } else { DQuat::IDENTITY });
    }
    world
}

fn shortest(a: DQuat, b: DQuat, share: f64) -> DQuat {
    a.slerp(if a.dot(b) < 0.0 { -b } else { b }, share)
}

/// About +Y from where the source looks to where the character does.
fn facing(source: &Body, target: &Body) -> DQuat {
    let heading = |body: &Body| {
        let front = body.roles.front.unwrap_or_default().direction();
        front.x.atan2(front.z)
    };
    DQuat::from_rotation_y(heading(target) - heading(source))
}

/// What bends the rest of the character's joint to that of the source; `carried` is what bends the joint above it.
fn correction(source: &Body, target: &Body, link: &Link, facing: DQuat, carried: DQuat) -> DQuat {
    let arc = |from: DQuat| {
        let [wanted, own] = directions(source, target, &link.aim?)?;
        Some(DQuat::from_rotation_arc(from * own, facing * wanted) * from)
    };
    match link.limb {
        // Feet that stand flat at rest in both: only where they point to is taken over, which toes share.
        Some(Limb::Foot(..)) if RestFeet::measure(source).stand => {
            yaw(source, target, link, facing).unwrap_or_default()
        }
        // Collar bones are built too differently to point alike.
        Some(Limb::Hips | Limb::Head | Limb::Clavicle(_)) => DQuat::IDENTITY,
        Some(Limb::Spine | Limb::Neck | Limb::Tail) => {
            let bent = arc(DQuat::IDENTITY).unwrap_or_default();
            if bent.angle_between(DQuat::IDENTITY) > SAME_POSTURE { bent } else { DQuat::IDENTITY }
        }
        Some(Limb::Arm(_) | Limb::Hand(_) | Limb::Finger(..) | Limb::Leg(..) | Limb::Foot(..)) => {
            arc(carried).unwrap_or(carried)
        }
        Some(Limb::Toe(..)) | None => carried,
    }
}

/// Where the bone points at rest in the source and in the character; `None` without length.
fn directions(source: &Body, target: &Body, aim: &Aim) -> Option<[DVec3; 2]> {
    let way = |body: &Body, [from, to]: [usize; 2]| {
        let at = |joint: usize| rest_at(body.skeleton, joint).translation;
        (at(to) - at(from)).try_normalize()
    };
    Some([way(source, aim.source)?, way(target, aim.target)?])
}

fn yaw(source: &Body, target: &Body, link: &Link, facing: DQuat) -> Option<DQuat> {
    let [wanted, own] = directions(source, target, &link.aim?)?;
    let flat = |direction: DVec3| direction.with_y(0.0).try_normalize();
    // A foot that points nearly straight down, as that of a hanging rest pose, shows no way.
    let [wanted, own] = [flat(facing * wanted)?, flat(own)?];
    Some(DQuat::from_rotation_arc(own, wanted))
}

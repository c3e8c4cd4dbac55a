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
//! character's bone is then swung to the same direction without twist. So is a bone of the spine, whose direction is that of the
//! part of the source's spine at the same fractions of the length.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::links::{Aim, Link};
use super::rest_feet::RestFeet;
use super::{Body, Settings};
use portamento_anim::rig::chains::{Chain, Limb};
use portamento_anim::root_motion::rest_at;
use portamento_anim::{Pose, Skeleton};

/// Difference in direction below which trunks keep their own posture, radians. Tuned; no derivation recorded.
const SAME_POSTURE_MAX_RADIANS: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Angle between the lines between the thighs below which pelvises keep their own posture, radians. Chosen.
const SAME_PELVIS_MAX_RADIANS: f64 = 3.0 * std::f64::consts::PI / 180.0;

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
    /// The line in the source that the bone of each link follows, and its direction at rest; `None` if the rotation is enough.
    lines: Vec<Option<(Line, DVec3)>>,
}

/// A line between two points of the source.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: Point,
    end: Point,
}

/// A point between two joints: the joints, and the weight of the second.
#[derive(Clone, Copy, Debug)]
struct Point {
    joints: [usize; 2],
    share: f64,
}

impl Point {
    fn at(&self, positions: &[DVec3]) -> DVec3 {
        positions[self.joints[0]].lerp(positions[self.joints[1]], self.share)
    }
}

impl Line {
    fn direction(&self, positions: &[DVec3]) -> Option<DVec3> {
        (self.end.at(positions) - self.start.at(positions)).try_normalize()
    }
}

impl<'a> Transfer<'a> {
    /// Computes the transfer along `links`, which must be parents first. `rest_stands` is false if the rest pose of the
    /// source is a frame of its motion, in which any joint may be turned.
    pub fn new(
        source: &'a Body<'a>,
        target: &'a Body<'a>,
        links: &'a [Link],
        settings: &Settings,
        rest_stands: bool,
    ) -> Self {
        let facing = facing(source, target);
        let source_rest = world_rotations(source.skeleton, &Pose::rest(source.skeleton));
        let target_rest = world_rotations(target.skeleton, &Pose::rest(target.skeleton));
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
        let at_rest = positions(source.skeleton, &Pose::rest(source.skeleton));
        let lines = links.iter().map(|link| {
            let line = match link.limb {
                Some(Limb::Spine) => spine_line(source, target, link.joint),
                _ => rigid_limb(source, target, link).map(|aim| {
                    let [start, end] = aim.source.map(|joint| Point { joints: [joint; 2], share: 0.0 });
                    Line { start, end }
                }),
            };
            line.and_then(|line| Some((line, line.direction(&at_rest)?)))
        });
        let lines = lines.collect();
        Self { target, source, links, facing, source_rest, aligned, lines }
    }

    /// Rotates the linked joints of `pose`, a pose of the character, as in the source pose `from`. Other joints keep their local
    /// transforms.
    pub fn apply(&self, from: &Pose, pose: &mut Pose) {
        let now = world_rotations(self.source.skeleton, from);
        let turned = |joint: usize| now[joint] * self.source_rest[joint].inverse();
        let positions = positions(self.source.skeleton, from);
        let mut next = self.links.iter().zip(&self.aligned).zip(&self.lines).peekable();
        let mut world: Vec<DQuat> = Vec::with_capacity(self.target.skeleton.len());
        for (joint, node) in self.target.skeleton.joints.iter().enumerate() {
            let parent_rotation = node.parent.map_or(DQuat::IDENTITY, |parent| world[parent]);
            let local = pose.locals[joint].rotation.as_dquat();
            let Some(((link, aligned), line)) = next.next_if(|((link, _), _)| link.joint == joint) else {
                world.push((parent_rotation * local).normalize());
                continue;
            };
            let delta = match link.from == link.to {
                true => turned(link.to),
                false => shortest(turned(link.from), turned(link.to), link.share),
            };
            let delta = line.as_ref().map_or(DQuat::IDENTITY, |line| swing(line, delta, &positions)) * delta;
            let wanted = (self.facing * delta * self.facing.inverse() * *aligned).normalize();
            let local = (parent_rotation.inverse() * wanted).normalize();
            pose.locals[joint].rotation = local.as_quat();
            world.push(wanted);
        }
    }
}

/// Returns the direction of a limb bone whose ends are a parent and its child in both skeletons; `None` for other bones.
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

/// Returns the part of the source's spine that the bone of `joint`, a joint of the target's spine, follows: the same
/// fractions of the length, both spines from the hips on. Returns `None` if `joint` has no bone in the spine, or if one
/// of the spines does not begin at the hips.
fn spine_line(source: &Body, target: &Body, joint: usize) -> Option<Line> {
    let [from, to] = [spine(source)?, spine(target)?];
    let [rest_from, rest_to] = [source, target].map(|body| positions(body.skeleton, &Pose::rest(body.skeleton)));
    let own = to.iter().position(|&other| other == joint)?;
    let fractions = fractions(&to, &rest_to)?;
    let source_fractions = self::fractions(&from, &rest_from)?;
    let point = |fraction: f64| {
        let after = source_fractions.iter().position(|&end| end >= fraction - 1e-9).unwrap_or(from.len() - 1).max(1);
        let [start, end] = [source_fractions[after - 1], source_fractions[after]];
        let share = if end > start { ((fraction - start) / (end - start)).clamp(0.0, 1.0) } else { 1.0 };
        Point { joints: [from[after - 1], from[after]], share }
    };
    let [start, end] = [fractions[own], *fractions.get(own + 1)?];
    (end > start).then(|| Line { start: point(start), end: point(end) })
}

/// Returns the joints from the hips along the spine to its tip; `None` for a spine that does not begin at the hips.
fn spine(body: &Body) -> Option<Vec<usize>> {
    let spine = body.chains.iter().find(|chain| chain.limb == Limb::Spine)?;
    let hips = body.chains.first()?.bones[0].joint;
    let first = spine.bones[0].joint;
    let joints = [hips].into_iter().chain(spine.bones.iter().map(|bone| bone.joint)).chain(spine.tip);
    (first != hips && body.skeleton.is_within(first, hips)).then(|| joints.collect())
}

/// Returns the fraction of the length of the line through `joints` at each of them; `None` without length.
fn fractions(joints: &[usize], positions: &[DVec3]) -> Option<Vec<f64>> {
    let mut lengths = vec![0.0];
    for pair in joints.windows(2) {
        lengths.push(lengths[lengths.len() - 1] + positions[pair[0]].distance(positions[pair[1]]));
    }
    let length = *lengths.last()?;
    (length > 0.0).then(|| lengths.iter().map(|at| at / length).collect())
}

/// Returns the rotation from the direction that `turned` gives to the line, with its direction at rest, to the direction of the
/// line at `positions`.
fn swing((line, at_rest): &(Line, DVec3), turned: DQuat, positions: &[DVec3]) -> DQuat {
    let Some(now) = line.direction(positions) else { return DQuat::IDENTITY };
    let own = turned * *at_rest;
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
pub(super) fn world_rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
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

/// Returns the world rotation that aligns the rest of the character's joint with the source. `inherited` is the correction of
/// its parent.
fn correction(source: &Body, target: &Body, link: &Link, facing: DQuat, inherited: DQuat) -> DQuat {
    let arc = |from: DQuat| {
        let [wanted, own] = directions(source, target, &link.aim?)?;
        Some(DQuat::from_rotation_arc(from * own, facing * wanted) * from)
    };
    match link.limb {
        // If feet are flat at rest in both rigs, only their heading is aligned.
        Some(Limb::Foot(..)) if RestFeet::measure(source).are_level => {
            yaw(source, target, link, facing).unwrap_or_default()
        }
        Some(Limb::Hips) => level_with(source, target, facing),
        // Collar bones differ too much between rigs to be aligned.
        Some(Limb::Head | Limb::Clavicle(_)) => DQuat::IDENTITY,
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

/// Returns the rotation that aligns the line between the character's thighs at rest with the source's. A captured rest pose may be
/// any frame of a walk, in which the pelvis is turned. Feet that are no descendants of their legs do not follow the pelvis, so
/// that it stays as it is.
fn level_with(source: &Body, target: &Body, facing: DQuat) -> DQuat {
    let has_separate_feet = |body: &Body| body.roles.legs.iter().any(|leg| leg.has_separate_foot(body.skeleton));
    if [source, target].into_iter().any(has_separate_feet) {
        return DQuat::IDENTITY;
    }
    let line = |body: &Body, other: &Body| {
        let [first, second] = thighs(body, other)?.map(|thigh| rest_at(body.skeleton, thigh).translation);
        (first - second).try_normalize()
    };
    let turn = line(source, target)
        .zip(line(target, source))
        .map_or(DQuat::IDENTITY, |(wanted, own)| DQuat::from_rotation_arc(own, facing * wanted));
    if turn.angle_between(DQuat::IDENTITY) > SAME_PELVIS_MAX_RADIANS { turn } else { DQuat::IDENTITY }
}

/// Returns the [`correction`] for a source whose rest pose is a frame of its motion. The hips are aligned by the lines
/// between the legs and along the trunk, and every other bone by its direction, starting from the correction of its parent.
fn correction_to_frame([source, target]: [&Body; 2], link: &Link, facing: DQuat, inherited: DQuat) -> DQuat {
    match link.limb {
        Some(Limb::Hips) => {
            let own_posture = || Some(facing * trunk_axes(source, target)? * trunk_axes(target, source)?.inverse());
            own_posture().unwrap_or(inherited)
        }
        Some(Limb::Foot(..)) if RestFeet::measure(source).are_level => {
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

/// Returns the axes of the trunk of `body` at rest: X along the line between two legs that `other` has too, and Y
/// upward along the trunk. Returns `None` without two such legs or a common limb above them.
fn trunk_axes(body: &Body, other: &Body) -> Option<DQuat> {
    let at = |joint: usize| rest_at(body.skeleton, joint).translation;
    let thighs = thighs(body, other)?.map(at);
    let top = [Limb::Neck, Limb::Head, Limb::Spine]
        .into_iter()
        .find(|limb| [body, other].iter().all(|body| body.chains.iter().any(|chain| chain.limb == *limb)))?;
    let top = body.chains.iter().find(|chain| chain.limb == top)?;
    let x = (thighs[0] - thighs[1]).try_normalize()?;
    let y = (at(top.bones[0].joint) - 0.5 * (thighs[0] + thighs[1])).reject_from(x).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))))
}

/// Returns the thigh joints of the first two legs of `body` that `other` has too; `None` if there are fewer.
fn thighs(body: &Body, other: &Body) -> Option<[usize; 2]> {
    let legs = body.chains.iter().filter(|chain| matches!(chain.limb, Limb::Leg(..)));
    let mut shared: Vec<&Chain> = legs.filter(|leg| other.chains.iter().any(|chain| chain.limb == leg.limb)).collect();
    shared.sort_by_key(|chain| chain.limb);
    let [first, second]: [&Chain; 2] = shared.get(..2)?.try_into().ok()?;
    Some([first.bones[0].joint, second.bones[0].joint])
}

/// Returns the bone directions at rest in the source and in the character, world unit vectors; `None` for a bone without
/// length.
fn directions(source: &Body, target: &Body, aim: &Aim) -> Option<[DVec3; 2]> {
    let direction = |body: &Body, [from, to]: [usize; 2]| {
        let at = |joint: usize| rest_at(body.skeleton, joint).translation;
        (at(to) - at(from)).try_normalize()
    };
    Some([direction(source, aim.source)?, direction(target, aim.target)?])
}

/// Returns the rotation about +Y from the bone's heading in the character to that in the source turned by `facing`, both at
/// rest; `None` if one has no heading.
fn yaw(source: &Body, target: &Body, link: &Link, facing: DQuat) -> Option<DQuat> {
    let [wanted, own] = directions(source, target, &link.aim?)?;
    let flat = |direction: DVec3| direction.with_y(0.0).try_normalize();
    // A foot that points nearly straight down, as in a hanging rest pose, has no heading.
    let [wanted, own] = [flat(facing * wanted)?, flat(own)?];
    Some(DQuat::from_rotation_arc(own, wanted))
}

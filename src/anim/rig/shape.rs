//! Role detection by shape: mirrored limbs (twins), the two or four that stand on the ground, and the joints between
//! them.
//!
//! Names are not used. Legs are twins that reach the ground. The hips are where the (hind) legs meet. The spine leads
//! from there to the most skin. Arms are the other twins on the spine, and the head is what its end carries.

use super::Reading;
use super::body::{Body, Twins};
use crate::Leg;

/// Maximum height of the end of a limb that stands on the ground, as a fraction of the body's height.
const GROUND_MAX_HEIGHT: f64 = 0.14;
/// Minimum height that a leg spans, as a fraction of the body's height.
const LEG_MIN_HEIGHT: f64 = 0.2;
/// Minimum height that a leg spans if its foot is a separate joint led by a control, as a fraction of the body's
/// height.
const FOOTLESS_LEG_MIN_HEIGHT: f64 = 0.1;
/// Maximum length after the ankle, as a fraction of the leg.
const FOOT_MAX_FRACTION: f64 = 0.48;
/// Maximum length after the wrist, as a fraction of the arm.
const HAND_MAX_FRACTION: f64 = 0.4;
/// Minimum angle between the two bones at a joint of a standing limb that counts as bent, radians.
/// Less is a twist joint, or one that straightens under load (the carpus of a horse).
const BEND_MIN_RADIANS: f64 = 0.2;
/// Maximum height at which toes begin, as a fraction of the body's height.
const TOES_MAX_HEIGHT: f64 = 0.05;
/// Minimum skin of the head, as a fraction of the skin on the neck.
const HEAD_MIN_FRACTION: f64 = 0.65;

/// Detects the roles of `body` from its twins.
pub(super) fn read(body: &Body) -> Reading {
    let twins = body.twins();
    let standing_twins = standing(body, &twins);
    let Some(hind) = standing_twins.first() else { return Reading { pairs: pairs_of(&twins), ..Reading::default() } };
    let hips = parent_of(body, hind.twins);
    let legs: Vec<Leg> = standing_twins.iter().flat_map(|stand| legs_of(body, stand)).collect();
    let spine_split = hips.and_then(|hips| spine(body, hips, &legs));
    let fore = standing_twins.get(1).and_then(|stand| parent_of(body, stand.twins));
    let chest = spine_split.map(|spine| fore.unwrap_or_else(|| chest(body, spine, &twins)));
    let arms = chest.filter(|_| standing_twins.len() == 1).and_then(|chest| arms(body, chest, &twins));
    let mut shaped = Reading {
        hips,
        spine_split,
        head: chest.and_then(|chest| head(body, chest, &twins)),
        hands: arms.map_or_else(Vec::new, |arms| vec![hand(body, &arms.left), hand(body, &arms.right)]),
        tail: hips.map_or_else(Vec::new, |hips| tail(body, hips, spine_split, &twins)),
        pairs: pairs_of(&twins),
        legs,
    };
    shaped.hands.sort_unstable();
    shaped.legs.sort_by_key(|leg| leg.thigh);
    shaped
}

/// Twins that stand on the ground, with separate feet if they end above it.
struct Stand<'t> {
    twins: &'t Twins,
    feet: Option<&'t Twins>,
}

/// Returns the standing twins, hind legs first; other legs are farther from the root.
fn standing<'t>(body: &Body, twins: &'t [Twins]) -> Vec<Stand<'t>> {
    let mut standing_twins: Vec<Stand> = twins
        .iter()
        .filter(|each| reaches_ground(body, &each.left) && reaches_ground(body, &each.right))
        .map(|twins| Stand { twins, feet: None })
        .collect();
    if standing_twins.is_empty() {
        standing_twins.extend(with_separate_feet(body, twins));
    }
    // Twins within a standing limb (toes, dew claws) are parts of it.
    let tops: Vec<usize> = standing_twins.iter().map(|stand| stand.twins.left[0]).collect();
    let is_part = |top: usize| is_part_of_stand(body, &tops, top);
    standing_twins.retain(|stand| !is_part(stand.twins.left[0]));
    standing_twins.truncate(2);
    standing_twins
}

fn is_part_of_stand(body: &Body, tops: &[usize], top: usize) -> bool {
    tops.iter().any(|&other| other != top && body.skeleton.is_within(top, other))
}

fn reaches_ground(body: &Body, chain: &[usize]) -> bool {
    let lowest = chain.iter().map(|&joint| body.level(joint)).fold(f64::INFINITY, f64::min);
    let end = chain.last().map_or(1.0, |&end| body.level(end));
    chain.len() > 2
        && lowest < GROUND_MAX_HEIGHT
        && end < GROUND_MAX_HEIGHT
        && body.level(chain[0]) - lowest > LEG_MIN_HEIGHT
}

/// Finds twins that lead down to two separate feet.
fn with_separate_feet<'t>(body: &Body, twins: &'t [Twins]) -> Option<Stand<'t>> {
    let feet = twins
        .iter()
        .find(|each| each.left.iter().chain(&each.right).all(|&joint| body.level(joint) < GROUND_MAX_HEIGHT))?;
    let flat = |joint: usize| glam::DVec2::new(body.positions[joint].x, body.positions[joint].z);
    let leads_to = |chain: &[usize], foot: &[usize]| {
        let end = *chain.last().unwrap_or(&chain[0]);
        let near = flat(end).distance(flat(foot[0])) < 0.15 * body.height;
        chain.len() > 1 && near && body.level(chain[0]) - body.level(end) > FOOTLESS_LEG_MIN_HEIGHT
    };
    let fits = |each: &&Twins| {
        leads_to(&each.left, &feet.left) && leads_to(&each.right, &feet.right) && each.left[0] != feet.left[0]
    };
    twins.iter().find(fits).map(|twins| Stand { twins, feet: Some(feet) })
}

/// Returns the joint that carries both twins.
fn parent_of(body: &Body, twins: &Twins) -> Option<usize> {
    body.skeleton.joints[twins.left[0]].parent
}

fn legs_of(body: &Body, stand: &Stand) -> Vec<Leg> {
    let sides = [(&stand.twins.left, true), (&stand.twins.right, false)];
    let leg = |(chain, is_left): (&Vec<usize>, bool)| match stand.feet {
        None => leg_on(body, chain, stand.twins),
        Some(feet) => {
            let foot = if is_left { &feet.left } else { &feet.right };
            Some(Leg { thigh: chain[0], shin: chain[1], foot: first_skinned(body, foot), toe: None })
        }
    };
    sides.into_iter().filter_map(leg).collect()
}

/// Returns the first joint of a foot that carries skin; controls may precede it.
fn first_skinned(body: &Body, chain: &[usize]) -> usize {
    let skin_after = |joint: usize| body.children(joint).map(|child| body.carried[child]).sum::<f64>();
    chain.iter().copied().find(|&joint| body.carried[joint] > skin_after(joint)).unwrap_or(chain[0])
}

/// Returns thigh, shin, foot and toe among the joints of a standing limb.
fn leg_on(body: &Body, chain: &[usize], twins: &Twins) -> Option<Leg> {
    let chain = without_ends(body, chain);
    // People have four joints from hip to ball. A longer limb begins with a shoulder blade or half of a pelvis, which
    // is nearer to the middle than the leg.
    let first = if chain.len() > 4 { first_outside(body, chain, twins) } else { 0 };
    let chain = &chain[first..];
    let lengths: Vec<f64> = chain.iter().skip(1).map(|&joint| body.bone(joint)).collect();
    let length: f64 = lengths.iter().sum();
    let after = |at: usize| lengths[at..].iter().sum::<f64>();
    let may_be_foot = |at: &usize| after(*at) <= FOOT_MAX_FRACTION * length;
    // A foot begins at a bend; a limb that continues straight has not reached it.
    let foot = (2..chain.len()).filter(may_be_foot).find(|&at| bends(body, chain, at));
    let foot = foot.or_else(|| (2..chain.len()).find(may_be_foot))?;
    let half = 0.5 * (length - after(foot));
    let from_middle = |at: usize| (length - after(at) - half).abs();
    let shin = (1..foot).min_by(|&a, &b| from_middle(a).total_cmp(&from_middle(b)))?;
    // Between hip and knee there are at most twist joints; a bend there is the elbow of a foreleg whose shoulder
    // comes first.
    let thigh = (1..shin).rev().find(|&at| bends(body, chain, at)).unwrap_or(0);
    let lowest = (foot + 1..chain.len())
        .find(|&at| body.level(chain[at]) < TOES_MAX_HEIGHT)
        .or((foot + 1 < chain.len()).then_some(foot + 1));
    Some(Leg { thigh: chain[thigh], shin: chain[shin], foot: chain[foot], toe: lowest.map(|at| chain[at]) })
}

/// True if the bones before and after a joint of a limb differ in direction.
fn bends(body: &Body, chain: &[usize], at: usize) -> bool {
    let position = |at: usize| chain.get(at).map(|&joint| body.positions[joint]);
    let bones = at.checked_sub(1).and_then(position).zip(position(at)).zip(position(at + 1));
    bones.is_some_and(|((before, joint), after)| (joint - before).angle_between(after - joint) > BEND_MIN_RADIANS)
}

/// Returns `way` without extra joints: duplicates at the parent's position at its top and, in a rig without skin, the
/// end site that motion capture writes.
fn without_ends<'w>(body: &Body, chain: &'w [usize]) -> &'w [usize] {
    let doubles = chain.iter().take_while(|&&joint| body.bone(joint) < 0.01 * body.height).count();
    let end = if !body.has_skin && chain.len() > 3 + doubles { chain.len() - 1 } else { chain.len() };
    if doubles < end { &chain[doubles..end] } else { chain }
}

/// Returns the first joint that is more than about half as far out sideways as the widest.
fn first_outside(body: &Body, chain: &[usize], twins: &Twins) -> usize {
    let joint_at = |at: usize| chain[at];
    let width = |at: usize| {
        let index = |chain: &[usize]| chain.iter().position(|&joint| joint == joint_at(at));
        let (side, other) =
            if index(&twins.left).is_some() { (&twins.left, &twins.right) } else { (&twins.right, &twins.left) };
        let twin = index(side).and_then(|at| other.get(at));
        twin.map_or(0.0, |&twin| body.positions[joint_at(at)].distance(body.positions[twin]))
    };
    let widest = (0..chain.len()).map(width).fold(0.0, f64::max);
    (0..chain.len()).find(|&at| width(at) >= 0.56 * widest).unwrap_or(0)
}

/// Returns the first joint of the upper body: of the hips' children without a leg, the one with the most skin. If the
/// hips themselves are below the upper body, returns the joint that carries both.
fn spine(body: &Body, hips: usize, legs: &[Leg]) -> Option<usize> {
    let has_leg = |joint: usize| legs.iter().any(|leg| body.skeleton.is_within(leg.thigh, joint));
    let fore = |joint: usize| {
        legs.iter().any(|leg| body.skeleton.is_within(leg.thigh, joint) && !is_attached_to(body, leg, hips))
    };
    let candidates = body.children(hips).filter(|&child| !has_leg(child) || fore(child));
    let largest = candidates.max_by(|&a, &b| body.carried[a].total_cmp(&body.carried[b]).then(b.cmp(&a)));
    let parent = body.skeleton.joints[hips].parent.filter(|&parent| body.carried[parent] > 2.0 * body.carried[hips]);
    let all_skin = body.carried.iter().copied().fold(0.0, f64::max);
    match largest.filter(|&joint| body.carried[joint] > 0.15 * all_skin) {
        Some(joint) => Some(above_pelvis(body, joint, legs)),
        None => parent.or(largest),
    }
}

/// Returns `joint` or its only descendant that is no longer part of the pelvis. On two legs, no part of the upper
/// body begins below the hip joints.
fn above_pelvis(body: &Body, joint: usize, legs: &[Leg]) -> usize {
    let hips = legs.iter().map(|leg| body.positions[leg.thigh].y).fold(f64::INFINITY, f64::min);
    let next = |&joint: &usize| {
        let mut children = body.children(joint);
        let only = children.next().filter(|_| children.next().is_none());
        only.filter(|_| legs.len() <= 2 && body.positions[joint].y < hips)
    };
    std::iter::successors(Some(joint), next).last().unwrap_or(joint)
}

fn is_attached_to(body: &Body, leg: &Leg, hips: usize) -> bool {
    // The first joint of the limb after the hips is the leg's own or half of a pelvis.
    body.skeleton.ancestors(leg.thigh).take_while(|&joint| joint != hips).count() <= 2
}

/// Returns the joint of the spine that carries arms or front legs, else the spine itself.
fn chest(body: &Body, spine: usize, twins: &[Twins]) -> usize {
    let reach = |each: &Twins| each.left.iter().map(|&joint| body.bone(joint)).sum::<f64>();
    let on_spine = |each: &&Twins| {
        parent_of(body, each).is_some_and(|at| body.skeleton.is_within(at, spine)) && reach(each) > 0.25 * body.height
    };
    let bases = twins.iter().filter(on_spine).filter_map(|each| Some((parent_of(body, each)?, reach(each))));
    bases.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(spine, |(at, _)| at)
}

fn arms<'t>(body: &Body, chest: usize, twins: &'t [Twins]) -> Option<&'t Twins> {
    let carries = |each: &&Twins| body.carried[each.left[0]];
    let here = twins.iter().filter(|each| parent_of(body, each) == Some(chest) && each.left.len() > 2);
    here.max_by(|a, b| carries(a).total_cmp(&carries(b)))
}

fn hand(body: &Body, chain: &[usize]) -> usize {
    let chain = without_ends(body, chain);
    if chain.len() <= 4 {
        return chain[chain.len() - 1];
    }
    let lengths: Vec<f64> = chain.iter().skip(1).map(|&joint| body.bone(joint)).collect();
    let length: f64 = lengths.iter().sum();
    let at = (2..chain.len()).find(|&at| lengths[at..].iter().sum::<f64>() <= HAND_MAX_FRACTION * length);
    chain[at.unwrap_or(chain.len() - 1)]
}

/// Returns the joint that carries the head: the last one after the chest that still carries two thirds of the skin
/// there.
/// If ears, horns or eyes are attached there, it is the one nearest to them, because a muzzle may be nearly as large
/// as the whole head.
fn head(body: &Body, chest: usize, twins: &[Twins]) -> Option<usize> {
    let is_twin = |joint: usize| twins.iter().any(|each| each.left[0] == joint || each.right[0] == joint);
    let next = |joint: usize| {
        let middle = body.children(joint).filter(|&child| !is_twin(child));
        middle.max_by(|&a, &b| body.carried[a].total_cmp(&body.carried[b]).then(b.cmp(&a)))
    };
    let neck = next(chest)?;
    let chain: Vec<usize> = std::iter::successors(Some(neck), |&joint| next(joint)).collect();
    if !body.has_skin {
        // Without skin the end is a tip, so the head is the joint before it.
        return chain.iter().rev().nth(1).or(chain.last()).copied();
    }
    let large: Vec<usize> =
        chain.into_iter().take_while(|&joint| body.carried[joint] >= HEAD_MIN_FRACTION * body.carried[neck]).collect();
    let on_head = twins.iter().filter(|each| parent_of(body, each).is_some_and(|at| large.contains(&at)));
    let features: Vec<glam::DVec3> =
        on_head.flat_map(|each| [each.left[0], each.right[0]]).map(|joint| body.positions[joint]).collect();
    let distance = |joint: usize| features.iter().map(|side| side.distance(body.positions[joint])).sum::<f64>();
    // The last of equal ones; without ears all are equal.
    large.iter().rev().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}

/// Returns a chain behind the hips that is neither the spine nor one of twins.
fn tail(body: &Body, hips: usize, spine: Option<usize>, twins: &[Twins]) -> Vec<usize> {
    let is_twin = |joint: usize| twins.iter().any(|each| each.left[0] == joint || each.right[0] == joint);
    let reach = |chain: &[usize]| chain.iter().skip(1).map(|&joint| body.bone(joint)).sum::<f64>();
    let leads_up = |joint: usize| spine.is_some_and(|spine| body.skeleton.is_within(spine, joint));
    let tails = body.children(hips).filter(|&child| !leads_up(child) && !is_twin(child));
    let tails = tails
        .map(|child| body.longest_chain(child))
        .filter(|chain| chain.len() > 2 && reach(chain) > 0.2 * body.height);
    tails.max_by(|a, b| reach(a).total_cmp(&reach(b))).unwrap_or_default()
}

fn pairs_of(twins: &[Twins]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> =
        twins.iter().flat_map(|each| each.left.iter().copied().zip(each.right.iter().copied())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

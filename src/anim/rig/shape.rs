//! Role detection by shape: mirrored limbs (twins), the two or four that stand on the ground, and the joints between
//! them.
//!
//! Names are not used. Legs are twins that reach the ground, or end above separate feet that stand on it. The hips are
//! where the (hind) legs meet. The spine leads from there to the most skin. Arms are the other twins on the spine or
//! beside it, and the head is what its end carries.

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
/// Maximum distance in the ground plane from the end of a leg to its separate foot, as a fraction of the body's height.
const SEPARATE_FOOT_MAX_DISTANCE: f64 = 0.15;
/// Maximum length after the ankle, as a fraction of the leg.
const FOOT_MAX_FRACTION: f64 = 0.48;
/// Maximum length after the wrist, as a fraction of the arm.
const HAND_MAX_FRACTION: f64 = 0.4;
/// Minimum angle between the two bones at a joint of a standing limb that counts as bent, radians.
/// Less is a twist joint, or one that straightens under load (the carpus of a horse).
const BEND_MIN_RADIANS: f64 = 0.2;
/// Maximum height at which toes begin, as a fraction of the body's height.
const TOES_MAX_HEIGHT: f64 = 0.05;
/// Minimum distance of the first joint of a tail behind the hip joints, as a fraction of the body's height.
const TAIL_MIN_DISTANCE: f64 = 0.02;
/// Maximum length of the bone from the hips to a separate pelvis joint, as a fraction of the body's height. Measured: 0 in
/// Character Creator, 0.02 in Daz.
const PELVIS_MAX_LENGTH: f64 = 0.05;
/// Minimum skin of the head, as a fraction of the skin on the neck.
const HEAD_MIN_FRACTION: f64 = 0.65;

/// Maximum distance of ears, horns and eyes from the end of neck and head along them, as a fraction of both. Chosen: a muzzle is
/// shorter than the neck, wings are at its base.
const FEATURES_MAX_FRACTION: f64 = 0.5;

/// Detects the roles of `body` from its twins.
pub(super) fn read(body: &Body) -> Reading {
    let twins = body.twins();
    let standing_twins = standing(body, &twins);
    let Some(hind) = standing_twins.first() else { return Reading { pairs: pairs_of(&twins), ..Reading::default() } };
    let hips = parent_of(body, hind.twins);
    let hips = hips.map(|hips| if standing_twins.len() == 1 { hips_of_pelvis(body, hips, hind.twins) } else { hips });
    let legs: Vec<Leg> = standing_twins.iter().flat_map(|stand| legs_of(body, stand)).collect();
    let spine_split = hips.and_then(|hips| spine(body, hips, &legs));
    let fore = standing_twins.get(1).and_then(|stand| parent_of(body, stand.twins)).filter(|&fore| Some(fore) != hips);
    // Arms may hang beside the legs and not from the spine.
    let is_leg = |each: &Twins| standing_twins.iter().any(|stand| stand.twins == each);
    let beside = hips.and_then(|hips| arms(body, hips, &twins, is_leg));
    let chest = spine_split.map(|spine| fore.or_else(|| chest(body, spine, &twins, beside)).unwrap_or(spine));
    let arms = chest
        .filter(|_| standing_twins.len() == 1)
        .and_then(|chest| arms(body, chest, &twins, is_leg))
        // Chains that hang from the first joint of the spine are a skirt or a belt.
        .or_else(|| beside.filter(|_| standing_twins.len() == 1 && chest != spine_split));
    let mut shaped = Reading {
        hips,
        spine_split,
        head: chest.and_then(|chest| head(body, chest, &twins)),
        hands: arms.map_or_else(Vec::new, |arms| vec![hand(body, &arms.left), hand(body, &arms.right)]),
        tail: hips.map_or_else(Vec::new, |hips| tail(body, hips, &legs, spine_split, &twins)),
        pairs: pairs_of(&twins),
        legs,
    };
    shaped.hands.sort_unstable();
    shaped.legs.sort_by_key(|leg| leg.thigh);
    shaped
}

/// Twins that stand on the ground. `feet` are the separate feet, left and right, of twins that end above the ground.
struct Stand<'t> {
    twins: &'t Twins,
    feet: Option<[usize; 2]>,
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

/// True if `top` is below another one of `tops`.
fn is_part_of_stand(body: &Body, tops: &[usize], top: usize) -> bool {
    tops.iter().any(|&other| other != top && body.skeleton.is_within(top, other))
}

/// True if `chain` spans the height of a leg and ends near the ground.
fn reaches_ground(body: &Body, chain: &[usize]) -> bool {
    let lowest = chain.iter().map(|&joint| body.level(joint)).fold(f64::INFINITY, f64::min);
    let end = chain.last().map_or(1.0, |&end| body.level(end));
    chain.len() > 2
        && lowest < GROUND_MAX_HEIGHT
        && end < GROUND_MAX_HEIGHT
        && body.level(chain[0]) - lowest > LEG_MIN_HEIGHT
}

/// Returns the twins that lead down to separate feet.
fn with_separate_feet<'t>(body: &Body, twins: &'t [Twins]) -> Vec<Stand<'t>> {
    let feet = separate_feet(body);
    let mut found: Vec<(f64, Stand)> = twins.iter().filter_map(|each| above_feet(body, each, &feet)).collect();
    // Of a leg and a hanging hand above the same foot, the nearer one has it.
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut taken: Vec<usize> = Vec::new();
    found.retain(|(_, stand)| {
        let feet = stand.feet.unwrap_or_default();
        let is_free = !feet.iter().any(|foot| taken.contains(foot));
        taken.extend(feet.into_iter().filter(|_| is_free));
        is_free
    });
    let order = |twins: &Twins| parent_of(body, twins).unwrap_or(0);
    found.sort_by_key(|(_, stand)| order(stand.twins));
    found.into_iter().map(|(_, stand)| stand).collect()
}

/// Returns the topmost joints that carry skin near the ground only. The tips below them may be anywhere.
fn separate_feet(body: &Body) -> Vec<usize> {
    let mut is_low: Vec<bool> =
        (0..body.skeleton.len()).map(|joint| body.is_body[joint] && body.level(joint) < GROUND_MAX_HEIGHT).collect();
    for joint in (0..body.skeleton.len()).rev() {
        is_low[joint] &= body.children(joint).all(|child| is_low[child]);
    }
    let below_low = |joint: usize| body.skeleton.joints[joint].parent.is_some_and(|parent| is_low[parent]);
    (0..body.skeleton.len()).filter(|&joint| is_low[joint] && !below_low(joint)).collect()
}

/// Returns the distance to the two of `feet` above which the `twins` end, summed over both and in the file's unit, and the twins
/// with these feet. Returns `None` if they end above none.
fn above_feet<'t>(body: &Body, twins: &'t Twins, feet: &[usize]) -> Option<(f64, Stand<'t>)> {
    let tops = [twins.left[0], twins.right[0]];
    let is_apart = |foot: usize| {
        tops.iter().all(|&top| !body.skeleton.is_within(foot, top) && !body.skeleton.is_within(top, foot))
    };
    let foot_of = |chain: &[usize]| {
        let end = *chain.last()?;
        let leads_down = chain.len() > 1 && body.level(chain[0]) - body.level(end) > FOOTLESS_LEG_MIN_HEIGHT;
        // A tip without skin may mark where the foot begins.
        let ends: Vec<usize> = std::iter::once(end).chain(body.skeleton.children(end)).collect();
        let distance = |foot: usize| {
            let to = body.positions[foot];
            ends.iter().map(|&end| body.positions[end].distance(to)).fold(f64::INFINITY, f64::min)
        };
        let flat = |joint: usize| glam::DVec2::new(body.positions[joint].x, body.positions[joint].z);
        let is_near = |foot: usize| flat(end).distance(flat(foot)) < SEPARATE_FOOT_MAX_DISTANCE * body.height;
        let nearest = feet.iter().copied().filter(|&foot| leads_down && is_apart(foot) && is_near(foot));
        nearest.map(|foot| (distance(foot), foot)).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (left, right) = (foot_of(&twins.left)?, foot_of(&twins.right)?);
    (left.1 != right.1).then_some((left.0 + right.0, Stand { twins, feet: Some([left.1, right.1]) }))
}

/// Returns the parent of the left twin, which carries both; `None` if that twin is a root.
fn parent_of(body: &Body, twins: &Twins) -> Option<usize> {
    body.skeleton.joints[twins.left[0]].parent
}

/// Returns the parent of `hips` if `hips` carries the legs alone and the parent, at nearly the same position, carries a spine with
/// the rest of the body; otherwise returns `hips`. Characters of some stores have a separate pelvis joint between hips and legs. A
/// parent on which head and arms hang directly is a torso.
fn hips_of_pelvis(body: &Body, hips: usize, legs: &Twins) -> usize {
    let carries_legs_alone = body.children(hips).all(|child| [legs.left[0], legs.right[0]].contains(&child));
    let parent = body.skeleton.joints[hips].parent.filter(|_| carries_legs_alone);
    let carries_spine = |parent: usize| {
        let parts = body.children(parent).filter(|&child| child != hips);
        let sizes: Vec<usize> = parts.map(|part| body.skeleton.subtree(part).len()).collect();
        sizes.iter().any(|&size| 2 * size > sizes.iter().sum())
    };
    let fits = |parent: &usize| body.bone_length(hips) < PELVIS_MAX_LENGTH * body.height && carries_spine(*parent);
    parent.filter(fits).unwrap_or(hips)
}

/// Returns the left and the right leg of `stand`; fewer if its limbs are too short.
fn legs_of(body: &Body, stand: &Stand) -> Vec<Leg> {
    let Some([left, right]) = stand.feet else {
        let sides = [&stand.twins.left, &stand.twins.right];
        return sides.into_iter().filter_map(|chain| leg_on(body, chain, stand.twins)).collect();
    };
    let first = first_descending(body, stand.twins);
    vec![
        footless_leg(body, &stand.twins.left[first..], &body.longest_chain(left)),
        footless_leg(body, &stand.twins.right[first..], &body.longest_chain(right)),
    ]
}

/// Returns the leg with the joints `limb` and the chain `foot`, which is separate from them: the knee is the first bend, else the
/// joint nearest to the middle.
fn footless_leg(body: &Body, limb: &[usize], foot: &[usize]) -> Leg {
    let ankle = first_skinned(body, foot);
    let chain: Vec<usize> = limb.iter().copied().chain([ankle]).collect();
    let length = |at: usize| body.positions[chain[at]].distance(body.positions[chain[at - 1]]);
    let total: f64 = (1..chain.len()).map(length).sum();
    let from_middle = |at: usize| ((1..=at).map(length).sum::<f64>() - 0.5 * total).abs();
    let middle = (1..limb.len()).min_by(|&a, &b| from_middle(a).total_cmp(&from_middle(b)));
    let knee = (1..limb.len()).find(|&at| bends(body, &chain, at)).or(middle).unwrap_or(0);
    let after_ankle = foot.iter().skip_while(|&&joint| joint != ankle).skip(1);
    let toe = after_ankle.copied().find(|&joint| body.level(joint) < TOES_MAX_HEIGHT);
    Leg { thigh: limb[0], shin: limb[knee], foot: ankle, toe }
}

/// Returns the index of the first joint of footless twins from which they lead down: before it, half a pelvis or a
/// shoulder leads outwards. A thigh and a shin are left.
fn first_descending(body: &Body, twins: &Twins) -> usize {
    let at = |chain: &[usize], at: usize| body.positions[chain[at]];
    let width = |index: usize| at(&twins.left, index).distance(at(&twins.right, index));
    let height = |index: usize| 0.5 * (at(&twins.left, index).y + at(&twins.right, index).y);
    let leads_outwards = |&index: &usize| {
        let outwards = 0.5 * (width(index + 1) - width(index));
        outwards > (height(index) - height(index + 1)).abs()
    };
    (0..twins.left.len().saturating_sub(2)).take_while(leads_outwards).count()
}

/// Returns the first joint of a foot that carries skin; controls may precede it.
fn first_skinned(body: &Body, chain: &[usize]) -> usize {
    let skin_after = |joint: usize| body.children(joint).map(|child| body.carried[child]).sum::<f64>();
    chain.iter().copied().find(|&joint| body.carried[joint] > skin_after(joint)).unwrap_or(chain[0])
}

/// Returns thigh, shin, foot and toe among the joints of a standing limb; `None` if it has too few joints.
fn leg_on(body: &Body, chain: &[usize], twins: &Twins) -> Option<Leg> {
    let chain = without_ends(body, chain);
    // People have four joints from hip to ball. A longer limb begins with a shoulder blade or half of a pelvis, which
    // is nearer to the middle than the leg.
    let first = if chain.len() > 4 { first_outside_index(body, chain, twins) } else { 0 };
    let chain = &chain[first..];
    let lengths: Vec<f64> = chain.iter().skip(1).map(|&joint| body.bone_length(joint)).collect();
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

/// True if the bones before and after the joint at the index `at` of `chain` differ in direction by more than
/// [`BEND_MIN_RADIANS`].
fn bends(body: &Body, chain: &[usize], at: usize) -> bool {
    let position = |at: usize| chain.get(at).map(|&joint| body.positions[joint]);
    let bones = at.checked_sub(1).and_then(position).zip(position(at)).zip(position(at + 1));
    bones.is_some_and(|((before, joint), after)| (joint - before).angle_between(after - joint) > BEND_MIN_RADIANS)
}

/// Returns `chain` without extra joints: duplicates at the parent's position at its top and, in a rig without skin, the
/// end site that motion capture writes.
///
/// The end site counts only if three other joints are left. A chain of nothing but duplicates is returned unchanged.
fn without_ends<'w>(body: &Body, chain: &'w [usize]) -> &'w [usize] {
    let doubles = chain.iter().take_while(|&&joint| body.bone_length(joint) < 0.01 * body.height).count();
    let end = if !body.has_skin && chain.len() > 3 + doubles { chain.len() - 1 } else { chain.len() };
    if doubles < end { &chain[doubles..end] } else { chain }
}

/// Returns the index in `chain` of the first joint that is at least 0.56 times as far from its twin as the widest pair; 0 for an
/// empty chain.
fn first_outside_index(body: &Body, chain: &[usize], twins: &Twins) -> usize {
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

/// Returns the first joint of the upper body: of the hips' children without a leg, the one with the most skin. If the hips
/// themselves are below the upper body, returns the joint that carries both. Returns `None` without such joints.
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

/// True if `leg` begins at `hips`, directly or after half of a pelvis.
fn is_attached_to(body: &Body, leg: &Leg, hips: usize) -> bool {
    // The first joint of the limb after the hips is the leg's own or half of a pelvis.
    body.skeleton.ancestors(leg.thigh).take_while(|&joint| joint != hips).count() <= 2
}

/// Returns the joint of the spine that carries the longest arms or front legs, or else is nearest to the arms `beside` it; `None`
/// without both.
fn chest(body: &Body, spine: usize, twins: &[Twins], beside: Option<&Twins>) -> Option<usize> {
    let reach = |each: &Twins| each.left.iter().map(|&joint| body.bone_length(joint)).sum::<f64>();
    let on_spine = |each: &&Twins| {
        parent_of(body, each).is_some_and(|at| body.skeleton.is_within(at, spine)) && reach(each) > 0.25 * body.height
    };
    let bases = twins.iter().filter(on_spine).filter_map(|each| Some((parent_of(body, each)?, reach(each))));
    let carrying = bases.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at);
    carrying.or_else(|| {
        let beside = beside?;
        let shoulders = 0.5 * (body.positions[beside.left[0]] + body.positions[beside.right[0]]);
        let distance = |joint: usize| body.positions[joint].distance(shoulders);
        body.longest_chain(spine).into_iter().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    })
}

/// Returns the twins on the joint `base` that carry the most skin, have more than two joints each and are no legs; `None` if there
/// are none.
fn arms<'t>(body: &Body, base: usize, twins: &'t [Twins], is_leg: impl Fn(&Twins) -> bool) -> Option<&'t Twins> {
    let carries = |each: &&Twins| body.carried[each.left[0]];
    let here = twins.iter().filter(|each| parent_of(body, each) == Some(base) && each.left.len() > 2 && !is_leg(each));
    here.max_by(|a, b| carries(a).total_cmp(&carries(b)))
}

/// Returns the joint at the wrist of the arm `chain`: its last joint, or in a chain of more than four joints the first one
/// after which at most [`HAND_MAX_FRACTION`] of the length is left.
fn hand(body: &Body, chain: &[usize]) -> usize {
    let chain = without_ends(body, chain);
    if chain.len() <= 4 {
        return chain[chain.len() - 1];
    }
    let lengths: Vec<f64> = chain.iter().skip(1).map(|&joint| body.bone_length(joint)).collect();
    let length: f64 = lengths.iter().sum();
    let at = (2..chain.len()).find(|&at| lengths[at..].iter().sum::<f64>() <= HAND_MAX_FRACTION * length);
    chain[at.unwrap_or(chain.len() - 1)]
}

/// Returns the joint that carries the head: the last one after the chest that still carries two thirds of the skin there. If
/// ears, horns or eyes are attached there, it is the one nearest to them, because a muzzle may be nearly as large as the whole
/// head. Returns `None` if no joint follows the chest.
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
    // Ears that hang before the head are part of it and not of the neck.
    let mut ears = 0.0;
    let is_large = |&joint: &usize| {
        let is_head = body.carried[joint] >= HEAD_MIN_FRACTION * (body.carried[neck] - ears);
        let here = twins.iter().filter(|each| parent_of(body, each) == Some(joint));
        ears += here.flat_map(|each| [each.left[0], each.right[0]]).map(|top| body.carried[top]).sum::<f64>();
        is_head
    };
    let large: Vec<usize> = chain.into_iter().take_while(is_large).collect();
    // Twins near the chest are wings or shoulders.
    let to_end = |at: usize| large[at + 1..].iter().map(|&joint| body.bone_length(joint)).sum::<f64>();
    let is_far_up = |at: usize| to_end(at) <= FEATURES_MAX_FRACTION * to_end(0);
    let index = |each: &Twins| large.iter().position(|&joint| Some(joint) == parent_of(body, each));
    let on_head = twins.iter().filter(|each| index(each).is_some_and(is_far_up));
    let features: Vec<glam::DVec3> =
        on_head.flat_map(|each| [each.left[0], each.right[0]]).map(|joint| body.positions[joint]).collect();
    let distance = |joint: usize| features.iter().map(|side| side.distance(body.positions[joint])).sum::<f64>();
    // The last of equal ones; without ears all are equal.
    large.iter().rev().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
}

/// Returns the joints of the tail, from its base to its tip; empty if there is none.
///
/// The tail is the longest chain on the hips that is neither the spine nor one of `twins`, has three joints or more and exceeds a
/// fifth of the body's height. Joints that are still between the hind `legs` are left out.
fn tail(body: &Body, hips: usize, legs: &[Leg], spine: Option<usize>, twins: &[Twins]) -> Vec<usize> {
    let is_twin = |joint: usize| twins.iter().any(|each| each.left[0] == joint || each.right[0] == joint);
    let reach = |chain: &[usize]| chain.iter().skip(1).map(|&joint| body.bone_length(joint)).sum::<f64>();
    let leads_up = |joint: usize| spine.is_some_and(|spine| body.skeleton.is_within(spine, joint));
    let tails = body.children(hips).filter(|&child| !leads_up(child) && !is_twin(child));
    let tails = tails
        .map(|child| body.longest_chain(child))
        .filter(|chain| chain.len() > 2 && reach(chain) > 0.2 * body.height);
    let longest = tails.max_by(|a, b| reach(a).total_cmp(&reach(b))).unwrap_or_default();
    from_behind_legs(body, hips, legs, longest)
}

/// Returns `tail` without the joints that are still between the hind `legs`: they are the end of the pelvis.
fn from_behind_legs(body: &Body, hips: usize, legs: &[Leg], tail: Vec<usize>) -> Vec<usize> {
    let flat = |joint: usize| glam::DVec2::new(body.positions[joint].x, body.positions[joint].z);
    let hind: Vec<glam::DVec2> =
        legs.iter().filter(|leg| is_attached_to(body, leg, hips)).map(|leg| flat(leg.thigh)).collect();
    let Some(&end) = tail.last().filter(|_| !hind.is_empty()) else { return tail };
    let middle = hind.iter().sum::<glam::DVec2>() / hind.len() as f64;
    let back = (flat(end) - middle).normalize_or_zero();
    let is_between = |&&joint: &&usize| (flat(joint) - middle).dot(back) < TAIL_MIN_DISTANCE * body.height;
    let pelvis = tail[..tail.len() - 1].iter().take_while(is_between).count();
    tail[pelvis..].to_vec()
}

/// Returns the pairs of left and right joints of all `twins`, sorted, each once.
fn pairs_of(twins: &[Twins]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> =
        twins.iter().flat_map(|each| each.left.iter().copied().zip(each.right.iter().copied())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

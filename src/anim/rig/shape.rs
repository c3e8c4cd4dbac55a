//! What the shape says: limbs that come in twins, the two or four of them that stand on the ground, and what lies between.
//!
//! Nothing here reads a name. Legs are twins that reach the ground; hips are where the (hind) legs meet; the spine leads from
//! there to where most of the skin is; arms are the other twins on it; the head is what its end carries.

use super::Reading;
use super::body::{Body, Twins};
use crate::anim::Leg;

/// A limb ends on the ground where its end is lower than this share of the body's height.
const GROUND: f64 = 0.14;
/// A leg leads down over at least this share of the body's height.
const LEG: f64 = 0.2;
/// The same for a leg whose foot hangs beside it, led by a control.
const LEG_WITHOUT_FOOT: f64 = 0.1;
/// What hangs below the ankle is at most this share of the whole leg.
const BELOW_ANKLE: f64 = 0.48;
/// What hangs below the wrist is at most this share of the whole arm.
const BELOW_WRIST: f64 = 0.4;
/// A joint bends a limb that stands where its bones differ in direction by at least this, radians. Less is a twist joint, or one
/// that straightens as the limb stands (the carpus of a horse).
const BEND: f64 = 0.2;
/// Toes begin lower than this share of the body's height.
const TOES: f64 = 0.05;
/// The head is at least this share of what hangs on the neck.
const HEAD: f64 = 0.65;

/// Reads the twins of `body`, the limbs it stands on and what lies between.
pub(super) fn read(body: &Body) -> Reading {
    let twins = body.twins();
    let stands = standing(body, &twins);
    let Some(hind) = stands.first() else { return Reading { pairs: pairs_of(&twins), ..Reading::default() } };
    let hips = meeting(body, hind.twins);
    let legs: Vec<Leg> = stands.iter().flat_map(|stand| legs_of(body, stand)).collect();
    let spine_split = hips.and_then(|hips| spine(body, hips, &legs));
    let fore = stands.get(1).and_then(|stand| meeting(body, stand.twins));
    let chest = spine_split.map(|spine| fore.unwrap_or_else(|| chest(body, spine, &twins)));
    let arms = chest.filter(|_| stands.len() == 1).and_then(|chest| arms(body, chest, &twins));
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

/// Twins that stand on the ground, with feet that hang beside them where they end above it.
struct Stand<'t> {
    twins: &'t Twins,
    feet: Option<&'t Twins>,
}

/// Those that stand, the hind ones first: what other legs hang below is further from the root.
fn standing<'t>(body: &Body, twins: &'t [Twins]) -> Vec<Stand<'t>> {
    let mut stands: Vec<Stand> = twins
        .iter()
        .filter(|each| reaches_ground(body, &each.left) && reaches_ground(body, &each.right))
        .map(|twins| Stand { twins, feet: None })
        .collect();
    if stands.is_empty() {
        stands.extend(beside_their_feet(body, twins));
    }
    // Twins within a standing limb (toes, dew claws) are parts of it.
    let tops: Vec<usize> = stands.iter().map(|stand| stand.twins.left[0]).collect();
    let others = |top: usize| stands_above(body, &tops, top);
    stands.retain(|stand| !others(stand.twins.left[0]));
    stands.truncate(2);
    stands
}

fn stands_above(body: &Body, tops: &[usize], top: usize) -> bool {
    tops.iter().any(|&other| other != top && body.skeleton.is_within(top, other))
}

fn reaches_ground(body: &Body, way: &[usize]) -> bool {
    let lowest = way.iter().map(|&joint| body.level(joint)).fold(f64::INFINITY, f64::min);
    let end = way.last().map_or(1.0, |&end| body.level(end));
    way.len() > 2 && lowest < GROUND && end < GROUND && body.level(way[0]) - lowest > LEG
}

/// Twins that lead down to two feet which hang elsewhere.
fn beside_their_feet<'t>(body: &Body, twins: &'t [Twins]) -> Option<Stand<'t>> {
    let feet =
        twins.iter().find(|each| each.left.iter().chain(&each.right).all(|&joint| body.level(joint) < GROUND))?;
    let flat = |joint: usize| glam::DVec2::new(body.places[joint].x, body.places[joint].z);
    let leads_to = |way: &[usize], foot: &[usize]| {
        let end = *way.last().unwrap_or(&way[0]);
        let near = flat(end).distance(flat(foot[0])) < 0.15 * body.height;
        way.len() > 1 && near && body.level(way[0]) - body.level(end) > LEG_WITHOUT_FOOT
    };
    let fits = |each: &&Twins| {
        leads_to(&each.left, &feet.left) && leads_to(&each.right, &feet.right) && each.left[0] != feet.left[0]
    };
    twins.iter().find(fits).map(|twins| Stand { twins, feet: Some(feet) })
}

/// The joint on which both twins hang.
fn meeting(body: &Body, twins: &Twins) -> Option<usize> {
    body.skeleton.joints[twins.left[0]].parent
}

fn legs_of(body: &Body, stand: &Stand) -> Vec<Leg> {
    let sides = [(&stand.twins.left, true), (&stand.twins.right, false)];
    let leg = |(way, is_left): (&Vec<usize>, bool)| match stand.feet {
        None => leg_on(body, way, stand.twins),
        Some(feet) => {
            let foot = if is_left { &feet.left } else { &feet.right };
            Some(Leg { thigh: way[0], shin: way[1], foot: carrying(body, foot), toe: None })
        }
    };
    sides.into_iter().filter_map(leg).collect()
}

/// The first joint of a foot that carries skin itself; controls may lie above it.
fn carrying(body: &Body, way: &[usize]) -> usize {
    let below = |joint: usize| body.children(joint).map(|child| body.carried[child]).sum::<f64>();
    way.iter().copied().find(|&joint| body.carried[joint] > below(joint)).unwrap_or(way[0])
}

/// Thigh, shin, foot and toe among the joints of one standing limb.
fn leg_on(body: &Body, way: &[usize], twins: &Twins) -> Option<Leg> {
    let way = without_ends(body, way);
    // People have four joints from hip to ball. What has more begins with a shoulder blade or half of a pelvis, which lie nearer
    // to the middle than the leg does.
    let first = if way.len() > 4 { first_outside(body, way, twins) } else { 0 };
    let way = &way[first..];
    let lengths: Vec<f64> = way.iter().skip(1).map(|&joint| body.bone(joint)).collect();
    let whole: f64 = lengths.iter().sum();
    let after = |at: usize| lengths[at..].iter().sum::<f64>();
    let may_be_foot = |at: &usize| after(*at) <= BELOW_ANKLE * whole;
    // Where a limb goes straight on its foot has not begun yet.
    let foot = (2..way.len()).filter(may_be_foot).find(|&at| bends(body, way, at));
    let foot = foot.or_else(|| (2..way.len()).find(may_be_foot))?;
    let half = 0.5 * (whole - after(foot));
    let from_middle = |at: usize| (whole - after(at) - half).abs();
    let shin = (1..foot).min_by(|&a, &b| from_middle(a).total_cmp(&from_middle(b)))?;
    // Between hip and knee lie twist joints at most; what bends there is the elbow of a foreleg, on which its shoulder rides.
    let thigh = (1..shin).rev().find(|&at| bends(body, way, at)).unwrap_or(0);
    let lowest =
        (foot + 1..way.len()).find(|&at| body.level(way[at]) < TOES).or((foot + 1 < way.len()).then_some(foot + 1));
    Some(Leg { thigh: way[thigh], shin: way[shin], foot: way[foot], toe: lowest.map(|at| way[at]) })
}

/// Whether the bones on either side of a joint of a limb differ in direction.
fn bends(body: &Body, way: &[usize], at: usize) -> bool {
    let place = |at: usize| way.get(at).map(|&joint| body.places[joint]);
    let bones = at.checked_sub(1).and_then(place).zip(place(at)).zip(place(at + 1));
    bones.is_some_and(|((above, here), below)| (here - above).angle_between(below - here) > BEND)
}

/// `way` without what is no joint of a limb: doubles in the place of the joint above at its top, and at its bottom, where no
/// skin tells, the end site that motion capture writes.
fn without_ends<'w>(body: &Body, way: &'w [usize]) -> &'w [usize] {
    let doubles = way.iter().take_while(|&&joint| body.bone(joint) < 0.01 * body.height).count();
    let end = if !body.has_skin && way.len() > 3 + doubles { way.len() - 1 } else { way.len() };
    if doubles < end { &way[doubles..end] } else { way }
}

/// The first joint that stands out sideways by more than half of what the farthest does.
fn first_outside(body: &Body, way: &[usize], twins: &Twins) -> usize {
    let wanted = |at: usize| way[at];
    let apart = |at: usize| {
        let place = |way: &[usize]| way.iter().position(|&joint| joint == wanted(at));
        let (side, other) =
            if place(&twins.left).is_some() { (&twins.left, &twins.right) } else { (&twins.right, &twins.left) };
        let twin = place(side).and_then(|at| other.get(at));
        twin.map_or(0.0, |&twin| body.places[wanted(at)].distance(body.places[twin]))
    };
    let widest = (0..way.len()).map(apart).fold(0.0, f64::max);
    (0..way.len()).find(|&at| apart(at) >= 0.56 * widest).unwrap_or(0)
}

/// The joint at which the upper body begins: of what hangs on the hips without a leg, that with most skin; where the hips hang
/// below the upper body themselves, the joint that carries both.
fn spine(body: &Body, hips: usize, legs: &[Leg]) -> Option<usize> {
    let has_leg = |joint: usize| legs.iter().any(|leg| body.skeleton.is_within(leg.thigh, joint));
    let fore =
        |joint: usize| legs.iter().any(|leg| body.skeleton.is_within(leg.thigh, joint) && !hangs_on(body, leg, hips));
    let below = body.children(hips).filter(|&child| !has_leg(child) || fore(child));
    let largest = below.max_by(|&a, &b| body.carried[a].total_cmp(&body.carried[b]).then(b.cmp(&a)));
    let above = body.skeleton.joints[hips].parent.filter(|&above| body.carried[above] > 2.0 * body.carried[hips]);
    let whole = body.carried.iter().copied().fold(0.0, f64::max);
    match largest.filter(|&joint| body.carried[joint] > 0.15 * whole) {
        Some(joint) => Some(above_pelvis(body, joint, legs)),
        None => above.or(largest),
    }
}

/// `joint`, or what hangs on it alone, as long as that is still a part of the pelvis: nothing of the upper body of who stands on two
/// legs begins below the hip joints.
fn above_pelvis(body: &Body, joint: usize, legs: &[Leg]) -> usize {
    let hips = legs.iter().map(|leg| body.places[leg.thigh].y).fold(f64::INFINITY, f64::min);
    let next = |&joint: &usize| {
        let mut below = body.children(joint);
        let only = below.next().filter(|_| below.next().is_none());
        only.filter(|_| legs.len() <= 2 && body.places[joint].y < hips)
    };
    std::iter::successors(Some(joint), next).last().unwrap_or(joint)
}

fn hangs_on(body: &Body, leg: &Leg, hips: usize) -> bool {
    // The first joint of the limb below the hips is the leg's own or that of half a pelvis.
    body.skeleton.ancestors(leg.thigh).take_while(|&joint| joint != hips).count() <= 2
}

/// The joint of the spine on which arms or front legs hang, else the spine itself.
fn chest(body: &Body, spine: usize, twins: &[Twins]) -> usize {
    let reach = |each: &Twins| each.left.iter().map(|&joint| body.bone(joint)).sum::<f64>();
    let on_spine = |each: &&Twins| {
        meeting(body, each).is_some_and(|at| body.skeleton.is_within(at, spine)) && reach(each) > 0.25 * body.height
    };
    let hangs = twins.iter().filter(on_spine).filter_map(|each| Some((meeting(body, each)?, reach(each))));
    hangs.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(spine, |(at, _)| at)
}

fn arms<'t>(body: &Body, chest: usize, twins: &'t [Twins]) -> Option<&'t Twins> {
    let carries = |each: &&Twins| body.carried[each.left[0]];
    let here = twins.iter().filter(|each| meeting(body, each) == Some(chest) && each.left.len() > 2);
    here.max_by(|a, b| carries(a).total_cmp(&carries(b)))
}

fn hand(body: &Body, way: &[usize]) -> usize {
    let way = without_ends(body, way);
    if way.len() <= 4 {
        return way[way.len() - 1];
    }
    let lengths: Vec<f64> = way.iter().skip(1).map(|&joint| body.bone(joint)).collect();
    let whole: f64 = lengths.iter().sum();
    let at = (2..way.len()).find(|&at| lengths[at..].iter().sum::<f64>() <= BELOW_WRIST * whole);
    way[at.unwrap_or(way.len() - 1)]
}

/// The joint that carries the head: beyond the chest the last one that still carries two thirds of all that is there; where ears,
/// horns or eyes hang there, the one nearest to where they begin, for a muzzle may be nearly as much as the whole head.
fn head(body: &Body, chest: usize, twins: &[Twins]) -> Option<usize> {
    let is_twin = |joint: usize| twins.iter().any(|each| each.left[0] == joint || each.right[0] == joint);
    let next = |joint: usize| {
        let middle = body.children(joint).filter(|&child| !is_twin(child));
        middle.max_by(|&a, &b| body.carried[a].total_cmp(&body.carried[b]).then(b.cmp(&a)))
    };
    let neck = next(chest)?;
    let way: Vec<usize> = std::iter::successors(Some(neck), |&joint| next(joint)).collect();
    if !body.has_skin {
        // Without skin the end is a tip; the head is the joint before it.
        return way.iter().rev().nth(1).or(way.last()).copied();
    }
    let large: Vec<usize> =
        way.into_iter().take_while(|&joint| body.carried[joint] >= HEAD * body.carried[neck]).collect();
    let on_head = twins.iter().filter(|each| meeting(body, each).is_some_and(|at| large.contains(&at)));
    let sides: Vec<glam::DVec3> =
        on_head.flat_map(|each| [each.left[0], each.right[0]]).map(|joint| body.places[joint]).collect();
    let away = |joint: usize| sides.iter().map(|side| side.distance(body.places[joint])).sum::<f64>();
    // Of equals, as all are without ears, the last.
    large.iter().rev().copied().min_by(|&a, &b| away(a).total_cmp(&away(b)))
}

/// A chain behind the hips that is neither spine nor one of two.
fn tail(body: &Body, hips: usize, spine: Option<usize>, twins: &[Twins]) -> Vec<usize> {
    let is_twin = |joint: usize| twins.iter().any(|each| each.left[0] == joint || each.right[0] == joint);
    let reach = |way: &[usize]| way.iter().skip(1).map(|&joint| body.bone(joint)).sum::<f64>();
    let leads_up = |joint: usize| spine.is_some_and(|spine| body.skeleton.is_within(spine, joint));
    let ways = body.children(hips).filter(|&child| !leads_up(child) && !is_twin(child));
    let ways = ways.map(|child| body.longest_way(child)).filter(|way| way.len() > 2 && reach(way) > 0.2 * body.height);
    ways.max_by(|a, b| reach(a).total_cmp(&reach(b))).unwrap_or_default()
}

fn pairs_of(twins: &[Twins]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> =
        twins.iter().flat_map(|each| each.left.iter().copied().zip(each.right.iter().copied())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

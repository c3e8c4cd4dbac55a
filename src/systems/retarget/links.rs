//! Which joint follows which.

use super::{Body, BuildError, Settings};
use crate::anim::rig::chains::{Bone, Chain, Limb};

/// How a joint of the character follows the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The joint of the character.
    pub joint: usize,
    /// The limb it belongs to; none where the joint was matched by its name or chosen.
    pub limb: Option<Limb>,
    /// It turns as something between these two joints of the source, which are often one.
    pub from: usize,
    /// The second of both.
    pub to: usize,
    /// How near to the second, 0…1.
    pub share: f64,
    /// Where the bone points: from the one joint to the other, in both skeletons.
    pub aim: Option<Aim>,
}

/// A direction in both skeletons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// From one joint of the source to another.
    pub source: [usize; 2],
    /// From one joint of the character to another.
    pub target: [usize; 2],
}

/// Every joint of `target` that follows `source`, parents first.
pub fn links(source: &Body, target: &Body, settings: &Settings) -> Result<Vec<Link>, BuildError> {
    let mut links: Vec<Link> = Vec::new();
    for chain in target.chains {
        if let Some(other) = source.chains.iter().find(|other| other.limb == chain.limb) {
            links.extend(of_chain(source, other, chain));
        }
    }
    add_equal_names(source, target, &mut links);
    for choice in &settings.links {
        let missing = |joint: &str, is_source| BuildError::NoJoint { joint: joint.to_owned(), is_source };
        let joint = target.skeleton.find(&choice.joint).ok_or_else(|| missing(&choice.joint, false))?;
        let aim = links.iter().find(|link| link.joint == joint).and_then(|link| link.aim);
        links.retain(|link| link.joint != joint);
        let Some(name) = &choice.source else { continue };
        let from = source.skeleton.find(name).ok_or_else(|| missing(name, true))?;
        let aim = aim.filter(|aim| aim.source[0] == from);
        links.push(Link { joint, limb: None, from, to: from, share: 0.0, aim });
    }
    links.sort_by_key(|link| link.joint);
    Ok(links)
}

/// Bones of equally long chains one by one. Otherwise each turns as the source does at the same share of its chain, where the
/// joint above the chain is its beginning: so one long bone is spread over many, and the last ones always agree.
fn of_chain(source: &Body, from: &Chain, to: &Chain) -> Vec<Link> {
    let (many, few) = (to.bones.len(), from.bones.len());
    let ends = |chain: &Chain| Some([chain.bones.first()?.joint, chain.tip?]);
    let whole = ends(from).zip(ends(to)).map(|(source, target)| Aim { source, target });
    let begin = source.skeleton.joints[from.bones[0].joint].parent;
    let link = |(i, bone): (usize, &Bone)| {
        if many == few {
            let aim = aim_of(from, i).zip(aim_of(to, i)).map(|(source, target)| Aim { source, target });
            let turner = from.bones[i].end;
            return Link { joint: bone.joint, limb: Some(to.limb), from: turner, to: turner, share: 0.0, aim };
        }
        let place = (i + 1) as f64 / many as f64 * few as f64;
        let upper = (place.ceil() as usize).clamp(1, few);
        let turner = |knot: usize| match knot {
            0 => begin.unwrap_or(from.bones[0].end),
            knot => from.bones[knot - 1].end,
        };
        let share = 1.0 - (upper as f64 - place);
        Link { joint: bone.joint, limb: Some(to.limb), from: turner(upper - 1), to: turner(upper), share, aim: whole }
    };
    to.bones.iter().enumerate().map(link).collect()
}

/// From bone `i` of `chain` to what follows it.
fn aim_of(chain: &Chain, i: usize) -> Option<[usize; 2]> {
    let next = chain.bones.get(i + 1).map(|bone| bone.joint).or(chain.tip)?;
    Some([chain.bones[i].joint, next])
}

/// Joints outside all limbs that have the same name in both: faces, hair, weapons. What carries the hips is no such joint.
fn add_equal_names(source: &Body, target: &Body, links: &mut Vec<Link>) {
    let hips = target.chains.first().map(|chain| chain.bones[0].joint);
    let in_limb = |body: &Body, joint: usize| {
        body.chains.iter().any(|chain| chain.bones.iter().any(|bone| bone.joint == joint || bone.end == joint))
    };
    for (joint, named) in target.skeleton.joints.iter().enumerate() {
        let carries = hips.is_some_and(|hips| target.skeleton.is_within(hips, joint));
        if carries || in_limb(target, joint) {
            continue;
        }
        let Some(from) = source.skeleton.find(&named.name).filter(|&from| !in_limb(source, from)) else { continue };
        links.push(Link { joint, limb: None, from, to: from, share: 0.0, aim: None });
    }
}

//! The joint mapping between the two rigs.

use super::{Body, BuildError, Settings};
use portamento_anim::rig::chains::{Bone, Chain, Limb};

/// The mapping of a joint of the character to the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The joint of the character.
    pub joint: usize,
    /// Its limb; `None` if the joint was matched by name or chosen by the user.
    pub limb: Option<Limb>,
    /// The first of two source joints between which the rotation is interpolated. Often both are equal.
    pub from: usize,
    /// The second source joint.
    pub to: usize,
    /// Interpolation weight of the second source joint, 0…1.
    pub share: f64,
    /// The direction of the bone in both skeletons.
    pub aim: Option<Aim>,
}

/// A direction in both skeletons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// Start and end joint in the source.
    pub source: [usize; 2],
    /// Start and end joint in the character.
    pub target: [usize; 2],
}

/// Returns the mapping of every joint of `target` that follows `source`, parents first. Returns `Err` if `settings` name a
/// joint that does not exist.
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

/// Maps the bones of two chains. Chains of equal length are mapped bone by bone. Otherwise each bone follows the source at the
/// same fraction of the number of bones; 0 is the parent of the source chain. So the rotation of one bone is distributed over
/// several, and the last bones always match.
fn of_chain(source: &Body, from: &Chain, to: &Chain) -> Vec<Link> {
    let (target_count, source_count) = (to.bones.len(), from.bones.len());
    let ends = |chain: &Chain| Some([chain.bones.first()?.joint, chain.tip?]);
    let chain_aim = ends(from).zip(ends(to)).map(|(source, target)| Aim { source, target });
    let parent = source.skeleton.joints[from.bones[0].joint].parent;
    let link = |(i, bone): (usize, &Bone)| {
        if target_count == source_count {
            let aim = aim_of(from, i).zip(aim_of(to, i)).map(|(source, target)| Aim { source, target });
            let source_joint = from.bones[i].end;
            return Link {
                joint: bone.joint,
                limb: Some(to.limb),
                from: source_joint,
                to: source_joint,
                share: 0.0,
                aim,
            };
        }
        let position = (i + 1) as f64 / target_count as f64 * source_count as f64;
        let upper = (position.ceil() as usize).clamp(1, source_count);
        let source_joint = |knot: usize| match knot {
            0 => parent.unwrap_or(from.bones[0].end),
            knot => from.bones[knot - 1].end,
        };
        let share = 1.0 - (upper as f64 - position);
        Link {
            joint: bone.joint,
            limb: Some(to.limb),
            from: source_joint(upper - 1),
            to: source_joint(upper),
            share,
            aim: chain_aim,
        }
    };
    to.bones.iter().enumerate().map(link).collect()
}

/// Returns the two joints between which bone `i` of `chain` points: its own and the next one. Returns `None` if none
/// follows.
fn aim_of(chain: &Chain, i: usize) -> Option<[usize; 2]> {
    let next = chain.bones.get(i + 1).map(|bone| bone.joint).or(chain.tip)?;
    Some([chain.bones[i].joint, next])
}

/// Maps joints outside all limbs by equal names: faces, hair, weapons. Ancestors of the hips are excluded.
fn add_equal_names(source: &Body, target: &Body, links: &mut Vec<Link>) {
    let hips = target.chains.first().map(|chain| chain.bones[0].joint);
    let in_limb = |body: &Body, joint: usize| {
        body.chains.iter().any(|chain| chain.bones.iter().any(|bone| bone.joint == joint || bone.end == joint))
    };
    for (joint, named) in target.skeleton.joints.iter().enumerate() {
        let is_above_hips = hips.is_some_and(|hips| target.skeleton.is_within(hips, joint));
        if is_above_hips || in_limb(target, joint) {
            continue;
        }
        let Some(from) = source.skeleton.find(&named.name).filter(|&from| !in_limb(source, from)) else { continue };
        links.push(Link { joint, limb: None, from, to: from, share: 0.0, aim: None });
    }
}

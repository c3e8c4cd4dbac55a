//! Laws of every retargeted motion, whatever the rigs: limbs are no faster than the source's, knees keep their side, and trunk,
//! thigh line and feet are where the source has them.

use super::lying_rest::{along_x, random_turn, turned_randomly, without_rest};
use super::*;
use portamento_anim::math::Transform;

/// Largest excess of a joint's step over that of the source, degrees per frame.
const STEP_MAX_EXCESS_DEGREES: f64 = 10.0;
/// Largest angle between the thigh lines, and between the trunks, degrees.
const LINE_MAX_DEGREES: f64 = 5.0;
/// Largest difference of the lowest soles, as a fraction of the body size.
const SOLE_MAX_DIFFERENCE: f64 = 0.02;

const PEOPLE: [(&str, &str); 8] = [
    ("hero", "run"),
    ("characters/knight.glb", "walking_a"),
    ("characters/mannequiny.glb", "run"),
    ("characters/minnyquinn.glb", "walk"),
    ("characters/crawl_clip_for_human_male.glb", "crawl"),
    ("mocap/cmu_01_01.bvh", "cmu"),
    ("mocap/media__fbx__pab__jog.fbx", "jog"),
    ("mocap/media__fbx__pab__walk.fbx", "walk"),
];

/// A motion and its retargeted copy, sampled at the source's frames.
struct Pair<'a> {
    source: &'a Figure,
    target: &'a Figure,
    built: &'a Built,
    poses: Vec<[Pose; 2]>,
}

impl<'a> Pair<'a> {
    fn new(source: &'a Figure, clip: &Clip, target: &'a Figure, built: &'a Built) -> Self {
        let count = (clip.duration * clip.fps()).round().max(1.0);
        let poses = (0..=count as usize).map(|frame| {
            let time = clip.duration * frame as f64 / count;
            [clip.pose_at(&source.model.skeleton, time), built.clip.pose_at(&target.model.skeleton, time)]
        });
        Self { source, target, built, poses: poses.collect() }
    }

    /// Returns the vectors between two joints of each rig, in the target's facing direction.
    fn lines(&self, poses: &[Pose; 2], joints: [[usize; 2]; 2]) -> [DVec3; 2] {
        let line = |figure: &Figure, pose: &Pose, [from, to]: [usize; 2]| {
            let at = |joint: usize| pose.world_from_joint(&figure.model.skeleton, joint).translation;
            at(to) - at(from)
        };
        let [source, target] = joints;
        [self.built.facing * line(self.source, &poses[0], source), line(self.target, &poses[1], target)]
    }

    /// Returns the chains of arms and legs that both rigs have.
    fn limbs(&self) -> Vec<[&'a Chain; 2]> {
        let limbs = self.source.limb(|limb| matches!(limb, Limb::Leg(..) | Limb::Arm(_)));
        let both = |chain: &'a Chain| {
            let other = self.target.chains.iter().find(|other| other.limb == chain.limb)?;
            (chain.bones.len() >= 2 && other.bones.len() == chain.bones.len()).then_some([chain, other])
        };
        limbs.filter_map(both).collect()
    }

    /// Returns the largest excess of a linked joint's world rotation over the source's in one frame, degrees, and its name.
    fn speed_excess(&self) -> (f64, String) {
        let turns = |of: usize| {
            let skeleton = [&self.source.model.skeleton, &self.target.model.skeleton][of];
            self.poses.iter().map(|poses| transfer::turns(skeleton, &poses[of])).collect::<Vec<_>>()
        };
        let [from, to] = [turns(0), turns(1)];
        let mut worst = (0.0, String::new());
        for link in self.built.links.iter().filter(|link| link.limb.is_some()) {
            for i in 1..self.poses.len() {
                let step = |turns: &[Vec<DQuat>], joint: usize| turns[i - 1][joint].angle_between(turns[i][joint]);
                let own = step(&to, link.joint).to_degrees();
                let excess = own - step(&from, link.from).max(step(&from, link.to)).to_degrees();
                if excess > worst.0 {
                    worst = (excess, format!("{} frame {i}", self.target.model.skeleton.joints[link.joint].name));
                }
            }
        }
        worst
    }

    /// Returns the limbs that bend to the other side in a frame.
    fn flipped(&self) -> Vec<String> {
        let mut flipped = Vec::new();
        for [from, to] in self.limbs() {
            let off = |poses: &[Pose; 2]| {
                let joints = |chain: &Chain| [chain.bones[0].joint, chain.bones[1].joint, chain.tip.unwrap()];
                let [[a, b, c], [d, e, f]] = [joints(from), joints(to)];
                let upper = self.lines(poses, [[a, b], [d, e]]);
                let limb = self.lines(poses, [[a, c], [d, f]]);
                let side = |i: usize| {
                    let off = upper[i].reject_from(limb[i].normalize_or(DVec3::Y));
                    (off.length() > 0.15 * upper[i].length()).then(|| off.normalize())
                };
                side(0).zip(side(1)).is_some_and(|(a, b)| a.dot(b) < 0.0)
            };
            let frames: Vec<usize> = (0..self.poses.len()).filter(|&i| off(&self.poses[i])).collect();
            if let Some(first) = frames.first() {
                flipped.push(format!("{:?} in {} frames from {first}", to.limb, frames.len()));
            }
        }
        flipped
    }

    /// Returns the largest angle between the lines of both bodies, beyond `at_rest`: the thigh line and the trunk.
    fn lines_off(&self) -> [f64; 2] {
        let thighs = |figure: &Figure| {
            let legs: Vec<usize> =
                figure.limb(|limb| matches!(limb, Limb::Leg(..))).map(|leg| leg.bones[0].joint).collect();
            [legs[0], legs[1]]
        };
        let trunk = |figure: &Figure| {
            let top =
                figure.limb(|limb| matches!(limb, Limb::Neck)).chain(figure.limb(|limb| *limb == Limb::Head)).next();
            [figure.chains[0].bones[0].joint, top.unwrap().bones[0].joint]
        };
        let rests = [self.source, self.target].map(|figure| Pose::rest(&figure.model.skeleton));
        [[thighs(self.source), thighs(self.target)], [trunk(self.source), trunk(self.target)]].map(|joints| {
            let angle = |poses: &[Pose; 2]| {
                let [a, b] = self.lines(poses, joints);
                a.angle_between(b).to_degrees()
            };
            // Bodies of different shape differ at rest too.
            let own = if angle(&rests) < 15.0 { angle(&rests) } else { 0.0 };
            self.poses.iter().map(angle).fold(0.0, f64::max) - own
        })
    }

    /// Returns the lowest height of a sole of the source (0) or the target (1), world units.
    fn lowest_sole(&self, of: usize) -> f64 {
        let figure = [self.source, self.target][of];
        let mut lowest = f64::INFINITY;
        for (leg, poses) in figure.roles.legs.iter().flat_map(|leg| self.poses.iter().map(move |poses| (leg, poses))) {
            lowest = lowest.min(portamento_anim::foot_place::sole(&figure.model.skeleton, leg, &poses[of]).y);
        }
        lowest
    }

    /// Returns the violated laws.
    fn faults(&self) -> Vec<String> {
        let (excess, joint) = self.speed_excess();
        let mut faults = Vec::new();
        if excess > STEP_MAX_EXCESS_DEGREES {
            faults.push(format!("{joint} turns {excess:.1}° more than the source"));
        }
        faults.extend(self.flipped());
        for (name, off) in ["thigh line", "trunk"].iter().zip(self.lines_off()) {
            if off.is_nan() || off > LINE_MAX_DEGREES {
                faults.push(format!("{name} {off:.1}° off"));
            }
        }
        faults
    }
}

/// Returns `clip` with the whole body turned onto its back.
fn on_its_back(figure: &Figure, clip: &Clip) -> Clip {
    let skeleton = &figure.model.skeleton;
    let hips = figure.chains[0].bones[0].joint;
    let turn = DAffine3::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let times: Vec<f64> = (0..=(clip.duration * 60.0) as usize).map(|frame| frame as f64 / 60.0).collect();
    let mut lying = clip.clone();
    let local = |time: f64| -> Transform {
        let pose = clip.pose_at(skeleton, time);
        let parent =
            skeleton.joints[hips].parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent));
        let up = DAffine3::from_translation(DVec3::Y * 0.1 * rig_size(skeleton));
        let wanted = up * turn * pose.world_from_joint(skeleton, hips);
        let (scale, rotation, translation) = (parent.inverse() * wanted).to_scale_rotation_translation();
        Transform {
            translation: translation.as_vec3(),
            rotation: rotation.as_quat().normalize(),
            scale: scale.as_vec3(),
        }
    };
    let locals: Vec<Transform> = times.iter().map(|&time| local(time)).collect();
    let keys: Vec<f32> = times.iter().map(|&time| time as f32).collect();
    let rotations = locals.iter().map(|local| local.rotation).collect();
    lying.tracks[hips].rotation = Some(Curve::linear(keys.clone(), rotations));
    lying.tracks[hips].translation = Some(Curve::linear(keys, locals.iter().map(|local| local.translation).collect()));
    lying
}

#[test]
fn any_rest_pose_gives_the_motion_of_one_that_stands() {
    let mut faults = Vec::new();
    for (file, like) in PEOPLE {
        let Some(figure) = Figure::open(file) else { return };
        let standing = figure.clip(like).clone();
        let on_back = on_its_back(&figure, &standing);
        for (posture, clip) in [("", &standing), (" on its back", &on_back)] {
            let rests = [
                ("own rest", (Figure::new(figure.model.clone(), figure.metres_per_unit), clip.clone())),
                ("no rest", without_rest(&figure, clip)),
                ("along X", along_x(&figure, clip)),
                ("random 1", turned_randomly(&figure, clip, 1)),
                ("random 2", turned_randomly(&figure, clip, 2)),
            ];
            for (rest, (source, lying)) in rests {
                let built = put_on(&source, &lying, &figure, &Settings::default());
                let pair = Pair::new(&figure, clip, &figure, &built);
                let mut found = pair.faults();
                let off = (pair.lowest_sole(1) - pair.lowest_sole(0)) / rig_size(&figure.model.skeleton);
                if off.abs() > SOLE_MAX_DIFFERENCE {
                    found.push(format!("soles {off:.3} of the body off"));
                }
                faults.extend(found.iter().map(|fault| format!("{file}{posture}, {rest}: {fault}")));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns `figure` with random joint axes, leg lengths and a randomly bent rest pose.
fn random_rig(figure: &Figure, seed: u64) -> Figure {
    let mut random = SplitMix64::new(seed);
    let limbs = figure.limb(|limb| matches!(limb, Limb::Arm(_) | Limb::Spine | Limb::Neck));
    let bends: Vec<Bend> =
        limbs.map(|chain| Bend { joint: chain.bones[0].joint, by: random_turn(&mut random, 0.5) }).collect();
    rebuilt(figure, &bends, 0.7 + 0.7 * random.unit())
}

#[test]
fn every_pair_of_people_keeps_speed_knees_and_lines() {
    let figures: Option<Vec<Figure>> = PEOPLE.iter().map(|(file, _)| Figure::open(file)).collect();
    let Some(figures) = figures else { return };
    let Some(male) = Figure::open("characters/human_male_no_clips.glb") else { return };
    let others: Vec<Figure> = (0..4).map(|seed| random_rig(&figures[seed as usize % 3], seed)).collect();
    let with_mesh = || figures.iter().filter(|figure| !figure.model.meshes.is_empty());
    let mut faults = Vec::new();
    for (source, (file, like)) in figures.iter().zip(PEOPLE) {
        let clip = source.clip(like);
        for (i, target) in with_mesh().chain([&male]).chain(&others).enumerate() {
            let built = put_on(source, clip, target, &Settings::default());
            let found = Pair::new(source, clip, target, &built).faults();
            faults.extend(found.iter().map(|fault| format!("{file} on {} ({i}): {fault}", target.model.name)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

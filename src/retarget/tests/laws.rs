//! Laws of every retargeted motion, whatever the rigs: no joint turns faster than the source's, knees and elbows keep their side,
//! legs are not twisted, and trunk, thigh line and feet are where the source has them.

use super::ground::frames;
use super::*;
use portamento_anim::foot_place::sole;
use portamento_test_support::cut;

/// Largest deviations of a retargeted motion from its source.
#[derive(Clone, Copy)]
struct Bounds {
    /// Excess of a joint's step over that of the source, degrees per frame.
    step_degrees: f64,
    /// Angle between the thigh lines, and between the trunks, degrees.
    line_degrees: f64,
    /// Difference between the heights of planted soles, as a fraction of the leg length.
    sole_ratio: f64,
}

const PEOPLE: Bounds = Bounds { step_degrees: 10.0, line_degrees: 5.0, sole_ratio: 0.02 };
/// Measured. Half of such a leg is a shoe. In the run of the hero its heel would be in the ground, so that the leg is raised.
const SHORT_LEGS: Bounds = Bounds { step_degrees: 10.0, line_degrees: 5.0, sole_ratio: 0.065 };
/// Measured. A random rest pose bends the spine by up to 29°, and legs of other lengths have other steps.
const RANDOM_RIGS: Bounds = Bounds { step_degrees: 13.5, line_degrees: 5.2, sole_ratio: 0.02 };

/// Largest twist of a bone about itself that the source does not have, degrees.
const TWIST_MAX_DEGREES: f64 = 5.0;
/// Deviation of a knee from the line between hip and ankle from which it has a side, as a fraction of the thigh.
const KNEE_SIDE_MIN_RATIO: f64 = 0.15;
/// Angle between two rests from which the target takes over the posture of the source, degrees.
const OWN_POSTURE_MAX_DEGREES: f64 = 15.0;

/// A motion and its retargeted copy, sampled at the source's frames.
struct Pair<'a> {
    source: &'a Figure,
    target: &'a Figure,
    built: &'a Built,
    /// The rests whose bones correspond to each other.
    rests: [(Skeleton, Pose); 2],
    poses: Vec<[Pose; 2]>,
}

impl<'a> Pair<'a> {
    fn new(source: &'a Figure, clip: &Clip, target: &'a Figure, built: &'a Built) -> Self {
        let input = Input { source: source.body(), clip, target: target.body(), fps: clip.fps() };
        let (skeleton, _) = with_standing_rest(&input, &Settings::default());
        // A body keeps the lengths of its bones, so those of the source are as at rest.
        let hips = source.chains[0].bones[0].joint;
        let poses = frames(clip).into_iter().map(|time| {
            let mut pose = clip.pose_at(&skeleton, time);
            for joint in (0..skeleton.len()).filter(|&joint| !skeleton.is_within(hips, joint)) {
                pose.locals[joint].translation = skeleton.joints[joint].rest.translation;
            }
            [pose, built.clip.pose_at(&target.model.skeleton, time)]
        });
        let poses = poses.collect();
        let rests = [skeleton, target.model.skeleton.clone()].map(|skeleton| {
            let pose = Pose::rest(&skeleton);
            (skeleton, pose)
        });
        Self { source, target, built, rests, poses }
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

    /// Returns the linked joint whose world rotation exceeds the source's most in one frame, with the excess in degrees.
    fn speed_excess(&self) -> (f64, String) {
        let turns = |of: usize| {
            let skeleton = [&self.source.model.skeleton, &self.target.model.skeleton][of];
            self.poses.iter().map(|poses| transfer::world_rotations(skeleton, &poses[of])).collect::<Vec<_>>()
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
            let is_other_side = |poses: &[Pose; 2]| {
                let joints = |chain: &Chain| [chain.bones[0].joint, chain.bones[1].joint, chain.tip.unwrap()];
                let [[a, b, c], [d, e, f]] = [joints(from), joints(to)];
                let upper = self.lines(poses, [[a, b], [d, e]]);
                let limb = self.lines(poses, [[a, c], [d, f]]);
                let side = |i: usize| {
                    let side = upper[i].reject_from(limb[i].normalize_or(DVec3::Y));
                    (side.length() > KNEE_SIDE_MIN_RATIO * upper[i].length()).then(|| side.normalize())
                };
                side(0).zip(side(1)).is_some_and(|(a, b)| a.dot(b) < 0.0)
            };
            let frames: Vec<usize> = (0..self.poses.len()).filter(|&i| is_other_side(&self.poses[i])).collect();
            if let Some(first) = frames.first() {
                flipped.push(format!("{:?} bends to the other side in {} frames from {first}", to.limb, frames.len()));
            }
        }
        flipped
    }

    /// Returns the largest angles between the thigh lines and between the trunks of both bodies, degrees, beyond those at rest.
    fn line_angles(&self) -> [f64; 2] {
        let thighs = |figure: &Figure| {
            let legs: Vec<usize> =
                figure.limb(|limb| matches!(limb, Limb::Leg(..))).map(|leg| leg.bones[0].joint).collect();
            [legs[0], legs[1]]
        };
        let trunk = |figure: &Figure| {
            let mut tops = figure.limb(|limb| *limb == Limb::Neck).chain(figure.limb(|limb| *limb == Limb::Head));
            [figure.chains[0].bones[0].joint, tops.next().unwrap().bones[0].joint]
        };
        let rests = self.rests.each_ref().map(|(_, pose)| pose.clone());
        [[thighs(self.source), thighs(self.target)], [trunk(self.source), trunk(self.target)]].map(|joints| {
            let angle = |poses: &[Pose; 2]| {
                let [a, b] = self.lines(poses, joints);
                a.angle_between(b).to_degrees()
            };
            // Bodies of different shape differ at rest too.
            let own = Some(angle(&rests)).filter(|own| *own < OWN_POSTURE_MAX_DEGREES).unwrap_or(0.0);
            self.poses.iter().map(angle).fold(0.0, f64::max) - own
        })
    }

    /// Returns the bone of an arm or leg that is twisted most against `loose`, the same motion with loose feet, in degrees.
    fn twist(&self, loose: &Clip) -> (f64, String) {
        let skeleton = &self.target.model.skeleton;
        let mut worst = (0.0, String::new());
        for (poses, time) in self.poses.iter().zip(frames(&self.built.clip)) {
            let now = transfer::world_rotations(skeleton, &poses[1]);
            let before = transfer::world_rotations(skeleton, &loose.pose_at(skeleton, time));
            for [_, limb] in self.limbs() {
                let ends = limb.bones.iter().skip(1).map(|bone| bone.joint).chain(limb.tip);
                for (bone, end) in limb.bones.iter().zip(ends) {
                    let own = bone.joint;
                    let along = poses[1].world_from_joint(skeleton, end).translation
                        - poses[1].world_from_joint(skeleton, own).translation;
                    let turn = now[own] * before[own].inverse();
                    let about = DVec3::new(turn.x, turn.y, turn.z).dot(along.normalize_or_zero());
                    let twist = 2.0 * about.abs().atan2(turn.w.abs()).to_degrees();
                    if twist > worst.0 {
                        worst = (twist, format!("{} at {time:.3} s", skeleton.joints[own].name));
                    }
                }
            }
        }
        worst
    }

    /// Returns the largest difference between the heights of planted soles, as a fraction of the leg length. Heights are relative
    /// to the median of all planted soles of the same leg.
    fn sole_difference(&self) -> f64 {
        let figures = [self.source, self.target];
        let bodies = figures.map(Figure::body);
        let times: Vec<f64> = frames(&self.built.clip);
        let sources: Vec<Pose> = self.poses.iter().map(|poses| poses[0].clone()).collect();
        let paths = body_position::soles(&bodies[0], &sources);
        let stances = body_position::stances(&bodies[0], &paths, &times, &sources);
        let mut worst = 0.0_f64;
        for (from, ranges) in self.source.roles.legs.iter().zip(&stances) {
            let limb = self.source.chains.iter().find(|chain| chain.bones[0].joint == from.thigh).unwrap().limb;
            let Some(chain) = self.target.chains.iter().find(|chain| chain.limb == limb) else { continue };
            let to = self.target.roles.legs.iter().find(|leg| leg.thigh == chain.bones[0].joint).unwrap();
            let heights = [(from, 0), (to, 1)].map(|(leg, k)| {
                let height = |i: usize| sole(bodies[k].skeleton, leg, &self.poses[i][k]).y;
                let heights: Vec<f64> = ranges.iter().cloned().flatten().map(height).collect();
                let mut sorted = heights.clone();
                sorted.sort_by(f64::total_cmp);
                let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
                heights.into_iter().map(|height| height - middle).collect::<Vec<f64>>()
            });
            let [from, to] = heights;
            let off = from.iter().zip(&to).map(|(a, b)| (a * self.built.report.scale - b).abs()).fold(0.0, f64::max);
            worst = worst.max(off / rest_feet::leg_length(&bodies[1]));
        }
        worst
    }

    /// Returns the violated laws. `loose` is the same motion with loose feet.
    fn faults(&self, loose: &Clip, bounds: &Bounds) -> Vec<String> {
        let mut faults = Vec::new();
        let (excess, joint) = self.speed_excess();
        if excess > bounds.step_degrees {
            faults.push(format!("{joint} turns {excess:.1}° more than the source"));
        }
        faults.extend(self.flipped());
        for (name, off) in ["thigh line", "trunk"].iter().zip(self.line_angles()) {
            if off.is_nan() || off > bounds.line_degrees {
                faults.push(format!("{name} {off:.1}° off"));
            }
        }
        let (twist, joint) = self.twist(loose);
        if twist > TWIST_MAX_DEGREES {
            faults.push(format!("{joint} is twisted by {twist:.1}°"));
        }
        let off = self.sole_difference();
        if off > bounds.sole_ratio {
            faults.push(format!("a planted sole is {off:.3} of the leg off"));
        }
        faults
    }
}

/// Returns the violated laws of every clip on every target.
fn faults(clips: &[(&Figure, String, Clip)], targets: &[(String, &Figure, Bounds)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (source, name, clip) in clips {
        for (target_name, target, bounds) in targets {
            let built = put_on(source, clip, target, &Settings::default());
            let loose = put_on(source, clip, target, &Settings { hold_feet: false, ..Settings::default() });
            let found = Pair::new(source, clip, target, &built).faults(&loose.clip, bounds);
            faults.extend(found.iter().map(|fault| format!("{name} on {target_name}: {fault}")));
        }
    }
    faults
}

/// Returns a rotation by up to `most` radians about a random axis.
fn random_turn(random: &mut SplitMix64, most: f64) -> DQuat {
    let axis = DVec3::from_array(std::array::from_fn(|_| random.unit() - 0.5)).normalize_or(DVec3::X);
    DQuat::from_axis_angle(axis, most * random.unit())
}

/// Returns `figure` with random joint axes, leg lengths and a randomly bent rest pose.
fn random_rig(figure: &Figure, seed: u64) -> Figure {
    let mut random = SplitMix64::new(seed);
    let limbs = figure.limb(|limb| matches!(limb, Limb::Arm(_) | Limb::Spine | Limb::Neck));
    let bends: Vec<Bend> =
        limbs.map(|chain| Bend { joint: chain.bones[0].joint, by: random_turn(&mut random, 0.5) }).collect();
    rebuilt(figure, &bends, 0.7 + 0.7 * random.unit())
}

/// Longest part of a clip that is retargeted, seconds.
const MAX_SECONDS: f64 = 4.0;

fn start_of(clip: &Clip) -> Clip {
    if clip.duration > MAX_SECONDS { cut(clip, MAX_SECONDS) } else { clip.clone() }
}

#[test]
fn people_keep_speed_knees_lines_and_feet() {
    let files = [
        ("hero", "run"),
        ("characters/knight.glb", "walking_a"),
        ("characters/mannequiny.glb", "run"),
        ("mocap/cmu_01_01.bvh", "cmu"),
        ("mocap/media__fbx__pab__jog.fbx", "jog"),
    ];
    let figures: Option<Vec<Figure>> = files.iter().map(|(file, _)| Figure::open(file)).collect();
    let Some(figures) = figures else { return };
    let clips: Vec<(&Figure, String, Clip)> = figures
        .iter()
        .zip(files)
        .map(|(figure, (file, like))| (figure, file.to_owned(), start_of(figure.clip(like))))
        .collect();
    let random: Vec<Figure> = (0..2).map(|seed| random_rig(&figures[seed as usize], seed)).collect();
    let bounds = [PEOPLE, SHORT_LEGS, PEOPLE];
    let mut targets: Vec<(String, &Figure, Bounds)> = Vec::new();
    targets.extend((0..3).map(|i| (files[i].0.to_owned(), &figures[i], bounds[i])));
    targets.extend(random.iter().enumerate().map(|(seed, figure)| (format!("random {seed}"), figure, RANDOM_RIGS)));
    let faults = faults(&clips, &targets);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_joint_turns_much_faster_than_in_the_source_on_legs_of_any_length() {
    let hero = Figure::open("hero").unwrap();
    let mut faults = Vec::new();
    // Half as long, the foot is as large against the leg as that of a toy knight; its bound is measured.
    for (longer, step_degrees) in [(0.5, 10.1), (0.75, 10.0), (1.0, 10.0), (1.5, 10.0)] {
        let target = rebuilt(&hero, &other_rest(&hero), longer);
        for clip in &hero.model.clips {
            let built = put_on(&hero, clip, &target, &Settings::default());
            assert_eq!(built.undone, Undone::default(), "{longer} {}", clip.name);
            let pair = Pair::new(&hero, clip, &target, &built);
            let (excess, joint) = pair.speed_excess();
            if excess > step_degrees {
                faults.push(format!("{longer} {}: {joint} turns {excess:.1}° more than the source", clip.name));
            }
            faults.extend(pair.flipped().into_iter().map(|fault| format!("{longer} {}: {fault}", clip.name)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns true for a body of two legs and two arms with an upright trunk. Where a foot is not below its shin, the rotations of the
/// source's legs do not say where its feet are, so that there is nothing to compare.
fn is_person(figure: &Figure) -> bool {
    if figure.roles.legs.iter().any(|leg| leg.has_separate_foot(&figure.model.skeleton)) {
        return false;
    }
    let count = |limb| figure.limb(limb).count();
    let at = |joint: Option<usize>| Some(rest_at(&figure.model.skeleton, joint?).translation);
    let trunk = at(figure.roles.head).zip(at(figure.roles.hips)).map(|(head, hips)| (head - hips).normalize_or_zero());
    let is_upright = trunk.is_some_and(|trunk| trunk.y > 0.85);
    is_upright && count(|limb| matches!(limb, Limb::Leg(..))) == 2 && count(|limb| matches!(limb, Limb::Arm(_))) == 2
}

/// Returns all people of the corpus: their files without a folder, and the figures.
fn people() -> Option<Vec<(String, Figure)>> {
    let mut people = vec![("hero".to_owned(), Figure::open("hero")?)];
    for folder in ["characters", "wild", "mocap", "pack"] {
        let mut files: Vec<_> = std::fs::read_dir(corpus(folder)?).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = format!("{folder}/{}", file.file_name().unwrap().to_str().unwrap());
            let is_model = ["glb", "fbx", "bvh", "vrm"].iter().any(|end| name.ends_with(end));
            let Some(figure) = is_model.then(|| Figure::open(&name)).flatten() else { continue };
            if is_person(&figure) {
                people.push((name, figure));
            }
        }
    }
    Some(people)
}

#[test]
#[ignore = "takes minutes: every clip of the corpus on every character"]
fn every_clip_of_the_corpus_on_every_character_keeps_the_laws() {
    let Some(people) = people() else { return };
    let mut clips = Vec::new();
    for (name, figure) in &people {
        clips.extend(figure.model.clips.iter().map(|clip| (figure, format!("{name}:{}", clip.name), start_of(clip))));
    }
    clips.retain(|(_, _, clip)| clip.duration > 0.1);
    let random: Vec<Figure> = (0..4).map(|seed| random_rig(&people[seed as usize].1, seed)).collect();
    let with_mesh = people.iter().filter(|(_, figure)| !figure.model.meshes.is_empty());
    let mut targets: Vec<(String, &Figure, Bounds)> =
        with_mesh.map(|(name, figure)| (name.clone(), figure, PEOPLE)).collect();
    targets.extend(random.iter().enumerate().map(|(seed, figure)| (format!("random {seed}"), figure, RANDOM_RIGS)));
    let pairs = (clips.len() * targets.len()) as f64;
    let (some, never): (Vec<String>, Vec<String>) =
        faults(&clips, &targets).into_iter().partition(|fault| fault.contains("turns") || fault.contains("sole"));
    // The rest pose of that file is a frame of its run, with a trunk that leans by less than another posture.
    let never: Vec<&String> = never.iter().filter(|fault| !fault.contains("pab__run.fbx")).collect();
    assert!(never.is_empty(), "{never:#?}");
    for (law, share) in [("turns", 0.045), ("sole", 0.119)] {
        // Measured: clips that move the source's own thigh joints, and shoes that raise the leg.
        let found: Vec<&String> = some.iter().filter(|fault| fault.contains(law)).collect();
        assert!(found.len() as f64 <= share * pairs, "{} of {pairs}: {found:#?}", found.len());
    }
}

//! Where a blend carries its character: root motion added up in f64 over loops and transitions, by an explicit owner.
//!
//! Every step of a clip's root is taken in the clip's own heading, turned into the character's and weighted; a loop goes on
//! where its last round ended, yaw included, so N loops travel N times as far.

use glam::{DAffine3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use super::rig::Rig;
use super::transitions::within;
use super::{Built, Plan};
use crate::anim::root_motion::{rest_at, turn_of, world_at, wrap};
use crate::anim::{Clip, Pose, RootKind, RootMotion, Skeleton};

/// Whose root motion carries the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// Run and stand clips by their weights; a skill's root motion is ignored, as is what additive nodes of a tree add.
    #[default]
    WholeBody,
    /// The skill while it is heard, of a tree what additive nodes add; otherwise nobody.
    UpperBody,
    /// Everybody by their share of the root joint.
    Shares,
}

/// The character's way, recorded at regular times.
#[derive(Clone, Debug, Default)]
pub struct Travel {
    root: Option<RootMotion>,
    owner: Owner,
    rows: Vec<Place>,
}

/// Position (world units) and heading (radians about +Y, unwrapped) since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// World units.
    pub position: DVec3,
    /// Radians about +Y.
    pub yaw: f64,
}

/// Rows a second.
const RATE: f64 = 240.0;

impl Built {
    /// Records the way from 0 to `length` seconds (at most an hour).
    pub fn travel(&self, root: RootMotion, owner: Owner, length: f64) -> Travel {
        let mut travel = Travel { root: None, owner, rows: vec![Place::default()] };
        if root.joint >= self.rig.skeleton.len() {
            return travel;
        }
        travel.root = Some(root);
        let count = (length.clamp(0.0, 3600.0) * RATE).ceil() as usize;
        for row in 0..count {
            let span = [row as f64 / RATE, (row + 1) as f64 / RATE];
            let place = self.step(&travel, root, span);
            travel.rows.push(place);
        }
        travel
    }

    /// Where the character is at `time` (seconds); after the recording it stays.
    pub fn place_at(&self, travel: &Travel, time: f64) -> Place {
        let row = (time.max(0.0) * RATE) as usize;
        let start = row as f64 / RATE;
        match travel.root {
            Some(root) if row + 1 < travel.rows.len() && time > start => self.step(travel, root, [start, time]),
            _ => travel.rows.get(row).or(travel.rows.last()).copied().unwrap_or_default(),
        }
    }

    /// Puts the root joint of `pose` where the character is at `time` (seconds); all else stays in place around it.
    pub fn carry(&self, travel: &Travel, time: f64, pose: &mut Pose) {
        let Some(root) = travel.root else { return };
        let skeleton = &self.rig.skeleton;
        let Place { position, yaw } = self.place_at(travel, time);
        let parent = skeleton.joints[root.joint].parent;
        let parent = parent.map_or(DAffine3::IDENTITY, |parent| pose.world_from_joint(skeleton, parent));
        let world = parent * pose.locals[root.joint].to_affine_f64();
        let rest = rest_at(skeleton, root.joint);
        let heading = yaw_of(&world, &rest);
        let turn = DQuat::from_rotation_y(yaw - heading);
        let (scale, rotation, mut at) = world.to_scale_rotation_translation();
        let target = rest.translation + position;
        at = match root.kind {
            RootKind::Root => target,
            RootKind::HipsGroundPart => DVec3::new(target.x, at.y, target.z),
        };
        let local = parent.inverse() * DAffine3::from_scale_rotation_translation(scale, turn * rotation, at);
        let (_, rotation, translation) = local.to_scale_rotation_translation();
        if rotation.is_finite() && translation.is_finite() {
            pose.locals[root.joint].rotation = rotation.as_quat().normalize();
            pose.locals[root.joint].translation = translation.as_vec3();
        }
    }

    /// The place at the end of `span`, which begins at a row.
    fn step(&self, travel: &Travel, root: RootMotion, span: [f64; 2]) -> Place {
        let from = travel.rows[((span[0] * RATE).round() as usize).min(travel.rows.len() - 1)];
        let mut step = Place::default();
        self.carriers(travel.owner, root.joint, span, |clip, times, share| {
            let part = clip_step(&self.rig, &self.rig.clips[clip], root, times);
            step.position += part.position * f64::from(share);
            step.yaw += part.yaw * f64::from(share);
        });
        Place { position: from.position + DQuat::from_rotation_y(from.yaw) * step.position, yaw: from.yaw + step.yaw }
    }

    /// Tells of the clips that carry `joint`: which, its unlooped times over `span` and whether it loops, its share.
    fn carriers(&self, owner: Owner, joint: usize, span: [f64; 2], mut tell: impl FnMut(usize, ([f64; 2], bool), f32)) {
        match &self.plan {
            Plan::Score { score, .. } => {
                let middle = 0.5 * (span[0] + span[1]);
                let shares = match owner {
                    Owner::Shares => score.shares(&self.rig, middle, joint),
                    owner => score.side_shares(&self.rig, middle, joint, owner == Owner::UpperBody),
                };
                for (play, &share) in score.plays.iter().zip(&shares).filter(|each| *each.1 > 0.0) {
                    tell(play.clip, (span.map(|time| play.clock.at(time)), play.looping), share);
                }
            }
            Plan::Program { program, .. } => {
                for (rider, share) in program.riders(joint, owner) {
                    tell(rider.clip, (span.map(|time| rider.clip_time(time)), rider.looping), share);
                }
            }
        }
    }
}

/// What the clip's root does between two unlooped clip times, seen in its heading at the first.
fn clip_step(rig: &Rig, clip: &Clip, root: RootMotion, ([start, end], looping): ([f64; 2], bool)) -> Place {
    if end < start {
        let Place { position, yaw } = clip_step(rig, clip, root, ([end, start], looping));
        return Place { position: DQuat::from_rotation_y(-yaw) * -position, yaw: -yaw };
    }
    let begins = within(start, clip.duration, looping);
    let piece = |from: f64, to: f64| straight_step(&rig.skeleton, clip, root, [from, to]);
    if !looping || clip.duration <= 0.0 || begins + (end - start) <= clip.duration {
        return piece(begins, within(begins + (end - start), clip.duration, false));
    }
    // Steps are 1/240 s; a clip shorter than that is a pose and goes nowhere.
    let before = piece(begins, clip.duration);
    let after = piece(0.0, within(end, clip.duration, true));
    let turned = DQuat::from_rotation_y(before.yaw) * after.position;
    Place { position: before.position + turned, yaw: before.yaw + after.yaw }
}

fn straight_step(skeleton: &Skeleton, clip: &Clip, root: RootMotion, times: [f64; 2]) -> Place {
    let rest = rest_at(skeleton, root.joint);
    let worlds = times.map(|time| world_at(skeleton, clip, root.joint, time));
    let yaws = worlds.map(|world| yaw_of(&world, &rest));
    let mut moved = worlds[1].translation - worlds[0].translation;
    if root.kind == RootKind::HipsGroundPart {
        moved.y = 0.0;
    }
    Place { position: DQuat::from_rotation_y(-yaws[0]) * moved, yaw: wrap(yaws[1] - yaws[0]) }
}

fn yaw_of(world: &DAffine3, rest: &DAffine3) -> f64 {
    let turned = turn_of(world) * turn_of(rest).inverse();
    wrap(2.0 * turned.y.atan2(turned.w))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::anim::skeleton::tests::skeleton_of;
    use crate::anim::{Curve, JointTracks, Roles};
    use crate::progress::Progress;
    use crate::systems::blend::{Additive, Event, Input, NodeKind, Scenario, Settings, Source, Tree, build};

    fn walk(turn: f32) -> Built {
        let skeleton = skeleton_of(&[("root", None), ("hips", Some(0))]);
        let mut clip = Clip { name: "walk".into(), duration: 0.7, tracks: vec![JointTracks::default(); 2] };
        clip.tracks[0].translation = Some(Curve::linear(vec![0.0, 0.7], vec![Vec3::Y, Vec3::new(0.0, 1.0, 1.3)]));
        let turns = vec![Quat::IDENTITY, Quat::from_rotation_y(turn)];
        clip.tracks[0].rotation = Some(Curve::linear(vec![0.0, 0.7], turns));
        clip.duration = f64::from(0.7_f32);
        let scenario = Scenario {
            run: "walk".into(),
            upper: crate::anim::MaskChoice::default(),
            events: vec![Event::default()],
            ..Scenario::default()
        };
        let input = Input { skeleton: &skeleton, clips: &[&clip], roles: &Roles::default(), markers: &[] };
        build(&input, &Settings::Scenario(scenario), &Progress::new()).unwrap()
    }

    /// A drawn tree that plays the walk of [`walk`] at `speed`, and adds it to itself where `added`.
    fn drawn(speed: f64, added: bool) -> Built {
        let Built { rig, .. } = walk(0.3);
        let mut tree = Tree::default();
        let source = Source { clip: "walk".into(), speed, ..Source::default() };
        tree.root = tree.add("walk", NodeKind::Source(source.clone()));
        if added {
            let delta = tree.add("more", NodeKind::Source(source));
            let (mask, reference) = Default::default();
            let additive = Additive { base: tree.root, delta, reference, weight: 0.5, mask, muted: false };
            tree.root = tree.add("sum", NodeKind::Additive(additive));
        }
        let clips: Vec<&Clip> = rig.clips.iter().collect();
        let input = Input { skeleton: &rig.skeleton, clips: &clips, roles: &Roles::default(), markers: &[] };
        build(&input, &Settings::Tree(tree), &Progress::new()).unwrap()
    }

    #[test]
    fn a_drawn_tree_goes_on_over_the_seam_as_a_scenario_does_forwards_and_backwards() {
        let (scenario, tree, back) = (walk(0.3), drawn(1.0, false), drawn(-1.0, false));
        let [by_scenario, by_tree, by_back] =
            [&scenario, &tree, &back].map(|built| built.travel(ROOT, Owner::WholeBody, 5.0));
        for frame in 0..150 {
            let time = f64::from(frame) / 30.0;
            let (wanted, place) = (scenario.place_at(&by_scenario, time), tree.place_at(&by_tree, time));
            assert!(wanted.position.distance(place.position) < 1e-9 && (wanted.yaw - place.yaw).abs() < 1e-9, "{time}");
        }
        let rounds = 4.0 * f64::from(0.7_f32);
        let [there, gone] = [tree.place_at(&by_tree, rounds), back.place_at(&by_back, rounds)];
        let home = there.position + DQuat::from_rotation_y(there.yaw) * gone.position;
        assert!(there.position.length() > 3.0 && home.length() < 1e-4 && (there.yaw + gone.yaw).abs() < 1e-4, "{home}");
    }

    #[test]
    fn the_owner_decides_whether_a_drawn_tree_follows_what_is_added() {
        let tree = drawn(1.0, true);
        let gone = |owner| tree.place_at(&tree.travel(ROOT, owner, 2.0), 0.5).yaw;
        let [base, added, all] = [Owner::WholeBody, Owner::UpperBody, Owner::Shares].map(gone);
        assert!(
            base > 0.1 && (added - 0.5 * base).abs() < 1e-9 && (all - 1.5 * base).abs() < 1e-9,
            "{base} {added} {all}"
        );
    }

    const ROOT: RootMotion = RootMotion { joint: 0, kind: RootKind::Root };

    #[test]
    fn any_number_of_loops_travels_that_many_times_as_far_and_turns_as_often() {
        let (straight, turning) = (walk(0.0), walk(std::f32::consts::FRAC_PI_2));
        let loops = 50.0;
        let time = loops * f64::from(0.7_f32);
        let way = straight.travel(ROOT, Owner::WholeBody, 40.0);
        let end = straight.place_at(&way, time);
        assert!((end.position.z - loops * f64::from(1.3_f32)).abs() < 1e-6, "{end:?}");
        let way = turning.travel(ROOT, Owner::WholeBody, 40.0);
        // Four quarter turns come back to where they began; fifty loops are twelve rounds and two quarters.
        let end = turning.place_at(&way, time);
        assert!((end.yaw - loops * std::f64::consts::FRAC_PI_2).abs() < 1e-4, "{end:?}");
        let round = turning.place_at(&way, 48.0 * f64::from(0.7_f32));
        assert!(round.position.length() < 1e-3, "{round:?}");
    }

    #[test]
    fn a_carried_pose_stands_where_the_way_says_and_goes_on_over_the_seam() {
        let built = walk(0.3);
        let way = built.travel(ROOT, Owner::WholeBody, 3.0);
        let mut pose = Pose::default();
        let mut before: Option<Vec3> = None;
        for frame in 0..85 {
            let time = f64::from(frame) / 30.0;
            built.sample(time, &mut Default::default(), &mut pose);
            built.carry(&way, time, &mut pose);
            let at = pose.locals[0].translation;
            assert!(before.is_none_or(|before| (before.distance(at) - 1.3 / 21.0).abs() < 2e-3), "{frame}");
            before = Some(at);
        }
        let nobody = built.travel(ROOT, Owner::UpperBody, 3.0);
        assert_eq!(built.place_at(&nobody, 2.5), Place::default());
    }
}

//! Separates the ground movement of the hips into pose and travel.
//!
//! If the hips carry the root motion, every clip moves them along the ground, for example to shift weight or to lunge. The legs
//! follow that movement; without it standing feet would slide. Therefore only WholeBody clips that end elsewhere than they begin
//! travel. In all other clips, and in a skill that does not own the root motion, the hips are posed by their shares.

use glam::{DAffine3, DQuat, DVec3};

use super::contributions::RootMotionOwner;
use super::root_motion::{RootPose, RootTrajectory, yaw_of};
use crate::standard::instance_shares::ShareSource;
use crate::standard::timeline::{CompiledTimeline, TreeSide};
use crate::{Built, Plan};
use portamento_anim::root_motion::{headings, path, rest_at, rig_size, wrap};
use portamento_anim::{Clip, RootKind, RootMotion, Skeleton};

/// Smallest travel as a fraction of the rig size, and smallest turn in radians. Smaller movements are pose.
///
/// Tuned; no derivation recorded.
const MIN_TRAVEL_RIG_FRACTION: f64 = 0.02;
const MIN_TURN_RADIANS: f64 = 0.02;

/// True if the root of `clip` ends at another position or heading than it begins. A clip that only sways does not travel.
/// Travel below 2 % of the rig size and turns below 0.02 rad do not count, nor does height if the hips carry the root motion.
pub fn travels(skeleton: &Skeleton, clip: &Clip, root: RootMotion) -> bool {
    let ends = [0.0, clip.duration];
    let path = path(skeleton, clip, root.joint, &ends);
    let flat = |point: DVec3| if root.kind == RootKind::Root { point } else { point.with_y(0.0) };
    let headings = headings(skeleton, clip, root.joint, &ends);
    let turned = wrap(headings[1] - headings[0]).abs();
    flat(path[1] - path[0]).length() > MIN_TRAVEL_RIG_FRACTION * rig_size(skeleton) || turned > MIN_TURN_RADIANS
}

/// Contribution of the clips to the pose of the hips.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PosedRoot {
    /// Offset from the trajectory in the character's heading, world units.
    pub position: DVec3,
    /// Total share of the posed clips, 0…1.
    pub share: f64,
    /// Yaw of the pose in radians that comes from travelling clips; the trajectory contains it too.
    pub travelling_yaw: f64,
}

impl Built {
    /// Returns a value for each clip instance of a scenario: true if its hips are posed. Empty for a graph, and if
    /// the hips do not carry the root motion.
    pub(super) fn posed_instances(&self, root: RootMotion, owner: RootMotionOwner) -> Vec<bool> {
        let Plan::Timeline(timeline) = &self.plan else { return Vec::new() };
        if root.kind != RootKind::HipsGroundPart {
            return Vec::new();
        }
        let travels = |clip: usize| {
            let closed_by_pose = self.bank.seam(clip).is_some_and(|seam| seam.fades_translation(root.joint));
            !closed_by_pose && travels(&self.bank.skeleton, &self.bank.clips[clip], root)
        };
        let is_posed = |side: TreeSide, clip: usize| {
            (side == TreeSide::UpperBody && owner == RootMotionOwner::WholeBody) || !travels(clip)
        };
        timeline.instances.iter().map(|instance| is_posed(instance.side, instance.clip)).collect()
    }

    /// Returns the contribution of the posed instances of `trajectory` to its root at `time` (seconds).
    pub(crate) fn posed_root(&self, trajectory: &RootTrajectory, root: RootMotion, time: f64) -> PosedRoot {
        let mut posed = PosedRoot::default();
        let Plan::Timeline(timeline) = &self.plan else { return posed };
        let rest = rest_at(&self.bank.skeleton, root.joint);
        let shares = timeline.shares(&self.bank, time, root.joint);
        for (source, share) in shares.iter() {
            let ShareSource::Instance(instance) = source else { continue };
            let Some(&is_posed) = trajectory.posed.get(instance) else { continue };
            let share = f64::from(share);
            if share > 0.0 {
                let world = self.world_of(timeline, instance, root.joint, time);
                if is_posed {
                    posed.position += (world.translation - rest.translation).with_y(0.0) * share;
                    posed.share += share;
                } else {
                    posed.travelling_yaw += yaw_of(&world, &rest) * share;
                }
            }
        }
        posed
    }

    /// Returns the world transform of `joint` at `time` (seconds) if one clip instance played alone.
    fn world_of(&self, timeline: &CompiledTimeline, instance: usize, joint: usize, time: f64) -> DAffine3 {
        let mut layer = self.bank.rest_layer();
        timeline.sample_instance(&self.bank, Some(instance), time, &mut layer);
        let joints = self.bank.skeleton.ancestors(joint);
        joints.fold(DAffine3::IDENTITY, |below, each| layer.get(each).to_affine_f64() * below)
    }
}

impl PosedRoot {
    /// Returns the root pose on the trajectory with the posed offset added. Its yaw is what has to be added to the pose;
    /// `pose_yaw` is the yaw that the pose already has. Both are in radians.
    pub fn added_to(&self, root_pose: RootPose, pose_yaw: f64) -> RootPose {
        let RootPose { position, yaw } = root_pose;
        // If all clips travel, the trajectory alone sets the heading.
        let turn = if self.share > 0.0 { self.travelling_yaw } else { pose_yaw };
        RootPose { position: position + DQuat::from_rotation_y(yaw) * self.position, yaw: yaw - turn }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::{Action, Event, Input, Interrupt, Scenario, Settings, build};
    use portamento_anim::{Curve, JointTracks, Pose, Roles};
    use portamento_base::progress::Progress;
    use portamento_test_support::{LEGGED, skeleton_of};

    const HIPS: RootMotion = RootMotion { joint: 1, kind: RootKind::HipsGroundPart };

    /// Returns a clip of 0.6 s whose hips pass `offsets` (metres from rest) and turn by `turns` (radians).
    fn clip(name: &str, offsets: [Vec3; 3], turns: [f32; 3]) -> Clip {
        let times = vec![0.0, 0.3, 0.6_f32];
        let offsets = offsets.map(|offset| offset + Vec3::Y).to_vec();
        let mut clip = Clip { name: name.into(), ..Clip::default() };
        clip.duration = f64::from(0.6_f32);
        clip.tracks = vec![JointTracks::default(); LEGGED.len()];
        clip.tracks[1].translation = Some(Curve::linear(times.clone(), offsets));
        clip.tracks[1].rotation = Some(Curve::linear(times, turns.map(Quat::from_rotation_y).to_vec()));
        clip
    }

    /// Returns three clips: a run at 2 m/s that turns by `sway` radians and back, a swaying stand, and a lunge of 30 cm that
    /// stays there, turned.
    fn clips(sway: f32) -> [Clip; 3] {
        [
            clip("run", [Vec3::ZERO, Vec3::Z * 0.6, Vec3::Z * 1.2], [0.0, sway, 0.0]),
            clip("stand", [Vec3::ZERO, Vec3::X * 0.02, Vec3::ZERO], [0.0; 3]),
            clip("lunge", [Vec3::ZERO, Vec3::Z * 0.3, Vec3::Z * 0.3], [0.0, 0.5, 0.5]),
        ]
    }

    fn carried(sway: f32, events: &[(f64, Action)], interrupt: Interrupt) -> impl Fn(f64) -> (Vec3, f64) {
        let (skeleton, clips) = (skeleton_of(&LEGGED), clips(sway));
        let event = |&(time, action): &(f64, Action)| Event { time, action, trans_time: 0.2, ..Event::default() };
        let [run, stand, skill] = ["run", "stand", "lunge"].map(str::to_owned);
        let events = events.iter().map(event).collect();
        let upper = portamento_anim::MaskChoice::default();
        let scenario =
            Scenario { run, stand, skill, events, interrupt, upper, skill_holds: true, ..Scenario::default() };
        let clips: Vec<&Clip> = clips.iter().collect();
        let roles = Roles { hips: Some(1), ..Roles::default() };
        let input = Input { skeleton: &skeleton, clips: &clips, roles: &roles, markers: &[], travels: &[] };
        let built = build(&input, &Settings::Scenario(scenario), &Progress::new()).unwrap();
        let trajectory = built.root_trajectory(HIPS, RootMotionOwner::WholeBody, 6.0);
        move |time| {
            let mut pose = Pose::default();
            built.sample(time, &mut Default::default(), &mut pose);
            built.apply_root_motion(&trajectory, time, &mut pose);
            let rotation = pose.locals[1].rotation;
            (pose.locals[1].translation, f64::from(2.0 * rotation.y.atan2(rotation.w)))
        }
    }

    #[test]
    fn a_skill_over_standing_moves_the_hips_as_in_its_own_clip() {
        use Action::{Cast, Run, Stand};
        let at = carried(0.0, &[(0.0, Run), (1.0, Stand), (2.0, Cast)], Interrupt::Captured);
        let (stood, lunged) = (at(1.95).0, at(3.0));
        // The travel of the run remains; the lunge adds that of the skill.
        assert!(stood.z > 1.9 && (lunged.0.z - stood.z - 0.3).abs() < 1e-3, "{stood} {lunged:?}");
        assert!((lunged.1 - 0.5).abs() < 1e-3, "{lunged:?}");
    }

    #[test]
    fn hips_never_jump_whatever_interrupts_what() {
        use Action::{Cast, End, Run, Stand, Stop};
        let events =
            [(0.0, Run), (0.55, Stand), (0.65, Cast), (0.7, Run), (1.1, Stop), (1.15, End), (1.25, Run), (1.9, Cast)];
        for interrupt in Interrupt::ALL {
            let at = carried(0.1, &events, interrupt);
            let mut before = at(0.0);
            for frame in 1..=600 {
                let now = at(f64::from(frame) / 240.0);
                let (step, turn) = (now.0.distance(before.0), wrap(now.1 - before.1).abs());
                assert!(step < 0.03 && turn < 0.06, "{interrupt:?} {frame}: {step} m {turn} rad");
                before = now;
            }
            // At least 1.8 s of the 2.5 s are spent at 2 m/s, up to 0.2 s of each of three starts in a transition.
            assert!(before.0.z > 2.4, "{interrupt:?}: {} m", before.0.z);
        }
    }

    #[test]
    fn a_swaying_clip_returns_to_its_position_however_often_it_plays() {
        use Action::{Run, Stand};
        let events: Vec<_> = (0..10).map(|i| (0.45 * f64::from(i), if i % 2 == 0 { Stand } else { Run })).collect();
        let at = carried(0.0, &events, Interrupt::Captured);
        assert!((0..270).all(|frame| at(f64::from(frame) / 60.0).0.x.abs() <= 0.021));
    }

    #[test]
    fn a_root_travels_if_it_moves_a_fiftieth_of_the_rig_size_or_turns() {
        let skeleton = skeleton_of(&LEGGED);
        let size = rig_size(&skeleton) as f32;
        let travels_as = |kind, end: Vec3, turn: f32| {
            let mut clip =
                Clip { duration: 1.0, tracks: vec![JointTracks::default(); skeleton.len()], ..Clip::default() };
            clip.tracks[1].translation =
                Some(Curve::linear(vec![0.0, 0.5, 1.0], vec![Vec3::Y, Vec3::X, Vec3::Y + end * size]));
            let turns = [0.0, 1.0, turn].map(Quat::from_rotation_y).to_vec();
            clip.tracks[1].rotation = Some(Curve::linear(vec![0.0, 0.5, 1.0], turns));
            travels(&skeleton, &clip, RootMotion { joint: 1, kind })
        };
        let hips = |end, turn| travels_as(RootKind::HipsGroundPart, end, turn);
        assert!(hips(Vec3::Z * 0.021, 0.0) && !hips(Vec3::Z * 0.019, 0.0));
        assert!(hips(Vec3::ZERO, 0.021) && hips(Vec3::ZERO, -0.021) && !hips(Vec3::ZERO, 0.019));
        // For hips only the ground part counts; a root also travels upwards.
        assert!(!hips(Vec3::Y, 0.0) && travels_as(RootKind::Root, Vec3::Y * 0.021, 0.0));
    }
}

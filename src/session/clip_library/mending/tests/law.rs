//! The law of fixing: no figure of any clip gets worse.

use super::*;
use crate::clip_library::measure;
use portamento_anim::Pose;

/// Maximum number of clips per file, to bound the time of the test.
const MAX_CLIPS: usize = 6;

/// Returns figures of a clip that must not grow: slide (cm/s), depth (cm), frames with jumps and noise (degrees per frame).
fn faults(quality: &Quality) -> [f64; 4] {
    let jitter = quality.jitter.as_ref().map_or(0.0, |jitter| jitter.degrees);
    [travelling_slide(quality), sinking(quality), quality.pops.frames as f64, jitter]
}

/// Returns the largest vertical displacement of the hips from `before` to `after`, metres.
fn hips_moved(built: &BuiltTake, before: &Clip) -> f64 {
    let skeleton = &built.character.model.skeleton;
    let Some(hips) = built.roles.hips else { return 0.0 };
    let height = |clip: &Clip, time: f64| -> f64 {
        let pose: Pose = clip.pose_at(skeleton, time);
        pose.world_from_joint(skeleton, hips).translation.y
    };
    let times = (0..=60).map(|i| before.duration * f64::from(i) / 60.0);
    let moved = times.map(|time| (height(&built.clip, time) - height(before, time)).abs());
    moved.fold(0.0, f64::max) * built.metres_per_unit
}

/// Returns the faults of the fixes of `file`, and the number of fixed clips.
fn violations(file: &str) -> (Vec<String>, usize) {
    let Some(path) = character(file) else { return (Vec::new(), 0) };
    let mut session = Session::inline();
    session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
    let id = session.document.files[0].id;
    let open = OpenFiles { document: session.document.clone(), library: session.library.clone() };
    let rows = measure(&[path], &Progress::new()).rows;
    let motions = rows.into_iter().filter_map(|row| {
        let quality = row.quality.clone().filter(|quality| !mends(quality).is_empty())?;
        Some(found(id, &row.clip, quality))
    });
    let (mut violations, mut fixed) = (Vec::new(), 0);
    for clip in motions.take(MAX_CLIPS) {
        let mended = best(&open, &clip, &Progress::new());
        if mended.harm.is_some() {
            continue;
        }
        let take = with_stages(&clip.take, mended.kinds.clone());
        let (built, quality) = open.built(&take, &mut TakeCache::default(), &Progress::new()).unwrap();
        fixed += 1;
        let names: Vec<&str> = mended.kinds.iter().map(StageKind::name).collect();
        let name = format!("{file} {} by {names:?}", clip.take.name);
        let [before, after] = [faults(&clip.quality), faults(&quality)];
        let unseen = [[1.0, 10.0], [1.0, 4.0], [0.0, 0.0], [0.25, 0.25]];
        let is_worse = |((was, is), [increase, value]): ((&f64, &f64), [f64; 2])| *is > was + increase && *is > value;
        if before.iter().zip(&after).zip(unseen).any(is_worse) {
            violations.push(format!("{name}: {before:.2?} → {after:.2?}"));
        }
        let source = built.character.model.clip(&clip.take.name).unwrap();
        let depth = 0.01 * sinking(&clip.quality) + clip.quality.way.climb.abs();
        let size = rig_size(&built.character.model.skeleton) * built.metres_per_unit;
        let moved = hips_moved(&built, source);
        if moved > 0.15 * size.max(0.5) + depth {
            violations.push(format!("{name}: hips moved by {moved:.2} m"));
        }
    }
    (violations, fixed)
}

#[test]
fn no_fix_makes_a_figure_of_any_clip_worse() {
    let files = [
        "characters/quadruped.glb",
        "characters/dragon.glb",
        "characters/knight.glb",
        "characters/mannequiny.glb",
        "wild/horse.glb",
        "wild/robot_expressive.glb",
        "wild/quaternius_velociraptor.glb",
        "mocap/cmu_01_01.bvh",
        "mocap/media__fbx__pab__run.fbx",
        "cases/rest_not_upright/along_axis.bvh",
        "cases/rest_not_upright/no_rest.glb",
    ];
    let (mut all, mut fixed) = (Vec::new(), 0);
    for file in files {
        let (violations, count) = violations(file);
        all.extend(violations);
        fixed += count;
    }
    assert!(all.is_empty(), "{all:#?}");
    assert!(fixed >= 10 || character("mocap/cmu_01_01.bvh").is_none(), "{fixed}");
}

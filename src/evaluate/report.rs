//! The numbers of a take, as reports print them.

use serde_json::{Value, json};

use super::BuiltTake;
use crate::anim::root_motion;
use crate::systems::stretch;

/// What a stretch did: where it ends in the file's world space, how much it was stretched, and what was measured on the clip
/// that is exported.
pub fn stretch(take: &BuiltTake, built: &stretch::Built) -> Value {
    let report = &built.report;
    let metres = take.metres_per_unit;
    let skeleton = &take.character.model.skeleton;
    let measured = take.root.map(|root| {
        let path = root_motion::path(skeleton, &take.clip, root.joint, &report.times);
        let still = (1..path.len()).filter(|&i| report.source.points[i] == report.source.points[i - 1]);
        let moved = still.clone().filter(|&i| path[i] != path[i - 1]).count();
        (path, still.count(), moved)
    });
    let (path, still, moved) = measured.unwrap_or_default();
    let end = path.last().copied();
    let target = report.windows.last().map(|window| window.target);
    json!({
        "root_joint": take.root.map(|root| skeleton.joints[root.joint].name.as_str()),
        "root_part": take.root.map(|root| root.kind),
        "target": target,
        "end": end,
        "end_error_m": end.zip(target).map(|(end, target)| end.distance(target) * metres),
        "stretch_ratio": report.ratio,
        "source_length_m": report.lengths.last().map(|length| length * metres),
        "frames": report.times.len(),
        "still_frames": still,
        "still_frames_that_move": moved,
        "reversed_frames": report.reversed.iter().filter(|&&reversed| reversed).count(),
        "windows": report.windows,
        "warnings": report.warnings,
    })
}

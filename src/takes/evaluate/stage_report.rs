//! The figures of each stage, measured on its output.

use serde_json::{Value, json};

use super::{BuiltTake, Looped, StageResult};
use portamento_anim::{Clip, root_motion};
use portamento_blend as blend;
use portamento_dynamics as dynamics;
use portamento_repair::close;
use portamento_stretch as stretch;

/// Returns the kind of the stage at `index` of `take` and its figures.
pub(super) fn figures(take: &BuiltTake, index: usize) -> (&'static str, Value) {
    let stage = &take.stages[index];
    match &stage.result {
        StageResult::Layer(built) => ("layer", layer(take, built)),
        StageResult::Stretch(built) => ("stretch", stretch(take, &stage.clip, built)),
        StageResult::Dynamics(built) => ("dynamics", dynamics(take, built)),
        StageResult::Loop(built) => ("loop", looped(take, built)),
        StageResult::Close(built) => ("close", close(take, &built.report)),
        StageResult::Retime(built) => ("retime", json!(built.report)),
        StageResult::Trim(built) => ("trim", json!(built.report)),
        StageResult::Mirror(built) => ("mirror", json!(built.report)),
        StageResult::Cleanup(built) => ("cleanup", json!(built.report)),
        StageResult::Root(built) => ("root", json!(built.report)),
        StageResult::Ground(built) => ("ground", json!(built.report)),
    }
}

/// Returns the figures of a layer: its events, the joints of the skill and the frames in which the skill is active.
fn layer(take: &BuiltTake, built: &blend::Layered) -> Value {
    let skeleton = &take.character.model.skeleton;
    json!({
        "events": built.events,
        "joints": built.joints.iter().map(|&joint| &skeleton.joints[joint].name).collect::<Vec<_>>(),
        "held_frames": built.held_frames,
        "frames": built.weights.len(),
    })
}

/// Returns the figures of a stretch: its end in the file's world space, its stretch ratio, and measurements on its own output.
/// Later stages do not affect them.
fn stretch(take: &BuiltTake, clip: &Clip, built: &stretch::Built) -> Value {
    let report = &built.report;
    let metres = take.metres_per_unit;
    let skeleton = &take.character.model.skeleton;
    let path = take.root.map(|root| root_motion::path(skeleton, clip, root.joint, &report.times));
    let path = path.unwrap_or_default();
    let still = (1..path.len()).filter(|&i| report.still[i]);
    // Jitter below the dead zone is preserved. A still frame counts as moving only if its step differs from the source's.
    let rounding = 1e-6 * path.iter().map(|point| point.length()).fold(0.0, f64::max);
    let moves = |&i: &usize| {
        let added = (path[i] - path[i - 1]) - (report.source.points[i] - report.source.points[i - 1]);
        added.length() > rounding
    };
    let (still, moved) = (still.clone().count(), still.filter(moves).count());
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

/// Returns the figures of dynamic bones: errors of lengths and contacts, twist, and the residue of a loop.
fn dynamics(take: &BuiltTake, built: &dynamics::Built) -> Value {
    let report = &built.report;
    let joint = |joint: usize| take.character.model.skeleton.joints[joint].name.as_str();
    json!({
        "joints": built.joints.iter().map(|&each| joint(each)).collect::<Vec<_>>(),
        "step_seconds": built.step,
        "parts_per_step": report.substeps,
        "recorded_steps": built.len(),
        "length_error": report.length_error,
        "position_error": report.position_error,
        "penetration": report.penetration,
        "twist_radians": report.twist,
        "contacts": report.contacts.iter().max(),
        "cycles": report.cycles,
        "residue": report.residue,
        "residue_joint": report.residue_joint.map(joint),
        "residue_after_mixing": report.closing,
    })
}

/// Returns the figures of a loop: gaps in position (E0), speed (ratio ρ) and acceleration (E2), and the motion lost by mixing.
fn looped(take: &BuiltTake, built: &Looped) -> Value {
    let report = built.report();
    json!({
        "of": take.content.name(),
        "source_frames": built.source.frames(),
        "start": built.window.start,
        "length": built.window.length,
        "latest_start": built.latest_start(),
        "fps": built.fps,
        "value_gap": report.value_gap,
        "step_change": report.step_change,
        "seam_ratio": report.ratio,
        "acceleration_ratio": report.acceleration_ratio,
        "lamp": format!("{:?}", report.rating()).to_lowercase(),
        "dip": report.dip,
        "edges": report.edges.map(|edges| json!({ "shortest_percent": edges.low, "longest_percent": edges.high })),
    })
}

/// Returns the figures of a close stage: gaps in position and speed with the worst joints, the travel of a cycle, and its feet.
fn close(take: &BuiltTake, report: &close::Report) -> Value {
    let joint = |joint: usize| take.character.model.skeleton.joints.get(joint).map(|joint| joint.name.as_str());
    let gap = |gap: &close::Gap| {
        json!({
            "place": gap.place, "place_joint": joint(gap.position_joint), "turn_radians": gap.turn,
            "velocity": gap.velocity, "velocity_joint": joint(gap.velocity_joint),
        })
    };
    json!({
        "closes_already": report.closes_already,
        "side": report.side,
        "after_start_seconds": report.after_start,
        "before_end_seconds": report.before_end,
        "before": gap(&report.before),
        "after": gap(&report.after),
        "travel_m": report.travel.with_y(0.0).length(),
        "climb_m": report.travel.y,
        "turn_radians": report.turn,
        "foot_jump_m": report.foot_jump,
        "foot_slide_m": report.foot_slide,
        "moved_m": report.moved,
    })
}

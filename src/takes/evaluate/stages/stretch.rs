//! The stretch stage.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::document::stage::{RootChoice, Stretch};
use crate::evaluate::inputs::Inputs;
use crate::evaluate::{BuiltTake, StageResult, TakeError};
use portamento_anim::{Clip, RootKind, RootMotion, root_motion, root_synthesis};
use portamento_base::progress::Progress;
use portamento_stretch as stretch;

impl Described for Stretch {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("target", "section.target", Measure::FileLength),
        row("target/start", "space.start", Measure::FileLength),
        row("aim_at", "form.object", Measure::Plain),
        choice("root", "form.root_choice", "root."),
        row("root/joint", "", Measure::Joint),
        choice("method", "form.method", "method."),
        choice("measure", "form.measure", "measure."),
        row("axes", "form.axes", Measure::Plain),
        row("axes/1", "form.x", Measure::Plain),
        row("axes/2", "form.y", Measure::Plain),
        row("axes/3", "form.z", Measure::Plain),
        row("dead_zone", "form.dead_zone", Measure::Speed),
        choice("zero_motion", "form.zero_motion", "zero."),
        choice("facing", "form.facing", "facing."),
        row("facing/heading", "", Measure::Radians),
        row("windows", "section.windows", Measure::Plain),
        row("windows/*/start", "form.start", Measure::Seconds),
        row("windows/*/end", "form.end", Measure::Seconds),
        row("windows/*/target", "section.target", Measure::FileLength),
        row("windows/*/target/start", "space.start", Measure::FileLength),
        choice("windows/*/facing", "form.facing", "facing."),
        row("windows/*/facing/heading", "", Measure::Radians),
        row("windows/*/soft_edges", "form.soft_edges", Measure::Seconds),
        row("windows/*/keep_speed", "form.keep_speed", Measure::Plain),
        row("aligner", "form.aligner", Measure::Joint),
        row("feet", "form.keep_feet", Measure::Plain),
        row("plants", "setting.contacts", Measure::Plain),
        row("plants/*/foot", "form.foot", Measure::Joint),
        row("plants/*/spans", "", Measure::Plain),
        row("plants/*/spans/*/start", "form.start", Measure::Seconds),
        row("plants/*/spans/*/end", "form.end", Measure::Seconds),
        row("max_ratio", "form.max_ratio", Measure::Plain),
    ]];
}

impl Modify for Stretch {
    fn is_slow(&self, _: bool) -> bool {
        false
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        choose_root(inputs, self.root, built)?;
        let stage = stretched(inputs, self, built, progress)?;
        let measures = stretch::DisplayUnits {
            times: &stage.report.times,
            fps: built.fps,
            metres_per_unit: inputs.metres_per_unit,
            skeleton: &inputs.character.model.skeleton,
        };
        built.warnings.extend(stage.report.warnings.iter().map(|warning| warning.message(&measures)));
        built.clip = Arc::new(stage.clip().clone());
        Ok(StageResult::Stretch(Arc::new(stage)))
    }
}

/// Applies the user's choice of root motion. Computed root motion also changes the clip. Returns `Err` if it cannot be
/// computed.
fn choose_root(inputs: &Inputs, choice: RootChoice, built: &mut BuiltTake) -> Result<(), TakeError> {
    match choice {
        RootChoice::Found => {}
        RootChoice::Joint(joint) => {
            let kind = if inputs.roles.hips == Some(joint) { RootKind::HipsGroundPart } else { RootKind::Root };
            built.root = Some(RootMotion { joint, kind });
        }
        RootChoice::Made => {
            let skeleton = &inputs.character.model.skeleton;
            let synthesized = root_synthesis::synthesize_root_motion(
                skeleton,
                &built.clip,
                &inputs.roles,
                built.fps,
                inputs.metres_per_unit,
            )?;
            (built.clip, built.root) = (Arc::new(synthesized.0), Some(synthesized.1));
        }
    }
    Ok(())
}

/// Stretches the clip of `before`. A scene object to aim at replaces the target of the settings. Returns `Err` if that object
/// does not exist or the take has no root joint.
fn stretched(
    inputs: &Inputs,
    stretch: &Stretch,
    before: &BuiltTake,
    progress: &Progress,
) -> Result<stretch::Built, TakeError> {
    let mut settings = stretch.settings.clone();
    if let Some(name) = &stretch.aim_at {
        let object = inputs.objects.iter().find(|object| object.name == *name);
        let object = object.ok_or_else(|| TakeError::NoObject(name.clone()))?;
        settings.target = Some(stretch::Target::World(object.position / inputs.metres_per_unit));
    }
    let root = before.root.ok_or_else(|| TakeError::NoJoints(before.clip_name.clone()))?;
    let mesh_joints = inputs.character.model.mesh_joints();
    let input = stretch::Input {
        skeleton: &inputs.character.model.skeleton,
        clip: &before.clip,
        roles: &inputs.roles,
        root,
        fps: before.fps,
        metres_per_unit: inputs.metres_per_unit,
        mesh_joints: &mesh_joints,
    };
    Ok(stretch::build(&input, &settings, progress)?)
}

impl Outcome for stretch::Built {
    /// Returns the figures of a stretch: its end in the file's world space, its stretch ratio, and measurements on its own output.
    /// Later stages do not affect them.
    fn figures(&self, take: &BuiltTake, clip: &Clip) -> Value {
        let report = &self.report;
        let metres = take.metres_per_unit;
        let skeleton = &take.character.model.skeleton;
        let times: Vec<f64> = report.times.iter().map(|&time| self.output_time(time)).collect();
        let path = take.root.map(|root| root_motion::path(skeleton, clip, root.joint, &times));
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

    fn bytes(&self) -> usize {
        self.clip().bytes()
    }

    fn output_time(&self, time: f64) -> f64 {
        self.map.as_ref().map_or(time, |map| map.at(time))
    }

    fn input_time(&self, time: f64) -> f64 {
        self.map.as_ref().map_or(time, |map| map.incoming_time(time))
    }

    fn in_output_time(&self, before: &Arc<Clip>) -> Arc<Clip> {
        self.in_time(before).map_or_else(|| before.clone(), Arc::new)
    }
}

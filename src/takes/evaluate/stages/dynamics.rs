//! The dynamics stage: the simulated joints get rotation keys on every frame, all other curves are unchanged.

use std::sync::Arc;

use glam::{DVec3, Quat};
use serde_json::{Value, json};

use super::{Modify, Outcome};
use crate::document::setting::{Described, Measure, Row, choice, row};
use crate::document::stage::Dynamics;
use crate::document::{KeyedSetting, Span};
use crate::evaluate::inputs::{Inputs, StageInput};
use crate::evaluate::{BuiltTake, StageResult, TakeError, memory};
use portamento_anim::math::mean::aligned;
use portamento_anim::resample::frame_times;
use portamento_anim::{Clip, Curve, Pose, Skeleton};
use portamento_base::message::{Message, message};
use portamento_base::progress::Progress;
use portamento_dynamics as dynamics;
use portamento_dynamics::{Built, KeyableNumber, KeyedNumber, STEP, SettingsOverTime, Warning};
use portamento_looping as looping;
use portamento_looping::{Crossfade, FadeWeights, Pair};

impl Described for Dynamics {
    const ROWS: &'static [&'static [Row]] = &[&[
        row("chains", "section.chains", Measure::Plain),
        row("chains/*/name", "form.name", Measure::Plain),
        row("chains/*/muted", "setting.left_out", Measure::Plain),
        row("chains/*/joint", "section.joint", Measure::Joint),
        row("chains/*/excluded", "form.bone_excluded", Measure::Joint),
        row("chains/*/drag", "form.bone_drag", Measure::Plain),
        row("chains/*/drag/curve", "setting.along_chain", Measure::Plain),
        row("chains/*/stiffness", "form.bone_stiffness", Measure::Acceleration),
        row("chains/*/stiffness/curve", "setting.along_chain", Measure::Plain),
        row("chains/*/gravity", "form.bone_gravity", Measure::Plain),
        row("chains/*/gravity/curve", "setting.along_chain", Measure::Plain),
        row("chains/*/radius", "form.bone_radius", Measure::Metres),
        row("chains/*/radius/curve", "setting.along_chain", Measure::Plain),
        choice("chains/*/limit", "form.bone_limit", "limit."),
        row("chains/*/limit/cone/angle", "form.limit_angle", Measure::Radians),
        row("chains/*/limit/hinge/axis", "form.limit_axis", Measure::Plain),
        row("chains/*/limit/hinge/low", "form.limit_low", Measure::Radians),
        row("chains/*/limit/hinge/high", "form.limit_high", Measure::Radians),
        choice("chains/*/length_correction", "form.length_correction", "correction."),
        row("chains/*/end_length", "form.bone_end", Measure::Metres),
        row("chains/*/overrides", "setting.single_bones", Measure::Plain),
        row("chains/*/overrides/*/joint", "section.joint", Measure::Joint),
        row("chains/*/overrides/*/drag", "form.bone_drag", Measure::Plain),
        row("chains/*/overrides/*/stiffness", "form.bone_stiffness", Measure::Acceleration),
        row("chains/*/overrides/*/gravity", "form.bone_gravity", Measure::Plain),
        row("chains/*/overrides/*/radius", "form.bone_radius", Measure::Metres),
        choice("chains/*/overrides/*/limit", "form.bone_limit", "limit."),
        row("chains/*/overrides/*/limit/cone/angle", "form.limit_angle", Measure::Radians),
        row("chains/*/overrides/*/limit/hinge/axis", "form.limit_axis", Measure::Plain),
        row("chains/*/overrides/*/limit/hinge/low", "form.limit_low", Measure::Radians),
        row("chains/*/overrides/*/limit/hinge/high", "form.limit_high", Measure::Radians),
        row("chains/*/ignored_colliders", "setting.not_met", Measure::Index),
        row("chains/*/center", "form.bone_centre", Measure::Joint),
        row("colliders", "section.colliders", Measure::Plain),
        row("colliders/*/name", "form.name", Measure::Plain),
        row("colliders/*/joint", "form.collider_joint", Measure::Joint),
        choice("colliders/*/shape", "", "collider."),
        row("colliders/*/shape/*/center", "form.collider_center", Measure::Metres),
        row("colliders/*/shape/*/radius", "form.collider_radius", Measure::Metres),
        row("colliders/*/shape/*/a", "form.collider_a", Measure::Metres),
        row("colliders/*/shape/*/b", "form.collider_b", Measure::Metres),
        row("colliders/*/shape/*/point", "form.collider_point", Measure::Metres),
        row("colliders/*/shape/*/normal", "form.collider_normal", Measure::Plain),
        row("gravity", "form.gravity", Measure::Acceleration),
        row("wind", "section.wind", Measure::Plain),
        row("wind/direction", "form.wind_direction", Measure::Plain),
        row("wind/strength", "form.wind_strength", Measure::Acceleration),
        row("wind/gust", "form.wind_gust", Measure::Plain),
        row("wind/turbulence", "form.wind_turbulence", Measure::Plain),
        row("wind/seed", "form.wind_seed", Measure::Plain),
        row("wind/period", "form.wind_period", Measure::Seconds),
        row("scale", "form.dynamics_scale", Measure::Plain),
        row("slerp_buffer", "form.slerp_buffer", Measure::Plain),
        row("smoothing", "form.smoothing", Measure::Seconds),
        row("segment_contact", "form.segment_contact", Measure::Plain),
        row("teleport", "", Measure::Plain),
        choice("teleport/rule", "form.teleport", "teleport."),
        row("teleport/speed", "form.teleport_speed", Measure::Speed),
        row("teleport/turn", "setting.teleport_turn", Measure::Radians),
        row("pre_roll", "form.pre_roll", Measure::Seconds),
        row("loop_clean", "form.dynamics_clean", Measure::Plain),
        row("looping", "form.dynamics_looping", Measure::Plain),
        row("fps", "form.dynamics_fps", Measure::Plain),
    ]];
}

impl Modify for Dynamics {
    fn is_slow(&self, _: bool) -> bool {
        true
    }

    /// Returns the size of the recorded rotations: every simulation step (twice for a loop) and every frame. A loop also stores
    /// the positions of its bones.
    fn bytes(&self, before: &BuiltTake) -> u64 {
        let rate = 2.0 / STEP + self.fps.unwrap_or(before.fps);
        let rows = memory::of_frames(before.clip.duration, rate);
        let joint = size_of::<Quat>() + if self.looping { size_of::<DVec3>() } else { 0 };
        rows.saturating_mul((before.character.model.skeleton.len() * joint) as u64)
    }

    fn apply(&self, inputs: &Inputs, built: &mut BuiltTake, progress: &Progress) -> Result<StageResult, TakeError> {
        let fps = self.fps.unwrap_or(built.fps);
        if !(1.0..=1000.0).contains(&fps) {
            return Err(TakeError::BadRate(fps));
        }
        let skeleton = &inputs.character.model.skeleton;
        let before = built.clip.clone();
        let driver = |time: f64, pose: &mut Pose| before.sample(skeleton, time, pose);
        let input = dynamics::Input {
            skeleton,
            driver: &driver,
            duration: before.duration,
            looping: self.looping,
            metres_per_unit: inputs.metres_per_unit,
        };
        let times = frame_times(before.duration, fps);
        let keyed = keyed_numbers(inputs.stages.last());
        let settings = SettingsOverTime { settings: &self.settings, keyed: &keyed };
        let mut stage = built.recordings.build(&input, settings, &times, progress)?;
        if let Some(closing_rotations) = closing_rotations(&stage, &before.name)? {
            stage.close_loop(&input, settings, &closing_rotations, progress)?;
        }
        let warnings = visible_warnings(self.span, &stage.report.warnings);
        built
            .warnings
            .extend(warnings.iter().map(|warning| with_moment(message_of(warning, &stage, skeleton), warning)));
        if self.looping {
            built.warnings.extend(super::checks::open_clip(&before, skeleton, built.root));
            built.warnings.extend(super::checks::closing_collision(&stage.report));
        }
        built.clip = Arc::new(with_recorded_keys(&before, &stage, skeleton, times));
        Ok(StageResult::Dynamics(Arc::new(stage)))
    }
}

/// Returns the keyed numbers of the simulation. Other keyed settings, such as the influence, are left out.
fn keyed_numbers(stage: Option<&StageInput>) -> Vec<KeyedNumber> {
    let keys = stage.into_iter().flat_map(|stage| &stage.keys);
    let number = |keyed: &KeyedSetting| {
        let number = KeyableNumber::at(keyed.setting.strip_prefix("settings/")?)?;
        Some(KeyedNumber { number, curve: keyed.keys.clone() })
    };
    keys.filter_map(number).collect()
}

/// Returns `before` with the recorded rotations as keys at `times`. Times are in seconds. Other curves are unchanged.
fn with_recorded_keys(before: &Clip, built: &Built, skeleton: &Skeleton, times: Vec<f64>) -> Clip {
    let mut rows: Vec<Vec<Quat>> = vec![Vec::with_capacity(times.len()); built.joints.len()];
    let mut pose = Pose::rest(skeleton);
    for &time in &times {
        built.sample(time, &mut pose);
        for (row, &joint) in rows.iter_mut().zip(&built.joints) {
            let turn = pose.locals[joint].rotation;
            row.push(aligned(turn, row.last().copied().unwrap_or(turn)));
        }
    }
    let times: Vec<f32> = times.into_iter().map(|time| time as f32).collect();
    let mut clip = before.clone();
    for (row, &joint) in rows.into_iter().zip(&built.joints) {
        clip.tracks[joint].rotation = Some(Curve::linear(times.clone(), row));
    }
    clip
}

/// Returns the rotations of the last two cycles cross-faded so that the loop closes; `None` if the simulation already
/// repeats. They are frame after frame, with one rotation per simulated joint. `clip` is its name for errors.
fn closing_rotations(built: &Built, clip: &str) -> Result<Option<Vec<Quat>>, TakeError> {
    let Some(shared) = built.following().next() else { return Ok(None) };
    let length = built.len() - 1;
    let settings = looping::Settings { length, ..looping::Settings::default() };
    let weights = FadeWeights::new(&settings, shared.len(), clip)?;
    let mut buffer = vec![0.0; shared.len()];
    let mut rows = Vec::with_capacity(built.len() * shared.len());
    for (k, (a, b)) in built.rows().zip(built.following()).enumerate() {
        let mut row = shared.to_vec();
        if k > 0 && k < length {
            let pair = Pair { outgoing: b, incoming: a };
            Crossfade::crossfade(pair, weights.at(k, 0, &mut buffer), (), &mut row);
        }
        rows.extend(row);
    }
    Ok(Some(rows))
}

/// Returns the warnings that are visible within `span`, in seconds like their times. Of warnings that cover an interval,
/// those of the same kind and joint are merged. All others are kept.
fn visible_warnings(span: Option<Span>, warnings: &[Warning]) -> Vec<Warning> {
    let mut visible: Vec<Warning> = Vec::new();
    for warning in warnings {
        let interval = match *warning {
            Warning::Infeasible { time, until, .. } | Warning::FoldedBack { time, until, .. } => Some((time, until)),
            _ => None,
        };
        let is_outside = |span: Span| interval.is_some_and(|(time, until)| until <= span.start || time >= span.end);
        if !span.is_some_and(is_outside) && !visible.iter_mut().any(|known| merge(known, warning)) {
            visible.push(warning.clone());
        }
    }
    visible
}

/// Extends `known` to cover the later `warning` if both have the same kind and joint. Returns true if it did.
fn merge(known: &mut Warning, warning: &Warning) -> bool {
    match (known, warning) {
        (
            Warning::Infeasible { joint, until, depth, limited, .. },
            Warning::Infeasible { joint: same, until: later, depth: deep, limited: also, .. },
        ) if *joint == *same => {
            (*until, *depth, *limited) = (*later, depth.max(*deep), *limited || *also);
            true
        }
        (Warning::FoldedBack { joint, until, .. }, Warning::FoldedBack { joint: same, until: later, .. })
            if *joint == *same =>
        {
            *until = *later;
            true
        }
        _ => false,
    }
}

/// Formats a fraction for display: per cent, or scientific notation below 0.1 %.
fn format_fraction(residue: f64) -> String {
    if residue < 1e-3 { format!("{residue:.1e}") } else { format!("{:.1} %", 100.0 * residue) }
}

/// Attaches the time and joint of `warning` to `message`.
fn with_moment(message: Message, warning: &Warning) -> Message {
    match *warning {
        Warning::Infeasible { joint, time, .. }
        | Warning::FoldedBack { joint, time, .. }
        | Warning::NotANumber { joint, time } => message.at(time, Some(joint)),
        _ => message,
    }
}

/// Returns the text of `warning` with the names of joints. Colliders are numbered from 1.
fn message_of(warning: &Warning, built: &Built, skeleton: &Skeleton) -> Message {
    let name = |joint: usize| skeleton.joints.get(joint).map_or("?", |joint| joint.name.as_str());
    match warning {
        Warning::Infeasible { joint, time, depth, limited: true, .. } => message!(
            "warning.dynamics.limited",
            "The angle limit of “%{joint}” keeps its bone inside a collider from %{time} s on (up to %{depth} m deep). \
             Widen the limit, or shrink or move a collider.",
            joint = name(*joint),
            time = format!("{time:.2}"),
            depth = format!("{depth:.3}")
        ),
        Warning::Infeasible { joint, time, depth, .. } => message!(
            "warning.dynamics.infeasible",
            "The bone of “%{joint}” cannot leave all colliders from %{time} s on (up to %{depth} m deep). Shrink or \
             move a collider.",
            joint = name(*joint),
            time = format!("{time:.2}"),
            depth = format!("{depth:.3}")
        ),
        Warning::FoldedBack { joint, time, .. } => message!(
            "warning.dynamics.folded",
            "The bone of “%{joint}” points opposite to its animated direction at %{time} s, where it may flip in one \
             frame. Add an angle limit, or increase stiffness or drag.",
            joint = name(*joint),
            time = format!("{time:.2}")
        ),
        Warning::LoopNotClean { residue } if built.report.closing.is_some() => message!(
            "warning.dynamics.loop_mixed",
            "The swing does not repeat: %{residue} of a bone's length was left after %{cycles} cycles. The last \
             two are blended so that the loop closes. More drag lets it settle.",
            residue = format_fraction(*residue),
            cycles = built.report.cycles.to_string()
        ),
        Warning::LoopNotClean { residue } => message!(
            "warning.dynamics.loop_not_clean",
            "The loop does not repeat: %{residue} of a bone's length is left after the last cycle. Increase the drag, \
             or simulate until it repeats.",
            residue = format_fraction(*residue)
        ),
        Warning::ColliderOnDynamicJoint { collider } => message!(
            "warning.dynamics.collider_on_chain",
            "Collider %{collider} is attached to a dynamic joint, so it follows the animation instead. Attach it to a body joint.",
            collider = collider + 1
        ),
        Warning::Coarse { .. } => message!(
            "warning.dynamics.coarse",
            "Forces are too strong for the shortest bone; the swing may be rough. Lower the stiffness."
        ),
        Warning::NotANumber { joint, time } => message!(
            "warning.dynamics.not_a_number",
            "The animation of “%{joint}” is not a number at %{time} s; its rest pose was used instead. Repair the clip.",
            joint = name(*joint),
            time = format!("{time:.2}")
        ),
    }
}

impl Outcome for Built {
    /// Returns the figures of dynamic bones: errors of lengths and contacts, twist, and the residue of a loop.
    fn figures(&self, take: &BuiltTake, _: &Clip) -> Value {
        let report = &self.report;
        let joint = |joint: usize| take.character.model.skeleton.joints[joint].name.as_str();
        json!({
            "joints": self.joints.iter().map(|&each| joint(each)).collect::<Vec<_>>(),
            "step_seconds": self.step,
            "parts_per_step": report.substeps,
            "recorded_steps": self.len(),
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

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }

    /// A looping dynamics stage requires a looping input.
    fn repeats(&self) -> bool {
        self.report.residue.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stuck_bone_is_reported_once_and_only_within_the_span() {
        let run = |joint, time, until, depth| Warning::Infeasible { joint, time, until, depth, limited: false };
        let runs = [run(3, 0.5, 0.6, 0.1), run(4, 0.7, 0.7, 0.2), run(3, 1.0, 1.5, 0.05), run(3, 4.0, 4.5, 0.3)];
        let all = visible_warnings(None, &runs);
        assert_eq!(all, [run(3, 0.5, 4.5, 0.3), run(4, 0.7, 0.7, 0.2)]);
        let span = |start, end| Some(Span { start, end, fade_in: 0.0, fade_out: 0.0 });
        assert_eq!(visible_warnings(span(0.9, 2.0), &runs), [run(3, 1.0, 1.5, 0.05)]);
        assert_eq!(visible_warnings(span(2.0, 3.0), &runs), []);
        let folds = |joint, time, until| Warning::FoldedBack { joint, time, until };
        let folded = [folds(3, 0.5, 0.6), run(3, 0.7, 0.8, 0.1), folds(3, 1.0, 1.1), folds(4, 2.0, 2.1)];
        assert_eq!(visible_warnings(span(0.0, 1.9), &folded), [folds(3, 0.5, 1.1), run(3, 0.7, 0.8, 0.1)]);
        let other = Warning::LoopNotClean { residue: 0.5 };
        assert_eq!(visible_warnings(span(2.0, 3.0), std::slice::from_ref(&other)), [other]);
    }

    #[test]
    fn a_residue_is_shown_in_per_cent_or_scientific_notation() {
        assert_eq!([0.5, 0.0123, 0.001, 4.2e-5].map(format_fraction), ["50.0 %", "1.2 %", "0.1 %", "4.2e-5"]);
    }
}

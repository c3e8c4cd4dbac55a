//! The settings of each kind of stage.

use super::{ACCELERATION, DEGREES, FILE_LENGTH, METRES, Measure, PLAIN, RADIANS, Row, SECONDS, SPEED, choice, row};
use crate::units::Unit;

pub(super) const STRETCH: &[Row] = &[
    row("target", "section.target", FILE_LENGTH),
    row("target/start", "space.start", FILE_LENGTH),
    row("aim_at", "form.object", PLAIN),
    choice("root", "form.root_choice", "root."),
    row("root/joint", "", Measure::Joint),
    choice("method", "form.method", "method."),
    choice("measure", "form.measure", "measure."),
    row("axes", "form.axes", PLAIN),
    row("axes/1", "form.x", PLAIN),
    row("axes/2", "form.y", PLAIN),
    row("axes/3", "form.z", PLAIN),
    row("dead_zone", "form.dead_zone", SPEED),
    choice("zero_motion", "form.zero_motion", "zero."),
    choice("facing", "form.facing", "facing."),
    row("facing/heading", "", RADIANS),
    row("windows", "section.windows", PLAIN),
    row("windows/*/start", "form.start", SECONDS),
    row("windows/*/end", "form.end", SECONDS),
    row("windows/*/target", "section.target", FILE_LENGTH),
    row("windows/*/target/start", "space.start", FILE_LENGTH),
    choice("windows/*/facing", "form.facing", "facing."),
    row("windows/*/facing/heading", "", RADIANS),
    row("aligner", "form.aligner", Measure::Joint),
    row("feet", "form.keep_feet", PLAIN),
    row("plants", "setting.contacts", PLAIN),
    row("plants/*/foot", "form.foot", Measure::Joint),
    row("plants/*/spans", "", PLAIN),
    row("plants/*/spans/*/start", "form.start", SECONDS),
    row("plants/*/spans/*/end", "form.end", SECONDS),
    row("max_ratio", "form.max_ratio", PLAIN),
];

pub(super) const DYNAMICS: &[Row] = &[
    row("chains", "section.chains", PLAIN),
    row("chains/*/name", "form.name", PLAIN),
    row("chains/*/muted", "setting.left_out", PLAIN),
    row("chains/*/joint", "section.joint", Measure::Joint),
    row("chains/*/excluded", "form.bone_excluded", Measure::Joint),
    row("chains/*/drag", "form.bone_drag", PLAIN),
    row("chains/*/drag/curve", "setting.along_chain", PLAIN),
    row("chains/*/stiffness", "form.bone_stiffness", ACCELERATION),
    row("chains/*/stiffness/curve", "setting.along_chain", PLAIN),
    row("chains/*/gravity", "form.bone_gravity", PLAIN),
    row("chains/*/gravity/curve", "setting.along_chain", PLAIN),
    row("chains/*/radius", "form.bone_radius", METRES),
    row("chains/*/radius/curve", "setting.along_chain", PLAIN),
    choice("chains/*/limit", "form.bone_limit", "limit."),
    row("chains/*/limit/cone/angle", "form.limit_angle", RADIANS),
    row("chains/*/limit/hinge/axis", "form.limit_axis", PLAIN),
    row("chains/*/limit/hinge/low", "form.limit_low", RADIANS),
    row("chains/*/limit/hinge/high", "form.limit_high", RADIANS),
    choice("chains/*/length_correction", "form.length_correction", "correction."),
    row("chains/*/end_length", "form.bone_end", METRES),
    row("chains/*/overrides", "setting.single_bones", PLAIN),
    row("chains/*/overrides/*/joint", "section.joint", Measure::Joint),
    row("chains/*/overrides/*/drag", "form.bone_drag", PLAIN),
    row("chains/*/overrides/*/stiffness", "form.bone_stiffness", ACCELERATION),
    row("chains/*/overrides/*/gravity", "form.bone_gravity", PLAIN),
    row("chains/*/overrides/*/radius", "form.bone_radius", METRES),
    choice("chains/*/overrides/*/limit", "form.bone_limit", "limit."),
    row("chains/*/overrides/*/limit/cone/angle", "form.limit_angle", RADIANS),
    row("chains/*/overrides/*/limit/hinge/axis", "form.limit_axis", PLAIN),
    row("chains/*/overrides/*/limit/hinge/low", "form.limit_low", RADIANS),
    row("chains/*/overrides/*/limit/hinge/high", "form.limit_high", RADIANS),
    row("chains/*/ignored_colliders", "setting.not_met", Measure::Index),
    row("chains/*/center", "form.bone_centre", Measure::Joint),
    row("colliders", "section.colliders", PLAIN),
    row("colliders/*/name", "form.name", PLAIN),
    row("colliders/*/joint", "form.collider_joint", Measure::Joint),
    choice("colliders/*/shape", "", "collider."),
    row("colliders/*/shape/*/center", "form.collider_center", METRES),
    row("colliders/*/shape/*/radius", "form.collider_radius", METRES),
    row("colliders/*/shape/*/a", "form.collider_a", METRES),
    row("colliders/*/shape/*/b", "form.collider_b", METRES),
    row("colliders/*/shape/*/point", "form.collider_point", METRES),
    row("colliders/*/shape/*/normal", "form.collider_normal", PLAIN),
    row("gravity", "form.gravity", ACCELERATION),
    row("wind", "section.wind", PLAIN),
    row("wind/direction", "form.wind_direction", PLAIN),
    row("wind/strength", "form.wind_strength", ACCELERATION),
    row("wind/gust", "form.wind_gust", PLAIN),
    row("wind/turbulence", "form.wind_turbulence", PLAIN),
    row("wind/seed", "form.wind_seed", PLAIN),
    row("wind/period", "form.wind_period", SECONDS),
    row("scale", "form.dynamics_scale", PLAIN),
    row("slerp_buffer", "form.slerp_buffer", PLAIN),
    row("smoothing", "form.smoothing", SECONDS),
    row("segment_contact", "form.segment_contact", PLAIN),
    row("teleport", "", PLAIN),
    choice("teleport/rule", "form.teleport", "teleport."),
    row("teleport/speed", "form.teleport_speed", SPEED),
    row("teleport/turn", "setting.teleport_turn", RADIANS),
    row("pre_roll", "form.pre_roll", SECONDS),
    row("loop_clean", "form.dynamics_clean", PLAIN),
    row("looping", "form.dynamics_looping", PLAIN),
    row("fps", "form.dynamics_fps", PLAIN),
];

pub(super) const LAYER: &[Row] = &[
    row("skill", "form.skill_clip", Measure::Clip),
    row("skill_loops", "form.skill_loops", PLAIN),
    row("skill_holds", "form.skill_holds", PLAIN),
    row("upper", "section.upper_body", PLAIN),
    row("run_speeds", "section.running", SPEED),
    row("run_speeds/1", "form.stand_below", SPEED),
    row("run_speeds/2", "form.run_above", SPEED),
    choice("interrupt", "form.interrupt", "interrupt."),
    choice("mode", "form.layer_mode", "layer."),
    row("blend_times", "section.blend_times", PLAIN),
    row("blend_times/*/joint", "section.joint", PLAIN),
    row("blend_times/*/factor", "", PLAIN),
];

pub(super) const LOOP: &[Row] = &[
    row("start", "form.loop_start", PLAIN),
    row("length", "form.loop_length", PLAIN),
    row("fade", "", PLAIN),
    choice("fade/curve", "form.fade_curve", "easing."),
    choice("fade/curve/named", "", "easing."),
    row("fade/softness", "form.fade_softness", PLAIN),
    row("fade/reach", "form.fade_reach", PLAIN),
    row("fade/timing", "section.paint", PLAIN),
    row("fade/width", "section.paint", PLAIN),
    row("fade/shape", "section.paint", PLAIN),
    row("outgoing", "setting.outgoing", PLAIN),
    choice("outgoing/curve", "form.fade_curve", "easing."),
    choice("outgoing/curve/named", "", "easing."),
    row("outgoing/softness", "form.fade_softness", PLAIN),
    row("outgoing/reach", "form.fade_reach", PLAIN),
    row("outgoing/timing", "section.paint", PLAIN),
    row("outgoing/width", "section.paint", PLAIN),
    row("outgoing/shape", "section.paint", PLAIN),
    row("keep_energy", "form.keep_energy", PLAIN),
    row("rigid", "form.rigid", PLAIN),
    row("linear_light", "form.linear_light", PLAIN),
    choice("travel", "form.loop_travel", "travel."),
];

pub(super) const CLOSE: &[Row] = &[
    row("seam", "form.close_seam", SECONDS),
    choice("side", "form.close_side", "close."),
    choice("cycle", "form.close_cycle", "close."),
    row("feet", "form.close_feet", PLAIN),
];

pub(super) const RETIME: &[Row] = &[
    row("knots", "setting.points", PLAIN),
    row("knots/*/time", "retime.time", SECONDS),
    row("knots/*/speed", "retime.speed", PLAIN),
    choice("knots/*/ease", "form.easing", "retime."),
    row("length", "form.retime_length", SECONDS),
];

pub(super) const TRIM: &[Row] = &[row("from", "form.trim_from", SECONDS), row("to", "form.trim_to", SECONDS)];

pub(super) const GROUND: &[Row] = &[
    row("hold_feet", "form.ground_hold", PLAIN),
    row("own_heights", "form.ground_own_heights", PLAIN),
    row("softness", "form.ground_softness", SECONDS),
    row("sole", "form.ground_sole", METRES),
];

pub(super) const MIRROR: &[Row] = &[
    row("angle", "form.mirror_angle", DEGREES),
    row("tilt", "form.mirror_tilt", DEGREES),
    row("offset", "form.mirror_offset", METRES),
];

pub(super) const ROOT: &[Row] = &[
    choice("travel", "form.root_travel", "travel."),
    row("heading", "form.root_heading", PLAIN),
    row("evened", "form.root_evened", SECONDS),
];

pub(super) const CLEANUP: &[Row] = &[
    row("pops", "form.cleanup_pops", PLAIN),
    row("spread", "form.cleanup_spread", SECONDS),
    row("jitter", "form.cleanup_jitter", PLAIN),
    row("rotations", "form.cleanup_rotations", PLAIN),
    row("origin", "form.cleanup_origin", PLAIN),
    row("rate", "form.cleanup_rate", PLAIN),
    row("reduce", "form.reduce", PLAIN),
    row("reduce/millimetres", "", Measure::In(Unit::Millimetres)),
];

/// Settings shared by several kinds of stages.
pub(super) const EVERYWHERE: &[Row] = &[
    row("span", "section.span", SECONDS),
    row("span/start", "form.span_start", SECONDS),
    row("span/end", "form.span_end", SECONDS),
    row("span/fade_in", "form.span_fade_in", SECONDS),
    row("span/fade_out", "form.span_fade_out", SECONDS),
    row("on", "form.stage_on", PLAIN),
    row("influence", "form.influence", PLAIN),
    row("files", "setting.files", Measure::File),
];

/// Settings of joint weights.
pub(super) const MASK: &[Row] = &[
    choice("**/region", "form.region", "region."),
    row("**/from", "form.mask_from", PLAIN),
    row("**/falloff", "form.falloff", PLAIN),
    row("**/complement", "setting.inverted", PLAIN),
    row("**/overrides", "setting.weights", PLAIN),
];

/// Settings of events.
pub(super) const EVENTS: &[Row] = &[
    row("**/events", "section.events", PLAIN),
    row("**/events/*/time", "form.event_time", SECONDS),
    choice("**/events/*/action", "form.action", "action."),
    row("**/events/*/clip", "form.event_clip", Measure::Clip),
    row("**/events/*/state", "form.event_state", PLAIN),
    row("**/events/*/start", "form.event_start", SECONDS),
    row("**/events/*/trans_time", "form.trans_time", SECONDS),
    choice("**/events/*/easing", "form.easing", "easing."),
    row("**/events/*/midpoint", "form.midpoint", Measure::Percent),
];

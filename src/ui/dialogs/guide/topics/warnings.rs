//! The row of *By symptom* for each warning.

use portamento_base::message::Message;

/// Returns the topic of a warning. `None` for other messages.
pub(crate) fn of_warning(warning: &Message) -> Option<&'static str> {
    of_key(warning.key())
}

/// Returns the topic of the warning with this key.
pub(super) fn of_key(key: &str) -> Option<&'static str> {
    [MOTION, SYSTEMS, WALKS, FILES].concat().into_iter().find(|(_, keys)| keys.contains(&key)).map(|(topic, _)| topic)
}

/// Topics with the keys of their warnings.
type Topics = &'static [(&'static str, &'static [&'static str])];

const MOTION: Topics = &[
    ("symptoms#a-stage-was-not-applied-or-fix-left-the-clip-as-it-was", &["warning.stage.undone"]),
    ("symptoms#a-joint-jumps-where-a-stage-begins-or-ends", &["warning.stage.hard_edge"]),
    (
        "symptoms#a-walk-or-a-stretch-misses-its-goal-after-another-stage",
        &["warning.stage.stop_moved", "warning.stage.target_missed"],
    ),
    ("symptoms#a-loop-no-longer-closes-after-another-stage", &["warning.stage.seam_opened"]),
    ("symptoms#a-mirrored-clip-leans-or-a-hand-misses-its-place", &["warning.mirror.unlike"]),
    ("symptoms#mirror-refuses-or-a-face-stays-unmirrored", &["warning.mirror.morphs"]),
    ("symptoms#the-body-shakes-a-little-after-root-motion", &["warning.root.moved"]),
    ("symptoms#ground-changes-nothing", &["warning.ground.never_stands"]),
    ("symptoms#ground-refuses-no-legs", &["warning.stride.no_legs"]),
    (
        "symptoms#a-leg-is-too-short-for-its-contact",
        &[
            "warning.ground.leg_too_short",
            "warning.stride.short",
            "warning.close.leg_too_short",
            "warning.stretch.leg_too_short",
        ],
    ),
    ("symptoms#a-foot-slides-in-align-poses", &["warning.align.slides"]),
    ("symptoms#the-character-jumps-after-cycle-offset", &["warning.offset.open"]),
    ("symptoms#an-additive-clip-does-nothing", &["warning.additive.same"]),
    ("symptoms#a-skill-of-the-upper-body-moves-the-legs", &["warning.layer.leg"]),
    ("pose#keys", &["warning.pose.missing", "warning.pose.skipped"]),
    ("pose#goals-pin-a-hand-look-at-a-point", &["warning.pose.goal_missing", "warning.pose.goal_missed"]),
    ("cross#check-the-result", &["warning.cross.floats", "warning.cross.penetrates", "warning.cross.flips"]),
    ("symptoms#feet-or-hands-were-not-locked", &["warning.retarget.feet_undone", "warning.retarget.hands_undone"]),
    ("symptoms#a-hand-or-a-foot-does-not-reach-its-contact", &["warning.retarget.short", "warning.retarget.short_arm"]),
    ("symptoms#a-limb-a-tail-or-fingers-do-not-move", &["warning.retarget.limbs", "warning.retarget.left_out"]),
    (
        "symptoms#a-clip-of-another-character-moves-only-some-joints",
        &["warning.clip.other_body", "warning.clip.joints_left_out", "warning.clip.many_joints_left_out"],
    ),
    ("retarget#which-joint-is-what", &["warning.rig.unsure"]),
    ("symptoms#controls-are-ignored", &["warning.rig.controls"]),
];

const SYSTEMS: Topics = &[
    ("symptoms#three-clips-mix-into-a-strange-pose", &["warning.blend.far_apart"]),
    ("symptoms#a-limb-turns-too-fast-in-a-fade", &["warning.blend.fast_fade"]),
    ("symptoms#a-limb-slows-down-suddenly-where-an-event-interrupts-a-fade", &["warning.blend.fast_interruption"]),
    ("symptoms#a-clip-in-a-blend-pops-when-it-repeats", &["warning.blend.open_seam"]),
    ("symptoms#the-character-slips-back-at-every-cycle", &["warning.blend.other_carrier"]),
    ("symptoms#a-fade-spins-or-throws-a-limb", &["warning.blend.spins", "warning.blend.thrown"]),
    ("symptoms#legs-stumble-while-clips-are-mixed", &["warning.blend.out_of_step"]),
    ("symptoms#a-foot-slides-at-the-seam", &["warning.close.foot_slides", "warning.close.foot_stands"]),
    ("symptoms#hair-explodes-or-trembles-all-the-time", &["warning.dynamics.coarse"]),
    (
        "symptoms#a-bone-stays-inside-a-collider",
        &["warning.dynamics.closing_collides", "warning.dynamics.infeasible", "warning.dynamics.limited"],
    ),
    ("symptoms#a-collider-moves-as-in-the-clip-not-with-the-hair", &["warning.dynamics.collider_on_chain"]),
    ("symptoms#hair-turns-over", &["warning.dynamics.folded"]),
    ("symptoms#hair-never-settles-into-a-loop", &["warning.dynamics.loop_mixed", "warning.dynamics.loop_not_clean"]),
    ("symptoms#hair-pops-where-the-clip-starts-again", &["warning.dynamics.open_clip"]),
    ("symptoms#bad-rotations", &["warning.dynamics.not_a_number"]),
    ("symptoms#a-clip-that-looped-is-changed-by-loop", &["warning.loop.already_loops"]),
    ("symptoms#a-loop-on-stairs-stays-level", &["warning.loop.climb_lost"]),
    ("symptoms#part-of-a-painted-loop-stops-for-a-moment", &["warning.loop.fades_apart"]),
    ("symptoms#rigid-pieces-does-nothing", &["warning.loop.no_faces"]),
    ("symptoms#a-loop-of-a-walk-jumps-back-to-its-start", &["warning.loop.no_root"]),
    ("symptoms#a-loop-of-a-walk-in-a-circle-goes-straight-on", &["warning.loop.turns"]),
    (
        "symptoms#the-end-or-the-joint-in-aligner-is-above-or-below-the-target",
        &["warning.stretch.aligner_missed", "warning.stretch.height_ignored"],
    ),
    ("symptoms#a-foot-is-dragged-along", &["warning.stretch.foot_carried"]),
    ("symptoms#small-motions-become-large-ones", &["warning.stretch.large_ratio"]),
    ("symptoms#the-character-does-not-face-its-target", &["warning.stretch.no_direction"]),
    ("symptoms#the-character-moves-backwards", &["warning.stretch.reversed"]),
    ("symptoms#the-speed-jumps-in-the-middle", &["warning.stretch.speed_jump"]),
    ("symptoms#it-refuses-the-source-does-not-move", &["warning.stretch.spread_evenly"]),
    ("symptoms#it-ends-short-of-the-target", &["warning.stretch.target_drawn_nearer"]),
    ("symptoms#it-refuses-or-pulses-the-clip-walks-in-place", &["warning.stretch.on_the_spot"]),
];

const WALKS: Topics = &[
    ("symptoms#the-walk-refuses-no-walkable-ground", &["warning.voxels.no_ground"]),
    (
        "symptoms#stairs-or-ramps-count-as-blocked",
        &["warning.voxels.climb_below_voxel", "warning.voxels.slope_over_climb", "warning.voxels.short_treads"],
    ),
    ("symptoms#narrow-passages-are-closed", &["warning.voxels.radius_rounded"]),
    ("symptoms#a-rule-for-a-surface-or-an-area-does-nothing", &["warning.voxels.unknown_surface"]),
    (
        "symptoms#feet-slide-or-skate-in-the-walk",
        &[
            "warning.walk.no_stance",
            "warning.walk.no_stance_alone",
            "warning.walk.skates",
            "warning.walk.slides",
            "warning.walk.too_fast",
        ],
    ),
    ("symptoms#a-joint-jumps-or-a-foot-is-dragged", &["warning.walk.thrown", "warning.walk.drags", "warning.walk.pop"]),
    ("symptoms#turns-are-tighter-than-set", &["warning.walk.radius_narrowed"]),
    ("walk#over-walls-and-across-gaps", &["warning.walk.nothing_crosses", "warning.walk.short_run_up"]),
    ("symptoms#the-walk-refuses-start-or-goal-is-off-the-ground", &["warning.walk.stop_moved"]),
    ("symptoms#the-character-freezes-while-it-stands", &["warning.walk.holds_stand"]),
    ("symptoms#the-knees-are-stretched-straight-on-stairs", &["warning.walk.leg_too_short"]),
    ("symptoms#the-walk-passes-beside-a-waypoint", &["warning.walk.passed_beside"]),
    ("symptoms#a-gait-jerks-once-per-cycle", &["warning.walk.open_gait"]),
    ("symptoms#the-character-was-lifted-or-moved-sideways", &["warning.walk.moved_to_origin"]),
];

const FILES: Topics = &[
    (
        "symptoms#surfaces-are-white-or-grey",
        &[
            "warning.import.broken_colour",
            "warning.import.image_not_shown",
            "warning.import.ktx2",
            "warning.import.many_uv_sets",
            "warning.import.no_image",
            "warning.import.white",
        ],
    ),
    (
        "symptoms#something-is-missing",
        &[
            "warning.import.array_left_out",
            "warning.import.clips_told_apart",
            "warning.import.endless_clip",
            "warning.import.frames_announced",
            "warning.import.keys_sorted",
            "warning.import.last_triangle",
            "warning.import.meshes_over_budget",
            "warning.import.no_clip",
            "warning.import.no_motion",
            "warning.import.no_part",
            "warning.import.no_track",
            "warning.import.not_unpacked",
            "warning.import.opened_alone",
        ],
    ),
    ("symptoms#the-file-refers-to-another-one-outside-its-folder", &["warning.import.no_buffer"]),
    ("symptoms#the-file-needs-an-extension", &["warning.import.extension", "warning.import.pointers"]),
    (
        "symptoms#a-mesh-does-not-follow-the-skeleton",
        &["warning.import.broken_weights", "warning.import.no_skin", "warning.import.unskinned"],
    ),
    ("symptoms#bent-elbows-look-thinner-than-elsewhere", &["warning.import.fbx_dual_quaternions"]),
    (
        "files#fbx-in",
        &[
            "warning.import.fbx_beside",
            "warning.import.fbx_bent",
            "warning.import.fbx_caches",
            "warning.import.fbx_influences",
            "warning.import.fbx_oddity",
            "warning.import.fbx_rough",
            "warning.import.fbx_still",
            "warning.import.fbx_surfaces",
        ],
    ),
    ("symptoms#a-cache-shows-points-only", &["warning.import.no_faces", "warning.import.not_its_mesh"]),
    (
        "symptoms#images-or-a-cache-play-too-fast-or-too-slowly",
        &[
            "warning.import.cache_rate",
            "warning.import.cache_resampled",
            "warning.import.frame_time",
            "warning.import.sheet_rate",
        ],
    ),
    ("symptoms#a-gif-plays-at-10-frames-per-second", &["warning.import.short_gif_delays"]),
    ("symptoms#frames-of-a-gif-last-equally-long", &["warning.import.uneven_frames"]),
    ("symptoms#a-sprite-sheet-shows-one-of-its-animations", &["warning.import.sheet_tags"]),
    ("symptoms#the-body-is-a-plain-figure-of-17-m", &["warning.import.no_bone_lengths"]),
    (
        "symptoms#the-figure-was-turned-scaled-or-lifted-when-it-was-opened",
        &[
            "warning.import.centimetres",
            "warning.import.declared_unit",
            "warning.import.put_on_ground",
            "warning.import.unit",
            "warning.import.y_down",
            "warning.import.z_up",
        ],
    ),
];

/// Returns the keys of all warnings that have a topic.
#[cfg(test)]
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    [MOTION, SYSTEMS, WALKS, FILES].concat().into_iter().flat_map(|(_, keys)| keys.iter().copied())
}

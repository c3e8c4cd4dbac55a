//! Commands that edit the document.

use std::cell::Cell;

use serde_json::Value;

use super::{Bench, MIDDLE, Outcome, Trial, count, nothing, try_all};

#[test]
#[ignore = "takes up to 2 minutes; run it after changes of the window"]
fn edits_change_the_saved_project_and_are_undone() {
    try_all(TRIALS, nothing);
}

const LEAP: &str = "leap to 5 m";
const BLEND: &str = "run, cast, stop, end";
const GRAPH: &str = "half a cast over a stand";
const FLAME: &str = "flame";
const HAIR: &str = "run with swinging hair and cape";
/// Row of the first take in the outliner.
const FIRST_TAKE: (usize, usize) = (70, 145);

pub(super) const TRIALS: &[Trial] = &[
    ("undo", |bench, command| {
        let before = bench.saved();
        bench.window.palette("add_object");
        bench.save()?;
        bench.run(command)?;
        (bench.save()?["document"]["objects"] == before["document"]["objects"]).then_some(()).ok_or("not undone".into())
    }),
    ("redo", |bench, command| {
        let before = count(&bench.saved()["document"], "objects");
        bench.run(command)?;
        let after = count(&bench.save()?["document"], "objects");
        bench.window.key("ctrl+z");
        bench.save()?;
        (after == before + 1).then_some(()).ok_or_else(|| format!("{after} objects after {before}"))
    }),
    ("rename", |bench, command| {
        bench.show(LEAP);
        bench.run(command)?;
        bench.still();
        bench.window.key("ctrl+a");
        bench.window.text("far leap");
        bench.window.key("Return");
        let renamed = bench.save()?["document"]["takes"][0]["name"] == "far leap";
        bench.window.key("ctrl+z");
        bench.save()?;
        renamed.then_some(()).ok_or("the take keeps its name".into())
    }),
    ("add_scenario", |bench, command| take(bench, command, LEAP, "scenario")),
    // A take is shown, so it says what to select.
    ("add_take", |bench, command| {
        bench.show(LEAP);
        bench.changes(command, MIDDLE)
    }),
    ("add_loop", |bench, command| stage(bench, command, LEAP, "loop")),
    ("add_vertices", |bench, command| take(bench, command, LEAP, "vertices")),
    ("add_walk", |bench, command| take(bench, command, LEAP, "walk")),
    ("stage_layer", |bench, command| stage(bench, command, LEAP, "layer")),
    ("stage_stretch", |bench, command| stage(bench, command, LEAP, "stretch")),
    ("stage_dynamics", |bench, command| stage(bench, command, LEAP, "dynamics")),
    ("stage_ground", |bench, command| stage(bench, command, LEAP, "ground")),
    ("stage_retime", |bench, command| stage(bench, command, LEAP, "retime")),
    ("stage_trim", |bench, command| stage(bench, command, LEAP, "trim")),
    ("stage_mirror", |bench, command| stage(bench, command, LEAP, "mirror")),
    ("stage_root", |bench, command| stage(bench, command, LEAP, "root")),
    ("stage_close", |bench, command| stage(bench, command, LEAP, "close")),
    ("stage_offset", |bench, command| stage(bench, command, LEAP, "offset")),
    ("stage_stride", |bench, command| stage(bench, command, LEAP, "stride")),
    ("stage_align", |bench, command| stage(bench, command, LEAP, "align")),
    ("stage_cross", |bench, command| stage(bench, command, LEAP, "cross")),
    ("stage_additive", |bench, command| stage(bench, command, LEAP, "additive")),
    ("stage_pose", |bench, command| stage(bench, command, LEAP, "pose")),
    ("stage_cleanup", |bench, command| stage(bench, command, LEAP, "cleanup")),
    ("paste_stages", |bench, command| {
        bench.show(LEAP);
        bench.window.click(FIRST_TAKE);
        bench.still();
        bench.window.key("ctrl+c");
        bench.still();
        stage(bench, command, HAIR, "stretch")
    }),
    ("add_object", |bench, command| bench.edits(command, |before, after| grows(before, after, "objects"))),
    ("add_reference", |bench, command| bench.edits(command, |before, after| grows(before, after, "objects"))),
    // The proposed sets are added to the document, so they are taken back after the dialog.
    ("sets", |bench, command| {
        bench.changes(command, MIDDLE)?;
        bench.window.key("Escape");
        bench.still();
        bench.window.key("ctrl+z");
        bench.still();
        Ok(())
    }),
    // The dialog shows the new set.
    ("make_set", |bench, command| {
        bench.show(LEAP);
        bench.changes(command, MIDDLE)?;
        bench.window.key("Escape");
        bench.still();
        bench.window.key("ctrl+z");
        bench.still();
        Ok(())
    }),
    ("finish", |bench, command| {
        bench.show(LEAP);
        bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))
    }),
    ("variants", |bench, command| {
        bench.show(LEAP);
        bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))
    }),
    ("palette", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("shortcuts", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("guide", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("help", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("tree_free", |bench, command| changes(bench, command, BLEND)),
    // No node was moved, so it says that there is nothing to do.
    ("tree_arrange", |bench, command| {
        bench.show(GRAPH);
        bench.changes(command, MIDDLE)
    }),
    ("tree_blend", |bench, command| changes(bench, command, GRAPH)),
    ("tree_additive", |bench, command| changes(bench, command, GRAPH)),
    ("tree_space", |bench, command| changes(bench, command, GRAPH)),
    ("tree_standard", |bench, command| changes(bench, command, GRAPH)),
    ("tree_state", |bench, command| changes(bench, command, GRAPH)),
    // Without a selected joint, each command reports what to select.
    ("dynamics_likely", |bench, command| stage(bench, command, LEAP, "dynamics")),
    // The character has no spring bones, so it says so.
    ("dynamics_springs", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_make", |bench, command| {
        bench.show(HAIR);
        bench.changes(command, MIDDLE)
    }),
    ("dynamics_collider", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_mirror", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_preset_hair", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_preset_tail", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_preset_cloth", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_preset_antenna", |bench, command| bench.changes(command, MIDDLE)),
    ("dynamics_preset_chain", |bench, command| bench.changes(command, MIDDLE)),
    ("toggle_paint", |bench, command| {
        bench.show(FLAME);
        bench.comes_and_goes(command, MIDDLE, |window| window.palette("toggle_paint"))
    }),
    ("pose_key", |bench, command| pose(bench, command, &[], |pose| count(pose, "keys") == 1)),
    ("pose_remove_key", |bench, command| pose(bench, command, &["pose_key"], |pose| count(pose, "keys") == 0)),
    ("pose_mirror_key", |bench, command| {
        bench.show(LEAP);
        bench.window.palette("pose_keep");
        let plain = Cell::new(Value::Null);
        pose(bench, "pose_paste", &[], |pose| plain.replace(pose["keys"].clone()).is_null())?;
        let plain = plain.take();
        pose(bench, command, &["pose_paste"], |pose| count(pose, "keys") == 1 && pose["keys"] != plain)
    }),
    // No joint is selected, so it says what to do.
    ("pose_pin", |bench, command| bench.changes(command, MIDDLE)),
    ("pose_look", |bench, command| pose(bench, command, &[], |pose| count(pose, "goals") == 1)),
    ("pose_keep", |bench, command| bench.changes(command, MIDDLE)),
    ("pose_paste", |bench, command| {
        bench.show(LEAP);
        bench.window.palette("pose_keep");
        stage(bench, command, LEAP, "pose")
    }),
    ("pose_paste_mirrored", |bench, command| {
        bench.show(LEAP);
        bench.window.palette("pose_keep");
        stage(bench, command, LEAP, "pose")
    }),
    // Their simulations keep the status bar moving.
    ("add_flag", |bench, command| take(bench, command, LEAP, "cloth")),
    ("add_strip", |bench, command| take(bench, command, LEAP, "cloth")),
    ("add_cape", |bench, command| take(bench, command, LEAP, "cloth")),
    ("hang_mesh", |bench, command| take(bench, command, LEAP, "cloth")),
];

fn grows(before: &Value, after: &Value, list: &str) -> bool {
    count(after, list) == count(before, list) + 1
}

/// Checks that `command`, with the take `shown`, adds a take with a source of `kind`.
fn take(bench: &Bench, command: &str, shown: &str, kind: &str) -> Outcome {
    bench.show(shown);
    bench.edits(command, |before, after| {
        let new = after["takes"].as_array().and_then(|takes| takes.last());
        grows(before, after, "takes") && new.is_some_and(|take| take["source"].get(kind).is_some())
    })
}

/// Checks that `command` adds a stage of `kind` to the take `shown`.
fn stage(bench: &Bench, command: &str, shown: &str, kind: &str) -> Outcome {
    bench.show(shown);
    let of_kind = |document: &Value| {
        let takes = document["takes"].as_array().into_iter().flatten();
        let take = takes.into_iter().find(|take| take["name"] == shown).cloned().unwrap_or_default();
        take["stages"].as_array().map_or(0, |stages| stages.iter().filter(|stage| stage.get(kind).is_some()).count())
    };
    bench.edits(command, |before, after| of_kind(after) == of_kind(before) + 1)
}

/// Adds a pose stage to the first take and runs `first` in it, checks that `fits` holds for its settings after `command`, and takes
/// all back.
fn pose(bench: &Bench, command: &str, first: &[&str], fits: impl Fn(&Value) -> bool) -> Outcome {
    bench.show(LEAP);
    bench.settle()?;
    let document = || bench.saved()["document"].clone();
    let before = document();
    for step in [&["stage_pose"], first].concat() {
        bench.window.palette(step);
        bench.save()?;
    }
    bench.run(command)?;
    bench.save()?;
    let stages = document()["takes"][0]["stages"].as_array().cloned().unwrap_or_default();
    let settings = stages.iter().find_map(|stage| stage.get("pose")).cloned();
    for _ in 0..first.len() + 2 {
        bench.window.key("ctrl+z");
        bench.save()?;
    }
    match settings {
        _ if document() != before => Err("undo leaves something of it".into()),
        Some(settings) if fits(&settings) => Ok(()),
        settings => Err(format!("the stage has {settings:?}")),
    }
}

/// Checks that `command` changes the take `shown` and no other.
fn changes(bench: &Bench, command: &str, shown: &str) -> Outcome {
    bench.show(shown);
    bench.edits(command, |before, after| {
        let pairs =
            before["takes"].as_array().into_iter().flatten().zip(after["takes"].as_array().into_iter().flatten());
        let others = pairs.filter(|(before, after)| before != after).map(|(before, _)| before["name"].clone());
        others.collect::<Vec<_>>() == [shown]
    })
}

//! Commands of the clip library.

use super::{Bench, MIDDLE, Outcome, Trial, count, try_all};

#[test]
#[ignore = "takes up to 2 minutes; run it after changes of the window"]
fn the_library_follows_its_commands() {
    try_all(TRIALS, list);
}

pub(super) const TRIALS: &[Trial] = &[
    ("open_clips", |bench, command| {
        let before = bench.still();
        bench.run(command)?;
        bench.answer(&bench.path("others"))?;
        bench.until("the clips are listed", || (super::changed(&before, &bench.still(), MIDDLE) > 1000).then_some(()))
    }),
    ("clips_choose_shown", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_choose_found", |bench, command| bench.changes(command, MIDDLE)),
    // The clips of the samples have no faults, so it says that there is nothing to fix.
    ("clips_mend", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_tag", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("clips_show_all", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_copy", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_columns", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("clips_all_columns", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_folder", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_plot", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.palette("clips_plot"))),
    ("clips_open", |bench, command| bench.changes(command, MIDDLE)),
    ("clips_stages", |bench, command| {
        bench.show("leap to 5 m");
        bench.edits(command, |before, after| count(after, "takes") > count(before, "takes"))
    }),
    ("apply_recipe", |bench, command| {
        bench.settle()?;
        let path = bench.path("leap.recipe.json");
        bench.run("clips_choose_shown")?;
        bench.show("leap to 5 m");
        bench.window.palette("save_recipe");
        bench.answer(&path)?;
        bench.until("the recipe is written", || path.is_file().then_some(()))?;
        let before = count(&bench.saved()["document"], "takes");
        bench.run(command)?;
        bench.answer(&path)?;
        let after = count(&bench.save()?["document"], "takes");
        (after > before).then_some(()).ok_or_else(|| format!("{after} takes after {before}"))
    }),
];

/// Copies the sample character to another folder.
fn list(bench: &Bench) -> Outcome {
    let folder = bench.path("others");
    std::fs::create_dir(&folder).unwrap();
    std::fs::copy(bench.path("hero.glb"), folder.join("hero.glb")).unwrap();
    Ok(())
}

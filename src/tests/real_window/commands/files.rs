//! Commands that open, save, export and render.

use std::path::Path;

use image::AnimationDecoder;
use image::codecs::png::PngDecoder;
use portamento::import::import;

use super::{Bench, MIDDLE, Outcome, Trial, count, nothing, try_all};

#[test]
#[ignore = "takes up to 2 minutes; run it after changes of the window"]
fn files_are_opened_saved_exported_and_rendered_in_the_window() {
    try_all(TRIALS, nothing);
}

/// The last ones leave the project.
pub(super) const TRIALS: &[Trial] = &[
    ("picture", picture),
    ("film", film),
    ("preferences", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("export", export),
    ("export_as_i_work", export_as_i_work),
    ("save_recipe", save_recipe),
    ("remote_control", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("save_add_on", |bench, command| {
        let path = bench.path("add-on.zip");
        bench.run(command)?;
        bench.answer(&path)?;
        let bytes = bench.until("the add-on is written", || std::fs::read(&path).ok())?;
        bytes.starts_with(b"PK").then_some(()).ok_or("no archive".into())
    }),
    ("find_missing", |bench, command| {
        let before = bench.still();
        bench.run(command)?;
        bench.answer(bench.folder)?;
        bench.until("it says what it found", || {
            (super::changed(&before, &bench.window.pixels(), MIDDLE) > 1000).then_some(())
        })
    }),
    ("reload_file", |bench, command| {
        bench.show("leap to 5 m");
        bench.changes(command, MIDDLE)
    }),
    ("replace_file", |bench, command| {
        let other = bench.path("hero_2.glb");
        std::fs::copy(bench.path("hero.glb"), &other).map_err(|error| error.to_string())?;
        bench.run(command)?;
        bench.answer(&other)?;
        let files = bench.save()?["document"]["files"].clone();
        bench.window.key("ctrl+z");
        let undone = bench.save()?["document"]["files"].clone();
        let has = |files: &serde_json::Value| files.to_string().contains("hero_2.glb");
        (has(&files) && !has(&undone)).then_some(()).ok_or_else(|| format!("{files} and {undone}"))
    }),
    // No file manager is installed; the folder is asked for without an error.
    ("reveal_file", |bench, command| bench.run(command)),
    ("remove_file", |bench, command| {
        bench.show("leap to 5 m");
        bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))
    }),
    // Nothing was lost, so it says that.
    ("recover", |bench, command| bench.comes_and_goes(command, MIDDLE, |window| window.key("Escape"))),
    ("open", open),
    ("save", save),
    ("save_as", save_as),
    ("new", |bench, command| {
        bench.run(command)?;
        bench.until("the title has no project", || bench.window.title().starts_with("untitled").then_some(()))
    }),
    ("lesson_stretch", lesson),
    ("lesson_blend", lesson),
    ("lesson_hair", lesson),
    ("lesson_loop", lesson),
    ("lesson_walk", lesson),
    ("lesson_mocap", lesson),
    ("open_samples", |bench, command| {
        bench.run(command)?;
        bench.until("the title names the samples", || bench.window.title().starts_with("samples").then_some(()))
    }),
    ("quit", |bench, _| {
        // Nothing may be sent to the window afterwards.
        bench.window.key("ctrl+q");
        let status = bench.until("the program ends", || bench.window.ended())?;
        status.success().then_some(()).ok_or_else(|| status.to_string())
    }),
];

fn picture(bench: &Bench, command: &str) -> Outcome {
    let path = bench.path("view.png");
    bench.run(command)?;
    bench.answer(&path)?;
    let picture = bench.until("the picture is written", || image::open(&path).ok())?.to_rgb8();
    let colours = colours(picture.pixels().map(|pixel| pixel.0));
    let (width, height) = picture.dimensions();
    (width > 500 && height > 300 && colours > 200)
        .then_some(())
        .ok_or_else(|| format!("{width}x{height} with {colours} colours"))
}

fn film(bench: &Bench, command: &str) -> Outcome {
    let path = bench.path("view.apng");
    bench.window.palette("to_start");
    for command in ["ten_frames_on", "range_in", "next_frame", "next_frame", "range_out"] {
        bench.window.palette(command);
    }
    bench.run(command)?;
    bench.answer(&path)?;
    let frames = bench.until("the film is written", || frames(&path))?;
    bench.window.palette("clear_range");
    let (first, last) = (&frames[0], &frames[frames.len() - 1]);
    match () {
        () if frames.len() != 3 => Err(format!("{} frames", frames.len())),
        () if first.dimensions() != last.dimensions() => Err("frames of several sizes".into()),
        () if colours(first.pixels().map(|pixel| pixel.0)) < 200 => Err("the first frame is blank".into()),
        () if first == last => Err("nothing moves".into()),
        () => Ok(()),
    }
}

/// Returns the frames of an animated PNG.
fn frames(path: &Path) -> Option<Vec<image::RgbaImage>> {
    let file = std::io::BufReader::new(std::fs::File::open(path).ok()?);
    let frames = PngDecoder::new(file).ok()?.apng().ok()?.into_frames().collect_frames().ok()?;
    Some(frames.into_iter().map(image::Frame::into_buffer).collect())
}

fn colours<const N: usize>(pixels: impl Iterator<Item = [u8; N]>) -> usize {
    let mut all: Vec<_> = pixels.collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn export(bench: &Bench, command: &str) -> Outcome {
    bench.show("leap at the dummy");
    bench.run(command)?;
    bench.still();
    bench.window.key("Return");
    let folder = bench.path("export");
    let written = folder.join("leap_at_the_dummy.glb");
    let imported = bench.until("the take is exported", || import(&written).ok())?;
    imported.model.clip("leap at the dummy").ok_or("the file lacks the take")?;
    let files = std::fs::read_dir(&folder).unwrap().count();
    (files == 1).then_some(()).ok_or_else(|| format!("{files} files for one take"))
}

fn export_as_i_work(bench: &Bench, command: &str) -> Outcome {
    bench.show("leap to 5 m");
    bench.run(command)?;
    bench.still();
    bench.window.key("Return");
    let receipt = bench.path("export").join(".portamento").join("leap_to_5_m.json");
    bench.until("the take is exported again with a receipt", || receipt.exists().then_some(()))?;
    // Turns it off.
    bench.run(command)
}

fn save_recipe(bench: &Bench, command: &str) -> Outcome {
    let path = bench.path("leap.recipe.json");
    bench.show("leap to 5 m");
    bench.run(command)?;
    bench.answer(&path)?;
    let text = bench.until("the recipe is written", || std::fs::read_to_string(&path).ok())?;
    text.contains("\"stretch\"").then_some(()).ok_or(text)
}

fn open(bench: &Bench, command: &str) -> Outcome {
    let (before, path) = (count(&bench.saved()["document"], "files"), bench.path("another.glb"));
    std::fs::copy(bench.path("hero.glb"), &path).map_err(|error| error.to_string())?;
    bench.run(command)?;
    bench.answer(&path)?;
    let after = count(&bench.save()?["document"], "files");
    (after == before + 1).then_some(()).ok_or_else(|| format!("{after} files after {before}"))
}

fn save(bench: &Bench, command: &str) -> Outcome {
    let before = count(&bench.saved()["document"], "objects");
    bench.window.palette("add_object");
    bench.until("the project changes", || bench.window.is_unsaved().then_some(()))?;
    bench.run(command)?;
    bench.until("the project is saved", || (!bench.window.is_unsaved()).then_some(()))?;
    let after = count(&bench.saved()["document"], "objects");
    (after == before + 1).then_some(()).ok_or_else(|| format!("{after} objects after {before}"))
}

/// Checks that `command` opens the project of its lesson.
fn lesson(bench: &Bench, command: &str) -> Outcome {
    let name = command.trim_start_matches("lesson_");
    // A click is lost while the lesson before is still being built.
    bench.window.still_for(super::SHOWN);
    bench.run(command)?;
    bench.until("the title names the lesson", || bench.window.title().starts_with(name).then_some(()))
}

fn save_as(bench: &Bench, command: &str) -> Outcome {
    let path = bench.path("copy.portamento");
    bench.run(command)?;
    bench.answer(&path)?;
    bench.until("the title names the copy", || bench.window.title().starts_with("copy").then_some(()))?;
    let copy: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string())?;
    (copy["document"]["takes"] == bench.saved()["document"]["takes"]).then_some(()).ok_or("other takes".into())
}

//! Sprite sheet workflows: opening, looping and exporting.

use std::path::Path;

use portamento::anim::Footage;
use portamento::document::{Document, TakeSource, file};
use portamento::evaluate::Content;
use portamento::import;
use portamento::media::{Pixels, SheetGrid};
use portamento::session::{Command, EditCommand, FileCommand, Session};

use super::{export, opened, without_errors};

/// Writes a sheet of 4 × 3 frames of 5 × 6 pixels; the red value of a frame is its number times 20.
fn write_sheet(path: &Path) {
    let pixel = |x: u32, y: u32| image::Rgba([((x / 5 + 4 * (y / 6)) * 20) as u8, 7, 9, 255]);
    image::RgbaImage::from_fn(20, 18, pixel).save(path).unwrap();
}

/// Returns the red value of the upper left pixel in every frame of the first take.
fn reds(session: &mut Session) -> Vec<u8> {
    let take = session.document.takes[0].clone();
    let Content::Images(images) = &session.built(&take).unwrap().content else { panic!("images") };
    let red = |frame| match &*images.clip.frame(frame).unwrap() {
        Pixels::U8(pixels) => pixels[0][0],
        other => panic!("{other:?}"),
    };
    (0..images.clip.info.frames).map(red).collect()
}

#[test]
fn a_single_image_is_a_sprite_sheet_once_its_grid_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("smoke.png");
    write_sheet(&path);
    let mut session = opened(&[path]);
    without_errors(&session);
    session.perform(Command::Edit(EditCommand::AddLoop));
    let TakeSource::Images { sheet, .. } = &mut session.document.takes[0].source else { panic!("images") };
    *sheet = Some(SheetGrid { columns: 4, rows: 3, frames: Some(11) });
    session.document.takes[0].looped_mut(None).unwrap().settings.length = 5;
    assert_eq!(reds(&mut session), (0..11).map(|frame| frame * 20).collect::<Vec<u8>>());
    let project = Path::new("/x/smoke.portamento");
    let again: Document = file::from_bytes(&file::to_bytes(&session.document, project), project).unwrap();
    assert_eq!(again.takes, session.document.takes);
    let TakeSource::Images { sheet, .. } = &mut session.document.takes[0].source else { panic!("images") };
    *sheet = Some(SheetGrid { columns: 3, rows: 3, frames: None });
    let take = session.document.takes[0].clone();
    assert!(session.built(&take).unwrap_err().to_string().contains("cannot be divided into 3 × 3"));
}

#[test]
fn an_exported_sheet_opens_by_its_image_and_by_its_description() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("smoke.png");
    write_sheet(&path);
    let mut session = opened(&[path]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    let TakeSource::Images { sheet, fps, .. } = &mut session.document.takes[0].source else { panic!("images") };
    (*sheet, *fps) = (Some(SheetGrid { columns: 4, rows: 3, frames: None }), Some(24.0));
    session.document.takes[0].looped_mut(None).unwrap().settings.length = 5;
    export(&mut session, &folder.path().join("loop.json"));
    for name in ["loop.png", "loop.json"] {
        let Some(Footage::Images(clip)) = import::import(&folder.path().join(name)).unwrap().footage else {
            panic!("images");
        };
        assert_eq!((clip.info.frames, clip.info.fps, clip.info.width, clip.info.height), (5, 24.0, 5, 6), "{name}");
        assert_eq!(clip.name, "loop");
    }
}

#[test]
fn images_left_by_a_longer_export_are_listed_and_removed_after_confirmation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("smoke.png");
    write_sheet(&path);
    let mut session = opened(&[path]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    let TakeSource::Images { sheet, .. } = &mut session.document.takes[0].source else { panic!("images") };
    *sheet = Some(SheetGrid { columns: 4, rows: 3, frames: None });
    let out = folder.path().join("out");
    for length in [5, 3] {
        session.document.takes[0].looped_mut(None).unwrap().settings.length = length;
        export(&mut session, &out);
    }
    let listed = session.exports.conflicting_files().unwrap();
    let stale = ["smoke_loop_0003.png", "smoke_loop_0004.png"].map(|name| out.join("smoke_loop").join(name));
    assert!(stale.iter().all(|path| listed.contains(path) && path.exists()), "{listed:?}");
    session.perform(Command::File(FileCommand::Replace(true)));
    assert!(stale.iter().all(|path| !path.exists()));
}

#[test]
fn a_loop_of_a_sheet_with_transparent_gutters_knows_its_grid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparks.png");
    // 4 × 3 frames of 8 × 8 pixels, the last of which is empty; each has a transparent margin of one pixel.
    let pixel = |x: u32, y: u32| {
        let is_inside = (1..7).contains(&(x % 8)) && (1..7).contains(&(y % 8)) && x / 8 + 4 * (y / 8) < 11;
        image::Rgba([200, 7, 9, if is_inside { 255 } else { 0 }])
    };
    image::RgbaImage::from_fn(32, 24, pixel).save(&path).unwrap();
    let mut session = opened(&[path]);
    session.perform(Command::Edit(EditCommand::AddLoop));
    let take = session.document.takes[0].clone();
    let TakeSource::Images { sheet, .. } = &take.source else { panic!("images") };
    assert_eq!(*sheet, Some(SheetGrid { columns: 4, rows: 3, frames: Some(11) }));
    assert_eq!(take.looped(None).unwrap().settings.length, 5);
    without_errors(&session);
    assert!(session.built(&take).is_ok());
}

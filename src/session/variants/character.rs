//! The same motion on one character after another.

use serde_json::Value;

use crate::document::{Document, FileId, Retarget, SourceFile, Take, TakeSource};
use crate::message::{Message, message};
use crate::systems::retarget;

/// What a file is called among values: its name without the ending.
pub(super) fn file_name(document: &Document, file: FileId) -> Option<String> {
    document.files.iter().find(|known| known.id == file).map(name)
}

/// The characters of `document` as values of an axis, that of `take` first.
pub(super) fn characters(document: &Document, take: &Take) -> Vec<String> {
    let others = document.characters.iter().map(|character| character.file).filter(|&file| file != take.character);
    [take.character].into_iter().chain(others).filter_map(|file| file_name(document, file)).collect()
}

/// `value` for the setting at `place`; where that wants a file, its name with or without the ending stands for it.
pub(super) fn with_file_number(document: &Document, place: &str, value: &Value) -> Result<Value, Message> {
    let Some(wanted) = value.as_str().filter(|_| is_source(place)) else { return Ok(value.clone()) };
    let is_called = |file: &&SourceFile| {
        name(file) == wanted || file.path.file_name().is_some_and(|name| name.to_string_lossy() == wanted)
    };
    let names = || document.files.iter().map(name).collect::<Vec<_>>().join(", ");
    document.files.iter().find(is_called).map(|file| file.id.0.into()).ok_or_else(|| {
        message!(
            "error.variants.file",
            "The project has no file “%{wanted}”. It has %{names}. Open the file in the project first.",
            wanted,
            names = names()
        )
    })
}

/// Lets a clip follow `take` from the character `before` to its own: put on limb by limb where that is another one's clip.
pub(super) fn follow(take: &mut Take, before: FileId) {
    let source = match &take.source {
        TakeSource::Clip { file, clip } if take.character != before && *file == before => {
            let settings = retarget::Settings::default();
            TakeSource::Retarget(Box::new(Retarget { file: *file, clip: clip.clone(), settings }))
        }
        TakeSource::Retarget(from) if from.file == take.character => {
            TakeSource::Clip { file: from.file, clip: from.clip.clone() }
        }
        _ => return,
    };
    take.source = source;
}

/// Whether `place` tells what a take is made of, by the number of a file, and is no setting.
pub(super) fn is_source(place: &str) -> bool {
    place == "/character" || place.ends_with("/file") || place.ends_with("/level")
}

fn name(file: &SourceFile) -> String {
    file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

//! Variants of a motion on several characters.

use serde_json::Value;

use portamento_base::message::{Message, message};
use portamento_retarget as retarget;
use portamento_takes::document::{Character, Document, FileId, Retarget, SourceFile, Take, TakeSource};

/// Returns the name of a file among values: its file name without extension; `None` if it is not open.
pub(super) fn file_name(document: &Document, file: FileId) -> Option<String> {
    document.files.iter().find(|known| known.id == file).map(name)
}

/// Returns the characters of `document` as values of an axis, that of `take` first. Files without hips, such as
/// levels, are omitted.
pub(super) fn characters(document: &Document, take: &Take) -> Vec<String> {
    let follows = |character: &&Character| character.roles.hips.is_some() && character.file != take.character;
    let others = document.characters.iter().filter(follows).map(|character| character.file);
    [take.character].into_iter().chain(others).filter_map(|file| file_name(document, file)).collect()
}

/// Returns `value` for the setting at `place`; a file name, with or without extension, is replaced by the file's id.
/// Returns `Err` if the project has no such file.
pub(super) fn with_file_number(document: &Document, place: &str, value: &Value) -> Result<Value, Message> {
    let Some(wanted) = value.as_str().filter(|_| is_source(place)) else { return Ok(value.clone()) };
    let is_called = |file: &&SourceFile| {
        name(file) == wanted || file.path.file_name().is_some_and(|name| name.to_string_lossy() == wanted)
    };
    let names = || document.files.iter().map(name).collect::<Vec<_>>().join(", ");
    document.files.iter().find(is_called).map(|file| file.id.0.into()).ok_or_else(|| {
        message!(
            "error.variants.file",
            "The project has no file “%{wanted}”. Its files: %{names}. Open the file in the project first.",
            wanted,
            names = names()
        )
    })
}

/// Adapts the source of `take` after its character changed from `before`: retargets the clip if it belongs to another
/// character.
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

/// True if `place` is the id of a source file and not a setting.
pub(super) fn is_source(place: &str) -> bool {
    place == "/character" || place.ends_with("/file") || place.ends_with("/level")
}

/// Returns the name of a file among values: its file name without extension.
fn name(file: &SourceFile) -> String {
    file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::Roles;
    use portamento_takes::document::TakeId;

    #[test]
    fn levels_and_images_are_not_characters() {
        let file = |(id, path): (u32, &str)| SourceFile {
            id: FileId(id),
            path: path.into(),
            hash: String::new(),
            metres_per_unit: 1.0,
            up: None,
            fps: None,
            sheet: None,
        };
        let character = |(id, hips): (u32, Option<usize>)| Character {
            file: FileId(id),
            roles: Roles { hips, ..Roles::default() },
        };
        let files = [(1, "knight.glb"), (2, "yard.glb"), (3, "hero.glb")].map(file).to_vec();
        let characters_of = [(1, Some(0)), (2, None), (3, Some(1))].map(character).to_vec();
        let document = Document { files, characters: characters_of, ..Document::default() };
        let source = TakeSource::Clip { file: FileId(3), clip: "run".into() };
        let take =
            Take { id: TakeId(4), name: "run".into(), character: FileId(3), source, stages: Vec::new(), loops: None };
        assert_eq!(characters(&document, &take), ["hero", "knight"]);
    }
}

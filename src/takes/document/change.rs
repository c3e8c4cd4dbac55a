//! Differences between two states of a document, for undo menus and the history panel.

use serde_json::Value;

use super::field_edit::FieldEdit;
use super::keyed::INFLUENCE;
use super::{Document, Stage, Take};

/// One step of the history. Names are those after the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The start of the history.
    Start,
    /// A file was opened.
    OpenFile,
    /// Another content of a file, or its import settings.
    ChangeFile,
    /// A file was removed.
    RemoveFile,
    /// A file was replaced by another.
    ReplaceFile,
    /// The joint roles of a character.
    ChangeCharacter,
    /// A scene object.
    ChangeObject,
    /// A take was added.
    AddTake(String),
    /// A take was removed.
    RemoveTake(String),
    /// The order of the takes.
    ReorderTakes,
    /// The folders, their names or the takes in them.
    ChangeFolders,
    /// A take's name: before and after.
    RenameTake(String, String),
    /// The source of a take: another clip, file or character.
    ChangeSource(String),
    /// The choice to export a take as a loop or not.
    ChangeLoops(String),
    /// Settings of a take's source.
    EditSource(SettingsEdit),
    /// A stage was added to a take.
    AddStage(String),
    /// A stage was removed from a take.
    RemoveStage(String),
    /// Settings of one stage.
    EditStage(SettingsEdit),
    /// A stage was muted: the kind of the stage and the take.
    MuteStage(&'static str, String),
    /// A stage was unmuted: the kind of the stage and the take.
    UnmuteStage(&'static str, String),
    /// The order of a take's stages.
    ReorderStages(String),
    /// A difference without a more specific name.
    Edit,
}

/// A change of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsEdit {
    /// The kind of the source or stage.
    pub kind: &'static str,
    /// The name of the take.
    pub take: String,
    /// The changed setting and its new value; `None` for painted weights, and if no single setting can be named.
    pub field: Option<FieldEdit>,
}

impl SettingsEdit {
    /// Compares the JSON of `part` in the takes `old` and `new` without painted weights, and names the first setting that
    /// differs.
    fn new(kind: &'static str, [old, new]: [&Take; 2], part: impl Fn(&Take) -> serde_json::Result<Value>) -> Self {
        // Painted weights are megabytes, and their numbers are not readable. They are excluded.
        let plain = |take: &Take| {
            let mut take = take.clone();
            take.weight_maps_mut().for_each(|map| drop(std::mem::take(map)));
            part(&take).ok()
        };
        let mut field = plain(old).zip(plain(new)).and_then(|(old, new)| FieldEdit::between(&old, &new));
        // The first path element is the kind, and `settings` is a generic container. Neither is shown.
        field.iter_mut().for_each(|field| {
            field.path = field.path.drain(..).skip(1).filter(|part| part.name != "settings").collect();
        });
        Self { kind, take: new.name.clone(), field: field.filter(|field| !field.path.is_empty()) }
    }
}

impl Change {
    /// Returns the change from `before` to `after`. If several parts differ, the first of this order counts: files,
    /// characters, takes, objects, folders. Equal documents, and sets that differ, give [`Change::Edit`].
    pub fn between(before: &Document, after: &Document) -> Self {
        if before.files != after.files {
            let ids = |document: &Document| document.files.iter().map(|file| file.id).collect::<Vec<_>>();
            return match after.files.len().cmp(&before.files.len()) {
                std::cmp::Ordering::Greater => Self::OpenFile,
                std::cmp::Ordering::Less => Self::RemoveFile,
                std::cmp::Ordering::Equal if ids(before) == ids(after) => Self::ChangeFile,
                std::cmp::Ordering::Equal => Self::ReplaceFile,
            };
        }
        if before.characters != after.characters {
            return Self::ChangeCharacter;
        }
        if let Some(added) = missing(after, before) {
            return Self::AddTake(added.name.clone());
        }
        if let Some(removed) = missing(before, after) {
            return Self::RemoveTake(removed.name.clone());
        }
        let changed = before.takes.iter().zip(&after.takes).find(|(old, new)| old != new);
        match changed {
            Some((old, new)) if old.id != new.id => Self::ReorderTakes,
            Some((old, new)) => Self::of_take(old, new),
            None if before.objects != after.objects => Self::ChangeObject,
            None if before.folders != after.folders => Self::ChangeFolders,
            None => Self::Edit,
        }
    }

    /// Returns the first difference of a take: its name, its character, whether it loops, its source, then its stages. `new` is the same take
    /// later.
    fn of_take(old: &Take, new: &Take) -> Self {
        let name = new.name.clone();
        if old.name != new.name {
            return Self::RenameTake(old.name.clone(), name);
        }
        if old.character != new.character {
            return Self::ChangeSource(name);
        }
        if old.loops != new.loops {
            return Self::ChangeLoops(name);
        }
        if old.source != new.source {
            return Self::of_source(old, new);
        }
        match new.stages.len().cmp(&old.stages.len()) {
            std::cmp::Ordering::Greater => Self::AddStage(name),
            std::cmp::Ordering::Less => Self::RemoveStage(name),
            std::cmp::Ordering::Equal => {
                let mut pairs = old.stages.iter().zip(&new.stages);
                pairs.position(|(old, new)| old != new).map_or(Self::Edit, |at| Self::of_stage(old, new, at))
            }
        }
    }

    /// Returns the change of the stage at index `at`.
    fn of_stage(old: &Take, new: &Take, at: usize) -> Self {
        let (before, after, take) = (&old.stages[at], &new.stages[at], new.name.clone());
        match after.kind.name() {
            _ if before.id != after.id => Self::ReorderStages(take),
            kind if before.on != after.on && after.on => Self::UnmuteStage(kind, take),
            kind if before.on != after.on => Self::MuteStage(kind, take),
            kind if before.keys != after.keys => {
                Self::EditStage(SettingsEdit { kind, take, field: keyed_edit(before, after) })
            }
            kind if before.influence != after.influence => {
                let field = FieldEdit { path: vec![INFLUENCE.into()], value: after.influence.into() };
                Self::EditStage(SettingsEdit { kind, take, field: Some(field) })
            }
            kind => {
                let settings = |take: &Take| serde_json::to_value(&take.stages[at].kind);
                Self::EditStage(SettingsEdit::new(kind, [old, new], settings))
            }
        }
    }

    /// Returns the change of the source's settings, or [`Change::ChangeSource`] if its kind or file differs.
    fn of_source(old: &Take, new: &Take) -> Self {
        let (before, after) = (&old.source, &new.source);
        match after.name().filter(|name| before.name() == Some(name) && before.file() == after.file()) {
            Some(kind) => {
                Self::EditSource(SettingsEdit::new(kind, [old, new], |take| serde_json::to_value(&take.source)))
            }
            None => Self::ChangeSource(new.name.clone()),
        }
    }

    /// Returns the translation key suffix: `change.NAME`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::OpenFile => "open_file",
            Self::ChangeFile => "change_file",
            Self::RemoveFile => "remove_file",
            Self::ReplaceFile => "replace_file",
            Self::ChangeCharacter => "change_character",
            Self::ChangeObject => "change_object",
            Self::AddTake(_) => "add_take",
            Self::RemoveTake(_) => "remove_take",
            Self::ReorderTakes => "reorder_takes",
            Self::ChangeFolders => "change_folders",
            Self::RenameTake(..) => "rename_take",
            Self::ChangeSource(_) => "change_source",
            Self::ChangeLoops(_) => "change_loops",
            Self::EditSource(..) => "edit_source",
            Self::AddStage(_) => "add_stage",
            Self::RemoveStage(_) => "remove_stage",
            Self::EditStage(..) => "edit_stage",
            Self::MuteStage(..) => "mute_stage",
            Self::UnmuteStage(..) => "unmute_stage",
            Self::ReorderStages(_) => "reorder_stages",
            Self::Edit => "edit",
        }
    }

    /// Returns the name of the affected take, if any.
    pub fn take(&self) -> Option<&str> {
        match self {
            Self::AddTake(take)
            | Self::RemoveTake(take)
            | Self::RenameTake(_, take)
            | Self::ChangeSource(take)
            | Self::ChangeLoops(take)
            | Self::AddStage(take)
            | Self::RemoveStage(take)
            | Self::ReorderStages(take)
            | Self::MuteStage(_, take)
            | Self::UnmuteStage(_, take)
            | Self::EditSource(SettingsEdit { take, .. })
            | Self::EditStage(SettingsEdit { take, .. }) => Some(take),
            _ => None,
        }
    }
}

/// Returns the first setting whose keys differ.
fn keyed_edit(before: &Stage, after: &Stage) -> Option<FieldEdit> {
    let mut keyed = after.keys.iter().chain(&before.keys).map(|keyed| keyed.setting.as_str());
    let changed = keyed.find(|setting| before.curve(setting) != after.curve(setting))?;
    let path = ["keys".into()].into_iter().chain(after.keyed_path(changed)).collect();
    // The timeline shows the individual keys.
    Some(FieldEdit { path, value: Value::Array(Vec::new()) })
}

/// Returns the first take of `some` that is missing in `others`.
fn missing<'d>(some: &'d Document, others: &Document) -> Option<&'d Take> {
    some.takes.iter().find(|take| others.take(take.id).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::stage::Stretch;
    use crate::document::take::Blend;
    use crate::document::{FileId, StageKind, TakeId, TakeSource, Walk};

    fn with_take(id: u32, name: &str, kinds: Vec<StageKind>) -> Document {
        let source = TakeSource::Clip { file: FileId(1), clip: "run".into() };
        let take = Take {
            id: TakeId(id),
            name: name.into(),
            character: FileId(1),
            source,
            stages: Stage::numbered(kinds),
            loops: None,
        };
        Document { takes: vec![take], ..Document::default() }
    }

    fn edit(kind: &'static str, field: &str, value: Value) -> SettingsEdit {
        SettingsEdit { kind, take: "a".into(), field: Some(FieldEdit { path: vec![field.into()], value }) }
    }

    #[test]
    fn each_step_is_described_by_its_effect() {
        let stretch = |dead_zone| {
            let settings = portamento_stretch::Settings { dead_zone, ..Default::default() };
            vec![StageKind::Stretch(Box::new(Stretch { settings, ..Stretch::default() }))]
        };
        let (none, empty, more) = (Document::default(), with_take(1, "a", vec![]), with_take(1, "a", stretch(0.0)));
        let cases = [
            (&none, &empty, Change::AddTake("a".into())),
            (&empty, &none, Change::RemoveTake("a".into())),
            (&empty, &with_take(1, "b", vec![]), Change::RenameTake("a".into(), "b".into())),
            (&empty, &with_take(2, "b", vec![]), Change::AddTake("b".into())),
            (&empty, &more, Change::AddStage("a".into())),
            (&more, &with_take(1, "a", stretch(0.1)), Change::EditStage(edit("stretch", "dead_zone", 0.1.into()))),
        ];
        for (before, after, wanted) in cases {
            assert_eq!(Change::between(before, after), wanted);
        }
    }

    #[test]
    fn key_changes_are_described_by_their_setting() {
        let before = with_take(1, "a", vec![StageKind::Stretch(Box::<Stretch>::default())]);
        let mut after = before.clone();
        after.takes[0].stages[0].curve_mut(INFLUENCE).unwrap().put(0.5, 0.0, 0.0);
        let edited_field = |from: &Document, to: &Document| match Change::between(from, to) {
            Change::EditStage(SettingsEdit { kind: "stretch", field: Some(field), .. }) => field,
            other => panic!("{other:?}"),
        };
        let keyed = ["keys", INFLUENCE].map(Into::into);
        assert_eq!(edited_field(&before, &after).path, keyed);
        assert_eq!(edited_field(&after, &before).path, keyed);
        let mut half = before.clone();
        half.takes[0].stages[0].influence = 0.5;
        assert_eq!(edited_field(&before, &half), FieldEdit { path: vec![INFLUENCE.into()], value: 0.5.into() });
    }

    #[test]
    fn setting_changes_of_a_walk_or_blend_differ_from_a_new_source() {
        let of = |source: TakeSource| {
            let mut document = with_take(1, "a", vec![]);
            document.takes[0].source = source;
            document
        };
        let walk = |seed| of(TakeSource::Walk(Box::new(Walk { seed, ..Walk::default() })));
        let blend = |length| of(TakeSource::Scenario(Box::new(Blend { length, ..Blend::default() })));
        let clip = |clip: &str| of(TakeSource::Clip { file: FileId(1), clip: clip.into() });
        assert_eq!(Change::between(&walk(1), &walk(2)), Change::EditSource(edit("walk", "seed", 2.into())));
        assert_eq!(
            Change::between(&blend(None), &blend(Some(2.0))),
            Change::EditSource(edit("blend", "length", 2.0.into()))
        );
        for (before, after) in [(clip("run"), clip("walk")), (clip("run"), walk(1))] {
            assert_eq!(Change::between(&before, &after), Change::ChangeSource("a".into()));
        }
        let mut other = walk(1);
        other.takes[0].character = FileId(2);
        assert_eq!(Change::between(&walk(1), &other), Change::ChangeSource("a".into()));
    }
}

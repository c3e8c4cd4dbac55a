//! Messages about stages that cannot be built.

use portamento_base::message::{Message, message};

pub(super) fn not_keyed(stage: &'static str, setting: &str) -> Message {
    message!(
        "error.take.not_keyed",
        "“%{setting}” of the stage “%{stage}” cannot be keyed: it does not exist, or it affects the whole motion at once. Remove its \
         keys. The influence can be keyed on stages that do not change time.",
        setting,
        stage = word(stage)
    )
}

pub(super) fn bad_span(start: f64, end: f64) -> Message {
    message!(
        "error.take.bad_span",
        "the span of a stage cannot be %{start} s to %{end} s. Choose an end after the start, and fades of 0 s or more.",
        start = start.to_string(),
        end = end.to_string()
    )
}

pub(super) fn unknown_stage(stage: &str) -> Message {
    message!(
        "error.take.unknown_stage",
        "its stage “%{stage}” comes from a newer Portamento and cannot be built here. Mute or remove it, or update Portamento.",
        stage
    )
}

pub(super) fn needs_joints(stage: &'static str, content: &'static str) -> Message {
    message!(
        "error.take.needs_joints",
        "the %{stage} needs joints, but the take contains %{content}. Remove the %{stage}.",
        stage = word(stage),
        content = word(content)
    )
}

pub(super) fn already_looped() -> Message {
    message!("error.take.already_looped", "the take is a loop already. Remove one of its loops.")
}

/// Returns the name of a kind of stage or content as a word within a sentence.
pub(super) fn word(kind: &'static str) -> Message {
    match kind {
        "stretch" => message!("word.stretch", "stretch"),
        "dynamics" => message!("word.dynamics", "dynamics"),
        "loop" => message!("word.loop", "loop"),
        "joints" => message!("word.joints", "joints"),
        "vertices" => message!("word.vertices", "vertices"),
        "images" => message!("word.images", "images"),
        other => Message::verbatim(other),
    }
}

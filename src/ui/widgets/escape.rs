//! Cancelling text input with Esc.

use egui::{Context, Id, Key};

/// Stores the pass in which Esc was pressed, for [`is_given_up`]. Call it before anything consumes the key.
///
/// egui reports lost focus for two passes and applies the text in the second.
pub fn note(ctx: &Context) {
    if ctx.input(|input| input.key_pressed(Key::Escape)) {
        let pass = ctx.cumulative_pass_nr();
        ctx.data_mut(|data| data.insert_temp(Id::new(ESCAPE_FRAME_KEY), pass));
    }
}

/// True if an Esc of this frame belongs to a text field. egui removes the focus early, so `typing` of the previous call decides.
/// Call it once per frame with whether a text field has focus now.
pub fn is_for_text(ctx: &Context, typing: bool) -> bool {
    let id = Id::new("typing in the frame before");
    let before = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default::<bool>(id), typing));
    before && ctx.input(|input| input.key_pressed(Key::Escape))
}

/// True if Esc was pressed in this pass or the last one, which cancels the text input.
pub(super) fn is_given_up(ctx: &Context) -> bool {
    let escaped = ctx.data(|data| data.get_temp::<u64>(Id::new(ESCAPE_FRAME_KEY)));
    escaped.is_some_and(|pass| ctx.cumulative_pass_nr() <= pass + 1)
}

const ESCAPE_FRAME_KEY: &str = "frame in which typing was given up";

//! Esc gives up what is typed in a field.

use egui::{Context, Id, Key};

/// Keeps in which frame Esc was pressed: egui tells for two frames that a field has lost the focus, and takes what was typed over in
/// the second. To be called before anything takes the key.
pub fn note(ctx: &Context) {
    if ctx.input(|input| input.key_pressed(Key::Escape)) {
        let pass = ctx.cumulative_pass_nr();
        ctx.data_mut(|data| data.insert_temp(Id::new(ESCAPED), pass));
    }
}

/// Whether an Esc of this frame is meant for what is typed. egui takes the focus away before anyone is asked, so that it counts what
/// was `typing` when this was asked the last time.
pub fn is_for_text(ctx: &Context, typing: bool) -> bool {
    let id = Id::new("typing in the frame before");
    let before = ctx.data_mut(|data| std::mem::replace(data.get_temp_mut_or_default::<bool>(id), typing));
    before && ctx.input(|input| input.key_pressed(Key::Escape))
}

/// Whether Esc gave up what was typed.
pub(super) fn is_given_up(ctx: &Context) -> bool {
    let escaped = ctx.data(|data| data.get_temp::<u64>(Id::new(ESCAPED)));
    escaped.is_some_and(|pass| ctx.cumulative_pass_nr() <= pass + 1)
}

const ESCAPED: &str = "frame in which typing was given up";

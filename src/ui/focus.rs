//! The focus as assistive technology is told of it.

use egui::{Context, FullOutput, Plugin};

/// Tells of the window as a whole where egui gave the focus to a control that has just gone or cannot have it: whoever listens,
/// a screen reader among them, would end the program otherwise.
pub struct ToldFocus;

impl Plugin for ToldFocus {
    fn debug_name(&self) -> &'static str {
        "told focus"
    }

    fn output_hook(&mut self, _: &Context, output: &mut FullOutput) {
        let Some(update) = &mut output.platform_output.accesskit_update else { return };
        let root = update.tree.as_ref().map_or(update.focus, |tree| tree.root);
        if !update.nodes.iter().any(|(id, _)| *id == update.focus) {
            update.focus = root;
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::{Event, Key, Modifiers};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable;

    use super::*;

    #[test]
    fn a_control_that_goes_while_the_focus_steps_back_to_it_ends_nothing() {
        let mut window = Harness::new_ui_state(
            |ui, is_shown: &mut bool| {
                ui.ctx().add_plugin(ToldFocus);
                if *is_shown {
                    ui.push_id("first", |ui| ui.button("first").clicked());
                }
                ui.push_id("second", |ui| ui.button("second").clicked());
            },
            true,
        );
        window.get_by_label("second").focus();
        window.step();
        let (key, modifiers) = (Key::Tab, Modifiers::SHIFT);
        window.event(Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers });
        window.step();
        *window.state_mut() = false;
        window.step();
        assert!(!window.get_by_label("second").is_focused());
    }
}

//! Remote control in the window: turning it on, its sign in the status bar, and pictures for other programs.

use egui::{ColorImage, Event, RichText, Ui, UserData, ViewportCommand};
use egui_material_icons::icons::ICON_SETTINGS_REMOTE;

use crate::i18n::{tr, tr_with};
use crate::{theme, widgets};
use portamento_session::{Command, Preferences, Session, WindowCommand};

/// The mark of a screenshot for another program.
struct ForRemote;

/// Turns remote control on. Requests of other programs repaint the window. Does nothing if there is no preferences folder.
pub fn begin(session: &mut Session, ctx: &egui::Context) {
    let Some(folder) = session.remote.home.clone().or_else(Preferences::folder) else { return };
    let woken = ctx.clone();
    session.begin_remote(&folder, move || woken.request_repaint());
}

/// Draws that remote control is on; a click opens its dialog. Draws nothing while it is off.
pub fn sign(ui: &mut Ui, session: &mut Session) {
    let Some(port) = session.remote.port() else { return };
    let name = tr("status.remote");
    let color = theme::of(ui).warning;
    let text = RichText::new(format!("{} {name}", ICON_SETTINGS_REMOTE.codepoint)).font(theme::caption()).color(color);
    let button = egui::Button::new(text).fill(egui::Color32::TRANSPARENT).stroke(egui::Stroke::NONE);
    let response = ui.add(button).on_hover_text(tr_with("tip.status_remote", &[("port", port.to_string())]));
    if widgets::named(response, &name).clicked() {
        session.perform(Command::Window(WindowCommand::RemoteControl));
    }
}

/// Requests the picture of the window that another program asked for, and hands it over when it arrives. Call once per frame.
/// `is_asked` is true between the two.
pub fn take_picture(session: &mut Session, ctx: &egui::Context, is_asked: &mut bool) {
    if session.remote.wanted_picture().is_none() {
        *is_asked = false;
        return;
    }
    let image = ctx.input(|input| {
        input.events.iter().find_map(|event| match event {
            Event::Screenshot { image, user_data, .. } if is_for_remote(user_data) => Some(image.clone()),
            _ => None,
        })
    });
    if let Some(image) = image {
        *is_asked = false;
        let ColorImage { size: [width, height], pixels, .. } = &*image;
        let rgb = pixels.iter().flat_map(|pixel| [pixel.r(), pixel.g(), pixel.b()]).collect();
        session.give_picture([*width as u32, *height as u32], rgb);
    } else if !std::mem::replace(is_asked, true) {
        ctx.send_viewport_cmd(ViewportCommand::Screenshot(UserData::new(ForRemote)));
        ctx.request_repaint();
    }
}

/// True if another program requested the screenshot with this data.
fn is_for_remote(user_data: &UserData) -> bool {
    user_data.data.as_ref().is_some_and(|data| data.is::<ForRemote>())
}

//! Commands of the clip library, from buttons, the palette or shortcuts.

use egui::Context;

use super::Clips;
use super::bar::Menu;
use super::clicked::open;
use super::dot_plot::DotPlot;
use super::menu::{show_folder, table_text};
use crate::i18n::{tr, tr_with};
use crate::shell::offer::Offer;
use portamento_base::message::{Message, message};
use portamento_session::clip_library::{ClipRow, Found, LibraryCommand, MendRequest};
use portamento_session::{ClipTable, Command, FileCommand, Session, Severity, Shown};

/// True if the result of `command` is visible only in the clip panel.
pub fn is_seen_in_panel(command: LibraryCommand) -> bool {
    use LibraryCommand::{AllColumns, ChooseFound, ChooseShown, Columns, Plot, ShowAll, Tag};
    matches!(command, Tag | ChooseShown | ChooseFound(_) | ShowAll | Columns | AllColumns | Plot)
}

impl Clips {
    /// Performs `command`, or reports why it is not possible.
    pub fn perform(&mut self, ctx: &Context, session: &mut Session, command: LibraryCommand) {
        let done = command.fits(&session.clips).and_then(|()| self.carried_out(ctx, session, command));
        done.unwrap_or_else(|reason| session.notices.add(Severity::Info, reason));
    }

    /// Carries out `command`. Returns `Err` with the reason if it cannot. Commands for menus open them in the next frame.
    fn carried_out(&mut self, ctx: &Context, session: &mut Session, command: LibraryCommand) -> Result<(), Message> {
        let clips = &mut session.clips;
        match command {
            LibraryCommand::Open => {
                let asked = clips.chosen.first().and_then(|&row| open(clips, row));
                asked.into_iter().for_each(|command| session.perform(command));
            }
            LibraryCommand::Mend => {
                let chosen = clips.chosen_rows();
                session.perform(Command::File(FileCommand::MendClips(to_mend(chosen))));
            }
            LibraryCommand::GiveStages => give_stages(session)?,
            LibraryCommand::Tag => self.bar.opens = Some(Menu::Tags),
            LibraryCommand::Columns => self.bar.opens = Some(Menu::More),
            LibraryCommand::ChooseShown => clips.choose_shown(),
            LibraryCommand::ChooseFound(found) => choose_found(clips, found)?,
            LibraryCommand::ShowAll if clips.order.words.is_empty() && clips.order.found == Found::Whatever => {
                return Err(message!("notice.all_clips_shown", "All clips are already shown."));
            }
            LibraryCommand::ShowAll => {
                clips.order.words.clear();
                clips.order.found = Found::Whatever;
            }
            LibraryCommand::Copy => {
                let (text, rows) = table_text(clips, &session.preferences.hidden_columns);
                ctx.copy_text(text);
                session.notices.add(Severity::Done, copied(rows));
            }
            LibraryCommand::AllColumns if session.preferences.hidden_columns.is_empty() => {
                return Err(message!("notice.all_columns_shown", "All columns are already shown."));
            }
            LibraryCommand::AllColumns => session.preferences.hidden_columns.clear(),
            LibraryCommand::Folder => {
                let file = clips.chosen_rows().into_iter().next().map(|row| row.file);
                let folder = file.as_deref().and_then(std::path::Path::parent);
                if let Some(folder) = folder {
                    show_folder(ctx, folder);
                    session.notices.add(Severity::Info, shown_folder(folder));
                }
            }
            LibraryCommand::Plot => self.plot = self.plot.is_none().then(DotPlot::default),
        }
        Ok(())
    }
}

/// Returns the request that fixes `rows`, with take and folder names in the window's language.
pub fn to_mend(rows: Vec<ClipRow>) -> MendRequest {
    MendRequest { rows, take: tr("clips.mended_take"), folder: tr("clips.mended_folder") }
}

/// Starts copying the stages of the shown take to the selected clips. Returns `Err` if no take is shown or its stages fit no
/// other clip.
fn give_stages(session: &mut Session) -> Result<(), Message> {
    let Shown::Take(id) = session.selection.shown else {
        return Err(message!(
            "notice.no_take_for_stages",
            "No take is shown. Show the take whose stages the selected clips should get."
        ));
    };
    session.opened().may_be_recipe(id)?;
    session.perform(Command::File(FileCommand::StackClips(session.clips.chosen_rows(), id)));
    Ok(())
}

/// Selects the shown clips that match `found`. Returns `Err` and keeps the selection if none match.
fn choose_found(clips: &mut ClipTable, found: Found) -> Result<(), Message> {
    if clips.has_shown(found) {
        clips.choose_found(found);
        return Ok(());
    }
    Err(message!("notice.none_found", "None of the shown clips has such a finding."))
}

/// Returns the notice that `folder` opens in the file manager.
fn shown_folder(folder: &std::path::Path) -> Message {
    message!("notice.folder_shown", "%{folder} opens in the file manager.", folder = folder.display().to_string())
}

/// Returns the notice that `count` rows were copied as CSV.
fn copied(count: usize) -> Message {
    message!("notice.table_copied", "%{count} %{count|row was|rows were} copied as CSV.", count)
}

/// Returns the offers of the library: selecting the shown clips by finding, and applying the stages of a take to the selected
/// clips.
pub fn offers(session: &Session) -> Vec<Offer> {
    let clips = &session.clips;
    let findings = portamento_anim::quality::Finding::ALL.into_iter().filter(|&each| clips.has_shown(Found::One(each)));
    let choosing = findings.map(|finding| {
        let word = tr(&format!("finding.{}", finding.key()));
        let command = LibraryCommand::ChooseFound(Found::One(finding));
        Offer::new(
            "clips.choose_alike",
            tr_with("clips.choose_alike", &[("finding", word)]),
            Command::Window(portamento_session::WindowCommand::Library(command)),
        )
    });
    let takes = session
        .document
        .takes
        .iter()
        .filter(|take| !clips.chosen.is_empty() && session.opened().may_be_recipe(take.id).is_ok());
    let stages = takes.map(|take| {
        let label = tr_with("clips.stages_of", &[("take", take.name.clone())]);
        Offer::new("clips.stages_of", label, Command::File(FileCommand::StackClips(clips.chosen_rows(), take.id)))
    });
    choosing.chain(stages).collect()
}

//! Plot panel: keys of the open stage, blend weights, walk curves, stage changes or stretch curves.

use egui::{Stroke, Ui};
use egui_material_icons::icons::{ICON_STRAIGHTEN, ICON_TIMELINE};
use egui_plot::LineStyle;

use super::changes::changes_ui;
use crate::i18n::tr;
use crate::keys::plot::keys_plot_ui;
use crate::panels::blend::weights::weights_ui;
use crate::panels::walk::plot::walk_plot_ui;
use crate::theme::{self, Tokens};
use crate::units::Unit;
use crate::widgets::legend::{LegendLine, legend};
use crate::widgets::{self, time_plot};
use portamento_session::playback::Playback;
use portamento_session::{Command, DynamicsMode, EditCommand, Session, Shown};
use portamento_stretch::{PathReport, Report};

/// The plotted quantity of a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Quantity {
    #[default]
    Speed,
    Compensation,
    Distance,
}

/// Draws the plot of the shown take: keys of the open stage if it has any, else weights of a blend, the walk, the changes of the
/// open stage, or the stretch.
pub fn plots_ui(ui: &mut Ui, session: &mut Session) {
    if keys_plot_ui(ui, session) {
        return;
    }
    let built = session.frame().and_then(|frame| frame.built.clone());
    // Shows the plot of the source, unless a stretch stage is being edited.
    let at = session.selection.stage_index(&session.document);
    let edits_stretch = built.as_ref().zip(at).is_some_and(|(built, at)| built.is_stretch(at));
    let source_built = built.as_ref().filter(|_| !edits_stretch);
    let blended = source_built.and_then(|built| built.blended.clone());
    if let Some(blended) = blended.filter(|blended| !blended.weights.is_empty()) {
        return weights_ui(ui, session, &blended);
    }
    let walked = source_built.and_then(|built| built.walked.clone());
    if let Some(walk) = walked.and_then(|walked| walked.walk.clone()) {
        return walk_plot_ui(ui, session, &walk);
    }
    if !edits_stretch && session.shown_take().is_some_and(|take| take.walk().is_some()) {
        return widgets::empty(ui, ICON_TIMELINE, &tr("plots.walk_empty"), &tr("plots.walk_empty_hint"));
    }
    let open = session.selection.open_stage(&session.document).and_then(|open| session.shown_take()?.built_index(open));
    let other = source_built.zip(open).filter(|(built, open)| !built.is_stretch(*open));
    if let Some((built, open)) = other
        && changes_ui(ui, session, built, open)
    {
        return;
    }
    let Some((built, stretch)) = built.as_ref().and_then(|built| Some((built, built.stretch(at)?))) else {
        let is_live = session.dynamics.mode == DynamicsMode::Live
            && session.frame().is_some_and(|frame| frame.dynamics.is_some());
        let [words, hint] =
            if is_live { ["plots.live", "plots.live_hint"] } else { ["plots.empty", "plots.empty_hint"] };
        stretch_this(ui, session);
        return widgets::empty(ui, ICON_TIMELINE, &tr(words), &tr(hint));
    };
    let id = ui.id().with("quantity");
    let mut quantity = ui.data(|data| data.get_temp::<u8>(id)).map_or(Quantity::Speed, from_number);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP_SMALL;
        for each in [Quantity::Speed, Quantity::Compensation, Quantity::Distance] {
            ui.selectable_value(&mut quantity, each, tr(label_key(each)));
        }
        widgets::caption(ui, unit(quantity).suffix().trim());
        legend(ui, &curves(theme::of(ui)));
    });
    ui.data_mut(|data| data.insert_temp(id, quantity as u8));
    let scale = built.metres_per_unit * unit(quantity).display_factor();
    plot(ui, quantity, &stretch.report, scale, &mut session.playback);
}

/// Draws the button that stretches the shown clip; nothing if no clip is shown.
fn stretch_this(ui: &mut Ui, session: &mut Session) {
    if let Shown::Clip { character, file, clip } = session.selection.shown.clone()
        && widgets::text_button(ui, ICON_STRAIGHTEN, &tr("inspector.stretch_this")).clicked()
    {
        session.perform(Command::Edit(EditCommand::AddStretch { character, clip_file: file, clip }));
    }
}

/// Returns the quantity of that index; speed for other numbers.
fn from_number(number: u8) -> Quantity {
    [Quantity::Speed, Quantity::Compensation, Quantity::Distance].get(usize::from(number)).copied().unwrap_or_default()
}

/// Returns the locale key of the label.
fn label_key(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Speed => "plots.speed",
        Quantity::Compensation => "plots.compensation",
        Quantity::Distance => "plots.distance",
    }
}

/// Returns the unit in which the quantity is displayed.
fn unit(quantity: Quantity) -> Unit {
    if quantity == Quantity::Speed { Unit::Speed } else { Unit::Metres }
}

fn curves(tokens: &Tokens) -> [LegendLine; 3] {
    let line = |key, width: f32, color, is_dashed| LegendLine { key, stroke: Stroke::new(width, color), is_dashed };
    [
        line("plots.stretched", 2.5, tokens.accent, false),
        line("plots.uniform", 1.5, tokens.target, true),
        line("plots.source", 1.5, tokens.source, false),
    ]
}

/// Draws `quantity` over time (seconds) for the source, the uniform and the actual stretch. `scale` converts file units to the
/// displayed unit. A click moves the playhead.
fn plot(ui: &mut Ui, quantity: Quantity, report: &Report, scale: f64, playback: &mut Playback) {
    let tokens = *theme::of(ui);
    let end = report.times.last().copied().unwrap_or(1.0);
    let plot = time_plot::time_plot("motion", &tokens).include_x(0.0).include_x(end);
    time_plot::show(ui, plot, playback, |plot| {
        let curve = |path: &PathReport, width: f32, color| {
            let points = report.times.iter().zip(values(quantity, path, scale)).map(|(&time, value)| [time, value]);
            time_plot::line(points, Stroke::new(width, color))
        };
        plot.line(curve(&report.source, 1.5, tokens.source));
        plot.line(curve(&report.uniform, 1.5, tokens.target).style(LineStyle::dashed_dense()));
        plot.line(curve(&report.stretched, 2.5, tokens.accent));
    });
}

/// Returns the values of `path` per frame, multiplied by `scale`. A distance is the straight one from the first point.
fn values(quantity: Quantity, path: &PathReport, scale: f64) -> Vec<f64> {
    match quantity {
        Quantity::Speed => path.speeds.iter().map(|speed| speed * scale).collect(),
        Quantity::Compensation => path.compensation.iter().map(|length| length * scale).collect(),
        Quantity::Distance => {
            let start = path.points.first().copied().unwrap_or_default();
            path.points.iter().map(|point| point.distance(start) * scale).collect()
        }
    }
}

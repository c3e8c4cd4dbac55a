//! Blend space node: plot with draggable samples and parameter, and their values.

use egui::{Align2, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2, vec2};
use egui_material_icons::icons::{ICON_ADD, ICON_CLOSE};

use super::edit::Edit;
use super::parameter::{Parameter, coordinates, parameter_row};
use super::viewer::{Viewer, WIDTH};
use crate::i18n::tr;
use crate::keys::scope;
use crate::panels::blend::{Choice, clip_choice, clip_menu, title};
use crate::{theme, widgets};
use portamento_blend::{Axes, BlendSpace, NodeKind, SpaceSample};
use portamento_takes::document::FileId;

/// Heights of a plot with two parameters and with one, points.
const PLOT_HEIGHTS: [f32; 2] = [120.0, 44.0];
/// Maximum distance from the pointer to a handle that counts as hit, points.
const PICK_RADIUS: f32 = 10.0;

/// A draggable handle of the plot.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Handle {
    Sample(usize),
    Parameter,
}

/// Range of the plot: minimum and maximum of each parameter.
type Range = [[f64; 2]; 2];

/// A drag in progress with the range at its start, which stays constant so that the plot does not scroll under the pointer.
#[derive(Clone, Copy, Debug)]
struct PlotDrag {
    handle: Handle,
    range: Range,
}

impl Viewer<'_> {
    /// Draws plot, parameter and samples of the blend space at node `index`.
    pub(super) fn space_body(&mut self, ui: &mut Ui, index: usize) {
        let mut changed = self.tree.nodes[index].clone();
        let NodeKind::Space(space) = &mut changed.kind else { return };
        let mut files = Vec::new();
        ui.vertical(|ui| {
            ui.set_width(WIDTH + 48.0);
            options(ui, space);
            let subject = ui.id().with(("parameter", index));
            let time = scope::frozen_time(ui, subject).unwrap_or(self.time);
            let played = self.blended.and_then(|blended| blended.built.parameter(index, time));
            let parameter = Parameter { subject, time, state: self.state, played };
            plot(ui, space, &parameter, self.clips);
            parameter_row(ui, space, &parameter);
            self.drive_row(ui, index, space, &mut files);
            let mut removed = None;
            for at in 0..space.samples.len() {
                let slot = SampleSlot { node: index, at, clips: self.clips };
                ui.push_id((index, at), |ui| slot.ui(ui, space, &mut files, &mut removed));
            }
            if let Some(removed) = removed {
                space.samples.remove(removed);
            }
            if let Some(choice) =
                clip_menu(ui, &format!("{}  {}", ICON_ADD.codepoint, tr("graph.space_add")), self.clips)
            {
                files.extend(choice.file.as_ref().map(|(file, _)| *file));
                add(space, choice);
            }
        });
        self.edits.extend(files.into_iter().map(Edit::Bring));
        self.replace(index, changed);
    }
}

/// Row of one sample: node, sample index and available clips.
struct SampleSlot<'a> {
    /// Index of the node.
    node: usize,
    /// Index of the sample.
    at: usize,
    clips: &'a [Choice],
}

impl SampleSlot<'_> {
    /// Draws the row of a sample: coordinates, clip and a button that sets `removed` to its index.
    fn ui(&self, ui: &mut Ui, space: &mut BlendSpace, files: &mut Vec<FileId>, removed: &mut Option<usize>) {
        let (axes, sample) = (space.axes, &mut space.samples[self.at]);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            coordinates(ui, axes, &mut sample.at, |_, _| {});
            if widgets::icon_button(ui, ICON_CLOSE, &tr("graph.space_remove")).clicked() {
                *removed = Some(self.at);
            }
            clip_choice(ui, &format!("sample {} {}", self.node, self.at), &mut sample.clip, files, self.clips);
        });
    }
}

/// Draws the number of axes and the synchronisation of the clips.
fn options(ui: &mut Ui, space: &mut BlendSpace) {
    ui.horizontal(|ui| {
        for (axes, key) in [(Axes::One, "graph.space_one"), (Axes::Two, "graph.space_two")] {
            ui.selectable_value(&mut space.axes, axes, tr(key));
        }
        ui.checkbox(&mut space.synchronise, tr("graph.space_sync")).on_hover_text(tr("graph.space_sync_hint"));
    });
}

/// Adds the clip of `choice` one unit to the right of the last sample, or at the origin.
fn add(space: &mut BlendSpace, choice: &Choice) {
    let right = space.samples.iter().map(|sample| sample.at[0]).reduce(f64::max);
    let at = [right.map_or(0.0, |right| right + 1.0), 0.0];
    space.samples.push(SpaceSample { clip: choice.clip.clone(), at });
}

/// Draws the samples and the parameter in the plane, or on a line with one axis. Dragging moves one of them, a click moves the
/// parameter.
fn plot(ui: &mut Ui, space: &mut BlendSpace, parameter: &Parameter, clips: &[Choice]) {
    let height = if space.axes == Axes::Two { PLOT_HEIGHTS[0] } else { PLOT_HEIGHTS[1] };
    let (rect, response) = ui.allocate_exact_size(vec2(WIDTH + 48.0, height), Sense::click_and_drag());
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label(tr("graph.space_plot")));
    parameter.hold(ui, &response);
    let dragged: Option<PlotDrag> = ui.data(|data| data.get_temp(response.id)).filter(|_| response.dragged());
    let map = PlotMap { rect, range: dragged.map_or_else(|| range_of(space), |drag| drag.range), axes: space.axes };
    if response.drag_started()
        && let Some(at) = ui.input(|input| input.pointer.press_origin())
    {
        let handle = map.handle_at(space, parameter.at(space), local(ui, at)).unwrap_or(Handle::Parameter);
        ui.data_mut(|data| data.insert_temp(response.id, PlotDrag { handle, range: map.range }));
    }
    let grabbed: Option<PlotDrag> = ui.data(|data| data.get_temp(response.id));
    if let Some(at) = response.interact_pointer_pos() {
        match grabbed.filter(|_| response.dragged()).map(|drag| drag.handle) {
            Some(Handle::Sample(sample)) => {
                if let Some(sample) = space.samples.get_mut(sample) {
                    sample.at = map.value(at, sample.at);
                }
            }
            Some(Handle::Parameter) => put(space, parameter, &map, at),
            None if response.clicked() => put(space, parameter, &map, at),
            None => {}
        }
    }
    map.paint(ui, space, parameter.at(space), clips);
}

/// Converts a position in the window to the layer of `ui`, which the graph scales and moves. Points.
fn local(ui: &Ui, at: Pos2) -> Pos2 {
    ui.ctx().layer_transform_from_global(ui.layer_id()).map_or(at, |from_global| from_global * at)
}

/// Sets the parameter to the value at `at`, a position in the plot in points.
fn put(space: &mut BlendSpace, parameter: &Parameter, map: &PlotMap, at: Pos2) {
    let value = map.value(at, parameter.at(space));
    parameter.put(space, value);
}

/// Returns the range of all samples, keys and state values with a margin.
fn range_of(space: &BlendSpace) -> Range {
    let values = space.samples.iter().map(|sample| sample.at).chain(space.keys.iter().map(|key| key.at));
    let values = values.chain(space.in_states.iter().map(|own| own.at));
    let finite: Vec<[f64; 2]> = values.filter(|at| at.iter().all(|value| value.is_finite())).collect();
    [0, 1].map(|axis| {
        let low = finite.iter().map(|at| at[axis]).fold(f64::INFINITY, f64::min);
        let high = finite.iter().map(|at| at[axis]).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
        let room = if high - low > 1e-6 { 0.2 * (high - low) } else { 1.0 };
        [low - room, high + room]
    })
}

/// Mapping between values and positions in a plot.
struct PlotMap {
    rect: Rect,
    range: Range,
    axes: Axes,
}

impl PlotMap {
    /// Returns the position of the parameter values `at` in the plot, points of its layer.
    fn position(&self, at: [f64; 2]) -> Pos2 {
        let part = |axis: usize| {
            let [low, high] = self.range[axis];
            ((at[axis] - low) / (high - low)) as f32
        };
        let y = if self.axes == Axes::Two {
            self.rect.bottom() - part(1) * self.rect.height()
        } else {
            self.rect.center().y
        };
        pos2(self.rect.left() + part(0) * self.rect.width(), y)
    }

    /// Returns the value at `at` (points), limited to the plot and rounded to about 1 % of the range. A coordinate that the plot
    /// does not show keeps its previous value.
    fn value(&self, at: Pos2, previous: [f64; 2]) -> [f64; 2] {
        let parts = [(at.x - self.rect.left()) / self.rect.width(), (self.rect.bottom() - at.y) / self.rect.height()];
        let value = |axis: usize| {
            let [low, high] = self.range[axis];
            let step = 10_f64.powf(((high - low) * 0.01).log10().floor());
            let value = low + f64::from(parts[axis].clamp(0.0, 1.0)) * (high - low);
            (value / step).round() * step
        };
        [value(0), if self.axes == Axes::Two { value(1) } else { previous[1] }]
    }

    /// Returns the handle nearest to `at` (points) within [`PICK_RADIUS`]; `None` if there is none. The parameter wins a tie.
    fn handle_at(&self, space: &BlendSpace, parameter: [f64; 2], at: Pos2) -> Option<Handle> {
        let parameter = (Handle::Parameter, self.position(parameter));
        let samples = space.samples.iter().enumerate().map(|(i, sample)| (Handle::Sample(i), self.position(sample.at)));
        let distances = samples.chain([parameter]).map(|(handle, position)| (handle, position.distance(at)));
        // On a tie the parameter wins, because it is last.
        distances
            .filter(|(_, distance)| *distance <= PICK_RADIUS)
            .reduce(|a, b| if b.1 <= a.1 { b } else { a })
            .map(|(handle, _)| handle)
    }

    /// Draws the blend space with its samples and the values `parameter`.
    fn paint(&self, ui: &Ui, space: &BlendSpace, parameter: [f64; 2], clips: &[Choice]) {
        let tokens = theme::of(ui);
        let painter = ui.painter_at(self.rect);
        painter.rect_filled(self.rect, theme::RADIUS, tokens.window);
        if self.axes == Axes::One {
            let y = self.rect.center().y;
            painter.hline(self.rect.x_range(), y, Stroke::new(1.0, tokens.line));
        }
        for [from, to] in space.edges() {
            let ends = [from, to].map(|sample| self.position(space.samples[sample].at));
            painter.line_segment(ends, Stroke::new(1.0, tokens.line));
        }
        let shares = space.shares(parameter);
        for (sample, share) in space.samples.iter().zip(shares) {
            let (at, color) = (self.position(sample.at), theme::mix(tokens.dim, tokens.accent, share as f32));
            painter.circle_filled(at, 4.0 + 2.0 * share as f32, color);
            let (align, offset) = match at.x > self.rect.center().x {
                true => (Align2::RIGHT_BOTTOM, vec2(-5.0, -4.0)),
                false => (Align2::LEFT_BOTTOM, vec2(5.0, -4.0)),
            };
            painter.text(at + offset, align, title(clips, &sample.clip), theme::caption(), tokens.text);
        }
        let at = self.position(parameter);
        let cross = Stroke::new(1.5, tokens.text);
        let (across, along) = (Vec2::X * 6.0, Vec2::Y * 6.0);
        painter.line_segment([at - across, at + across], cross);
        painter.line_segment([at - along, at + along], cross);
        painter.circle_stroke(at, 4.0, cross);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_blend::ParameterKey;

    const PARAMETER: Parameter = Parameter { subject: egui::Id::NULL, time: 0.0, state: "", played: None };

    fn space(axes: Axes) -> BlendSpace {
        let sample = |clip: &str, at| SpaceSample { clip: clip.into(), at };
        let samples = vec![sample("walk", [0.0, 0.0]), sample("run", [4.0, 1.0])];
        BlendSpace { axes, samples, keys: vec![ParameterKey { time: 0.0, at: [2.0, 0.5] }], ..BlendSpace::default() }
    }

    fn map(space: &BlendSpace) -> PlotMap {
        let rect = Rect::from_min_size(pos2(30.0, 20.0), vec2(200.0, 100.0));
        PlotMap { rect, range: range_of(space), axes: space.axes }
    }

    #[test]
    fn values_and_positions_of_the_plot_match() {
        for axes in [Axes::One, Axes::Two] {
            let mut space = space(axes);
            let map = map(&space);
            for (at, handle) in
                [([0.0, 0.0], Handle::Sample(0)), ([4.0, 1.0], Handle::Sample(1)), ([2.0, 0.5], Handle::Parameter)]
            {
                assert_eq!(map.handle_at(&space, [2.0, 0.5], map.position(at) + vec2(3.0, -3.0)), Some(handle));
                assert!(map.rect.contains(map.position(at)));
            }
            assert_eq!(map.handle_at(&space, [2.0, 0.5], map.position([1.0, 0.9]) + vec2(0.0, 30.0)), None);
            put(&mut space, &PARAMETER, &map, map.position([3.0, 0.25]));
            let expected = if axes == Axes::One { 0.5 } else { 0.25 };
            let [x, y] = space.keys[0].at;
            assert!((x - 3.0).abs() < 0.02 && (y - expected).abs() < 0.02, "{x} {y}");
        }
    }

    #[test]
    fn a_plot_of_nothing_or_of_one_value_has_a_margin() {
        let one = BlendSpace { samples: Vec::new(), ..space(Axes::Two) };
        assert_eq!(range_of(&one), [[1.0, 3.0], [-0.5, 1.5]]);
        assert_eq!(range_of(&BlendSpace { keys: Vec::new(), ..one }), [[-1.0, 1.0]; 2]);
    }
}

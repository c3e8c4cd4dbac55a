//! All text in the window is completely visible at every size and scale, in both languages.

use crate::tests::systems::blend::{take_apart, with_blend};
use crate::tests::*;
use egui::epaint::{ClippedShape, Shape, TextShape};
use egui::{Rect, Vec2};

use crate::i18n::localized;
use crate::shell::workspace::Workspace;
use crate::theme;
use portamento_blend::node_name;

type Window<'a> = Harness<'a, Option<App>>;

/// Window sizes in pixels with their UI scale.
const SIZES: [([f32; 2], f32); 9] = [
    ([1024.0, 640.0], 0.75),
    ([1024.0, 640.0], 1.0),
    ([1280.0, 800.0], 1.5),
    ([1280.0, 800.0], 2.0),
    ([1920.0, 1080.0], 2.0),
    ([2560.0, 1440.0], 1.25),
    ([3440.0, 1440.0], 1.0),
    ([3840.0, 2160.0], 0.75),
    ([3840.0, 2160.0], 2.0),
];

/// A text as drawn.
pub(super) struct Written {
    text: String,
    /// Rectangle of the letters, points.
    rect: Rect,
    /// The clip rectangle.
    clip: Rect,
    /// True if a line breaks within a word.
    is_broken: bool,
    /// True if the text is shortened with `…`.
    is_shortened: bool,
}

impl Written {
    fn new(shape: &TextShape, clip: Rect) -> Self {
        let rows = &shape.galley.rows;
        let lines: Vec<String> = rows.iter().map(|row| row.text()).collect();
        let is_letter = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_alphabetic());
        let breaks = |two: &[String]| is_letter(two[0].chars().last()) && is_letter(two[1].chars().next());
        let is_broken = lines.windows(2).zip(rows).any(|(two, row)| !row.ends_with_newline && breaks(two));
        let rect = shape.galley.rect.translate(shape.pos.to_vec2());
        Self { text: lines.join("⏎"), rect, clip, is_broken, is_shortened: shape.galley.elided }
    }

    /// Returns the visible part of the rectangle.
    fn seen(&self) -> Rect {
        self.rect.intersect(self.clip)
    }
}

fn texts(shape: &Shape, clip: Rect, found: &mut Vec<Written>) {
    match shape {
        Shape::Text(text) if text.angle == 0.0 && !text.galley.text().trim().is_empty() => {
            found.push(Written::new(text, clip));
        }
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| texts(shape, clip, found)),
        _ => {}
    }
}

/// Returns all texts in the window.
pub(crate) fn words(window: &Window<'_>) -> Vec<String> {
    written_in(window, Rect::EVERYTHING)
}

/// Returns the texts that are completely within `area`.
pub(super) fn written_in(window: &Window<'_>, area: Rect) -> Vec<String> {
    let mut found = Vec::new();
    window.output().shapes.iter().for_each(|clipped| texts(&clipped.shape, clipped.clip_rect, &mut found));
    found.retain(|text| area.contains_rect(text.rect) || area == Rect::EVERYTHING);
    found.into_iter().map(|text| text.text).collect()
}

/// Returns the layout errors of the texts in the window. User-defined `names` may be any length: lists shorten them and fields
/// scroll.
pub(super) fn faults(window: &Window<'_>, names: &[String]) -> Vec<String> {
    let view = window.query_by_label(&tr("panel.viewport")).map_or(Rect::NOTHING, |view| view.rect());
    // Names over the figure move with it and may overlap.
    let is_shown = |text: &Written| !view.contains(text.seen().center());
    faults_of(window, &window.output().shapes, names, is_shown)
}

/// Returns the layout errors of the texts among `shapes` for which `is_shown` is true, see [`faults`].
pub(super) fn faults_of(
    window: &Window<'_>,
    shapes: &[ClippedShape],
    names: &[String],
    is_shown: impl Fn(&Written) -> bool,
) -> Vec<String> {
    let graph = window.state().as_ref().map_or(Rect::NOTHING, |app| app.graph.room());
    let mut found = Vec::new();
    for ClippedShape { clip_rect, shape } in shapes {
        texts(shape, *clip_rect, &mut found);
    }
    found.retain(|text| text.seen().is_positive() && is_shown(text));
    let mut wrong = Vec::new();
    for (index, text) in found.iter().enumerate() {
        let seen = text.seen();
        if text.is_broken {
            wrong.push(format!("a word is broken: {}", text.text));
        }
        // The graph can be panned, so nodes may be cut off at its edge.
        let goes_on = graph.contains(seen.center()) && !graph.shrink(1.0).contains_rect(text.rect);
        if !text.is_shortened && !goes_on && !names.contains(&text.text) && text.rect.width() > seen.width() + 2.0 {
            wrong.push(format!("cut by {:.0}: {}", text.rect.width() - seen.width(), text.text));
        }
        for other in &found[..index] {
            let both = seen.intersect(other.seen());
            if both.is_positive() && both.width() > 3.0 && both.height() > 4.0 {
                wrong.push(format!("“{}” lies over “{}”", text.text, other.text));
            }
        }
    }
    wrong
}

#[test]
fn no_text_is_cut_broken_or_overlapped_at_any_size_in_either_language() {
    let mut wrong = Vec::new();
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let takes: Vec<Shown> =
                app(window).session.document.takes.iter().map(|take| Shown::Take(take.id)).collect();
            let names: Vec<String> = app(window).session.document.takes.iter().map(|take| take.name.clone()).collect();
            for (size, scale) in SIZES {
                window.set_pixels_per_point(scale);
                window.set_size(Vec2::from(size) / scale);
                for shown in &takes {
                    app(window).session.selection.show(shown.clone());
                    window.run_steps(6);
                    wrong.extend(
                        faults(window, &names)
                            .into_iter()
                            .map(|fault| format!("{language} {size:?} × {scale} {shown:?}: {fault}")),
                    );
                }
            }
        });
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns the smallest font size in the graph as drawn, points.
fn smallest_in_graph(window: &Window<'_>) -> f32 {
    let scales: Vec<f32> = window.ctx.memory(|memory| memory.to_global.values().map(|layer| layer.scaling).collect());
    assert!(!scales.is_empty(), "no graph is shown");
    theme::caption().size * scales.into_iter().fold(f32::INFINITY, f32::min)
}

/// Returns true if the node `name` is visible in the graph with its complete name.
fn is_node_seen(window: &Window<'_>, name: &str) -> bool {
    let graph = window.state().as_ref().map_or(Rect::NOTHING, |app| app.graph.room());
    let mut found = Vec::new();
    window.output().shapes.iter().for_each(|clipped| texts(&clipped.shape, clipped.clip_rect, &mut found));
    found.iter().any(|text| text.text == name && graph.contains_rect(text.rect))
}

#[test]
fn no_text_of_the_graph_is_too_small_and_the_standard_tree_is_completely_visible() {
    for language in ["en", "zh-CN"] {
        in_window(language, |window| {
            let sizes =
                [([960.0, 540.0], false), ([1024.0, 640.0], false), ([1280.0, 800.0], true), ([2560.0, 1440.0], true)];
            for (size, is_usual) in sizes {
                window.set_size(Vec2::from(size));
                for name in ["half a cast over a stand", "run, cast, stop, end"] {
                    let take = app(window).session.document.takes.iter().find(|take| take.name == name).unwrap().id;
                    app(window).session.selection.show(Shown::Take(take));
                    window.run_steps(8);
                    let smallest = smallest_in_graph(window);
                    assert!(smallest > 10.49, "{language} {size:?} {name}: {smallest} points");
                }
                for name in ["UpperBody", "PreAni", "CurAni", "WholeBody", "Root"].map(node_name) {
                    assert_eq!(language == "en", localized(&name) == name.to_string(), "{name}");
                    // If the graph is too small for all nodes, the output node has priority.
                    let is_wanted = is_usual || name == node_name("Root");
                    assert!(!is_wanted || is_node_seen(window, &localized(&name)), "{language} {size:?}: {name}");
                }
            }
        });
    }
}

#[test]
fn the_output_node_of_an_expanded_tree_is_visible() {
    with_blend(|window| {
        take_apart(window);
        window.run_steps(8);
        assert!(is_node_seen(window, "Standard"));
    });
}

#[test]
fn a_project_opens_in_the_workspace_of_its_take() {
    in_window("en", |window| {
        let project = app(window).session.project.path.clone().unwrap();
        app(window).arrange(Workspace::Walk);
        app(window).session.perform(Command::File(FileCommand::New));
        window.run_steps(3);
        assert_eq!(app(window).workspace, Workspace::Walk);
        app(window).session.perform(Command::File(FileCommand::Open(vec![project])));
        window.run_steps(3);
        assert_eq!(app(window).workspace, Workspace::Stretch);
    });
}

#[test]
fn a_take_with_the_same_id_in_another_project_opens_its_workspace() {
    in_window("en", |window| {
        let folder = app(window).session.project.path.clone().unwrap().parent().unwrap().to_owned();
        for (name, workspace) in
            [("walk", Workspace::Walk), ("blend", Workspace::Blend), ("stretch", Workspace::Stretch)]
        {
            let path = folder.join(format!("{name}.portamento"));
            app(window).session.perform(Command::File(FileCommand::Open(vec![path])));
            window.run_steps(3);
            assert_eq!(app(window).workspace, workspace, "{name}");
        }
    });
}

//! Drawable data of a level: its faces, and its voxels coloured by display mode. Both are cached.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Weak};

use egui::Color32;
use glam::Vec3;

use super::level_shape::level_shape;
use crate::theme;
use crate::viewport::background::in_background;
use crate::viewport::look::linear;
use crate::viewport::walk::edges;
use portamento_render::{LevelOverlay, LevelShape};
use portamento_takes::evaluate::{LevelGround, Scenery};
use portamento_walk::navigation::voxels::{State, VoxelMap, VoxelSpan};

/// Display mode of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelView {
    /// Faces in their own colours.
    #[default]
    Solid,
    /// Walkable area, voxel by voxel.
    Voxels,
    /// Slope.
    Slope,
    /// Speed.
    Speed,
    /// Wall clearance: the area removed by the character's radius.
    Erosion,
    /// Reason why an area is not walkable.
    Reasons,
    /// Edges that can be crossed, or not.
    Edges,
}

portamento_base::named!(LevelView {
    Solid: "solid",
    Voxels: "voxels",
    Slope: "slope",
    Speed: "speed",
    Erosion: "erosion",
    Reasons: "reasons",
    Edges: "edges"
});

/// Cached drawable data of the level.
#[derive(Default)]
pub struct LevelCache {
    level: Option<(Scenery, Arc<LevelShape>)>,
    view: Option<ShownVoxels>,
    /// Receives the voxels that are being prepared.
    pending: Option<Receiver<ShownVoxels>>,
    /// The ground and mode that were requested last.
    wanted: Option<(Weak<LevelGround>, LevelView)>,
}

/// The coloured voxels of a ground.
struct ShownVoxels {
    ground: Arc<LevelGround>,
    land: Arc<LevelOverlay>,
}

/// Largest number of voxels prepared on the UI thread; more are prepared in the background. Tuned; no derivation recorded.
const MAX_VOXELS_ON_UI_THREAD: usize = 100_000;
/// Number of ramp colours. Adjacent voxels of one colour are merged into one quad. Tuned; no derivation recorded.
const RAMP_COLORS: u8 = 32;
/// Height of voxels over the faces they cover, metres. Tuned; no derivation recorded.
const LIFT_M: f32 = 0.02;

impl LevelCache {
    /// Returns the faces of the level, cached for the last one.
    pub fn level(&mut self, scenery: &Scenery) -> Arc<LevelShape> {
        match &self.level {
            Some((known, shape)) if known == scenery => shape.clone(),
            _ => {
                let shape = Arc::new(level_shape(scenery));
                self.level = Some((scenery.clone(), shape.clone()));
                shape
            }
        }
    }

    /// Returns the voxels in display mode `view`, or those of the previous mode until they are ready. Starts their preparation if
    /// it is new.
    ///
    /// Returns `None` for [`LevelView::Solid`], and until a ground has any voxels.
    pub fn view(&mut self, ground: &Arc<LevelGround>, view: LevelView) -> Option<Arc<LevelOverlay>> {
        if view == LevelView::Solid {
            (self.view, self.pending, self.wanted) = (None, None, None);
            return None;
        }
        let is_wanted = |(of, as_): &(Weak<LevelGround>, LevelView)| of.as_ptr() == Arc::as_ptr(ground) && *as_ == view;
        if !self.wanted.as_ref().is_some_and(is_wanted) {
            self.wanted = Some((Arc::downgrade(ground), view));
            let is_known = view != LevelView::Edges || ground.known_edges().is_some();
            let quick = is_known && ground.map.spans.len() <= MAX_VOXELS_ON_UI_THREAD;
            let ground = ground.clone();
            self.pending =
                Some(in_background(quick, move || ShownVoxels { land: Arc::new(overlay(&ground, view)), ground }));
        }
        if let Some(seen) = self.pending.as_ref().and_then(|pending| pending.try_recv().ok()) {
            (self.view, self.pending) = (Some(seen), None);
        }
        let last = self.view.as_ref().filter(|seen| Arc::ptr_eq(&seen.ground, ground));
        last.map(|seen| seen.land.clone())
    }

    /// True if voxels are being prepared in the background.
    pub fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }
}

/// Returns what display mode `view` draws over the level.
fn overlay(ground: &LevelGround, view: LevelView) -> LevelOverlay {
    if view == LevelView::Edges { edges::ribbons(ground) } else { tops(&ground.map, view) }
}

/// Returns the top faces of all visible spans, in metres. Adjacent spans along x with the same height and colour are merged.
fn tops(map: &VoxelMap, view: LevelView) -> LevelOverlay {
    let fastest = fastest(map);
    let [columns, rows] = map.columns.map(|count| count as usize);
    let mut land = LevelOverlay::default();
    for z in 0..rows {
        let mut open: Vec<(u16, u8, usize)> = Vec::new();
        for x in 0..=columns {
            let column = if x < columns { map.column(z * columns + x) } else { &[] };
            let step = |span: &VoxelSpan| Some((span.high, step_of(map, span, view, (x + z) as u8, fastest)?));
            let shown = column.iter().enumerate().filter(|(at, span)| *at == 0 || !looks_down(span));
            let now: Vec<(u16, u8)> = shown.filter_map(|(_, span)| step(span)).collect();
            open.retain(|&(high, step, from)| {
                let continues = now.contains(&(high, step));
                if !continues {
                    land.add_quad(top(map, [from, x], z, high), linear(color(view, step)));
                }
                continues
            });
            for &(high, step) in &now {
                if !open.iter().any(|each| (each.0, each.1) == (high, step)) {
                    open.push((high, step, x));
                }
            }
        }
    }
    land
}

/// True if the span faces down, like a ceiling. Above other ground it is hidden, because it would cover that ground. The lowest
/// span of a column may be a floor with an inverted normal.
fn looks_down(span: &VoxelSpan) -> bool {
    span.slope > 90.0
}

/// Returns the corners (metres) of the top face of a run of voxels: from column `from` to before `to` in row `z`. `high` is its
/// height in cells.
fn top(map: &VoxelMap, [from, to]: [usize; 2], z: usize, high: u16) -> [Vec3; 4] {
    let (origin, cell) = (map.origin.as_vec3(), map.settings.cell as f32);
    let y = map.metres(high) as f32 + LIFT_M;
    let at = |x: usize, z: usize| Vec3::new(origin.x + x as f32 * cell, y, origin.z + z as f32 * cell);
    [at(from, z), at(from, z + 1), at(to, z + 1), at(to, z)]
}

/// Returns the highest speed of all ground cells, metres per second.
pub fn fastest(map: &VoxelMap) -> f64 {
    map.ground.cells.iter().map(|cell| cell.speed(0.0)).fold(0.0, f64::max)
}

/// Returns the colour index of a span in display mode `view`, or `None` if it is hidden. `parity` makes a checkerboard; `fastest`
/// is the highest speed, m/s.
fn step_of(map: &VoxelMap, span: &VoxelSpan, view: LevelView, parity: u8, fastest: f64) -> Option<u8> {
    let walkable = span.state == State::Walkable;
    let ramp = |share: f64| (share.clamp(0.0, 1.0) * f64::from(RAMP_COLORS - 1)).round() as u8;
    match view {
        LevelView::Solid | LevelView::Edges => None,
        LevelView::Voxels => walkable.then_some(parity % 2),
        LevelView::Slope => Some(ramp(f64::from(span.slope) / 90.0)),
        LevelView::Speed => {
            let cell = map.ground.cells.get(span.cell as usize).filter(|_| walkable)?;
            Some(ramp(cell.speed(0.0) / fastest.max(1e-9)))
        }
        LevelView::Erosion => matches!(span.state, State::Walkable | State::Radius).then(|| state_step(span.state)),
        LevelView::Reasons => Some(state_step(span.state)),
    }
}

/// All voxel states in the order of their colours.
pub const STATES: [State; 6] =
    [State::Walkable, State::Steep, State::Ceiling, State::Ledge, State::Radius, State::Blocked];

/// Returns the colour index of a voxel state.
fn state_step(state: State) -> u8 {
    STATES.iter().position(|each| *each == state).unwrap_or(0) as u8
}

/// Returns the colour of the colour index `step` in that view.
fn color(view: LevelView, step: u8) -> Color32 {
    match view {
        LevelView::Solid | LevelView::Edges => theme::GROUND,
        LevelView::Voxels => theme::mix(theme::category(0), theme::GROUND, 0.15 + 0.2 * f32::from(step)),
        LevelView::Slope | LevelView::Speed => theme::ramp(f32::from(step) / f32::from(RAMP_COLORS - 1)),
        LevelView::Erosion | LevelView::Reasons => {
            STATES.get(usize::from(step)).map_or(theme::GROUND, |&name| state(name))
        }
    }
}

/// Returns the colour of a voxel state.
pub fn state(state: State) -> Color32 {
    match state {
        State::Walkable => theme::mix(theme::category(2), theme::GROUND, 0.4),
        State::Steep => theme::category(5),
        State::Ceiling => theme::category(6),
        State::Ledge => theme::category(3),
        State::Radius => theme::category(0),
        State::Blocked => theme::category(4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_anim::geometry::Level;
    use portamento_base::progress::Progress;
    use portamento_walk::navigation::voxels::{VoxelSettings, voxelise};

    fn map() -> VoxelMap {
        let points = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
        let level = Level::of_mesh("floor", points.to_vec(), [[0, 2, 1], [0, 3, 2]]);
        voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap()
    }

    #[test]
    fn the_underside_of_a_ceiling_does_not_cover_the_floor() {
        let floor = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        let points =
            floor.iter().map(|[x, z]| Vec3::new(*x, 0.0, *z)).chain(floor.iter().map(|[x, z]| Vec3::new(*x, 3.0, *z)));
        // The ceiling is a single face that looks down.
        let faces = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]];
        let level = Level::of_mesh("room", points.collect(), faces);
        let map = voxelise(&level, &VoxelSettings::default(), &Progress::new()).unwrap();
        assert!(map.spans.iter().any(|span| span.slope > 90.0), "the ceiling is in the map");
        for view in [LevelView::Slope, LevelView::Reasons] {
            let land = tops(&map, view);
            assert!(!land.corners.is_empty() && land.corners.iter().all(|corner| corner.y < 1.0), "{view:?}");
        }
    }

    #[test]
    fn display_modes_cover_their_spans_and_merge_equal_neighbours() {
        let map = map();
        let area = |land: &LevelOverlay| {
            let face = |c: &[Vec3]| f64::from((c[1] - c[0]).cross(c[2] - c[0]).y) * 0.5;
            land.corners.chunks(3).map(face).sum::<f64>()
        };
        let cell = map.settings.cell * map.settings.cell;
        let count = |wanted: fn(State) -> bool| map.spans.iter().filter(|span| wanted(span.state)).count() as f64;
        let slope = tops(&map, LevelView::Slope);
        assert!((area(&slope) - map.spans.len() as f64 * cell).abs() < 1e-3);
        assert_eq!(slope.colors.len(), 2 * map.columns[1] as usize, "one strip a row");
        let walkable = tops(&map, LevelView::Voxels);
        assert!((area(&walkable) - count(|state| state == State::Walkable) * cell).abs() < 1e-3);
        let eroded = tops(&map, LevelView::Erosion);
        let remaining = count(|state| matches!(state, State::Walkable | State::Radius));
        assert!((area(&eroded) - remaining * cell).abs() < 1e-3 && remaining > count(|state| state == State::Walkable));
    }
}

//! Previews of variants, built in the background before they are added.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use glam::Vec3;
use rayon::prelude::*;

use crate::background::in_background;
use crate::clip_library::quality_of;
use crate::{JobKey, Jobs, OpenDocument, Session};
use portamento_anim::math::Bounds;
use portamento_base::message::{Message, Tell};
use portamento_base::progress::Progress;
use portamento_takes::document::Take;
use portamento_takes::evaluate::{BuiltTake, Content, Overlay};

/// Maximum number of previewed variants.
const MAX_PREVIEWS: usize = 24;

/// Number of evenly spaced samples for the bounding box of a motion.
const BOUNDS_SAMPLES: usize = 16;
/// Maximum vertices × frames of a previewed mesh animation; 12 bytes each, for up to 24 variants.
const MAX_PREVIEW_POINTS: usize = 1 << 20;

/// The preview of a variant.
#[derive(Clone, Debug)]
pub struct Look {
    /// The displayable content; `None` for a mesh animation that is too large.
    pub seen: Option<Seen>,
    /// Duration, seconds.
    pub seconds: f64,
    /// Travel, metres; `None` if it cannot be measured.
    pub travel: Option<f64>,
}

/// The displayable content of a preview.
#[derive(Clone, Debug)]
pub enum Seen {
    /// A motion in space.
    Motion(Motion),
    /// An image sequence.
    Pictures(Arc<BuiltTake>),
}

/// A previewed motion.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The built take.
    pub built: Arc<BuiltTake>,
    /// Its trajectories.
    pub overlay: Arc<Overlay>,
    /// Bounding box over the whole motion, metres.
    pub reach: Bounds,
    /// The joint that represents its position: the hips, if known.
    pub middle: usize,
}

/// The result of building a variant.
pub type Drawn = Result<Look, Message>;

/// The previews of the variants dialog.
#[derive(Debug, Default)]
pub struct Preview {
    drawn: Vec<Option<Drawn>>,
    incoming: Option<Receiver<(usize, Drawn)>>,
}

impl Preview {
    /// Returns the previews in order; `None` while one is not ready.
    pub fn drawn(&self) -> &[Option<Drawn>] {
        &self.drawn
    }

    /// Cancels the drawing job and clears all previews.
    pub fn forget(&mut self, jobs: &Jobs) {
        *self = Self::default();
        jobs.cancel(&JobKey::DrawVariants);
    }

    /// Adds the previews finished since the last call to [`Preview::drawn`].
    pub(crate) fn take_in(&mut self) {
        for (at, drawn) in self.incoming.iter().flat_map(|incoming| incoming.try_iter()) {
            self.drawn[at] = Some(drawn);
        }
    }
}

impl Session {
    /// Starts a job that builds previews of the first [`MAX_PREVIEWS`] of `takes`, which need not be in the document;
    /// replaces earlier previews.
    pub fn preview_variants<'t>(&mut self, takes: impl Iterator<Item = &'t Take>) {
        let (sender, incoming) = channel();
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let builds = &mut self.evaluation.builds;
        let find = |take| builds.find(opened, take).map_err(|error| error.message());
        let found: Vec<_> = takes.take(MAX_PREVIEWS).map(find).collect();
        self.variants = Preview { drawn: vec![None; found.len()], incoming: Some(incoming) };
        let work = move |progress: &Progress| {
            let count = found.len();
            let draw = || {
                found.into_par_iter().enumerate().for_each(|(at, found)| {
                    let part = progress.one_of(count);
                    if part.is_cancelled() {
                        return;
                    }
                    let built = found.and_then(|found| found.built(&part).map_err(|error| error.message()));
                    let drawn = built.map(preview_of);
                    // A cancelled part is finished as well.
                    let _ = part.finish();
                    // The receiver is gone if other variants were requested meanwhile.
                    let _ = sender.send((at, drawn));
                });
            };
            in_background(draw);
        };
        self.jobs.start(JobKey::DrawVariants, work, |_, ()| {});
    }

    /// Adds `takes` to the document with new ids and unique names, groups them in a folder and shows the first.
    pub(crate) fn add_variants(&mut self, takes: Vec<Take>) {
        let before = self.selection.shown.clone();
        let mut first = None;
        let index = self.document.takes.len();
        let folder = takes.first().map_or_else(String::new, |take| format!("{} …", take.name));
        for take in takes {
            self.add_take(take);
            first.get_or_insert_with(|| self.selection.shown.clone());
        }
        self.document.group_takes(index, &folder);
        self.selection.show(first.unwrap_or(before));
    }
}

/// Returns what the preview of a built variant shows, with its length in seconds. Images have no travel, and a motion without
/// extent is not drawn.
fn preview_of(built: Arc<BuiltTake>) -> Look {
    let (seconds, travel) = (built.clip.duration, quality_of(&built).map(|quality| quality.way.travel));
    if matches!(built.content, Content::Images(_)) {
        return Look { seen: Some(Seen::Pictures(built)), seconds, travel: None };
    }
    let motion = |reach| Motion {
        overlay: built.overlay(None),
        middle: built.roles.hips.unwrap_or_else(|| first_of_mesh(&built)),
        reach,
        built: built.clone(),
    };
    Look { seen: reach(&built).map(motion).map(Seen::Motion), seconds, travel }
}

impl Look {
    /// Returns the motion, unless it is an image sequence.
    pub fn motion(&self) -> Option<&Motion> {
        if let Some(Seen::Motion(motion)) = &self.seen { Some(motion) } else { None }
    }
}

/// Returns the first joint that moves the mesh, or 0.
fn first_of_mesh(built: &BuiltTake) -> usize {
    built.character.model.mesh_joints().iter().position(|&meshed| meshed).unwrap_or(0)
}

/// Returns the bounding box over the whole motion, metres; `None` for images and for mesh animations that are too
/// large.
fn reach(built: &BuiltTake) -> Option<Bounds> {
    let moments = (0..BOUNDS_SAMPLES).map(|at| built.clip.duration * at as f64 / (BOUNDS_SAMPLES - 1) as f64);
    let reaches: Vec<Bounds> = match &built.content {
        Content::Joints => moments.filter_map(|time| reach_of_joints(built, time)).collect(),
        Content::Vertices(vertices) if vertices.clip.frames() * vertices.clip.vertices <= MAX_PREVIEW_POINTS => {
            let mut points = Vec::new();
            let at = |time| {
                vertices.sample(time, &mut points);
                Bounds::around(points.iter().copied())
            };
            moments.filter_map(at).collect()
        }
        Content::Vertices(_) | Content::Images(_) => return None,
    };
    let unit = built.metres_per_unit as f32;
    Bounds::around(reaches.into_iter().flat_map(|reach| [reach.low * unit, reach.high * unit]))
}

/// Returns the bounding box of the joints that move the mesh at `time` seconds, file units. `None` if no joint moves the
/// mesh.
fn reach_of_joints(built: &BuiltTake, time: f64) -> Option<Bounds> {
    let model = &built.character.model;
    let mut world = Vec::new();
    built.clip.pose_at(&model.skeleton, time).world_from_joints(&model.skeleton, &mut world);
    let seen = world.iter().zip(model.mesh_joints()).filter(|(_, meshed)| *meshed);
    Bounds::around(seen.map(|(place, _)| Vec3::from(place.translation)))
}

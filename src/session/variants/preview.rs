//! Variants built before they are takes, in the background.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rayon::prelude::*;

use crate::document::Take;
use crate::evaluate::{BuiltTake, Content};
use crate::math::Bounds;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::clip_library::quality_of;
use crate::session::{Jobs, OpenDocument, Session};

/// Variants that are drawn at most; of more the first ones.
const MOST: usize = 24;

/// Moments of a motion that tell how far it reaches, evenly in time.
const MOMENTS: usize = 16;

/// A variant as it came out.
#[derive(Clone, Debug)]
pub struct Look {
    /// Its motion; none where it moves no joints.
    pub motion: Option<Motion>,
    /// Its length, seconds.
    pub seconds: f64,
    /// How far it goes, metres; `None` where that cannot be measured.
    pub travel: Option<f64>,
}

/// A motion to be seen.
#[derive(Clone, Debug)]
pub struct Motion {
    /// What came out.
    pub built: Arc<BuiltTake>,
    /// The box around the figure all the while, metres.
    pub reach: Bounds,
}

/// What came of making a variant.
pub type Drawn = Result<Look, Message>;

/// Variants as far as they are drawn.
#[derive(Debug, Default)]
pub struct Preview {
    drawn: Vec<Option<Drawn>>,
    incoming: Option<Receiver<(usize, Drawn)>>,
}

impl Preview {
    /// The first variants in order; `None` as long as one is not drawn.
    pub fn drawn(&self) -> &[Option<Drawn>] {
        &self.drawn
    }

    /// Stops drawing, which is one of `jobs`, and forgets what was drawn.
    pub fn forget(&mut self, jobs: &Jobs) {
        *self = Self::default();
        jobs.running().filter(|job| job.name == drawing()).for_each(|job| job.progress.cancel());
    }

    /// Brings in what was drawn since the last call.
    pub(in crate::session) fn take_in(&mut self) {
        for (at, drawn) in self.incoming.iter().flat_map(|incoming| incoming.try_iter()) {
            self.drawn[at] = Some(drawn);
        }
    }
}

impl Session {
    /// Draws the first of `takes`, which need not be part of the document; what was drawn before goes.
    pub fn preview_variants<'t>(&mut self, takes: impl Iterator<Item = &'t Take>) {
        let (sender, incoming) = channel();
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let builds = &mut self.evaluation.builds;
        let find = |take| builds.find(opened, take).map_err(|error| error.message());
        let found: Vec<_> = takes.take(MOST).map(find).collect();
        self.variants = Preview { drawn: vec![None; found.len()], incoming: Some(incoming) };
        let work = move |progress: &Progress| {
            let count = found.len();
            found.into_par_iter().enumerate().for_each(|(at, found)| {
                if progress.step(at, count).is_err() {
                    return;
                }
                let built = found.and_then(|found| found.built(&progress.part()).map_err(|error| error.message()));
                let drawn = built.map(look);
                // Nobody listens any more where other variants are wanted meanwhile.
                let _ = sender.send((at, drawn));
            });
        };
        self.jobs.start(drawing(), work, |_, ()| {});
    }

    /// Keeps `takes` in the document under ids and names of their own, and shows the first.
    pub(in crate::session) fn add_variants(&mut self, takes: Vec<Take>) {
        let before = self.selection.shown.clone();
        let mut first = None;
        let index = self.document.takes.len();
        let folder = takes.first().map_or_else(String::new, |take| format!("{} …", take.name));
        for take in takes {
            self.add_take(take);
            first.get_or_insert_with(|| self.selection.shown.clone());
        }
        self.document.gather_takes(index, &folder);
        self.selection.show(first.unwrap_or(before));
    }
}

fn look(built: Arc<BuiltTake>) -> Look {
    let (seconds, travel) = (built.clip.duration, quality_of(&built).map(|quality| quality.way.travel));
    // What moves vertex by vertex may take all memory there is, many times over.
    let reach = reach(&built).filter(|_| matches!(built.content, Content::Joints));
    Look { motion: reach.map(|reach| Motion { built, reach }), seconds, travel }
}

/// The box around the joints that carry the figure of `built`, over the whole motion, metres.
fn reach(built: &BuiltTake) -> Option<Bounds> {
    let model = &built.character.model;
    let (meshed, unit) = (model.mesh_joints(), built.metres_per_unit as f32);
    let mut world = Vec::new();
    let reaches = (0..MOMENTS).filter_map(|at| {
        let pose = built.clip.pose_at(&model.skeleton, built.clip.duration * at as f64 / (MOMENTS - 1) as f64);
        pose.world_from_joints(&model.skeleton, &mut world);
        let seen = world.iter().zip(&meshed).filter(|(_, meshed)| **meshed);
        Bounds::around(seen.map(|(place, _)| glam::Vec3::from(place.translation) * unit))
    });
    Bounds::around(reaches.flat_map(|reach| [reach.low, reach.high]))
}

/// What the job is called.
fn drawing() -> Message {
    message!("job.draw_variants", "Draw variants")
}

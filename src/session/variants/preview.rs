//! Variants drawn before they are made, in the background.

use std::sync::mpsc::{Receiver, channel};

use rayon::prelude::*;

use crate::document::Take;
use crate::evaluate::BuiltTake;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::background::in_background;
use crate::session::batch::{Strip, strip_of};
use crate::session::clip_library::quality_of;
use crate::session::{Jobs, OpenDocument, Session};

/// Variants that are drawn at most; of more the first ones.
const MOST: usize = 24;

/// A variant as it came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Poses in a row; none where it moves no joints.
    pub strip: Option<Strip>,
    /// Its length, seconds.
    pub seconds: f64,
    /// How far it goes, metres; `None` where that cannot be measured.
    pub travel: Option<f64>,
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
            let draw = || {
                found.into_par_iter().enumerate().for_each(|(at, found)| {
                    if progress.step(at, count).is_err() {
                        return;
                    }
                    let built = found.and_then(|found| found.built(&progress.part()).map_err(|error| error.message()));
                    let drawn = built.map(|built| look(&built));
                    // Nobody listens any more where other variants are wanted meanwhile.
                    let _ = sender.send((at, drawn));
                });
            };
            in_background(draw);
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

fn look(built: &BuiltTake) -> Look {
    Look {
        strip: strip_of(built),
        seconds: built.clip.duration,
        travel: quality_of(built).map(|quality| quality.way.travel),
    }
}

/// What the job is called.
fn drawing() -> Message {
    message!("job.draw_variants", "Draw variants")
}

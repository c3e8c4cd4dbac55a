//! Variants built before they are takes, in the background.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use glam::Vec3;
use rayon::prelude::*;

use crate::document::Take;
use crate::evaluate::{BuiltTake, Content, Overlay, overlay};
use crate::math::Bounds;
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::session::background::in_background;
use crate::session::clip_library::quality_of;
use crate::session::{Jobs, OpenDocument, Session};

/// Variants that are drawn at most; of more the first ones.
const MOST: usize = 24;

/// Moments of a motion that tell how far it reaches, evenly in time.
const MOMENTS: usize = 16;
/// Vertices over all frames up to which a moving mesh is kept to be seen: 12 bytes each, in up to two dozen variants.
const MOST_POINTS: usize = 1 << 20;

/// A variant as it came out.
#[derive(Clone, Debug)]
pub struct Look {
    /// What is seen of it; nothing of a mesh that moves vertex by vertex where that is large.
    pub seen: Option<Seen>,
    /// Its length, seconds.
    pub seconds: f64,
    /// How far it goes, metres; `None` where that cannot be measured.
    pub travel: Option<f64>,
}

/// What is seen of a variant.
#[derive(Clone, Debug)]
pub enum Seen {
    /// What moves in space.
    Motion(Motion),
    /// Pictures, one after another.
    Pictures(Arc<BuiltTake>),
}

/// A motion to be seen.
#[derive(Clone, Debug)]
pub struct Motion {
    /// What came out.
    pub built: Arc<BuiltTake>,
    /// Its way.
    pub overlay: Arc<Overlay>,
    /// The box around it all the while, metres.
    pub reach: Bounds,
    /// The joint that tells where it is: the hips, where they are known.
    pub middle: usize,
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
                    let part = progress.one_of(count);
                    if part.is_cancelled() {
                        return;
                    }
                    let built = found.and_then(|found| found.built(&part).map_err(|error| error.message()));
                    let drawn = built.map(look);
                    // Who is stopped now is done anyway.
                    let _ = part.finish();
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

fn look(built: Arc<BuiltTake>) -> Look {
    let (seconds, travel) = (built.clip.duration, quality_of(&built).map(|quality| quality.way.travel));
    if matches!(built.content, Content::Images(_)) {
        return Look { seen: Some(Seen::Pictures(built)), seconds, travel: None };
    }
    let motion = |reach| Motion {
        overlay: Arc::new(overlay::overlay(&built, None)),
        middle: built.roles.hips.unwrap_or_else(|| first_of_mesh(&built)),
        reach,
        built: built.clone(),
    };
    Look { seen: reach(&built).map(motion).map(Seen::Motion), seconds, travel }
}

impl Look {
    /// Its motion, where it is one.
    pub fn motion(&self) -> Option<&Motion> {
        if let Some(Seen::Motion(motion)) = &self.seen { Some(motion) } else { None }
    }
}

fn first_of_mesh(built: &BuiltTake) -> usize {
    built.character.model.mesh_joints().iter().position(|&meshed| meshed).unwrap_or(0)
}

/// The box around what moves, over the whole motion, metres; `None` for pictures and for what is too large to be kept.
fn reach(built: &BuiltTake) -> Option<Bounds> {
    let moments = (0..MOMENTS).map(|at| built.clip.duration * at as f64 / (MOMENTS - 1) as f64);
    let reaches: Vec<Bounds> = match &built.content {
        Content::Joints => moments.filter_map(|time| reach_of_joints(built, time)).collect(),
        Content::Vertices(vertices) if vertices.clip.frames() * vertices.clip.vertices <= MOST_POINTS => {
            let mut places = Vec::new();
            let at = |time| {
                vertices.sample(time, &mut places);
                Bounds::around(places.iter().copied())
            };
            moments.filter_map(at).collect()
        }
        Content::Vertices(_) | Content::Images(_) => return None,
    };
    let unit = built.metres_per_unit as f32;
    Bounds::around(reaches.into_iter().flat_map(|reach| [reach.low * unit, reach.high * unit]))
}

/// The box around the joints that carry the figure of `built` at `time` seconds, in its own unit.
fn reach_of_joints(built: &BuiltTake, time: f64) -> Option<Bounds> {
    let model = &built.character.model;
    let mut world = Vec::new();
    built.clip.pose_at(&model.skeleton, time).world_from_joints(&model.skeleton, &mut world);
    let seen = world.iter().zip(model.mesh_joints()).filter(|(_, meshed)| *meshed);
    Bounds::around(seen.map(|(place, _)| Vec3::from(place.translation)))
}

/// What the job is called.
fn drawing() -> Message {
    message!("job.draw_variants", "Draw variants")
}

//! The figures by which a finished motion is judged.

use std::cmp::Ordering;

use serde::Serialize;
use serde::ser::SerializeMap;

use crate::clip_library::with_input;
use portamento_anim::Clip;
use portamento_anim::foot_shape::body_points;
use portamento_anim::quality::{ComparedBody, FootSkate, Quality};
use portamento_base::message::{Message, message};
use portamento_repair::ground;
use portamento_takes::evaluate::BuiltTake;

/// Share of the frames in which hands, head and hips are nearer to their positions than [`FinishFigure::Moved`] says.
const MOVED_SHARE: f64 = 0.95;

/// A figure of a motion. Lower is better for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishFigure {
    /// Share of the frames in which a foot skates, percent, by the published measure.
    FootSkate,
    /// Mean speed of the toes while they are in contact, by the published measure, cm/s.
    ToeSpeed,
    /// Speed at which standing feet slide, cm/s.
    Slide,
    /// Largest depth of the body in the ground, cm.
    Depth,
    /// Distance of the last frame from the first, one cycle on, percent of the body's size. Only for motions that loop.
    LoopGap,
    /// Frames with jumps.
    Pops,
    /// Frames in which a knee bends to the other side than usual before any stage.
    Knees,
    /// Movement of hands, head and hips against the motion before any stage, percent of the body's size, at the 95th
    /// percentile.
    Moved,
}

portamento_base::named!(FinishFigure {
    FootSkate: "foot_skate_percent",
    ToeSpeed: "toe_speed_cm_s",
    Slide: "slide_cm_s",
    Depth: "depth_cm",
    LoopGap: "loop_gap_percent",
    Pops: "pops",
    Knees: "knees",
    Moved: "moved_percent"
});

impl FinishFigure {
    /// Returns the unit as written after the number; empty for counts.
    pub fn unit(self) -> &'static str {
        match self {
            Self::FootSkate | Self::LoopGap | Self::Moved => "%",
            Self::ToeSpeed | Self::Slide => "cm/s",
            Self::Depth => "cm",
            Self::Pops | Self::Knees => "",
        }
    }

    /// Returns the name of the figure within a sentence.
    fn message(self) -> Message {
        match self {
            Self::FootSkate => message!("figure.foot_skate", "the share of frames with foot skate in percent"),
            Self::ToeSpeed => message!("figure.toe_speed", "the speed of the toes near the ground in cm/s"),
            Self::Slide => message!("figure.slide", "the foot slide in cm/s"),
            Self::Depth => message!("figure.sinking", "the depth in the ground in cm"),
            Self::LoopGap => message!("figure.gap", "the loop gap in percent of the body size"),
            Self::Pops => message!("figure.pops", "the number of frames with jumps"),
            Self::Knees => message!("figure.knees", "the number of frames with knees that bend to the other side"),
            Self::Moved => message!("figure.moved", "the movement of hands, head and hips in percent of the body size"),
        }
    }

    /// Returns the number of decimal places of a display.
    pub fn digits(self) -> usize {
        if self.unit().is_empty() { 0 } else { 1 }
    }

    /// Compares `after` with `before`: `Greater` if it is visibly worse. Changes that are not seen, or below a tenth of
    /// `before`, are equal.
    pub fn change(self, before: f64, after: f64) -> Ordering {
        let is_seen = (after - before).abs() > self.unseen().max(0.1 * before);
        if is_seen { after.total_cmp(&before) } else { Ordering::Equal }
    }

    /// Returns the difference below which a change is not seen, in the unit of the figure.
    fn unseen(self) -> f64 {
        match self {
            Self::FootSkate | Self::Depth => 0.5,
            Self::ToeSpeed | Self::Slide => 1.0,
            Self::Moved => 3.0,
            Self::LoopGap => 0.2,
            Self::Pops | Self::Knees => 0.0,
        }
    }
}

/// The figures of one motion; those that cannot be measured are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FinishFigures([Option<f64>; FinishFigure::ALL.len()]);

impl FinishFigures {
    /// Measures `built` with its `quality` against the motion `before` any stage.
    pub(super) fn measure(built: &BuiltTake, quality: &Quality, before: &Clip) -> Self {
        let (model, roles) = (&built.character.model, &built.roles);
        let body = ComparedBody {
            skeleton: &model.skeleton,
            roles,
            points: &body_points(model, roles),
            metres_per_unit: built.metres_per_unit,
            ground: &ground::level,
        };
        // On the spot the feet are meant to slide.
        let is_judged = !quality.way.on_the_spot;
        let skate = with_input(built, FootSkate::measure).filter(|_| is_judged);
        let knees = body.flipped_knees(before, &built.clip, built.fps);
        let moved = body.moved(before, &built.clip, built.fps, MOVED_SHARE);
        let value = |figure: FinishFigure| match figure {
            FinishFigure::FootSkate => skate.map(|skate| 100.0 * skate.share),
            FinishFigure::ToeSpeed => skate.and_then(|skate| skate.contact_speed).map(|speed| 100.0 * speed),
            FinishFigure::Slide => quality.feet.and_then(|feet| feet.slide).filter(|_| is_judged),
            FinishFigure::Depth => quality.feet.map(|feet| feet.sinking),
            FinishFigure::LoopGap => Some(100.0 * quality.residue.place),
            FinishFigure::Pops => Some(quality.pops.frames as f64),
            FinishFigure::Knees => knees.map(|[_, after]| after as f64),
            FinishFigure::Moved => moved.map(|moved| 100.0 * moved),
        };
        Self(FinishFigure::ALL.map(value))
    }

    /// Returns the value of `figure`; `None` if it was not measured.
    pub fn get(&self, figure: FinishFigure) -> Option<f64> {
        self.0[figure as usize]
    }

    /// Returns the first of `figures` that is visibly higher than in `before`, with both values, as a reason. Figures that were
    /// not measured are ignored; `None` if none is higher.
    pub(super) fn worse_than(&self, before: &Self, figures: &[FinishFigure]) -> Option<Message> {
        let is_worse = |figure: FinishFigure| {
            let (before, after) = (before.get(figure)?, self.get(figure)?);
            let is_worse = figure.change(before, after) == Ordering::Greater;
            is_worse.then_some((figure, before, after))
        };
        let (figure, before, after) = figures.iter().find_map(|&figure| is_worse(figure))?;
        Some(message!(
            "figure.worse",
            "%{figure} would be %{after} instead of %{before}",
            figure = figure.message(),
            after = format!("{after:.1}"),
            before = format!("{before:.1}")
        ))
    }

    /// True if one of `figures` is visibly lower than in `before` and none of them is visibly higher.
    pub(super) fn improves_on(&self, before: &Self, figures: &[FinishFigure]) -> bool {
        let change = |&figure: &FinishFigure| Some(figure.change(before.get(figure)?, self.get(figure)?));
        self.worse_than(before, figures).is_none()
            && figures.iter().filter_map(change).any(|change| change == Ordering::Less)
    }
}

impl Serialize for FinishFigures {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for figure in FinishFigure::ALL {
            map.serialize_entry(figure.name(), &self.get(figure))?;
        }
        map.end()
    }
}

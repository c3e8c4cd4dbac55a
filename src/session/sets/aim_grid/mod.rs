//! Aim grids from a take: the frames that aim to the directions of a grid become additive poses, and a set.

use crate::{Session, Severity};
use portamento_anim::quality::Input;
use portamento_anim::root_motion::frame_times;
use portamento_base::message::{Message, Tell, message};
use portamento_sets::{Aim, SetKind, SetRequirements, aim_at};
use portamento_stretch::additive::{self, Reference, Space};
use portamento_stretch::trim;
use portamento_takes::document::clip_ref::take_ref;
use portamento_takes::document::clip_set::{ClipSet, MemberClip, SetMember};
use portamento_takes::document::stage::Additive;
use portamento_takes::document::{Stage, StageKind, Take, TakeId, TakeSource};
use portamento_takes::evaluate::BuiltTake;

/// Largest angle between a direction of the grid and its frame, degrees: the default limit of a contract.
const MAX_OFF_DEGREES: f64 = 6.0;
/// Largest number of directions. Chosen: far above the 15 or 25 that are usual.
const MAX_DIRECTIONS: usize = 225;

/// An aim grid to sample from a take.
#[derive(Clone, Debug, PartialEq)]
pub struct AimGridRequest {
    /// The take, in which the character aims to all sides.
    pub take: TakeId,
    /// Angles to the right, degrees.
    pub yaw: Vec<f64>,
    /// Angles up, degrees.
    pub pitch: Vec<f64>,
    /// Joint whose direction counts; `None` for the head.
    pub joint: Option<String>,
    /// Axes in which the poses are added.
    pub space: Space,
}

/// A direction of the grid with the frame nearest to it.
struct Sample {
    aim: Aim,
    /// Time of the frame that is nearest to it, seconds.
    time: f64,
    /// Angle between both, degrees.
    off: f64,
}

impl Session {
    /// Adds an aim grid as [`Session::add_aim_grid`] does, and reports a failure as a notice.
    pub(crate) fn sample_aim_grid(&mut self, request: &AimGridRequest) {
        if let Err(why) = self.add_aim_grid(request) {
            self.notices.add(Severity::Error, why);
        }
    }

    /// Adds a take with a single additive pose for each direction of the grid, and the set of them. The reference of all is
    /// the frame nearest to straight ahead. Directions to which no frame aims are left out and named in a notice. Returns
    /// the index of the set.
    ///
    /// Returns `Err` if the take cannot be built, has no such joint, or aims to less than two directions of the grid.
    pub fn add_aim_grid(&mut self, request: &AimGridRequest) -> Result<usize, Message> {
        let gone = || message!("notice.take_gone", "the take is no longer in the project. Choose another.");
        let take = self.document.take(request.take).cloned().ok_or_else(gone)?;
        let built = self.built(&take).map_err(|error| error.message())?;
        let (centre, samples) = samples(&built, request)?;
        let (near, far): (Vec<Sample>, Vec<Sample>) =
            samples.into_iter().partition(|sample| sample.off <= MAX_OFF_DEGREES);
        if near.len() < 2 {
            return Err(too_few(&take.name, &far));
        }
        let before = self.document.takes.len();
        let members = near.iter().map(|sample| self.document.add_take(pose_take(&take, sample, centre, request.space)));
        let member = |id: TakeId| SetMember { clip: MemberClip::Take(id), requirements: Default::default() };
        let members: Vec<SetMember> = members.map(member).collect();
        let name = format!("{} aim", take.name);
        self.document.group_takes(before, &name);
        let requirements =
            SetRequirements { kind: SetKind::AimGrid, aim_joint: request.joint.clone(), ..SetRequirements::default() };
        self.document.add_set(ClipSet { name, members, stance: None, requirements });
        if !far.is_empty() {
            self.notices.add(Severity::Warning, left_out(&take.name, &far));
        }
        Ok(self.document.sets.len() - 1)
    }
}

/// Returns the time of the frame that is nearest to straight ahead, and the nearest frame of each direction. Returns `Err`
/// if there is no such joint or there are too many directions.
fn samples(built: &BuiltTake, request: &AimGridRequest) -> Result<(f64, Vec<Sample>), Message> {
    let (skeleton, clip) = (&built.character.model.skeleton, &*built.clip);
    let named = |name: &String| skeleton.joints.iter().position(|joint| joint.name == *name);
    let joint = request.joint.as_ref().map_or(built.roles.head, named).ok_or_else(no_joint)?;
    let directions = request.pitch.iter().flat_map(|&pitch| request.yaw.iter().map(move |&yaw| [yaw, pitch]));
    let directions: Vec<Aim> = directions.take(MAX_DIRECTIONS + 1).collect();
    if directions.len() > MAX_DIRECTIONS {
        return Err(message!(
            "error.aim.too_many",
            "An aim grid has up to %{most} directions. Give fewer angles.",
            most = MAX_DIRECTIONS
        ));
    }
    let input = Input { skeleton, clip, roles: &built.roles, soles: &[], metres_per_unit: built.metres_per_unit };
    let frames: Vec<(f64, Aim)> = frame_times(clip, 0..skeleton.len(), built.fps)
        .into_iter()
        .map(|time| (time, aim_at(&input, joint, time)))
        .filter(|(_, aim)| aim.iter().all(|angle| angle.is_finite()))
        .collect();
    let nearest = |aim: Aim| {
        let off = |frame: &Aim| (frame[0] - aim[0]).hypot(frame[1] - aim[1]);
        let best = frames.iter().min_by(|a, b| off(&a.1).total_cmp(&off(&b.1)));
        best.map(|(time, frame)| Sample { aim, time: *time, off: off(frame) })
    };
    let centre = nearest([0.0; 2]).ok_or_else(no_joint)?;
    Ok((centre.time, directions.into_iter().filter_map(nearest).collect()))
}

/// Returns a new take of a single frame with the id 0. Its source is `take`, trimmed to the frame of `sample` and
/// stored as difference from the frame at `centre` seconds.
fn pose_take(take: &Take, sample: &Sample, centre: f64, space: Space) -> Take {
    let trim = trim::Settings { from: sample.time, to: Some(sample.time) };
    let settings = additive::Settings { reference: Reference::Clip, clip: take_ref(take.id), at: centre, space };
    let kinds = vec![
        StageKind::Trim(Box::new(trim)),
        StageKind::Additive(Box::new(Additive { settings, ..Additive::default() })),
    ];
    Take {
        id: TakeId(0),
        name: format!("{} aim {}", take.name, words(sample.aim)),
        character: take.character,
        source: TakeSource::Clip { file: take.character, clip: take_ref(take.id) },
        stages: Stage::numbered(kinds),
        loops: None,
    }
}

/// Returns a direction in the words by which sets are proposed: `left 45 up 30`. Straight ahead is `center`.
fn words([yaw, pitch]: Aim) -> String {
    let part = |angle: f64, names: [&str; 2]| match angle {
        0.0 => None,
        angle => Some(format!("{} {}", names[usize::from(angle > 0.0)], angle.abs())),
    };
    let parts: Vec<String> =
        [part(yaw, ["left", "right"]), part(pitch, ["down", "up"])].into_iter().flatten().collect();
    if parts.is_empty() { "center".into() } else { parts.join(" ") }
}

/// Returns the directions of `samples` in words, separated by commas.
fn list(samples: &[Sample]) -> String {
    samples.iter().map(|sample| words(sample.aim)).collect::<Vec<_>>().join(", ")
}

/// Returns the error that the joint does not exist.
fn no_joint() -> Message {
    message!("error.aim.no_joint", "The character has no such joint. Name the joint that aims.")
}

/// Returns the error that `take` does not aim to the directions `far`.
fn too_few(take: &str, far: &[Sample]) -> Message {
    message!(
        "error.aim.too_few",
        "“%{take}” does not aim to these directions: %{directions}. Choose a take that looks to all sides, or give other angles.",
        take,
        directions = list(far)
    )
}

/// Returns the notice that the directions `far` were left out.
fn left_out(take: &str, far: &[Sample]) -> Message {
    message!(
        "notice.aim_left_out",
        "The aim grid has no pose for these directions, because “%{take}” never aims there: %{directions}.",
        take,
        directions = list(far)
    )
}

#[cfg(test)]
mod tests;

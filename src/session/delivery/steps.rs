//! The steps of a repair: each extends the plans of clips whose requirements are broken.

use super::bench::{Bench, Repairing};
use super::ring;
use crate::clip_library::closed;
use portamento_repair::align::{self, ClipEnd};
use portamento_sets::{ClipName, ClipRequirements, Contract, Limit, Measured, Requirement, Row, SetKind};
use portamento_stretch::root::RootTravel;
use portamento_takes::document::stage::Align;

/// The broken requirements of a contract.
pub(super) struct Broken<'a> {
    pub contract: &'a Contract,
    pub rows: Vec<Row>,
}

/// A step of a repair. It only changes plans; [`Bench::measure`] applies them.
pub(super) type Step = fn(&mut Bench, &Broken);

/// All steps, in order: a later step does not undo an earlier one.
pub(super) const ALL: [Step; 6] = [body, lengths, speeds, ring::phases, ends, keys];

/// Difference of two lengths up to which they are equal, frames.
const EQUAL_FRAMES: f64 = 1e-3;

impl Broken<'_> {
    /// Iterates over the broken requirements of these kinds that concern one clip, with the name of the clip.
    pub fn of(&self, kinds: &[Requirement]) -> impl Iterator<Item = (&Row, &ClipName)> {
        let is_kind = move |row: &&Row| kinds.contains(&row.requirement);
        self.rows.iter().filter(is_kind).filter_map(|row| Some((row, row.clip.as_ref()?)))
    }

    /// Returns all requirements on a clip, of the contract and of its sets.
    pub fn requirements(&self, name: &ClipName) -> ClipRequirements {
        let own = ClipRequirements::of(&self.contract.clips, &name.file, &name.clip);
        let sets = self.contract.sets.values().filter(|set| set.has_member(name)).map(|set| set.with_defaults().each);
        sets.fold(own, |all, each| all.replaced_by(&each))
    }

    /// Returns the frame rate of a clip: the required one, else its own, else 30.
    pub fn rate(&self, clip: &Repairing) -> f64 {
        // 30 fps is the most common rate; used if the keys do not reveal one.
        self.requirements(&clip.name).fps.or(clip.rate).unwrap_or(30.0)
    }
}

/// Returns the number that a row measured; `None` if it measured no finite number.
pub(super) fn number(row: &Row) -> Option<f64> {
    match row.measured {
        Some(Measured::Number(number)) => Some(number).filter(|number| number.is_finite()),
        _ => None,
    }
}

/// Returns `seconds` on the nearest whole frame at `rate`, at least one frame.
pub(super) fn on_frames(seconds: f64, rate: f64) -> f64 {
    (seconds * rate).round().max(1.0) / rate
}

/// True if two lengths, in seconds, differ by at most [`EQUAL_FRAMES`] frames at `rate` frames per second.
pub(super) fn is_equal(a: f64, b: f64, rate: f64) -> bool {
    (a - b).abs() * rate <= EQUAL_FRAMES
}

/// Repairs jumps, the owner of the travel, the ground and open loops.
fn body(bench: &mut Bench, broken: &Broken) {
    use Requirement::{LoopPosition, LoopRotation, LoopVelocity, Penetration, Pops, Slide, Travel};
    for (row, name) in broken.of(&[Pops, Travel, Penetration, Slide, LoopPosition, LoopRotation, LoopVelocity]) {
        let Some(clip) = bench.clip_mut(name) else { continue };
        match row.requirement {
            Pops => clip.plan.pops = true,
            Travel => {
                let is_away = matches!(row.limit, Limit::AtMost(_));
                clip.plan.travel = Some(if is_away { RootTravel::Away } else { RootTravel::FromFeet });
            }
            Penetration | Slide => clip.plan.ground = true,
            _ => clip.close(),
        }
    }
}

impl Repairing {
    /// Plans the stage that closes the loop; no stage if the clip was not measured.
    pub fn close(&mut self) {
        let figures = self.member.figures.as_ref();
        self.plan.close = figures.map(|figures| closed(&figures.quality));
    }

    /// Returns the length at the last measurement, seconds; `None` if it was not measured.
    pub fn length(&self) -> Option<f64> {
        self.member.figures.as_ref().map(|figures| figures.quality.seconds)
    }
}

/// Repairs lengths: required ones, those of rings, and those between two frames.
fn lengths(bench: &mut Bench, broken: &Broken) {
    ring::lengths(bench, broken);
    for (row, name) in broken.of(&[Requirement::Duration, Requirement::FrameRate]) {
        let Some(clip) = bench.clip(name) else { continue };
        let (Some(length), rate) = (clip.length(), broken.rate(clip)) else { continue };
        let wanted = match row.limit {
            Limit::Near(pin) if row.requirement == Requirement::Duration => {
                let snapped = on_frames(pin.value, rate);
                if (snapped - pin.value).abs() <= pin.tolerance { snapped } else { pin.value }
            }
            _ => on_frames(length, rate),
        };
        if let Some(clip) = bench.clip_mut(name).filter(|_| !is_equal(length, wanted, rate)) {
            clip.plan.length = Some(wanted);
        }
    }
}

/// Repairs speeds: by the length, unless something requires it, and by the strides for the rest.
fn speeds(bench: &mut Bench, broken: &Broken) {
    for (row, name) in broken.of(&[Requirement::Speed]) {
        let (Limit::Near(pin), Some(measured)) = (row.limit, number(row)) else { continue };
        let Some(clip) = bench.clip(name).filter(|_| measured > 0.0 && pin.value > 0.0) else { continue };
        let rate = broken.rate(clip);
        let is_long_as_required =
            broken.requirements(name).duration_s.is_some() || broken.ring_of(name) || clip.plan.length.is_some();
        let length = clip.length().map(|length| on_frames(length * measured / pin.value, rate));
        let has_legs = clip.member.figures.as_ref().is_some_and(|figures| !figures.strides.is_empty());
        let Some(clip) = bench.clip_mut(name) else { continue };
        match length.filter(|_| !is_long_as_required) {
            Some(length) => clip.plan.length = Some(length),
            None if has_legs => {
                clip.plan.stride = Some(clip.plan.stride.unwrap_or(1.0) * pin.value / measured);
            }
            None => {}
        }
    }
}

impl Broken<'_> {
    /// True if a ring contains the clip.
    fn ring_of(&self, name: &ClipName) -> bool {
        self.contract.sets.values().any(|set| set.kind == SetKind::Ring && set.has_member(name))
    }
}

/// Repairs poses at both ends. Of two clips that continue each other, the one that does not loop is changed.
fn ends(bench: &mut Bench, broken: &Broken) {
    use Requirement::{BeginPose, EndPose, MeetingPose, MeetingVelocity};
    for (row, name) in broken.of(&[BeginPose, EndPose, MeetingPose, MeetingVelocity]) {
        let Some(other) = &row.other else { continue };
        let loops = |name: &ClipName| broken.requirements(name).is_loop == Some(true) || is_cycle(bench, name);
        let (changed, used, is_begin, at) = match row.requirement {
            BeginPose => (name, other, true, ClipEnd::Start),
            EndPose => (name, other, false, ClipEnd::Start),
            _ if loops(name) => (other, name, true, ClipEnd::End),
            _ => (name, other, false, ClipEnd::Start),
        };
        // A changed end would open the loop.
        if loops(changed) || changed == used {
            continue;
        }
        let Some(reference) = bench.reference(changed, used) else { continue };
        let Some(clip) = bench.clip_mut(changed) else { continue };
        let is_aligned = clip.is_aligned_with(&reference);
        let align = clip.plan.align.get_or_insert_with(|| Align {
            settings: align::Settings { begin: String::new(), end: String::new(), ..align::Settings::default() },
            files: Vec::new(),
        });
        let settings = &mut align.settings;
        // A planted foot cannot have both its own position and the wanted velocity.
        settings.feet &= !is_aligned;
        if is_begin {
            (settings.begin, settings.begin_at) = (reference, at);
        } else {
            (settings.end, settings.end_at) = (reference, at);
        }
    }
}

/// True if the name of a clip says that it loops; a gait must also be short. False for an unknown clip.
fn is_cycle(bench: &Bench, name: &ClipName) -> bool {
    let Some(clip) = bench.clip(name) else { return false };
    portamento_anim::quality::is_called_a_cycle(&name.clip, clip.length().unwrap_or(0.0))
}

/// Repairs keys between frames and too many keys.
fn keys(bench: &mut Bench, broken: &Broken) {
    for (_, name) in broken.of(&[Requirement::FrameRate]) {
        let rate = bench.clip(name).map(|clip| broken.rate(clip));
        bench.clip_mut(name).into_iter().for_each(|clip| clip.plan.rate = rate);
    }
    for (_, name) in broken.of(&[Requirement::Keys]) {
        bench.clip_mut(name).into_iter().for_each(|clip| clip.plan.reduce = true);
    }
    ring::keys(bench, broken);
}

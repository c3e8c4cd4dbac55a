//! Repairs of rings: one length, one number of frames and one phase of the strides.

use super::bench::Bench;
use super::steps::{Broken, is_equal, on_frames};
use portamento_sets::{ClipName, Requirement, SetKind, SetRequirements, Stride};

/// Loop gap as a fraction of the body size above which a loop is closed before its start is moved: the gap would then be inside.
const OPEN_MIN_GAP: f64 = 1e-4;
/// Share of the largest allowed phase difference up to which a loop keeps its start.
const KEPT_PHASE_SHARE: f64 = 0.25;

/// Returns the rings with a broken requirement of these kinds, with the names of their members.
fn rings<'a>(bench: &Bench, broken: &'a Broken, kinds: &[Requirement]) -> Vec<(SetRequirements, Vec<ClipName>)> {
    let is_broken = |name: &str| {
        let mut rows = broken.rows.iter().filter(|row| kinds.contains(&row.requirement));
        rows.any(|row| row.set.as_deref() == Some(name))
    };
    let of_kind = |(name, set): (&'a String, &'a SetRequirements)| {
        let set = set.with_defaults();
        let members = bench.clips.iter().map(|clip| &clip.name).filter(|name| set.has_member(name)).cloned().collect();
        (set.kind == SetKind::Ring && is_broken(name)).then_some((set, members))
    };
    broken.contract.sets.iter().filter_map(of_kind).collect()
}

/// Returns the frame rate of a ring: that of its first member, or 30 without one.
fn rate_of(bench: &Bench, broken: &Broken, members: &[ClipName]) -> f64 {
    members.first().and_then(|name| bench.clip(name)).map_or(30.0, |clip| broken.rate(clip))
}

/// Gives all members of broken rings one length on whole frames: a required one, else the middle one. Of two, it is the
/// shorter one, because shorter strides are always in reach.
pub(super) fn lengths(bench: &mut Bench, broken: &Broken) {
    let kinds = [Requirement::DurationSpread, Requirement::FrameCountSpread];
    for (_, members) in rings(bench, broken, &kinds) {
        let rate = rate_of(bench, broken, &members);
        let mut lengths: Vec<f64> =
            members.iter().filter_map(|name| bench.clip(name)).filter_map(|clip| clip.length()).collect();
        lengths.sort_by(f64::total_cmp);
        let required = members.iter().find_map(|name| broken.requirements(name).duration_s);
        let middle = lengths.get(lengths.len().saturating_sub(1) / 2).copied();
        let Some(length) = required.map(|pin| pin.value).or(middle).map(|length| on_frames(length, rate)) else {
            continue;
        };
        for name in &members {
            let is_other = |known: f64| !is_equal(known, length, rate);
            let clip = bench.clip_mut(name).filter(|clip| clip.length().is_some_and(is_other));
            clip.into_iter().for_each(|clip| clip.plan.length = Some(length));
        }
    }
}

/// Moves the start of all members of broken rings to the phase of one of them: the one from which the others differ least.
pub(super) fn phases(bench: &mut Bench, broken: &Broken) {
    for (set, members) in rings(bench, broken, &[Requirement::PhaseSpread]) {
        let limit = set.max_phase_spread.unwrap_or(0.0);
        let strides: Vec<(ClipName, Stride)> = members
            .into_iter()
            .filter_map(|name| Some((first_stride(bench, &name, set.min_amplitude())?, name)))
            .map(|(stride, name)| (name, stride))
            .collect();
        let sum = |from: &Stride| -> f64 { strides.iter().map(|(_, to)| apart(to.phase, from.phase).abs()).sum() };
        let middle = strides.iter().map(|(_, stride)| *stride).min_by(|a, b| sum(a).total_cmp(&sum(b)));
        let Some(middle) = middle else { continue };
        for (name, stride) in &strides {
            let shift = apart(stride.phase, middle.phase);
            let Some(clip) = bench.clip_mut(name).filter(|_| shift.abs() > KEPT_PHASE_SHARE * limit) else { continue };
            let offset = clip.plan.offset.unwrap_or(0.0) + shift / stride.count.max(1) as f64;
            clip.plan.offset = Some(offset.rem_euclid(1.0));
            let gap = clip.member.figures.as_ref().map_or(0.0, |figures| figures.quality.residue.place);
            if gap > OPEN_MIN_GAP && clip.plan.close.is_none() {
                clip.close();
            }
        }
    }
}

/// Returns the stride of the first pair of legs whose amplitude is at least `amplitude`, in the same unit; `None` if there is
/// none or it was not measured.
fn first_stride(bench: &Bench, name: &ClipName, amplitude: f64) -> Option<Stride> {
    let figures = bench.clip(name)?.member.figures.as_ref()?;
    figures.strides.iter().copied().find(|stride| stride.amplitude >= amplitude)
}

/// Returns the phase difference from `from` to `phase`, −0.5 … 0.5 strides.
fn apart(phase: f64, from: f64) -> f64 {
    (phase - from + 0.5).rem_euclid(1.0) - 0.5
}

/// Puts the keys of the members of broken rings on the frames of one rate.
pub(super) fn keys(bench: &mut Bench, broken: &Broken) {
    for (_, members) in rings(bench, broken, &[Requirement::FrameCountSpread]) {
        let rate = rate_of(bench, broken, &members);
        for name in &members {
            let is_other = |known: Option<f64>| known.is_none_or(|known| (known - rate).abs() > 1e-3 * rate);
            let rate_now = bench.clip(name).and_then(|clip| clip.member.figures.as_ref()?.quality.key_rate);
            let clip = bench.clip_mut(name).filter(|_| is_other(rate_now));
            clip.into_iter().for_each(|clip| clip.plan.rate = Some(rate));
        }
    }
}

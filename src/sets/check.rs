//! Compares the figures of clips with a contract.

use std::collections::BTreeMap;

use crate::aim::{Aim, centred, missing_aims};
use crate::contract::{
    ClipRequirements, Contract, DEFAULT_POSE_DELTA_M, DEFAULT_ROTATION_DELTA_DEG, DEFAULT_VELOCITY_DELTA_MPS, Owner,
    SetKind, SetRequirements, matches,
};
use crate::figures::{EndPose, Figures, Member};
use crate::report::{Limit, Measured, Report, Requirement, Row};
use crate::stride::phase_spread;
use portamento_base::budget::{Budget, OverBudget};

/// Travel and climb up to which a body stays in place, metres. Chosen: less is rounding or a shift of weight.
pub(crate) const IN_PLACE_MAX_M: f64 = 0.02;
/// Turn up to which a body keeps its heading, degrees. Chosen in the same way.
const IN_PLACE_MAX_TURN_DEG: f64 = 2.0;
/// Change of velocity at the seam of a loop or a chain, as a multiple of the largest change within the clip. Chosen: a tenth more is not seen.
const OWN_CHANGE_FACTOR: f64 = 1.1;

/// Memory that a row takes in the report and in the files written from it, bytes. Estimated from JSON and HTML.
const ROW_BYTES: usize = 4096;
/// Memory for each byte of a name in a row, bytes. Estimated in the same files.
const NAME_BYTES: usize = 8;

/// Checks `contract` over `members`, the clips of a delivery.
///
/// Returns `Err` if the rows need more memory than `budget` has.
pub fn check(contract: &Contract, members: &[Member], budget: &Budget) -> Result<Report, OverBudget> {
    let mut rows = Rows { budget, rows: Vec::new() };
    rows.add(missing_clips(contract, members))?;
    for member in members {
        let ClipChecks { rows: more, .. } = ClipChecks::of(None, member, members)
            .bones(Requirement::RequiredBones, &contract.rig.required_bones, |_| true)
            .all(&ClipRequirements::of(&contract.clips, &member.name.file, &member.name.clip));
        rows.add(more)?;
    }
    for (name, set) in &contract.sets {
        SetChecks { name, set: &set.with_defaults(), members }.add_to(&mut rows)?;
    }
    Ok(Report { rows: rows.rows })
}

/// Rows within a budget.
struct Rows<'b> {
    budget: &'b Budget,
    rows: Vec<Row>,
}

impl Rows<'_> {
    /// Adds `more`. Returns `Err` at the first row that the budget has no memory for.
    fn add(&mut self, more: impl IntoIterator<Item = Row>) -> Result<(), OverBudget> {
        for row in more {
            let missing = match &row.measured {
                Some(Measured::Missing(names)) => names.iter().map(|name| name.len() + size_of::<String>()).sum(),
                _ => 0,
            };
            let names = row.set.as_ref().map_or(0, String::len) + missing;
            let bytes = ROW_BYTES.saturating_add(names.saturating_mul(NAME_BYTES));
            self.budget.take(bytes as u64, &|| "The report of this contract".to_owned())?;
            self.rows.push(row);
        }
        Ok(())
    }
}

/// Returns a row for all exact names without a clip, and one for each pattern without one.
fn missing_clips(contract: &Contract, members: &[Member]) -> Vec<Row> {
    let exists = |selector: &str| members.iter().any(|member| matches(selector, &member.name.file, &member.name.clip));
    let row = |set: Option<&str>, selector: &str| Row {
        set: set.map(str::to_owned),
        clip: None,
        other: None,
        requirement: Requirement::Clips,
        measured: Some(Measured::Missing(if exists(selector) { Vec::new() } else { vec![selector.to_owned()] })),
        limit: Limit::NoneMissing,
    };
    // A pattern on single clips may match nothing: it states what clips must meet, not that there are any.
    let clips = contract.clips.keys().filter(|selector| !selector.contains('*')).map(|selector| row(None, selector));
    let of_set = |(name, set): (&String, &SetRequirements)| {
        let all = set.clips.iter().chain(&set.stance);
        all.map(|selector| row(Some(name), selector)).collect::<Vec<_>>()
    };
    clips.chain(contract.sets.iter().flat_map(of_set)).collect()
}

/// Rows about one clip.
struct ClipChecks<'a> {
    set: Option<&'a str>,
    member: &'a Member,
    members: &'a [Member],
    rows: Vec<Row>,
}

impl<'a> ClipChecks<'a> {
    fn of(set: Option<&'a str>, member: &'a Member, members: &'a [Member]) -> Self {
        Self { set, member, members, rows: Vec::new() }
    }

    /// Adds a row for each requirement of `wanted`.
    fn all(self, wanted: &ClipRequirements) -> Self {
        let moving = wanted.animates_bones.clone().unwrap_or_default();
        self.bones(Requirement::AnimatedBones, &moving, |has_curve| has_curve)
            .looping(wanted)
            .timing(wanted)
            .owners(wanted)
            .limits(wanted)
            .poses(wanted)
    }

    /// Adds a row about the joints `wanted`, each of which must exist and meet `condition`, which is given true for a joint
    /// with a curve. Adds none if `wanted` is empty.
    fn bones(mut self, requirement: Requirement, wanted: &[String], condition: fn(bool) -> bool) -> Self {
        if wanted.is_empty() {
            return self;
        }
        let is_missing = |name: &&String| !self.member.joints.get(*name).is_some_and(|&has_curve| condition(has_curve));
        let missing = Measured::Missing(wanted.iter().filter(is_missing).cloned().collect());
        self.add(requirement, Some(missing), Limit::NoneMissing);
        self
    }

    /// Adds rows about position, rotation and velocity at the seam if `wanted` is a loop. Limits that it does not give have
    /// defaults.
    fn looping(mut self, wanted: &ClipRequirements) -> Self {
        if wanted.is_loop == Some(true) {
            let position = wanted.max_loop_position_delta_m.unwrap_or(DEFAULT_POSE_DELTA_M);
            let rotation = wanted.max_loop_rotation_delta_deg.unwrap_or(DEFAULT_ROTATION_DELTA_DEG);
            let own = own_velocity_limit(self.member).unwrap_or(0.0).max(DEFAULT_VELOCITY_DELTA_MPS);
            let velocity = wanted.max_loop_velocity_delta_mps.unwrap_or(own);
            let gap = |figures: &Figures| Some(figures.quality.residue.place * figures.size);
            self.number(Requirement::LoopPosition, gap, Limit::AtMost(position));
            self.number(
                Requirement::LoopRotation,
                |figures| Some(figures.quality.residue.turn),
                Limit::AtMost(rotation),
            );
            let change = |figures: &Figures| Some(figures.quality.residue.velocity);
            self.number(Requirement::LoopVelocity, change, Limit::AtMost(velocity));
        }
        self
    }

    /// Adds a row for each of duration, frame rate and speed that `wanted` gives.
    fn timing(mut self, wanted: &ClipRequirements) -> Self {
        if let Some(pin) = wanted.duration_s {
            self.number(Requirement::Duration, |figures| Some(figures.quality.seconds), Limit::Near(pin));
        }
        if let Some(fps) = wanted.fps {
            // The rate of keys that are rounded to single precision has fewer digits.
            let limit = Limit::Near(crate::contract::Pin { value: fps, tolerance: 1e-3 * fps });
            // A pose has no rate, and fits any.
            let rate = |figures: &Figures| if figures.is_pose { Some(fps) } else { figures.quality.key_rate };
            self.number(Requirement::FrameRate, rate, limit);
        }
        if let Some(pin) = wanted.speed_mps {
            self.number(Requirement::Speed, |figures| Some(figures.quality.way.speed), Limit::Near(pin));
        }
        self
    }

    /// Adds a row about travel, climb or turn for each direction whose owner `wanted` names. A clip must stay in place if
    /// gameplay moves the body, and must not if the animation does.
    fn owners(mut self, wanted: &ClipRequirements) -> Self {
        let limit = |owner: Owner, in_place: f64| match owner {
            Owner::Gameplay => Limit::AtMost(in_place),
            Owner::Animation => Limit::AtLeast(in_place),
        };
        if let Some(owner) = wanted.movement_owner_xz {
            self.number(Requirement::Travel, |figures| Some(figures.quality.way.travel), limit(owner, IN_PLACE_MAX_M));
        }
        if let Some(owner) = wanted.movement_owner_y {
            let climb = |figures: &Figures| Some(figures.quality.way.climb.abs());
            self.number(Requirement::Climb, climb, limit(owner, IN_PLACE_MAX_M));
        }
        if let Some(owner) = wanted.movement_owner_yaw {
            let turn = |figures: &Figures| Some(figures.quality.way.turn.abs());
            self.number(Requirement::Turn, turn, limit(owner, IN_PLACE_MAX_TURN_DEG));
        }
        self
    }

    /// Adds a row for each limit of `wanted` on foot slide, depth in the ground, pops and keys. A rig without feet has no
    /// figure for the first two.
    fn limits(mut self, wanted: &ClipRequirements) -> Self {
        if let Some(limit) = wanted.max_slide_mps {
            // Feet that never stand long enough do not slide.
            let slide = |figures: &Figures| figures.quality.feet.map(|feet| feet.slide.unwrap_or(0.0) / 100.0);
            self.number(Requirement::Slide, slide, Limit::AtMost(limit));
        }
        if let Some(limit) = wanted.max_penetration_m {
            let depth = |figures: &Figures| figures.quality.feet.map(|feet| feet.sinking / 100.0);
            self.number(Requirement::Penetration, depth, Limit::AtMost(limit));
        }
        if let Some(limit) = wanted.max_pops {
            let frames = |figures: &Figures| Some(figures.quality.pops.frames as f64);
            self.number(Requirement::Pops, frames, Limit::AtMost(limit.into()));
        }
        if let Some(limit) = wanted.max_keys {
            let count = |figures: &Figures| Some(figures.quality.keys.count as f64);
            self.number(Requirement::Keys, count, Limit::AtMost(limit.into()));
        }
        self
    }

    /// Adds a row for the first pose and one for the last, if `wanted` names clips that they must equal.
    fn poses(mut self, wanted: &ClipRequirements) -> Self {
        let limit = wanted.max_pose_delta_m.unwrap_or(DEFAULT_POSE_DELTA_M);
        if let Some(other) = &wanted.begins_as {
            self.pose(Requirement::BeginPose, 0, other, limit);
        }
        if let Some(other) = &wanted.ends_as {
            self.pose(Requirement::EndPose, 1, other, limit);
        }
        self
    }

    /// Adds a row about the distance in metres between the clip's first (`end` 0) or last pose (`end` 1) and the first pose of
    /// the clip `other`.
    fn pose(&mut self, requirement: Requirement, end: usize, other: &str, limit: f64) {
        let wanted = self.members.iter().find(|member| matches(other, &member.name.file, &member.name.clip));
        let pose = |member: &'a Member, end: usize| member.figures.as_ref().map(|figures| &figures.ends[end]);
        let apart = pose(self.member, end).zip(wanted.and_then(|wanted| pose(wanted, 0)));
        let apart = apart.and_then(|(own, wanted)| own.difference(wanted)).map(|[position, _]| position);
        self.add(requirement, apart.map(Measured::Number), Limit::AtMost(limit));
        if let Some(row) = self.rows.last_mut() {
            row.other = wanted.map(|wanted| wanted.name.clone());
        }
    }

    /// Adds a row about a figure, which is not measured if the clip or the figure has no value.
    fn number(&mut self, requirement: Requirement, figure: impl Fn(&Figures) -> Option<f64>, limit: Limit) {
        let measured = self.member.figures.as_ref().and_then(figure).map(Measured::Number);
        self.add(requirement, measured, limit);
    }

    /// Adds a row about the clip of this set.
    fn add(&mut self, requirement: Requirement, measured: Option<Measured>, limit: Limit) {
        let (set, clip) = (self.set.map(str::to_owned), Some(self.member.name.clone()));
        self.rows.push(Row { set, clip, other: None, requirement, measured, limit });
    }
}

/// Rows about one set.
struct SetChecks<'a> {
    name: &'a str,
    set: &'a SetRequirements,
    members: &'a [Member],
}

impl SetChecks<'_> {
    /// Adds the rows about each member, about the meetings of a chain, and about strides and lengths of the set. Returns
    /// `Err` if the budget has no memory for them.
    fn add_to(&self, rows: &mut Rows) -> Result<(), OverBudget> {
        let chosen = self.chosen();
        let strikes = self.set.stance.as_ref().filter(|_| self.set.kind == SetKind::Strikes);
        let stance = ClipRequirements {
            begins_as: strikes.cloned(),
            ends_as: strikes.cloned(),
            max_pose_delta_m: self.set.max_pose_delta_m,
            ..ClipRequirements::default()
        };
        let each = stance.replaced_by(&self.set.each);
        for member in &chosen {
            rows.add(ClipChecks::of(Some(self.name), member, self.members).all(&each).rows)?;
        }
        let meetings = chosen.windows(2).filter(|_| self.set.kind == SetKind::Chain);
        rows.add(meetings.flat_map(|pair| self.meeting(pair[0], pair[1])))?;
        rows.add(self.aim_grid(&chosen))?;
        rows.add(self.strides(&chosen))?;
        rows.add(self.lengths(&chosen))
    }

    /// Returns the members of the set in its order, each once.
    fn chosen(&self) -> Vec<&Member> {
        let mut chosen: Vec<&Member> = Vec::new();
        for selector in &self.set.clips {
            let named = self.members.iter().filter(|member| matches(selector, &member.name.file, &member.name.clip));
            let new: Vec<&Member> =
                named.filter(|member| !chosen.iter().any(|known| known.name == member.name)).collect();
            chosen.extend(new);
        }
        chosen
    }

    /// Returns the rows about the pose and the velocity at which `from` ends and `to` begins: one for each that has a limit.
    fn meeting(&self, from: &Member, to: &Member) -> Vec<Row> {
        let ends = from.figures.as_ref().zip(to.figures.as_ref());
        let apart = ends.and_then(|(from, to)| EndPose::difference(&from.ends[1], &to.ends[0]));
        let own = [from, to].into_iter().filter_map(own_velocity_limit).fold(DEFAULT_VELOCITY_DELTA_MPS, f64::max);
        let velocity = self.set.max_velocity_delta_mps.or((self.set.kind == SetKind::Chain).then_some(own));
        let limits = [self.set.max_pose_delta_m, velocity];
        let kinds = [Requirement::MeetingPose, Requirement::MeetingVelocity];
        let row = |(at, (requirement, limit)): (usize, (Requirement, Option<f64>))| {
            let measured = apart.map(|apart| Measured::Number(apart[at]));
            let (clip, other) = (Some(from.name.clone()), Some(to.name.clone()));
            Some(Row { clip, other, ..self.row(requirement, measured, Limit::AtMost(limit?)) })
        };
        kinds.into_iter().zip(limits).enumerate().filter_map(row).collect()
    }

    /// Returns the rows about the poses of an aim grid; empty for other sets.
    fn aim_grid(&self, chosen: &[&Member]) -> Vec<Row> {
        let Some(tolerance) = self.set.max_aim_delta_deg.filter(|_| self.set.kind == SetKind::AimGrid) else {
            return Vec::new();
        };
        let frames =
            |figures: &Figures| if figures.is_pose { Some(1.0) } else { figures.frames.map(|frames| frames as f64) };
        let pose = |member: &&Member| Row {
            clip: Some(member.name.clone()),
            ..self.row(
                Requirement::SinglePose,
                member.figures.as_ref().and_then(frames).map(Measured::Number),
                Limit::AtMost(1.0),
            )
        };
        let aims: Option<Vec<Aim>> = chosen.iter().map(|member| member.figures.as_ref()?.aim(self.set)).collect();
        let name = |[yaw, pitch]: Aim| format!("yaw {yaw:.0}°, pitch {pitch:.0}°");
        let cells = aims
            .filter(|aims| !aims.is_empty())
            .map(|aims| Measured::Missing(missing_aims(&centred(&aims), tolerance).into_iter().map(name).collect()));
        chosen.iter().map(pose).chain([self.row(Requirement::AimGrid, cells, Limit::NoneMissing)]).collect()
    }

    /// Returns the rows about the phase and the number of strides; empty if the set does not limit the phase spread.
    fn strides(&self, chosen: &[&Member]) -> Vec<Row> {
        let Some(limit) = self.set.max_phase_spread else { return Vec::new() };
        let least = self.set.min_amplitude();
        let mut phases: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        let (mut counts, mut unmeasured) = (Vec::new(), Vec::new());
        for member in chosen {
            let strides = member.figures.iter().flat_map(|figures| figures.strides.iter().enumerate());
            let strides: Vec<_> = strides.filter(|(_, stride)| stride.amplitude >= least).collect();
            strides.iter().for_each(|(pair, stride)| phases.entry(*pair).or_default().push(stride.phase));
            counts.extend(strides.first().map(|(_, stride)| stride.count as f64));
            if strides.is_empty() {
                unmeasured.push(Row {
                    clip: Some(member.name.clone()),
                    ..self.row(Requirement::PhaseSpread, None, Limit::AtMost(limit))
                });
            }
        }
        let is_compared = counts.len() > 1;
        let widest = phases.values().map(|phases| phase_spread(phases)).fold(0.0, f64::max);
        let measured = |value: f64| is_compared.then_some(Measured::Number(value));
        let spread = self.row(Requirement::PhaseSpread, measured(widest), Limit::AtMost(limit));
        let strides = self.row(Requirement::StrideCount, measured(range(&counts)), Limit::AtMost(0.0));
        unmeasured.into_iter().chain([spread, strides]).collect()
    }

    /// Returns the rows about the lengths of the members, in seconds and in frames: one for each that has a limit.
    fn lengths(&self, chosen: &[&Member]) -> Vec<Row> {
        let all = |figure: fn(&Figures) -> Option<f64>| -> Option<Measured> {
            let figures = chosen.iter().map(|member| member.figures.as_ref().and_then(figure));
            let figures: Vec<f64> = figures.collect::<Option<_>>()?;
            (figures.len() > 1).then(|| Measured::Number(range(&figures)))
        };
        let seconds = self.set.max_duration_delta_s.map(|limit| {
            self.row(Requirement::DurationSpread, all(|figures| Some(figures.quality.seconds)), Limit::AtMost(limit))
        });
        let frames = self.set.max_frame_count_delta.map(|limit| {
            let count = all(|figures| figures.frames.map(|frames| frames as f64));
            self.row(Requirement::FrameCountSpread, count, Limit::AtMost(limit.into()))
        });
        seconds.into_iter().chain(frames).collect()
    }

    /// Returns a row about the set, without clips.
    fn row(&self, requirement: Requirement, measured: Option<Measured>, limit: Limit) -> Row {
        Row { set: Some(self.name.to_owned()), clip: None, other: None, requirement, measured, limit }
    }
}

/// Returns the change of velocity that a seam of `member` may have, metres per second: a foot that comes down stops within a frame,
/// so a seam is as good as the rest of the clip. `None` if the clip was not measured.
fn own_velocity_limit(member: &Member) -> Option<f64> {
    Some(OWN_CHANGE_FACTOR * member.figures.as_ref()?.velocity_change)
}

/// Returns the difference between the largest and the smallest of `values`; 0 for fewer than two.
fn range(values: &[f64]) -> f64 {
    let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| (l.min(v), h.max(v)));
    if values.is_empty() { 0.0 } else { high - low }
}

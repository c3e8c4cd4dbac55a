//! Proposes a contract from the clips that exist.

use std::collections::BTreeMap;

use crate::check::IN_PLACE_MAX_M;
use crate::contract::{ClipRequirements, Contract, Owner, Pin, SetKind, SetRequirements};
use crate::figures::{Figures, Member};
use portamento_anim::quality::{GAIT_WORDS, is_called_a_cycle};
use portamento_anim::rig::name_tokens;

/// Words of the first, the middle and the last clips of a chain.
const CHAIN_WORDS: [&[&str]; 3] = [
    &["start", "starts", "begin", "enter", "takeoff"],
    &["loop", "cycle", "air", "hover"],
    &["stop", "stops", "end", "exit", "land", "landing"],
];
/// Words of the members of a ring besides its gait: directions, and words that mark every clip of a file.
const RING_WORDS: [&[&str]; 2] = [
    &["forward", "forwards", "fwd", "back", "backward", "backwards", "bwd", "left", "right", "strafe"],
    &["loop", "cycle", "root", "armature", "anim"],
];
/// Words of aim poses: the aim itself, and its sides and heights.
const AIM_WORDS: [&[&str]; 2] = [
    &["aim", "aiming", "look"],
    &["up", "down", "left", "right", "center", "centre", "middle", "mid", "straight", "forward", "fwd"],
];
/// Words of strikes.
const STRIKE_WORDS: [&str; 12] =
    ["attack", "punch", "slash", "kick", "stab", "strike", "swing", "chop", "jab", "thrust", "slice", "hook"];
/// Speed from which a gait is required to have its speed, metres per second. Chosen: slower than any walk.
const GAIT_MIN_SPEED_MPS: f64 = 0.2;
/// Largest distance of a joint from a stance up to which a strike belongs to it, metres. Chosen: farther is another stance.
const STANCE_MAX_DISTANCE_M: f64 = 0.1;
/// Proposed tolerance of a speed, as a fraction. Blended speeds within it are not told apart.
const SPEED_TOLERANCE: f64 = 0.01;

/// Returns a contract that asks of `members` what their names and figures suggest: loops, speeds, who moves the body, one frame rate,
/// and the sets that they form.
pub fn propose(members: &[Member]) -> Contract {
    let mut contract = Contract::default();
    let rates: Vec<_> = members.iter().filter_map(|member| member.figures.as_ref()?.quality.key_rate).collect();
    if let Some(&rate) = rates.first().filter(|first| rates.iter().all(|rate| (rate - *first).abs() < 1e-3 * *first)) {
        contract.clips.insert("*".into(), ClipRequirements { fps: Some(rate), ..Default::default() });
    }
    for member in members {
        let Some(wanted) = member.figures.as_ref().and_then(|figures| of_clip(member, figures)) else { continue };
        contract.clips.insert(selector(member, members), wanted);
    }
    for (name, set) in
        rings(members).into_iter().chain(chains(members)).chain(strikes(members)).chain(aim_grids(members))
    {
        let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name} {number}")));
        if let Some(free) = names.into_iter().find(|name| !contract.sets.contains_key(name)) {
            contract.sets.insert(free, set);
        }
    }
    contract
}

/// Returns the selector of one member: its name, with its file if another clip has that name too.
fn selector(member: &Member, members: &[Member]) -> String {
    let is_unique = members.iter().filter(|other| other.name.clip == member.name.clip).count() == 1;
    if is_unique { member.name.clip.clone() } else { member.name.to_string() }
}

/// Returns the requirements of a clip whose name is that of a cycle: a loop, the owner of its travel, and for a gait its speed.
/// Returns `None` for other clips.
fn of_clip(member: &Member, figures: &Figures) -> Option<ClipRequirements> {
    let is_loop = is_cycle(member);
    let body = &figures.quality.way;
    let is_gait = is_loop && gait_word(member).is_some() && body.speed >= GAIT_MIN_SPEED_MPS;
    let rounded = |value: f64| (1000.0 * value).round() / 1000.0;
    let speed = Pin { value: rounded(body.speed), tolerance: rounded((SPEED_TOLERANCE * body.speed).max(1e-3)) };
    let owner = if body.travel >= IN_PLACE_MAX_M { Owner::Animation } else { Owner::Gameplay };
    is_loop.then(|| ClipRequirements {
        is_loop: Some(true),
        speed_mps: is_gait.then_some(speed),
        movement_owner_xz: Some(owner),
        ..ClipRequirements::default()
    })
}

/// True if the name of the clip is that of a cycle.
fn is_cycle(member: &Member) -> bool {
    let seconds = member.figures.as_ref().map_or(0.0, |figures| figures.quality.seconds);
    is_called_a_cycle(&member.name.clip, seconds)
}

/// Returns the first word of [`GAIT_WORDS`] that the name of the clip contains as a word; `None` if it contains none.
fn gait_word(member: &Member) -> Option<&'static str> {
    let words = name_tokens(&member.name.clip);
    GAIT_WORDS.into_iter().find(|gait| words.iter().any(|word| word == gait))
}

/// True if the name of a gait has only words of a ring, digits and single letters besides.
fn has_ring_name(member: &Member, gait: &str) -> bool {
    let is_usual = |word: &str| word.len() == 1 || word.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_ring =
        |word: &str| word == gait || is_usual(word) || RING_WORDS.iter().any(|known| known.contains(&word));
    name_tokens(&member.name.clip).iter().all(|word| is_of_ring(word))
}

fn has_direction(member: &Member) -> bool {
    name_tokens(&member.name.clip).iter().any(|word| RING_WORDS[0].contains(&word.as_str()))
}

/// Returns a ring for each gait of which there are several clips that step, at least one of them in another direction than forward.
fn rings(members: &[Member]) -> BTreeMap<String, SetRequirements> {
    let mut gaits: BTreeMap<&str, Vec<&Member>> = BTreeMap::new();
    for member in members.iter().filter(|member| is_cycle(member)) {
        let steps = member.figures.as_ref().is_some_and(|figures| !figures.strides.is_empty());
        if let Some(gait) = gait_word(member).filter(|gait| steps && has_ring_name(member, gait)) {
            gaits.entry(gait).or_default().push(member);
        }
    }
    let is_ring =
        |(_, found): &(&str, Vec<&Member>)| found.len() > 1 && found.iter().any(|member| has_direction(member));
    let ring = |(gait, found): (&str, Vec<&Member>)| {
        let clips = found.into_iter().map(|member| selector(member, members)).collect();
        (gait.to_owned(), SetRequirements { kind: SetKind::Ring, clips, ..Default::default() })
    };
    gaits.into_iter().filter(is_ring).map(ring).collect()
}

/// Returns a chain for each name of which there are clips for several steps, such as a start and a stop. The first clip of each
/// step is used.
fn chains(members: &[Member]) -> BTreeMap<String, SetRequirements> {
    let mut chains: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for member in members {
        let words = name_tokens(&member.name.clip);
        let step_of = |word: &String| CHAIN_WORDS.iter().position(|step| step.contains(&word.as_str()));
        let (steps, others): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| step_of(word).is_some());
        let [step] = steps[..] else { continue };
        let name = others.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        if let Some(step) = step_of(step).filter(|_| !name.is_empty()) {
            chains.entry(name).or_default().entry(step).or_insert_with(|| selector(member, members));
        }
    }
    let several = chains.into_iter().filter(|(_, clips)| clips.len() > 1);
    let set = |clips: BTreeMap<usize, String>| SetRequirements {
        kind: SetKind::Chain,
        clips: clips.into_values().collect(),
        ..SetRequirements::default()
    };
    several.map(|(name, clips)| (name, set(clips))).collect()
}

/// Returns an aim grid with its name for each name of which there are at least three poses, apart from words for sides and
/// numbers.
fn aim_grids(members: &[Member]) -> Vec<(String, SetRequirements)> {
    let mut grids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for member in members.iter().filter(|member| member.figures.as_ref().is_some_and(|figures| figures.is_pose)) {
        let words = name_tokens(&member.name.clip);
        let is_aim = words.iter().any(|word| AIM_WORDS[0].contains(&word.as_str()));
        let is_side =
            |word: &String| AIM_WORDS[1].contains(&word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit());
        let name: Vec<String> = words.into_iter().filter(|word| !is_side(word)).collect();
        if is_aim {
            grids.entry(name.join(" ")).or_default().push(selector(member, members));
        }
    }
    let set = |clips: Vec<String>| SetRequirements { kind: SetKind::AimGrid, clips, ..SetRequirements::default() };
    grids.into_iter().filter(|(_, clips)| clips.len() > 2).map(|(name, clips)| (name, set(clips))).collect()
}

/// Returns the set of the strikes around one stance, with the name of the set.
///
/// A strike has one of [`STRIKE_WORDS`] in its name. The stance is the idle clip whose first pose is nearest to the first poses
/// of all strikes. Strikes that begin or end farther than [`STANCE_MAX_DISTANCE_M`] from it are left out. Returns `None` if fewer
/// than two are left.
fn strikes(members: &[Member]) -> Option<(String, SetRequirements)> {
    let has = |member: &Member, wanted: &[&str]| {
        name_tokens(&member.name.clip).iter().any(|word| wanted.contains(&word.as_str()))
    };
    let strikes: Vec<&Member> =
        members.iter().filter(|member| has(member, &STRIKE_WORDS) && member.figures.is_some()).collect();
    let begin = |member: &Member| member.figures.as_ref().map(|figures| figures.ends[0].clone());
    let distance = |idle: &&Member| -> f64 {
        let apart = strikes.iter().filter_map(|strike| begin(strike)?.difference(&begin(idle)?));
        apart.map(|[position, _]| position).sum()
    };
    let idles = members.iter().filter(|member| has(member, &["idle"]) && member.figures.is_some());
    let stance = idles.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let is_near = |strike: &&&Member| {
        let ends = strike.figures.iter().flat_map(|figures| &figures.ends);
        let apart = ends.map(|end| begin(stance).and_then(|stance| end.difference(&stance)));
        apart
            .map(|apart| apart.map_or(f64::INFINITY, |[position, _]| position))
            .all(|apart| apart <= STANCE_MAX_DISTANCE_M)
    };
    let clips: Vec<String> = strikes.iter().filter(is_near).map(|strike| selector(strike, members)).collect();
    let stance = (clips.len() > 1).then(|| selector(stance, members));
    stance
        .is_some()
        .then(|| ("strikes".into(), SetRequirements { kind: SetKind::Strikes, clips, stance, ..Default::default() }))
}

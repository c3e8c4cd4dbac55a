//! Crossings of characters of the corpus: with the clips of their own files, and with those of the sample character.

use std::path::PathBuf;

use glam::DVec3;

use portamento_anim::foot_shape::{SolePart, body_points, soles};
use portamento_anim::math::random::SplitMix64;
use portamento_anim::rig::Rig;
use portamento_anim::rig::chains::{Chain, chains};
use portamento_anim::{Clip, Model, Roles, RootMotion};
use portamento_base::progress::Progress;
use portamento_retarget as retarget;
use portamento_walk::crossing::{
    BuildError, Built, CrossingClip, CrossingKind, EdgeLine, Input, Moments, Obstacle, Report, build,
};

/// A character with what crossings need.
struct Stranger {
    model: Model,
    roles: Roles,
    limbs: Vec<Chain>,
    points: Vec<SolePart>,
    soles: Vec<Vec<SolePart>>,
    mesh_joints: Vec<bool>,
    metres_per_unit: f64,
}

impl Stranger {
    fn new(model: Model, metres_per_unit: f64) -> Self {
        let roles = Rig::of_model(&model).roles.fitting(&model.skeleton);
        let (limbs, points) = (chains(&model, &roles), body_points(&model, &roles));
        let (soles, mesh_joints) = (soles(&model, &roles.legs), model.mesh_joints());
        Self { model, roles, limbs, points, soles, mesh_joints, metres_per_unit }
    }

    /// Returns the character of that file of the corpus, or the sample character; `None` without the corpus.
    fn load(name: &str) -> Option<Self> {
        if name == "hero" {
            return Some(Self::new(portamento_test_support::hero(), 1.0));
        }
        let imported = portamento_formats::import::import(&portamento_test_support::corpus(name)?).unwrap();
        Some(Self::new(imported.model, imported.metres_per_unit))
    }

    fn input<'a>(&'a self, clip: &'a Clip) -> Option<Input<'a>> {
        Some(Input {
            skeleton: &self.model.skeleton,
            clip,
            roles: &self.roles,
            limbs: &self.limbs,
            root: RootMotion::find(&self.model.skeleton, clip, &self.roles)?,
            fps: clip.key_rate().unwrap_or(30.0).clamp(1.0, 240.0),
            metres_per_unit: self.metres_per_unit,
            mesh_joints: &self.mesh_joints,
            body: &self.points,
        })
    }

    fn body(&self) -> retarget::Body<'_> {
        retarget::Body {
            skeleton: &self.model.skeleton,
            roles: &self.roles,
            chains: &self.limbs,
            soles: &self.soles,
            metres_per_unit: self.metres_per_unit,
        }
    }

    /// Returns the clip `name` of `hero` on this character.
    fn retargeted(&self, hero: &Self, name: &str) -> Clip {
        let clip = hero.model.clip(name).unwrap();
        let settings = retarget::Settings { hold_hands: true, ..retarget::Settings::default() };
        let input = retarget::Input { source: hero.body(), clip, target: self.body(), fps: 60.0 };
        Clip { name: name.into(), ..retarget::build(&input, &settings, &Progress::new()).unwrap().clip }
    }
}

/// Clips of the corpus that jump, climb, hop, drop, roll or dodge by their names.
fn jumping(model: &Model) -> impl Iterator<Item = &Clip> {
    const WORDS: [&str; 9] = ["vault", "climb", "jump", "hop", "drop", "roll", "leap", "dodge", "land"];
    let is_named = |clip: &&Clip| WORDS.iter().any(|word| clip.name.to_lowercase().contains(word));
    model.clips.iter().filter(is_named)
}

#[test]
fn own_clips_cross_within_the_limits_or_are_refused_with_a_reason() {
    let Some(folder) = portamento_test_support::corpus("") else { return };
    let is_model = |path: &PathBuf| {
        path.extension().is_some_and(|end| ["glb", "fbx", "vrm", "bvh"].iter().any(|known| end == *known))
    };
    let files = ["characters", "wild", "pack", "mocap"]
        .iter()
        .flat_map(|part| std::fs::read_dir(folder.join(part)).unwrap().map(|entry| entry.unwrap().path()));
    let mut files: Vec<PathBuf> = files.filter(is_model).collect();
    files.sort();
    let (mut faults, mut recognised_clips, mut refused) = (Vec::new(), 0, 0);
    for file in files {
        let imported = portamento_formats::import::import(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let stranger = Stranger::new(imported.model, imported.metres_per_unit);
        let mut tally = Tally::default();
        for clip in jumping(&stranger.model) {
            match stranger.input(clip).map(|input| cross_random(&input, 10, 1, &mut tally)) {
                None => refused += 1,
                Some(Err(reason)) => {
                    eprintln!("{name}: {reason}");
                    refused += 1;
                }
                Some(Ok(found)) => {
                    recognised_clips += 1;
                    eprintln!("{name}: {}: {:?}", clip.name, found.kind);
                }
            }
        }
        faults.extend(tally.faults.iter().map(|fault| format!("{name}: {fault}")));
        if tally.done + tally.refused.len() > 0 {
            eprintln!("{name}: {tally}");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(recognised_clips >= 2 && refused >= 20, "{recognised_clips} clips cross, {refused} are refused");
}

/// Crosses `rounds` random obstacles with the clip of `input`, and counts them in `tally`. Returns the recognised clip, or the reason
/// why it crosses nothing.
fn cross_random(input: &Input, rounds: usize, seed: u64, tally: &mut Tally) -> Result<CrossingClip, String> {
    let found = CrossingClip::recognise(input, &Moments::default(), None).map_err(|error| error.to_string())?;
    let mut random = SplitMix64::new(seed);
    for _ in 0..rounds {
        let obstacle = random_obstacle(&found, &mut random);
        tally.count(&input.clip.name, build(input, &found, &obstacle, true, &Progress::new()));
    }
    Ok(found)
}

/// Returns the own obstacle of `clip` changed by random shares of half of its ranges, turned by up to 60°.
fn random_obstacle(clip: &CrossingClip, random: &mut SplitMix64) -> Obstacle {
    let mut between = |[from, to]: [f64; 2]| from + (to - from) * random.unit();
    let (own, range) = (clip.obstacle, clip.range());
    let middle = |edge: EdgeLine| clip.along(edge[0].midpoint(edge[1]));
    let half = |range: &std::ops::RangeInclusive<f64>, own: f64| {
        [*range.start(), *range.end()].map(|end| (0.5 * (end - own)).clamp(-0.4, 0.4))
    };
    let climbs = matches!(own.kind, CrossingKind::Mantle | CrossingKind::HopUp);
    let has_height = climbs || own.kind == CrossingKind::Vault;
    let up =
        if has_height { between(half(&range.height, own.near[0].y - own.start.y)).clamp(-0.15, 0.15) } else { 0.0 };
    let rise = if climbs { up } else { between(half(&range.rise, own.landing.y - own.start.y)).clamp(-0.3, 0.2) };
    let wider = own.far.map_or(0.0, |far| between(half(&range.distance, middle(far) - middle(own.near))));
    let run_up = between(half(&range.run_up, middle(own.near)));
    let turn = glam::DQuat::from_rotation_y(between([-1.0, 1.0]));
    let moved = |edge: EdgeLine, ahead: f64, up: f64| {
        edge.map(|point| own.start + turn * (point + clip.heading * ahead + DVec3::Y * up - own.start))
    };
    let far_up = if own.kind == CrossingKind::JumpAcross { rise } else { up };
    let landing = own.landing + clip.heading * (run_up + wider) + DVec3::Y * rise;
    Obstacle {
        near: moved(own.near, run_up, up),
        far: own.far.map(|far| moved(far, run_up + wider, far_up)),
        landing: own.start + turn * (landing - own.start),
        ..own
    }
}

/// Figures of the crossings of one character.
#[derive(Default)]
struct Tally {
    done: usize,
    refused: Vec<String>,
    /// Figures beyond their limits and those of the clip itself.
    faults: Vec<String>,
    worst_contact: f64,
    worst_gravity: f64,
    worst_depth: f64,
}

impl Tally {
    /// Counts a crossing with `clip`.
    fn count(&mut self, clip: &str, fitted: Result<Built, BuildError>) {
        let report: Report = match fitted {
            Ok(built) => built.report,
            Err(error) if error.is_refusal() => return self.refused.push(format!("{clip}: {error}")),
            Err(error) => return self.faults.push(format!("{clip}: {error}")),
        };
        self.done += 1;
        let contacts = [&report.edge, &report.landing, &report.standing].into_iter().flatten();
        let contact = contacts.map(|contact| contact.error).fold(0.0, f64::max);
        let gravity = report.gravity.map_or(0.0, |[_, after]| after);
        let own_depth = report.own_penetration.map_or(0.0, |own| own.percentile_99);
        let depth = report.penetration.map_or(0.0, |depth| depth.percentile_99);
        self.worst_contact = self.worst_contact.max(contact);
        self.worst_gravity = self.worst_gravity.max(gravity);
        self.worst_depth = self.worst_depth.max(depth);
        let is_sound = contact <= 0.01 && gravity <= 0.1 && depth <= 0.02_f64.max(own_depth + 1e-3);
        if !is_sound {
            self.faults.push(format!("{clip}: {report:?}"));
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Self { done, refused, worst_contact, worst_gravity, worst_depth, .. } = self;
        write!(
            f,
            "{done} crossed, {} refused; contact {:.1} mm, gravity {:.1} %, penetration {:.1} cm",
            refused.len(),
            1e3 * worst_contact,
            100.0 * worst_gravity,
            100.0 * worst_depth
        )
    }
}

/// Characters with two arms and two legs besides the sample character, whose bodies differ from it and from each other.
const STRANGERS: [&str; 5] = [
    "hero",
    "characters/human_male_no_clips.glb",
    "characters/knight.glb",
    "characters/mannequiny.glb",
    "wild/gdbot.glb",
];

/// 100 crossings in the short form, 10 times as many in the long one. What cannot be done is refused: on a body with short arms, a
/// retargeted mantle holds nothing.
#[test]
fn strangers_cross_random_obstacles_with_retargeted_clips_within_the_limits() {
    let Some(hero) = Stranger::load("hero") else { return };
    let rounds = portamento_test_support::mutants(5).min(50) as usize;
    let (mut faults, mut done) = (Vec::new(), 0);
    for (number, name) in STRANGERS.iter().enumerate() {
        let Some(stranger) = Stranger::load(name) else { return };
        let mut tally = Tally::default();
        for clip in ["vault", "mantle", "jump", "drop"] {
            let clip = stranger.retargeted(&hero, clip);
            let input = stranger.input(&clip).unwrap();
            if let Err(reason) = cross_random(&input, rounds, number as u64 + 1, &mut tally) {
                tally.refused.push(reason);
            }
        }
        eprintln!("{name}: {tally}");
        let mut reasons = tally.refused.clone();
        reasons.dedup_by_key(|reason| reason.split(' ').next().map(str::to_owned));
        reasons.iter().for_each(|reason| eprintln!("   {reason}"));
        assert!(tally.done >= 2 * rounds, "{name}: {tally}");
        faults.extend(tally.faults.iter().map(|fault| format!("{name}: {fault}")));
        done += tally.done;
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(done >= 16 * rounds, "{done} crossings");
}

//! `portamento walk`: routes through a level, and a character that walks one and stops at the goal.

mod crossings;

use std::path::PathBuf;

use glam::DVec3;

use super::Failure;
use super::flags::rig::RigArguments;
use portamento_anim::geometry::UpAxis;
use portamento_base::progress::Progress;
use portamento_formats::export::route;
use portamento_session::export::{crossings as level, distance_curve};
use portamento_session::{ExportRequest, Session};
use portamento_takes::document::{CrossingRange, FileId, OwnCrossings, Take, TakeId, TakeSource, Walk};
use portamento_takes::evaluate::TakeError;
use portamento_walk::crossing::CrossingKind;
use portamento_walk::locomotion::{ClipRoles, GaitClip, Settings, Sign};
use portamento_walk::navigation::RouteSetSettings;
use portamento_walk::navigation::voxels::VoxelSettings;

/// Finds routes through a level and generates a walk of a character.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Level: OBJ, glTF or GLB.
    level: PathBuf,
    /// Start of the route: metres, Y up.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    from: DVec3,
    /// Goal of the route: metres, Y up.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    to: DVec3,
    /// Intermediate stop; may be given several times.
    #[arg(long, value_name = "X,Y,Z", value_parser = super::point, allow_hyphen_values = true)]
    via: Vec<DVec3>,
    /// A seed, or the first and last of several. The character walks the route of the first.
    #[arg(long, value_name = "N|N..M", default_value = "1", value_parser = seeds)]
    seed: (u64, usize),
    /// Difference between routes of different seeds: 0 (shortest time) … 1.
    #[arg(long, default_value_t = 0.5, value_parser = share, allow_negative_numbers = true)]
    variety: f64,
    /// Radius of the character, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Height of the character, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    height: Option<f64>,
    /// Maximum step height, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    climb: Option<f64>,
    /// Maximum slope, degrees.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    slope: Option<f64>,
    /// Horizontal voxel size, metres.
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    cell: Option<f64>,
    /// Length of the level's unit, metres.
    #[arg(long, default_value_t = 1.0, value_parser = unit, allow_negative_numbers = true)]
    unit: f64,
    /// Up axis of the level: y or z.
    #[arg(long, default_value = "y", value_parser = super::flags::up::axis)]
    up: UpAxis,
    /// Character: glTF, GLB, VRM, FBX or BVH.
    #[arg(long, value_name = "FILE")]
    character: Option<PathBuf>,
    /// Walk clip. Default: chosen by measured speed if neither --walk nor --run is given.
    #[arg(long, value_name = "CLIP", requires = "character")]
    walk: Option<String>,
    /// Run clip.
    #[arg(long, value_name = "CLIP", requires = "character")]
    run: Option<String>,
    /// Gait clip with its slopes: CLIP@up, CLIP@down, CLIP@any or CLIP@-12..12 (degrees along the route, uphill
    /// positive). Without @ the slopes follow from the clip's climb and name. May be given several times.
    #[arg(long, value_name = "CLIP[@SLOPES]", value_parser = band, requires = "character")]
    gait: Vec<GaitClip>,
    /// Idle clip.
    #[arg(long, value_name = "CLIP", requires = "character")]
    idle: Option<String>,
    /// Start clip, from standing to a gait.
    #[arg(long, value_name = "CLIP", requires = "character")]
    start: Option<String>,
    /// Stop clip, from a gait to standing.
    #[arg(long, value_name = "CLIP", requires = "character")]
    stop: Option<String>,
    /// Turn-in-place clip; may be given several times. Default: automatic.
    #[arg(long, value_name = "CLIP", requires = "character")]
    turn: Vec<String>,
    /// Heading before the start: degrees about the up axis, 0 along Z, 90 along X.
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, requires = "character")]
    start_facing: Option<f64>,
    /// Heading at the goal.
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true, requires = "character")]
    goal_facing: Option<f64>,
    /// Maximum turning speed, degrees per second.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    turn_speed: Option<f64>,
    /// Corners sharper than this, degrees, use a turn in place.
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    corner: Option<f64>,
    /// Number of laps of a closed loop, from the last stop back to the first, without stopping; the end continues at
    /// the start.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    laps: u32,
    /// Frame rate of the walk, 10…240.
    #[arg(long, default_value_t = 60.0, allow_negative_numbers = true, value_parser = rate)]
    fps: f64,
    /// Clips that cross obstacles and gaps, as a JSON list: routes may use them. With --out, edges and links are written next to
    /// the routes: as lists, off-mesh connections of Detour, a scene for Godot and a script for Unreal.
    #[arg(long, value_name = "FILE", conflicts_with = "character")]
    crossings: Option<PathBuf>,
    /// Cross obstacles and gaps with the character's clips that vault, climb, jump or drop.
    #[arg(long, requires = "character")]
    cross: bool,
    /// Clip that crosses; may be given several times. Default: all that are recognised. Implies --cross.
    #[arg(long, value_name = "CLIP", requires = "character")]
    cross_clip: Vec<String>,
    /// Factor on the time of a kind of crossing: below 1 preferred, above 1 avoided, 0 not used. Kinds: vault, mantle, hop_up,
    /// jump_across, drop_down. May be given several times.
    #[arg(long, value_name = "KIND=FACTOR", value_parser = crossings::cost, requires = "character")]
    cross_cost: Vec<(CrossingKind, f64)>,
    /// File to write: .json .csv .gltf .glb for routes; .glb, .gltf or .fbx for a character. Default: only the
    /// report.
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Write the remaining distance of the stop clip over time, for distance matching in engines: .json or .csv.
    #[arg(long, value_name = "FILE", requires = "character")]
    distance_curve: Option<PathBuf>,
    /// Sign of that distance: positive counts down, negative counts up to 0 as in Unreal Engine.
    #[arg(long, default_value = "positive", value_parser = Sign::parse, requires = "distance_curve")]
    sign: Sign,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rig: RigArguments,
}

impl Arguments {
    /// Finds the routes, exports the walk or the routes, and prints the report. Returns `Err` if there is no route or no walk,
    /// or nothing could be written.
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut session, level, _) = super::open(&self.level)?;
        if let Some(file) = session.document.files.iter_mut().find(|file| file.id == level) {
            file.metres_per_unit = self.unit;
        }
        let character = self.character(&mut session)?;
        if let Some(file) = character {
            self.rig.apply(&mut session, file)?;
        }
        let crossings = self.crossings.as_deref().map(crossings::read).transpose()?.unwrap_or_default();
        let take = self.take(&mut session, level, character, crossings);
        let curve = self.curve_file(&mut session, &take)?;
        if let (Some(out), true) = (&self.out, character.is_some()) {
            let request = ExportRequest {
                takes: vec![take.id],
                destination: out.clone(),
                replace: self.force.into(),
                further: curve.into_iter().collect(),
                ..Default::default()
            };
            super::bake::bake(&mut session, request)?;
        } else if let Some((path, bytes)) = curve {
            super::write(&session, self.force, |files| files.write(&path, &bytes))?;
        }
        let built = session.built(&take).map_err(failed)?;
        let walked = built.walked.as_ref().ok_or_else(|| Failure::Failed("There is no walk.".into()))?;
        built.warnings.iter().for_each(|warning| crate::warn(&format!("warning: {warning}")));
        let is_expected = |missing: &&TakeError| character.is_none() && **missing == TakeError::NoCharacter;
        if let Some(missing) = walked.missing.as_ref().filter(|missing| !is_expected(missing)) {
            return Err(failed(missing));
        }
        if let (Some(out), None, Some(routes), Some(walk)) = (&self.out, character, &walked.routes, take.walk()) {
            let lines = portamento_session::export::route_lines(routes, walk);
            super::write(&session, self.force, |files| {
                route::write(files, out, &lines)?;
                let links = self.crossings.as_ref().map(|_| level::write(files, out, walked, &Progress::new()));
                links.transpose().map(drop)
            })?;
        }
        let mut report = built.report()["walk"].take();
        if character.is_none() {
            report["missing"] = serde_json::Value::Null;
        }
        super::print(&report, self.json)
    }

    /// Returns the path and the bytes of the distance curve, if requested. Returns `Err` if the walk has no stop clip.
    fn curve_file(&self, session: &mut Session, take: &Take) -> Result<Option<(PathBuf, Vec<u8>)>, Failure> {
        let Some(path) = &self.distance_curve else { return Ok(None) };
        let built = session.built(take).map_err(failed)?;
        let Some(walk) = built.walked.as_ref().and_then(|walked| walked.walk.as_ref()) else { return Ok(None) };
        if walk.distance_curve.times.is_empty() {
            return Err(Failure::Failed(
                "There is no stop clip to write a distance curve for. Give one with --stop.".into(),
            ));
        }
        let bytes = distance_curve::to_bytes(path, &walk.distance_curve, self.sign).map_err(super::refused)?;
        Ok(Some((path.clone(), bytes)))
    }

    /// Opens the character, if one is given. Returns `Err` if the file has none, or if a clip named by a flag does not exist.
    fn character(&self, session: &mut Session) -> Result<Option<FileId>, Failure> {
        let Some(path) = &self.character else { return Ok(None) };
        super::open_more(session, path)?;
        let last = session.document.files.last().map(|file| file.id);
        let loaded = last.and_then(|id| Some((id, session.library.get(id)?.clone())));
        let no_character =
            || Failure::Failed(format!("{} has no skeleton. Choose a file with a character.", path.display()));
        let (id, character) = loaded.ok_or_else(no_character)?;
        let named = [&self.walk, &self.run, &self.idle, &self.start, &self.stop];
        let clips = named
            .into_iter()
            .flatten()
            .chain(self.gait.iter().map(|band| &band.clip))
            .chain(&self.turn)
            .chain(&self.cross_clip);
        clips.into_iter().try_for_each(|clip| super::check_clip(&character.model, clip))?;
        Ok(Some(id))
    }

    /// Adds a take of the walk to the project and returns it. Without a character only ground and routes can be built. The
    /// take gets a free name.
    fn take(
        &self,
        session: &mut Session,
        level: FileId,
        character: Option<FileId>,
        crossings: Vec<CrossingRange>,
    ) -> Take {
        let mut stops: Vec<DVec3> = [self.from].into_iter().chain(self.via.iter().copied()).chain([self.to]).collect();
        // A closed loop returns to its start automatically.
        if self.laps > 0 && stops.len() > 2 && self.to == self.from {
            stops.pop();
        }
        let (first, count) = self.seed;
        let flat = [&self.walk, &self.run].into_iter().flatten().map(|clip| GaitClip::from(clip.as_str()));
        let gaits = flat.chain(self.gait.iter().cloned()).collect();
        let clips = ClipRoles {
            idle: self.idle.clone(),
            gaits,
            start: self.start.clone(),
            stop: self.stop.clone(),
            turns: self.turn.clone(),
            crossings: self.cross_clip.clone(),
            ..ClipRoles::default()
        };
        let walk = Walk {
            level,
            up: self.up,
            voxels: self.voxels(),
            stops,
            routes: RouteSetSettings { first, count, variety: self.variety, ..RouteSetSettings::default() },
            seed: first,
            settings: self.settings(clips),
            crossings,
            own_crossings: self.own_crossings(),
            ..Walk::default()
        };
        let take = Take {
            id: TakeId(session.document.fresh_id()),
            name: session.document.free_take_name("walk to the mark"),
            character: character.unwrap_or(FileId(0)),
            source: TakeSource::Walk(Box::new(walk)),
            stages: Vec::new(),
            loops: None,
        };
        session.document.takes.push(take.clone());
        take
    }

    /// Returns whether the character crosses, and its preferences.
    fn own_crossings(&self) -> OwnCrossings {
        let on = self.cross || !self.cross_clip.is_empty();
        let mut crossings = OwnCrossings { on, ..OwnCrossings::default() };
        self.cross_cost.iter().for_each(|&(kind, factor)| *crossings.factor_mut(kind) = factor);
        crossings
    }

    /// Returns the settings of the walk with `clips`. Settings without a flag have their defaults.
    fn settings(&self, clips: ClipRoles) -> Settings {
        let usual = Settings::default();
        Settings {
            clips,
            fps: self.fps,
            start_facing: self.start_facing,
            goal_facing: self.goal_facing,
            turn_speed: self.turn_speed.unwrap_or(usual.turn_speed),
            corner: self.corner.unwrap_or(usual.corner),
            laps: self.laps,
            ..usual
        }
    }

    /// Returns the settings of the voxels, metres and degrees. Settings without a flag have their defaults.
    fn voxels(&self) -> VoxelSettings {
        let usual = VoxelSettings::default();
        VoxelSettings {
            radius: self.radius.unwrap_or(usual.radius),
            height: self.height.unwrap_or(usual.height),
            climb: self.climb.unwrap_or(usual.climb),
            slope_limit: self.slope.unwrap_or(usual.slope_limit),
            cell: self.cell.unwrap_or(usual.cell),
            ..usual
        }
    }
}

/// Returns a failure that is no usage error.
fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}

/// Parses `N`, or `N..M` including both ends, to the first seed and the count. Returns `Err` for more than 100 seeds,
/// and for any other text.
fn seeds(text: &str) -> Result<(u64, usize), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < 100 => Ok((first, (last - first) as usize + 1)),
        _ => Err("give a whole number, or the first and last of at most 100, for example 1..10".into()),
    }
}

/// Parses `CLIP`, or `CLIP@` followed by `up`, `down`, `any` or two angles. Angles are in degrees. Without `@` the slopes
/// are left open. Returns `Err` with what is allowed for any other text.
fn band(text: &str) -> Result<GaitClip, String> {
    let Some((clip, slopes)) = text.rsplit_once('@') else { return Ok(GaitClip::from(text)) };
    let range = match slopes {
        "up" => Some(GaitClip::UPHILL),
        "down" => Some(GaitClip::DOWNHILL),
        "any" => Some(GaitClip::ANY),
        range => range.split_once("..").and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?])),
    };
    let slope = range.ok_or("write the slopes as up, down, any or two degrees, for example climb@8..45")?;
    Ok(GaitClip { clip: clip.into(), slope: Some(slope) })
}

/// Parses a number, 0…1. Returns `Err` with what is allowed for any other text.
fn share(text: &str) -> Result<f64, String> {
    let sound = |value: &f64| (0.0..=1.0).contains(value);
    text.parse().ok().filter(sound).ok_or_else(|| "give a number from 0 to 1".into())
}

/// Parses a frame rate, 10…240 per second. Returns `Err` with what is allowed for any other text.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (10.0..=240.0).contains(rate));
    rate.ok_or_else(|| "give a rate between 10 and 240".into())
}

/// Parses the length of a unit in metres, 10⁻⁶…10⁶. Returns `Err` with what is allowed for any other text.
fn unit(text: &str) -> Result<f64, String> {
    let sound = |value: &f64| (1e-6..=1e6).contains(value);
    text.parse().ok().filter(sound).ok_or_else(|| "give the length of a unit in metres, for example 0.01".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_numbers_are_parsed_so_that_validation_can_report_them() {
        for flag in ["--radius", "--height", "--climb", "--slope", "--cell"] {
            let words = ["portamento", "walk", "a.obj", "--from", "0,0,-1", "--to", "-1,0,0", flag, "-1"];
            let read = <crate::Arguments as clap::Parser>::try_parse_from(words);
            assert!(read.is_ok(), "{flag}: {read:?}");
        }
    }

    #[test]
    fn a_gait_may_have_slopes() {
        assert_eq!(band("walk"), Ok(GaitClip::from("walk")));
        assert_eq!(band("a@b@up"), Ok(GaitClip { clip: "a@b".into(), slope: Some(GaitClip::UPHILL) }));
        assert_eq!(band("walk@-12..7.5").unwrap().slope, Some([-12.0, 7.5]));
        assert!(band("walk@steep").unwrap_err().contains("climb@8..45"));
    }

    #[test]
    fn seeds_are_a_number_or_a_range_of_at_most_100() {
        assert_eq!((seeds("7"), seeds("3..12")), (Ok((7, 1)), Ok((3, 10))));
        for wrong in ["", "x", "5..4", "1..200", "-1", "1.."] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
        assert!(
            share("1.1").is_err()
                && share("NaN").is_err()
                && unit("0").is_err()
                && crate::flags::up::axis("x").is_err()
        );
    }
}

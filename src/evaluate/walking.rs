//! A way through a level, and a character that walks it.

use std::collections::BTreeSet;

use glam::{DVec3, Quat};

use super::{LevelGround, TakeError, bake};
use crate::anim::{Clip, Curve, JointTracks, Pose, Roles, Skeleton};
use crate::document::{Loaded, Walk as WalkTake};
use crate::math::Transform;
use crate::math::mean::aligned;
use crate::progress::Progress;
use crate::systems::locomotion::{self, SmoothPath, Walk, WalkPath};
use crate::systems::navigation::{
    Ground, Route, RouteSet, RouteSetSettings, RouteVariant, SearchError, SearchNotice, nearest,
    nearest_on_open_ground, route_set, stop_name,
};

/// The ways of several seeds across a level.
#[derive(Clone, Debug)]
pub struct LevelRoutes {
    /// The routes, compared.
    pub compared: RouteSet,
    /// Routes of seeds beside those that are compared: the one that is walked and those that are kept.
    pub beside: Vec<RouteVariant>,
    /// The nearest ground to each stop, metres.
    pub stops: Vec<DVec3>,
    /// What the animator should know.
    pub notices: Vec<String>,
}

impl LevelRoutes {
    /// The route of that seed, if it was asked for.
    pub fn of_seed(&self, seed: u64) -> Option<&RouteVariant> {
        self.variants().find(|variant| variant.seed == seed)
    }

    /// All routes: those compared, then those beside them.
    pub fn variants(&self) -> impl Iterator<Item = &RouteVariant> {
        self.compared.variants.iter().chain(&self.beside)
    }
}

/// The seeds of `walk` that must have a route though they are not among those compared, in order, each once.
pub fn seeds_beside(walk: &WalkTake) -> impl Iterator<Item = u64> {
    let last = walk.routes.first.saturating_add(walk.routes.count.max(1) as u64 - 1);
    let compared = walk.routes.first..=last;
    let wanted = walk.pins.iter().map(|pin| pin.seed).chain([walk.seed]);
    wanted.filter(|seed| !compared.contains(seed)).collect::<BTreeSet<_>>().into_iter()
}

/// A place further than this from the ground, metres, is refused rather than moved.
const FAR: f64 = 2.0;

/// Ways from the first stop of `walk` through all others to the last. Each stop is moved to the nearest ground; one that is
/// more than two metres off it is refused.
pub fn find_routes(ground: &LevelGround, walk: &WalkTake, progress: &Progress) -> Result<LevelRoutes, TakeError> {
    let (map, stops) = (&ground.map, &walk.stops[..]);
    let cells: Vec<u32> = stops.iter().filter_map(|stop| cell_for(&map.ground, *stop)).collect();
    if cells.len() < stops.len() {
        return Err(TakeError::NoGround);
    }
    on_ground(&map.ground, stops, &cells)?;
    let mut notices = moved(&map.ground, stops, &cells);
    let (Some(&start), Some(&goal)) = (stops.first(), stops.last()) else {
        return Err(SearchError::TooFewStops.into());
    };
    let through = |settings: &RouteSetSettings| route_set(&ground.graph, &cells, [start, goal], settings, progress);
    let alone = |first| through(&RouteSetSettings { first, count: 1, ..walk.routes.clone() });
    let beside: Result<Vec<RouteSet>, _> = seeds_beside(walk).map(alone).collect();
    let beside = beside?.into_iter().flat_map(|routes| routes.variants).collect();
    let compared = through(&walk.routes)?;
    notices.extend(compared.quickest.notices.iter().map(SearchNotice::to_string));
    let stops = cells.iter().map(|&cell| map.ground.place(cell)).collect();
    Ok(LevelRoutes { compared, beside, stops, notices })
}

/// Square metres of linked ground from which on it is not an island that was left over by chance.
const OPEN: f64 = 1.0;

/// The cell for a stop: the nearest on open ground, else the nearest of all.
fn cell_for(ground: &Ground, stop: DVec3) -> Option<u32> {
    let cells = (OPEN / (ground.cell * ground.cell)).ceil() as usize;
    nearest_on_open_ground(ground, stop, cells, FAR).or_else(|| nearest(ground, stop))
}

/// Refuses the first of `stops` that is far from its cell.
fn on_ground(ground: &Ground, stops: &[DVec3], cells: &[u32]) -> Result<(), TakeError> {
    for (index, (stop, cell)) in stops.iter().zip(cells).enumerate() {
        let near = ground.place(*cell);
        let metres = near.distance(*stop);
        // Written so that what is no number is refused too.
        let beside = metres <= FAR.max(2.0 * ground.cell);
        if !beside {
            return Err(TakeError::OffGround {
                what: stop_name(index, index + 1 == stops.len()),
                metres,
                ground: near,
            });
        }
    }
    Ok(())
}

/// Sentences about stops that are not where they were asked for.
fn moved(ground: &Ground, stops: &[DVec3], cells: &[u32]) -> Vec<String> {
    let away = |(index, (stop, cell)): (usize, (&DVec3, &u32))| {
        let off = (ground.place(*cell) - *stop).abs();
        // A route begins and ends at the very place where that lies within the cell.
        let beside = (off.with_y(0.0) - DVec3::splat(0.5 * ground.cell)).max(DVec3::ZERO).length();
        let what = stop_name(index, index + 1 == stops.len());
        let metres = off.with_y(0.0).length();
        let height = if off.y > BESIDE { format!(" and {:.2} m in height", off.y) } else { String::new() };
        let say = || format!("{what} is not on walkable ground and was moved by {metres:.2} m{height}.");
        (beside > 0.01).then(say)
    };
    stops.iter().zip(cells).enumerate().filter_map(away).collect()
}

/// Metres between a stop and the way walked from which on the animator is told.
const PASSED: f64 = 0.25;

/// Sentences about stops between start and goal that the body passes beside; `places` are its own, metres.
pub fn passed_beside(stops: &[DVec3], places: &[DVec3]) -> Vec<String> {
    let between = stops.iter().enumerate().skip(1).take(stops.len().saturating_sub(2));
    let beside = |(index, stop): (usize, &DVec3)| {
        let away = places.iter().map(|place| (*place - *stop).with_y(0.0).length()).fold(f64::INFINITY, f64::min);
        let say = || format!("{} is passed at a distance of {away:.2} m.", stop_name(index, false));
        (away > PASSED && away.is_finite()).then(say)
    };
    between.filter_map(beside).collect()
}

/// `route` as a path to walk: its places a cell apart at most, each as quick as the ground there.
pub fn walk_path(ground: &Ground, route: &Route) -> WalkPath {
    let mut points: Vec<DVec3> = route.points.first().copied().into_iter().collect();
    for ends in route.points.windows(2) {
        let count = (ends[0].distance(ends[1]) / ground.cell).ceil().max(1.0) as usize;
        points.extend((1..=count).map(|step| ends[0].lerp(ends[1], step as f64 / count as f64)));
    }
    let rise = |index: usize| points[(index + 1).min(points.len() - 1)].y - points[index.saturating_sub(1)].y;
    let away = |cell: u32, place: DVec3| ground.place(cell).distance_squared(place);
    let limit = |(index, place): (usize, &DVec3)| {
        let under = route.cells.iter().min_by(|a, b| away(**a, *place).total_cmp(&away(**b, *place)));
        under.map_or(1.0, |cell| ground.cells[*cell as usize].speed(rise(index)))
    };
    let speed_limits = points.iter().enumerate().map(limit).collect();
    WalkPath { points, speed_limits }
}

/// How far a body may leave the cells of a way in a bend, metres; the character's radius keeps it from walls.
const BESIDE: f64 = 0.1;

/// `settings` with a turning radius that keeps the body on the ground, and a sentence where it had to be made smaller.
pub fn narrowed(
    ground: &Ground,
    path: &WalkPath,
    settings: &locomotion::Settings,
) -> Result<(locomotion::Settings, Option<String>), TakeError> {
    settings.check()?;
    path.check()?;
    let off = |path: &SmoothPath| path.points.iter().any(|place| is_off(ground, *place));
    let leaves = |radius: f64| path.segments(settings.corner, radius).iter().any(off);
    let mut narrow = settings.clone();
    while narrow.turning_radius > 0.02 && leaves(narrow.turning_radius) {
        narrow.turning_radius *= 0.5;
    }
    let [asked, used] = [settings, &narrow].map(|it| it.turning_radius);
    let sentence = (used < asked).then(|| {
        format!(
            "With a turning radius of {asked:.2} m the walk would cut corners and leave the walkable ground, so {used:.2} m \
             is used. Set {used:.2} m, or choose a route with wider bends."
        )
    });
    Ok((narrow, sentence))
}

/// Whether no cell at about the height of `place` is near it.
fn is_off(ground: &Ground, place: DVec3) -> bool {
    let near = [-BESIDE, 0.0, BESIDE];
    let places = near.iter().flat_map(|x| near.iter().map(|z| place + DVec3::new(*x, 0.0, *z)));
    let stands = |it: DVec3| ground.under(it).iter().any(|cell| (cell.height - place.y).abs() < 1.5);
    !places.into_iter().any(stands)
}

/// Who walks.
#[derive(Clone, Copy)]
pub struct Walker<'a> {
    /// The rig and its clips.
    pub character: &'a Loaded,
    /// Which joint is what.
    pub roles: &'a Roles,
    /// Length of the file's unit, metres.
    pub metres_per_unit: f64,
}

impl Walker<'_> {
    /// Walks `path` over the ground with the character's own clips.
    pub fn walk(
        &self,
        ground: &LevelGround,
        path: &WalkPath,
        settings: &locomotion::Settings,
        progress: &Progress,
    ) -> Result<Walk, TakeError> {
        let Self { character, roles, metres_per_unit } = *self;
        let (skeleton, clips) = (&character.model.skeleton, &character.model.clips[..]);
        let height = |place: DVec3| ground.height(place);
        let input = locomotion::Input { skeleton, clips, roles, metres_per_unit, ground: Some(&height) };
        Ok(locomotion::build(&input, path, settings, progress)?)
    }
}

/// Every recorded frame of `walk` as linear keys.
pub fn clip(walk: &Walk, name: &str, character: &Loaded) -> Clip {
    let skeleton = &character.model.skeleton;
    let times: Vec<f32> = bake::frame_times(walk.duration, walk.fps).into_iter().map(|time| time as f32).collect();
    let mut pose = Pose::rest(skeleton);
    let mut rows: Vec<Pose> = Vec::with_capacity(times.len());
    for &time in &times {
        walk.sample(f64::from(time), &mut pose);
        rows.push(pose.clone());
    }
    let tracks = (0..skeleton.len()).map(|joint| joint_tracks(character, joint, &rows, &times)).collect();
    Clip { name: name.into(), duration: walk.duration, tracks }
}

/// What moves of a joint over the rows. What other clips move has keys here too, so that none of their poses is left over where
/// one follows the other.
fn joint_tracks(character: &Loaded, joint: usize, rows: &[Pose], times: &[f32]) -> JointTracks {
    let skeleton = &character.model.skeleton;
    let rest = skeleton.joints[joint].rest;
    let known = |has: fn(&JointTracks) -> bool| character.model.clips.iter().any(|clip| has(&clip.tracks[joint]));
    let moves = |moved: &dyn Fn(&Transform) -> bool| rows.iter().any(|row| moved(&row.locals[joint]));
    let column = |part: fn(&Transform) -> glam::Vec3| {
        Curve::linear(times.to_vec(), rows.iter().map(|row| part(&row.locals[joint])).collect())
    };
    let turns = moves(&|local| local.rotation != rest.rotation) || known(|tracks| tracks.rotation.is_some());
    let shifts = moves(&|local| local.translation != rest.translation) || known(|tracks| tracks.translation.is_some());
    let scales = moves(&|local| local.scale != rest.scale) || known(|tracks| tracks.scale.is_some());
    JointTracks {
        rotation: turns.then(|| rotations(joint, rows, times)),
        translation: shifts.then(|| column(|local| local.translation)),
        scale: scales.then(|| column(|local| local.scale)),
        morphs: morphs(rows, skeleton, joint, times),
    }
}

/// The rotations of a joint over the rows.
fn rotations(joint: usize, rows: &[Pose], times: &[f32]) -> Curve<Quat> {
    let mut turns: Vec<Quat> = Vec::with_capacity(rows.len());
    for turn in rows.iter().map(|row| row.locals[joint].rotation) {
        // Players differ in which way round they turn between keys of opposite signs.
        turns.push(aligned(turn, turns.last().copied().unwrap_or(turn)));
    }
    Curve::linear(times.to_vec(), turns)
}

/// The morph weights of a joint over the rows, where any of them leaves the rest.
fn morphs(rows: &[Pose], skeleton: &Skeleton, joint: usize, times: &[f32]) -> Option<Curve<f32>> {
    let joint = &skeleton.joints[joint];
    let weights = joint.first_morph..joint.first_morph + joint.morph_count;
    let rest = Pose::rest(skeleton);
    let moves = rows.iter().any(|row| row.morphs[weights.clone()] != rest.morphs[weights.clone()]);
    let values = || rows.iter().flat_map(|row| row.morphs[weights.clone()].iter().copied()).collect();
    moves.then(|| Curve::linear(times.to_vec(), values()))
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::geometry::Level;
    use crate::systems::navigation::voxels::{VoxelSettings, voxelise};

    #[test]
    fn a_place_far_off_the_ground_is_refused_and_told_where_the_ground_is() {
        let corners = [Vec3::ZERO, Vec3::Z * 10.0, Vec3::new(10.0, 0.0, 10.0), Vec3::X * 10.0].to_vec();
        let floor = Level::of_mesh("floor", corners, [[0, 1, 2], [0, 2, 3]]);
        let ground = voxelise(&floor, &VoxelSettings::default(), &Progress::new()).unwrap().ground;
        let asked = |stops: &[DVec3]| {
            let cells: Vec<u32> = stops.iter().filter_map(|stop| nearest(&ground, *stop)).collect();
            on_ground(&ground, stops, &cells).map(|()| moved(&ground, stops, &cells))
        };
        let [inside, beside, away] =
            [DVec3::splat(5.0).with_y(0.0), DVec3::new(-0.6, 0.0, 5.0), DVec3::new(5.0, 7.0, 5.0)];
        assert_eq!(asked(&[inside, inside]), Ok(Vec::new()));
        let notices = asked(&[beside, inside]).unwrap();
        assert!(notices.len() == 1 && notices[0].contains("was moved by 1."), "{notices:?}");
        let sentence = asked(&[inside, away]).unwrap_err().to_string();
        assert!(sentence.starts_with("The goal is 7.0") && sentence.contains("y 0.00"), "{sentence}");
    }
}

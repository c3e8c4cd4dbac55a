//! The routes through a level, and the character on one of them.

use std::borrow::Cow;

use glam::DVec3;

use crate::document::Walk as WalkTake;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{LevelGround, LevelRoutes, TakeError};
use crate::message::{Message, Tell, message};
use crate::progress::Progress;
use crate::systems::locomotion::{self, SmoothPath, Walk, WalkPath};
use crate::systems::navigation::{
    Ground, Route, RouteSet, RouteSetSettings, SearchError, SearchNotice, nearest, nearest_on_open_ground, route_set,
    stop_name,
};

/// A place further than this from the ground, metres, is refused rather than moved.
const FAR: f64 = 2.0;

/// Ways from the first stop of `walk` through all others to the last. Each stop is moved to the nearest ground; one that is
/// more than two metres off it is refused.
pub(super) fn find_routes(
    ground: &LevelGround,
    walk: &WalkTake,
    progress: &Progress,
) -> Result<LevelRoutes, TakeError> {
    let (map, way) = (&ground.map, walk.way());
    let stops = &way[..];
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
    let beside: Result<Vec<RouteSet>, _> = walk.seeds_beside().map(alone).collect();
    let beside = beside?.into_iter().flat_map(|routes| routes.variants).collect();
    let compared = through(&walk.routes)?;
    notices.extend(compared.quickest.notices.iter().map(SearchNotice::message));
    let stops = cells.iter().take(walk.stops.len()).map(|&cell| map.ground.place(cell)).collect();
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
        // Written so that a distance that is not a number is refused too.
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
fn moved(ground: &Ground, stops: &[DVec3], cells: &[u32]) -> Vec<Message> {
    let away = |(index, (stop, cell)): (usize, (&DVec3, &u32))| {
        let off = ground.place(*cell) - *stop;
        // A route begins and ends at the very place where that lies within the cell.
        let beside = (off.abs().with_y(0.0) - DVec3::splat(0.5 * ground.cell)).max(DVec3::ZERO).length();
        let what = stop_name(index, index + 1 == stops.len());
        let say = || {
            message!(
                "warning.walk.stop_moved",
                "%{what} is %{metres} m from the nearest walkable ground and was moved there.",
                what = what,
                metres = format!("{:.2}", off.length())
            )
        };
        (beside > 0.01).then(say)
    };
    stops.iter().zip(cells).enumerate().filter_map(away).collect()
}

/// Metres between a stop and the way walked from which on the animator is told.
const PASSED: f64 = 0.25;

/// Sentences about stops between start and goal that the body passes beside as it is walked, each of the moment of passing.
pub(super) fn passed_beside(stops: &[DVec3], walked: &Walk) -> Vec<Message> {
    let flat = |place: DVec3, stop: DVec3| (place - stop).with_y(0.0).length();
    let when = |stop: DVec3| {
        let times = walked.report.frames.iter().map(|frame| frame.time);
        let away = |time: f64| flat(walked.place_at(time).at, stop);
        times.min_by(|a, b| away(*a).total_cmp(&away(*b))).unwrap_or_default()
    };
    let between = stops.iter().enumerate().skip(1).take(stops.len().saturating_sub(2));
    let beside = |(index, stop): (usize, &DVec3)| {
        let away = walked.path.points.iter().map(|place| flat(*place, *stop)).fold(f64::INFINITY, f64::min);
        let say = || {
            message!(
                "warning.walk.passed_beside",
                "%{what} is passed at a distance of %{metres} m.",
                what = stop_name(index, false),
                metres = format!("{away:.2}")
            )
            .at(when(*stop), None)
        };
        (away > PASSED && away.is_finite()).then(say)
    };
    between.filter_map(beside).collect()
}

/// `route` as a path to walk: its places a cell apart at most, each as quick as the ground there.
pub(super) fn walk_path(ground: &Ground, route: &Route) -> WalkPath {
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

/// Settings whose bends stay on the ground.
pub(super) struct Narrowed {
    pub settings: locomotion::Settings,
    /// Where the turning radius had to be made smaller.
    pub warning: Option<Message>,
}

/// `settings` with a turning radius that keeps the body on the ground.
pub(super) fn narrowed(
    ground: &Ground,
    path: &WalkPath,
    settings: &locomotion::Settings,
) -> Result<Narrowed, TakeError> {
    settings.check()?;
    path.check()?;
    let off = |path: &SmoothPath| path.points.iter().any(|place| is_off(ground, *place));
    // Round again, so that the corner where it begins counts too.
    let path = if settings.laps > 0 { Cow::Owned(path.rounds(2)) } else { Cow::Borrowed(path) };
    let leaves = |radius: f64| path.segments(settings.corner, radius).iter().any(off);
    let mut narrow = settings.clone();
    while narrow.turning_radius > 0.02 && leaves(narrow.turning_radius) {
        narrow.turning_radius *= 0.5;
    }
    let [asked, used] = [settings, &narrow].map(|settings| settings.turning_radius);
    let say = || {
        message!(
            "warning.walk.radius_narrowed",
            "With a turning radius of %{asked} m the walk would cut corners and leave the walkable ground, so %{used} m is \
             used. Set %{used} m, or choose a route with wider bends.",
            asked = format!("{asked:.2}"),
            used = format!("{used:.2}")
        )
    };
    Ok(Narrowed { warning: (used < asked).then(say), settings: narrow })
}

/// Whether no cell at about the height of `place` is near it.
fn is_off(ground: &Ground, place: DVec3) -> bool {
    let near = [-BESIDE, 0.0, BESIDE];
    let places = near.iter().flat_map(|x| near.iter().map(|z| place + DVec3::new(*x, 0.0, *z)));
    let stands = |corner: DVec3| ground.under(corner).iter().any(|cell| (cell.height - place.y).abs() < 1.5);
    !places.into_iter().any(stands)
}

/// The character of `inputs` walks `path` over the ground with its own clips.
pub(super) fn walk(
    inputs: &Inputs,
    ground: &LevelGround,
    path: &WalkPath,
    settings: &locomotion::Settings,
    progress: &Progress,
) -> Result<Walk, TakeError> {
    let model = &inputs.character.model;
    let (skeleton, roles) = (&model.skeleton, &inputs.roles);
    let mut clips = Cow::Borrowed(&model.clips[..]);
    for take in &inputs.clips.takes {
        clips.to_mut().push(clip::find(inputs, &inputs.clips, &take.name)?.clip.into_owned());
    }
    let height = |place: DVec3| ground.height(place);
    let metres_per_unit = inputs.metres_per_unit;
    let input = locomotion::Input { skeleton, clips: &clips, roles, metres_per_unit, ground: Some(&height) };
    Ok(locomotion::build(&input, path, settings, progress)?)
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
        assert!(notices.len() == 1 && notices[0].to_string().starts_with("The start is 1."), "{notices:?}");
        let sentence = asked(&[inside, away]).unwrap_err().to_string();
        assert!(sentence.starts_with("The goal is 7.0") && sentence.contains("y 0.00"), "{sentence}");
    }
}

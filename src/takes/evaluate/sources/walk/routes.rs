//! The routes through a level, and the character on one of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::graph::with_links;
use super::origin::OnOrigin;
use super::walked_route::WalkedRoute;
use crate::document::Walk as WalkTake;
use crate::evaluate::inputs::Inputs;
use crate::evaluate::sources::clip;
use crate::evaluate::{LevelGraph, LevelGround, LevelRoutes, LinkFit, TakeError, Walked};
use portamento_anim::Clip;
use portamento_base::message::{Message, Tell, message};
use portamento_base::progress::Progress;
use portamento_walk::locomotion::{self, SmoothPath, Walk};
use portamento_walk::navigation::links::Link;
use portamento_walk::navigation::voxels::short_treads;
use portamento_walk::navigation::{
    Ground, OpenGround, RouteSet, RouteSetSettings, RouteVariant, SearchError, SearchGraph, SearchNotice, nearest,
    route_set, stop_name,
};

/// Distance to the ground above which a stop is refused rather than moved, metres. Tuned; no derivation recorded.
const MAX_STOP_DISTANCE_M: f64 = 2.0;

/// Returns routes from the first stop of `walk` through all others to the last. Each stop is moved to the nearest ground; a stop
/// more than two metres away from it is refused. Returns `Err` too if there is no ground, if there are fewer than two
/// stops, if the search graph could not be built, or if the user cancels.
pub(super) fn find_routes(previous: &Walked, walk: &WalkTake, progress: &Progress) -> Result<LevelRoutes, TakeError> {
    let (map, stops) = (&previous.ground.map, walk.waypoints());
    let stops = &stops[..];
    let island = (ISLAND_MAX_AREA_M2 / (map.ground.cell * map.ground.cell)).ceil() as usize;
    let open = OpenGround::find(&map.ground, island);
    // The nearest cell on open ground, else the nearest of all.
    let cell_for = |stop: &DVec3| open.nearest(*stop, MAX_STOP_DISTANCE_M).or_else(|| nearest(&map.ground, *stop));
    let cells: Vec<u32> = stops.iter().filter_map(cell_for).collect();
    if cells.len() < stops.len() {
        return Err(TakeError::NoGround);
    }
    check_stops(&map.ground, stops, &cells)?;
    let mut notices = moved_stops(&map.ground, stops, &cells);
    let (Some(&start), Some(&goal)) = (stops.first(), stops.last()) else {
        return Err(SearchError::TooFewStops.into());
    };
    let missing = || previous.missing.clone().unwrap_or(TakeError::NoGround);
    let level = previous.graph.as_deref().ok_or_else(missing)?;
    notices.extend(level.notices.iter().cloned());
    let mut graph = Cow::Borrowed(&level.search);
    let mut fits = Vec::new();
    let (compared, additional, fits) = loop {
        let through = |settings: &RouteSetSettings| route_set(&graph, &cells, [start, goal], settings, progress);
        let single = |first| through(&RouteSetSettings { first, count: 1, ..walk.routes.clone() });
        let additional: Result<Vec<RouteSet>, _> = walk.seeds_outside_range().map(single).collect();
        let additional: Vec<RouteVariant> = additional?.into_iter().flat_map(|routes| routes.variants).collect();
        let compared = through(&walk.routes)?;
        if level.crosser.is_none() {
            break (compared, additional, BTreeMap::new());
        }
        let used = compared.variants.iter().chain(&additional).flat_map(|variant| &variant.route.crossings);
        let used: BTreeSet<u32> = used.map(|crossing| crossing.link).collect();
        let Some(links) = fitted(level, &graph, &used, &mut fits, progress)? else {
            let of_link = |index: u32| fits.iter().find(|(link, _)| *link == graph.links[index as usize]);
            let fits = used.into_iter().filter_map(|index| Some((index, of_link(index)?.1.clone())));
            break (compared, additional, fits.collect());
        };
        graph = Cow::Owned(with_links(graph.ground.clone(), walk, links)?);
    };
    notices.extend(compared.quickest.notices.iter().map(SearchNotice::message));
    if !compared.quickest.notices.is_empty() {
        notices.extend(short_treads(map));
    }
    let stops = cells.iter().take(walk.stops.len()).map(|&cell| map.ground.position(cell)).collect();
    Ok(LevelRoutes { compared, additional, stops, links: graph.links.clone(), fits, notices })
}

/// Adds the clips of the `used` links to `fits`. If hands or feet do not reach on some, returns the links without those of the
/// same clips on the same edges, to search again. Returns `Err` on a cancel.
fn fitted(
    level: &LevelGraph,
    graph: &SearchGraph,
    used: &BTreeSet<u32>,
    fits: &mut Vec<(Link, LinkFit)>,
    progress: &Progress,
) -> Result<Option<Vec<Link>>, TakeError> {
    let mut refused = BTreeSet::new();
    for index in used {
        let link = &graph.links[*index as usize];
        if fits.iter().any(|(known, _)| known == link) {
            continue;
        }
        match level.fit(link, progress)? {
            Some(fit) => fits.push((link.clone(), fit)),
            None => drop(refused.insert((link.edge, link.clip))),
        }
    }
    let remaining = graph.links.iter().filter(|link| !refused.contains(&(link.edge, link.clip)));
    Ok((!refused.is_empty()).then(|| remaining.cloned().collect()))
}

/// Area of connected ground above which it is not considered an island, m². Tuned; no derivation recorded.
const ISLAND_MAX_AREA_M2: f64 = 1.0;

/// Returns `Err` for the first of `stops` that is too far from its cell. The limit is [`MAX_STOP_DISTANCE_M`], or two cells
/// if they are larger.
fn check_stops(ground: &Ground, stops: &[DVec3], cells: &[u32]) -> Result<(), TakeError> {
    for (index, (stop, cell)) in stops.iter().zip(cells).enumerate() {
        let near = ground.position(*cell);
        let metres = near.distance(*stop);
        // Written so that NaN is refused too.
        let is_near = metres <= MAX_STOP_DISTANCE_M.max(2.0 * ground.cell);
        if !is_near {
            return Err(TakeError::OffGround {
                what: stop_name(index, index + 1 == stops.len()),
                metres,
                ground: near,
            });
        }
    }
    Ok(())
}

/// Returns notices about stops that were moved to the ground.
fn moved_stops(ground: &Ground, stops: &[DVec3], cells: &[u32]) -> Vec<Message> {
    let notice = |(index, (stop, cell)): (usize, (&DVec3, &u32))| {
        let off = ground.position(*cell) - *stop;
        // A route starts and ends exactly at the stop if that lies within the cell.
        let outside_cell = (off.abs().with_y(0.0) - DVec3::splat(0.5 * ground.cell)).max(DVec3::ZERO).length();
        let what = stop_name(index, index + 1 == stops.len());
        let message = || {
            message!(
                "warning.walk.stop_moved",
                "%{what} is %{metres} m from the nearest walkable ground and was moved there.",
                what = what,
                metres = format!("{:.2}", off.length())
            )
        };
        (outside_cell > 0.01).then(message)
    };
    stops.iter().zip(cells).enumerate().filter_map(notice).collect()
}

/// Distance between a stop and the walked path above which it is reported, metres. Tuned; no derivation recorded.
const MISSED_STOP_MIN_M: f64 = 0.25;

/// Returns warnings about intermediate stops that the walked path misses, each at the time of closest approach. `stops` are
/// in metres.
pub(super) fn missed_stops(stops: &[DVec3], walked: &Walk) -> Vec<Message> {
    let flat = |position: DVec3, stop: DVec3| (position - stop).with_y(0.0).length();
    let when = |stop: DVec3| {
        let times = walked.report.frames.iter().map(|frame| frame.time);
        let distance = |time: f64| flat(walked.placement_at(time).at, stop);
        times.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or_default()
    };
    let between = stops.iter().enumerate().skip(1).take(stops.len().saturating_sub(2));
    let warning = |(index, stop): (usize, &DVec3)| {
        let distance = walked.path.points.iter().map(|point| flat(*point, *stop)).fold(f64::INFINITY, f64::min);
        let message = || {
            message!(
                "warning.walk.passed_beside",
                "%{what} is passed at a distance of %{metres} m.",
                what = stop_name(index, false),
                metres = format!("{distance:.2}")
            )
            .at(when(*stop), None)
        };
        (distance > MISSED_STOP_MIN_M && distance.is_finite()).then(message)
    };
    between.filter_map(warning).collect()
}

/// Distance by which the body may leave the cells of a route in a turn, metres. The character's radius keeps it off walls.
const ROUTE_TOLERANCE_M: f64 = 0.1;

/// Settings with a turning radius that keeps the body on the ground.
pub(super) struct Narrowed {
    pub settings: locomotion::Settings,
    /// Warning if the turning radius was reduced.
    pub warning: Option<Message>,
}

/// Reduces the turning radius of `settings` until the body stays on the ground. It is halved, down to 2 cm at least.
/// Returns `Err` if the settings or the path are invalid.
pub(super) fn narrowed(
    level: &LevelGround,
    route: &WalkedRoute,
    settings: &locomotion::Settings,
) -> Result<Narrowed, TakeError> {
    settings.check()?;
    route.path.check()?;
    let ground = &level.map.ground;
    let off = |path: &SmoothPath| path.points.iter().any(|point| is_off(ground, *point));
    // Two laps, so that the corner at the start is checked too.
    let path = if settings.laps > 0 { Cow::Owned(route.path.rounds(2)) } else { Cow::Borrowed(&route.path) };
    let height = |position: DVec3| level.height(position);
    let legs = path.legs(&route.crossings, Some(&height));
    let leaves = |radius: f64| {
        let segments = legs.iter().flatten().flat_map(|leg| leg.segments(settings.corner, radius));
        segments.into_iter().any(|path| off(&path))
    };
    let mut narrow = settings.clone();
    while narrow.turning_radius > 0.02 && leaves(narrow.turning_radius) {
        narrow.turning_radius *= 0.5;
    }
    let [asked, used] = [settings, &narrow].map(|settings| settings.turning_radius);
    let warning = || {
        message!(
            "warning.walk.radius_narrowed",
            "With a turning radius of %{asked} m the walk would leave the walkable ground in turns, so %{used} m is \
             used. Set %{used} m, or choose a route with wider turns.",
            asked = format!("{asked:.2}"),
            used = format!("{used:.2}")
        )
    };
    Ok(Narrowed { warning: (used < asked).then(warning), settings: narrow })
}

/// True if no cell near `position` has a similar height (within 1.5 m).
fn is_off(ground: &Ground, position: DVec3) -> bool {
    let offsets = [-ROUTE_TOLERANCE_M, 0.0, ROUTE_TOLERANCE_M];
    let corners = offsets.iter().flat_map(|x| offsets.iter().map(|z| position + DVec3::new(*x, 0.0, *z)));
    let is_on_ground = |corner: DVec3| ground.under(corner).iter().any(|cell| (cell.height - position.y).abs() < 1.5);
    !corners.into_iter().any(is_on_ground)
}

/// Walks the character of `inputs` along `route` with the clips of its file and the takes used as clips. Moves the character
/// onto the origin first if its file has it elsewhere. Adds warnings for the user to `warnings`. Returns `Err` if it cannot
/// walk.
pub(super) fn walk(
    inputs: &Inputs,
    ground: &LevelGround,
    route: &WalkedRoute,
    settings: &locomotion::Settings,
    warnings: &mut Vec<Message>,
    progress: &Progress,
) -> Result<Walk, TakeError> {
    let model = &inputs.character.model;
    let (skeleton, roles) = (&model.skeleton, &inputs.roles);
    let clips = character_clips(inputs)?;
    let height = |position: DVec3| ground.height(position);
    let metres_per_unit = inputs.metres_per_unit;
    let moved = OnOrigin::find(model, roles, &clips);
    warnings.extend(moved.as_ref().map(|moved| moved.message(metres_per_unit)));
    let (skeleton, clips) = moved.as_ref().map_or((skeleton, &clips[..]), |moved| (&moved.skeleton, &moved.clips[..]));
    let input = locomotion::Input { skeleton, clips, roles, metres_per_unit, ground: Some(&height) };
    Ok(locomotion::build_crossing(&input, &route.path, &route.crossings, settings, progress)?)
}

/// Returns the clips of the character's file and the takes used as clips. Returns `Err` if one cannot be found.
pub(super) fn character_clips(inputs: &Inputs) -> Result<Cow<'_, [Clip]>, TakeError> {
    let mut clips = Cow::Borrowed(&inputs.character.model.clips[..]);
    for take in &inputs.clips.takes {
        clips.to_mut().push(clip::find(inputs, &inputs.clips, &take.name)?.clip.into_owned());
    }
    Ok(clips)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use portamento_anim::geometry::Level;
    use portamento_walk::navigation::voxels::{VoxelSettings, voxelise};

    #[test]
    fn a_stop_far_from_the_ground_is_refused_with_the_nearest_ground() {
        let corners = [Vec3::ZERO, Vec3::Z * 10.0, Vec3::new(10.0, 0.0, 10.0), Vec3::X * 10.0].to_vec();
        let floor = Level::of_mesh("floor", corners, [[0, 1, 2], [0, 2, 3]]);
        let ground = voxelise(&floor, &VoxelSettings::default(), &Progress::new()).unwrap().ground;
        let asked = |stops: &[DVec3]| {
            let cells: Vec<u32> = stops.iter().filter_map(|stop| nearest(&ground, *stop)).collect();
            check_stops(&ground, stops, &cells).map(|()| moved_stops(&ground, stops, &cells))
        };
        let [inside, outside, away] =
            [DVec3::splat(5.0).with_y(0.0), DVec3::new(-0.6, 0.0, 5.0), DVec3::new(5.0, 7.0, 5.0)];
        assert_eq!(asked(&[inside, inside]), Ok(Vec::new()));
        let notices = asked(&[outside, inside]).unwrap();
        assert!(notices.len() == 1 && notices[0].to_string().starts_with("The start is 1."), "{notices:?}");
        let sentence = asked(&[inside, away]).unwrap_err().to_string();
        assert!(sentence.starts_with("The goal is 7.0") && sentence.contains("y 0.00"), "{sentence}");
    }
}

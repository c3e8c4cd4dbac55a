//! What is written of a walk besides its clip: the routes, the ground, the distance curve of the stop.

use crate::document::Walk;
use crate::evaluate::Ways;
use crate::export::route::RouteLine;
use crate::systems::pathing::Blade;

/// The routes of `ways` under the names that `walk` gives them: those that are kept where there are some, else all.
pub fn lines(ways: &Ways, walk: &Walk) -> Vec<RouteLine> {
    let is_wanted = |blade: &&Blade| walk.pins.is_empty() || walk.pin(blade.seed).is_some();
    let line = |Blade { seed, route, .. }: &Blade| RouteLine {
        name: walk.route_name(*seed),
        seed: *seed,
        points: route.points.clone(),
        seconds: route.seconds,
        optimal: route.optimal,
        bound: route.bound,
    };
    ways.blades().filter(is_wanted).map(line).collect()
}

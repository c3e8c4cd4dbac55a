//! The links of a walk in the view: an arc from the start to the landing of each, and the words about the one under the pointer.

use egui::Color32;
use glam::{DVec3, Vec3};

use crate::i18n::{localized, tr_with};
use crate::theme;
use crate::units::Unit;
use crate::viewport::look::{Look, linear};
use portamento_render::{Line, Scene};
use portamento_takes::evaluate::LevelRoutes;
use portamento_walk::crossing::CrossingKind;
use portamento_walk::navigation::links::Link;

/// Largest number of arcs; of more links every n-th is drawn. Tuned; no derivation recorded.
const MAX_ARCS: usize = 2_000;
/// Number of lines of an arc.
const ARC_STEPS: usize = 16;
/// Height of an arc over the edges that it crosses, metres.
const CLEARANCE_M: f64 = 0.15;
/// Smallest height of the middle of an arc over the line between its ends, metres.
const MIN_LIFT_M: f64 = 0.3;
/// Shares of the way within which an edge raises the arc. Beyond them it would be raised without limit.
const EDGE_SHARES: [f64; 2] = [0.15, 0.85];
/// Largest distance between the pointer on the level and an end of a link, metres.
const REACH_M: f64 = 0.3;
/// Opacity of links that the walk does not use.
const OTHER_LINKS_OPACITY: f32 = 0.45;

/// Returns the colour of a kind: none of those of edges.
pub fn color(kind: CrossingKind) -> Color32 {
    theme::category(match kind {
        CrossingKind::Vault => 0,
        CrossingKind::Mantle => 1,
        CrossingKind::HopUp => 3,
        CrossingKind::JumpAcross => 4,
        CrossingKind::DropDown => 6,
    })
}

/// Returns the kinds of `links` in the order of [`CrossingKind::ALL`].
pub fn kinds(links: &[Link]) -> impl Iterator<Item = CrossingKind> {
    CrossingKind::ALL.into_iter().filter(|kind| links.iter().any(|link| link.obstacle.kind == *kind))
}

/// Adds the arcs of the links. Those on the route of `seed` are wide.
pub fn draw(scene: &mut Scene, routes: &LevelRoutes, seed: u64, look: &Look) {
    let used: Vec<u32> = routes
        .of_seed(seed)
        .iter()
        .flat_map(|variant| variant.route.crossings.iter().map(|crossing| crossing.link))
        .collect();
    let every = routes.links.len().div_ceil(MAX_ARCS).max(1);
    for (index, link) in routes.links.iter().enumerate() {
        let is_used = used.contains(&(index as u32));
        if !is_used && index % every != 0 {
            continue;
        }
        let points: Vec<Vec3> = arc(link).map(|at| (at / look.metres).as_vec3()).collect();
        let [r, g, b, _] = linear(color(link.obstacle.kind));
        let (opacity, width) = if is_used { (1.0, 3.0) } else { (OTHER_LINKS_OPACITY, 1.5) };
        let colors = vec![[r, g, b, opacity]; points.len()];
        scene.lines.push(Line { points, colors, width: width * look.pixels_per_point, on_top: is_used });
    }
}

/// Returns the points of the arc of a link, metres: from its start over its edges to its landing.
fn arc(link: &Link) -> impl Iterator<Item = DVec3> {
    let obstacle = link.obstacle;
    let (start, landing) = (obstacle.start, obstacle.landing);
    let straight = move |share: f64| start.lerp(landing, share);
    let length = (landing - start).with_y(0.0).length();
    let lift = |edge: DVec3| {
        let share = (edge - start).with_y(0.0).length() / length.max(1e-6);
        let share = share.clamp(EDGE_SHARES[0], EDGE_SHARES[1]);
        (edge.y + CLEARANCE_M - straight(share).y) / (4.0 * share * (1.0 - share))
    };
    let lift = obstacle.passed().into_iter().flatten().map(lift).fold(MIN_LIFT_M, f64::max);
    (0..=ARC_STEPS).map(move |step| {
        let share = step as f64 / ARC_STEPS as f64;
        straight(share) + DVec3::Y * (4.0 * share * (1.0 - share) * lift)
    })
}

/// Returns kind and time of the link with an end nearest to a point on the level, metres; `None` if none is near.
pub fn words(routes: &LevelRoutes, at: DVec3) -> Option<String> {
    let distance = |link: &Link| link.obstacle.start.distance(at).min(link.obstacle.landing.distance(at));
    let near = routes.links.iter().map(|link| (distance(link), link)).filter(|(distance, _)| *distance < REACH_M);
    let (_, link) = near.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let kind = localized(&link.obstacle.kind.message());
    Some(tr_with("level.link", &[("kind", kind), ("time", Unit::Seconds.text(link.seconds, 2))]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_walk::crossing::Obstacle;

    #[test]
    fn an_arc_leads_over_both_edges_from_the_start_to_the_landing() {
        let edge = |z: f64| [DVec3::new(-1.0, 1.0, z), DVec3::new(1.0, 1.0, z)];
        let (start, landing) = (DVec3::new(0.0, 0.0, -2.0), DVec3::new(0.0, -0.5, 1.5));
        let obstacle = Obstacle { kind: CrossingKind::Vault, near: edge(0.0), far: Some(edge(0.4)), start, landing };
        let link = Link { clip: 0, edge: 0, obstacle, from: 0, to: 1, seconds: 1.5 };
        let points: Vec<DVec3> = arc(&link).collect();
        assert!(points[0].distance(start) < 1e-12 && points[ARC_STEPS].distance(landing) < 1e-12);
        let over = points.iter().filter(|point| (-0.1..=0.5).contains(&point.z));
        assert!(over.clone().count() > 1 && over.clone().all(|point| point.y > 1.05), "{points:?}");
        assert!(points.iter().all(|point| point.y < 2.0), "{points:?}");
    }
}

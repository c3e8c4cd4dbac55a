//! The choice between clips that fit the same position of an edge.

use glam::DVec3;
use rayon::prelude::*;

use super::{LINK_SPACING_M, Link};
use crate::crossing::{CrossingKind, FitCost};

/// Changes of clips that differ by less count as equal: as a factor, and as a fraction of a clip.
const NEARLY_EQUAL: (f64, f64) = (1.1, 0.02);

/// Returns the `links` whose clip can do them, with the times that `cost` returns. Of the links of one kind at one position of an
/// edge, those remain whose clip changes least; a varied search chooses among near equals.
pub fn cheapest(links: Vec<Link>, cost: impl Fn(&Link) -> Option<FitCost> + Sync) -> Vec<Link> {
    let costed = |link: Link| {
        let FitCost { seconds, change } = cost(&link)?;
        Some((Link { seconds, ..link }, change))
    };
    let mut links: Vec<(Link, f64)> = links.into_par_iter().filter_map(costed).collect();
    links.sort_by_key(|(link, _)| position(link));
    let least = |group: &[(Link, f64)]| group.iter().map(|(_, change)| *change).fold(f64::INFINITY, f64::min);
    let retained = |group: &[(Link, f64)]| {
        let most = least(group) * NEARLY_EQUAL.0 + NEARLY_EQUAL.1;
        group.iter().filter(|(_, change)| *change <= most).map(|(link, _)| link.clone()).collect::<Vec<_>>()
    };
    links.chunk_by(|(a, _), (b, _)| position(a) == position(b)).flat_map(retained).collect()
}

/// Returns the edge, the kind and the position of a link along its edge, in steps between links.
fn position(link: &Link) -> (usize, CrossingKind, i64) {
    let [from, to] = link.obstacle.near.map(|end| end.with_y(0.0));
    let along = (link.obstacle.start.with_y(0.0) - from).dot((to - from).try_normalize().unwrap_or(DVec3::ZERO));
    (link.edge, link.obstacle.kind, (2.0 * along / LINK_SPACING_M).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crossing::Obstacle;

    fn link(clip: usize, kind: CrossingKind, x: f64) -> Link {
        let near = [DVec3::ZERO, DVec3::X * 4.0];
        let [start, landing] = [-2.0, 2.0].map(|z| DVec3::new(x, 0.0, z));
        let obstacle = Obstacle { kind, near, far: None, start, landing };
        Link { clip, edge: 0, obstacle, from: 0, to: 1, seconds: 9.0 }
    }

    #[test]
    fn the_clip_that_changes_least_is_chosen_at_each_position_with_its_near_equals() {
        let (vault, mantle) = (CrossingKind::Vault, CrossingKind::Mantle);
        let links = [0, 1, 2, 3].into_iter().flat_map(|clip| [link(clip, vault, 1.0), link(clip, vault, 1.5)]);
        let links: Vec<Link> = links.chain([link(1, mantle, 1.0)]).collect();
        // Clip 2 cannot do it; clip 3 is as cheap as clip 0, clip 1 is not.
        let cost = |link: &Link| {
            let change = [0.2, 0.6, f64::NAN, 0.21][link.clip];
            (link.clip != 2).then_some(FitCost { seconds: 1.0 + link.clip as f64, change })
        };
        let kept = cheapest(links, cost);
        let clips: Vec<(usize, CrossingKind)> = kept.iter().map(|link| (link.clip, link.obstacle.kind)).collect();
        assert_eq!(clips, [(0, vault), (3, vault), (0, vault), (3, vault), (1, mantle)]);
        assert!(kept.iter().all(|link| link.seconds == 1.0 + link.clip as f64));
    }
}

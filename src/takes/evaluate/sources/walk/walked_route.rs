//! A route as the path of a walk, with the clips on its crossings.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::evaluate::LinkFit;
use portamento_walk::locomotion::{PathCrossing, WalkPath};
use portamento_walk::navigation::{Ground, NearestOf, Route};

/// The path along a route, and its crossings.
pub(super) struct WalkedRoute {
    pub path: WalkPath,
    pub crossings: Vec<PathCrossing>,
}

impl WalkedRoute {
    /// Returns `route` as a walk path: points at most a cell apart except across links, each with the speed limit of the ground
    /// there. Speed limits are fractions of the full speed. `None` if a link has none of `fits`.
    pub fn new(ground: &Ground, route: &Route, fits: Option<&BTreeMap<u32, LinkFit>>) -> Option<Self> {
        let mut points: Vec<DVec3> = route.points.first().copied().into_iter().collect();
        let mut crossings = Vec::new();
        let mut links = route.crossings.iter().peekable();
        for (index, ends) in route.points.windows(2).enumerate() {
            if let Some(crossing) = links.next_if(|crossing| crossing.point == index) {
                let fit = fits?.get(&crossing.link)?;
                let (name, fitted) = (fit.clip.clone(), fit.fitted.clone());
                crossings.push(PathCrossing { point: points.len() - 1, name, fitted });
                points.push(ends[1]);
                continue;
            }
            let count = (ends[0].distance(ends[1]) / ground.cell).ceil().max(1.0) as usize;
            points.extend((1..=count).map(|step| ends[0].lerp(ends[1], step as f64 / count as f64)));
        }
        let rise = |index: usize| points[(index + 1).min(points.len() - 1)].y - points[index.saturating_sub(1)].y;
        let of_route = NearestOf::new(ground, &route.cells);
        let limit = |(index, point): (usize, &DVec3)| {
            of_route.at(*point).map_or(1.0, |cell| ground.cells[cell as usize].speed(rise(index)))
        };
        let speed_limits = points.iter().enumerate().map(limit).collect();
        Some(Self { path: WalkPath { points, speed_limits }, crossings })
    }
}

//! Painted areas: all ground within a radius of brush strokes.

use crate::navigation::voxels::{AreaStroke, Effect, Volume, VolumeShape};

/// Adds `stroke` to the first area painted with `effect`. Without one it adds an area called `name`.
pub fn paint(volumes: &mut Vec<Volume>, stroke: AreaStroke, effect: Effect, name: &str) {
    for volume in volumes.iter_mut().filter(|volume| volume.effect == effect) {
        if let VolumeShape::Painted { strokes } = &mut volume.shape {
            return strokes.push(stroke);
        }
    }
    volumes.push(Volume { name: name.into(), shape: VolumeShape::Painted { strokes: vec![stroke] }, effect });
}

/// Removes all painted points under `eraser`; a stroke is split where points are removed. An area without points left is
/// removed.
pub fn erase(volumes: &mut Vec<Volume>, eraser: &AreaStroke) {
    volumes.retain_mut(|volume| {
        let VolumeShape::Painted { strokes } = &mut volume.shape else { return true };
        *strokes = strokes.iter().flat_map(|stroke| remaining(stroke, eraser)).collect();
        !strokes.is_empty()
    });
}
/// Returns the pieces of `stroke` that `eraser` does not cover.
fn remaining(stroke: &AreaStroke, eraser: &AreaStroke) -> Vec<AreaStroke> {
    let runs = stroke.points.split(|&point| eraser.contains(point)).filter(|run| !run.is_empty());
    runs.map(|run| AreaStroke { points: run.to_vec(), radius: stroke.radius }).collect()
}

/// Volumes with their bounding rectangles, for fast rejection.
pub(crate) struct Rules<'a>(Vec<([[f64; 2]; 2], &'a Volume)>);

impl<'a> Rules<'a> {
    pub(crate) fn new(volumes: &'a [Volume]) -> Self {
        Self(volumes.iter().map(|volume| (volume.shape.rectangle(), volume)).collect())
    }

    /// Returns the effects of the volumes that contain a point (metres).
    pub(crate) fn at(&self, [x, y, z]: [f64; 3]) -> impl Iterator<Item = Effect> + '_ {
        let contains = move |([low, high], volume): &&([[f64; 2]; 2], &Volume)| {
            low[0] <= x && x <= high[0] && low[1] <= z && z <= high[1] && volume.shape.contains([x, y, z])
        };
        self.0.iter().filter(contains).map(|(_, volume)| volume.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[[f64; 3]]) -> AreaStroke {
        AreaStroke { points: points.to_vec(), radius: 0.5 }
    }

    #[test]
    fn a_stroke_contains_points_near_its_line_on_its_own_floor() {
        let stroke = line(&[[0.0, 0.0, 0.0], [4.0, 2.0, 0.0]]);
        let inside = [[2.0, 1.0, 0.5], [-0.5, 0.0, 0.0], [4.3, 2.9, 0.3]];
        let outside = [[2.0, 1.0, 0.51], [2.0, 2.1, 0.0], [-0.4, 0.0, 0.4], [2.0, -1.0, 0.0]];
        assert!(inside.into_iter().all(|at| stroke.contains(at)) && !outside.into_iter().any(|at| stroke.contains(at)));
        assert!(line(&[[1.0; 3]]).contains([1.3, 1.0, 1.3]) && !line(&[]).contains([0.0; 3]));
    }

    #[test]
    fn strokes_of_one_rule_are_one_area_and_the_eraser_cuts_them() {
        let mut volumes = Vec::new();
        let points: Vec<[f64; 3]> = (0..=10).map(|i| [f64::from(i) * 0.2, 0.0, 0.0]).collect();
        paint(&mut volumes, line(&points), Effect::Blocked, "shut");
        paint(&mut volumes, line(&points), Effect::Speed(0.5), "slow");
        paint(&mut volumes, line(&points[..1]), Effect::Blocked, "again");
        assert_eq!(volumes.iter().map(|volume| volume.name.as_str()).collect::<Vec<_>>(), ["shut", "slow"]);
        erase(&mut volumes, &AreaStroke { points: vec![[1.0, 0.0, 0.0]], radius: 0.25 });
        let VolumeShape::Painted { strokes } = &volumes[1].shape else { panic!("painted") };
        assert_eq!(strokes.iter().map(|stroke| stroke.points.len()).collect::<Vec<_>>(), [4, 4]);
        erase(&mut volumes, &AreaStroke { points: points.clone(), radius: 9.0 });
        assert!(volumes.is_empty());
    }

    #[test]
    fn rules_return_the_effects_of_their_volumes() {
        let mut volumes = vec![Volume {
            name: "pit".into(),
            shape: VolumeShape::Box { low: [0.0; 3], high: [1.0; 3] },
            effect: Effect::Blocked,
        }];
        paint(&mut volumes, line(&[[0.0; 3], [2.0, 0.0, 2.0]]), Effect::Speed(0.5), "slow");
        let rules = Rules::new(&volumes);
        for i in 0..1000 {
            let at = [f64::from(i % 10) * 0.3, f64::from(i / 100) * 0.2, f64::from(i / 10 % 10) * 0.3];
            let plain: Vec<Effect> =
                volumes.iter().filter(|volume| volume.shape.contains(at)).map(|volume| volume.effect).collect();
            assert_eq!(rules.at(at).collect::<Vec<_>>(), plain, "{at:?}");
        }
    }
}

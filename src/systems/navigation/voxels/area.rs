//! Ground that is painted: all within a radius of lines that were drawn over it.

use super::{AreaStroke, Effect, Volume, VolumeShape};

/// Adds `stroke` to what is painted with `effect`, under `name` where nothing is yet.
pub fn paint(volumes: &mut Vec<Volume>, stroke: AreaStroke, effect: Effect, name: &str) {
    for volume in volumes.iter_mut().filter(|volume| volume.effect == effect) {
        if let VolumeShape::Painted { strokes } = &mut volume.shape {
            return strokes.push(stroke);
        }
    }
    volumes.push(Volume { name: name.into(), shape: VolumeShape::Painted { strokes: vec![stroke] }, effect });
}

/// Takes what `eraser` passes over out of everything painted: strokes lose those of their places, and fall into pieces there.
pub fn erase(volumes: &mut Vec<Volume>, eraser: &AreaStroke) {
    volumes.retain_mut(|volume| {
        let VolumeShape::Painted { strokes } = &mut volume.shape else { return true };
        *strokes = strokes.iter().flat_map(|stroke| left_of(stroke, eraser)).collect();
        !strokes.is_empty()
    });
}

fn left_of(stroke: &AreaStroke, eraser: &AreaStroke) -> Vec<AreaStroke> {
    let runs = stroke.points.split(|&point| eraser.contains(point)).filter(|run| !run.is_empty());
    runs.map(|run| AreaStroke { points: run.to_vec(), radius: stroke.radius }).collect()
}

/// Volumes beside the rectangle that each lies in, so that most are passed over quickly.
pub(super) struct Rules<'a>(Vec<([[f64; 2]; 2], &'a Volume)>);

impl<'a> Rules<'a> {
    pub(super) fn new(volumes: &'a [Volume]) -> Self {
        Self(volumes.iter().map(|volume| (volume.shape.rectangle(), volume)).collect())
    }

    /// What volumes around a place, metres, say.
    pub(super) fn at(&self, [x, y, z]: [f64; 3]) -> impl Iterator<Item = Effect> + '_ {
        let holds = move |([low, high], volume): &&([[f64; 2]; 2], &Volume)| {
            low[0] <= x && x <= high[0] && low[1] <= z && z <= high[1] && volume.shape.contains([x, y, z])
        };
        self.0.iter().filter(holds).map(|(_, volume)| volume.effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[[f64; 3]]) -> AreaStroke {
        AreaStroke { points: points.to_vec(), radius: 0.5 }
    }

    #[test]
    fn a_stroke_holds_what_is_near_its_line_on_its_own_floor() {
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
    fn rules_say_what_their_volumes_say() {
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

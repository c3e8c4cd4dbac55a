//! Per-joint transition times, like Unreal's blend profiles: fingers before arms, or a tail after the rest.

use super::settings::{BlendTime, LayerSettings};
use crate::{BuildError, Scenario};
use portamento_anim::Skeleton;
use portamento_base::message::message;

/// Joints grouped by the factor on their transition times.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimeGroups {
    /// The distinct factors; the first one is 1.
    pub factors: Vec<f64>,
    /// Index of the factor per joint.
    pub of_joint: Vec<usize>,
}

impl TimeGroups {
    /// Returns the groups of `settings`. Returns `Err` if a joint does not exist or a factor is out of range. A joint without
    /// an entry inherits the factor of its parent.
    pub fn new(skeleton: &Skeleton, settings: &LayerSettings) -> Result<Self, BuildError> {
        let mut groups = Self { factors: vec![1.0], of_joint: Vec::with_capacity(skeleton.len()) };
        let mut explicit = vec![None; skeleton.len()];
        for time in &settings.blend_times {
            let BlendTime { joint, factor } = time;
            if !(0.0..=BlendTime::MAX_FACTOR).contains(factor) {
                let what = message!("setting.layer.blend_time", "factor on the transition time (0 to 10)");
                return Err(BuildError::BadNumber { node: joint.clone(), what, value: *factor });
            }
            let index = skeleton.find(joint).ok_or_else(|| BuildError::NoSuchJoint { joint: joint.clone() })?;
            let known = groups.factors.iter().position(|known| known == factor);
            explicit[index] = Some(known.unwrap_or_else(|| {
                groups.factors.push(*factor);
                groups.factors.len() - 1
            }));
        }
        for (joint, row) in skeleton.joints.iter().enumerate() {
            let inherited = row.parent.map_or(0, |parent| groups.of_joint[parent]);
            groups.of_joint.push(explicit[joint].unwrap_or(inherited));
        }
        Ok(groups)
    }

    /// Returns one scenario per factor, with its transition times scaled.
    pub fn scenarios(&self, scenario: &Scenario) -> Vec<Scenario> {
        let scaled = |&factor: &f64| {
            let mut scaled = scenario.clone();
            scaled.events.iter_mut().for_each(|event| event.trans_time *= factor);
            scaled
        };
        self.factors.iter().map(scaled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portamento_test_support::skeleton_of;

    #[test]
    fn a_joint_inherits_the_factor_of_its_nearest_ancestor() {
        let skeleton = skeleton_of(&[("hips", None), ("arm", Some(0)), ("hand", Some(1)), ("leg", Some(0))]);
        let time = |joint: &str, factor: f64| BlendTime { joint: joint.into(), factor };
        let of = |blend_times: Vec<BlendTime>| {
            TimeGroups::new(&skeleton, &LayerSettings { blend_times, ..LayerSettings::default() })
        };
        let groups = of(vec![time("hand", 0.25), time("arm", 0.5), time("leg", 0.25)]).unwrap();
        let factors: Vec<f64> = groups.of_joint.iter().map(|&group| groups.factors[group]).collect();
        assert_eq!((factors, groups.factors.len()), (vec![1.0, 0.5, 0.25, 0.25], 3));
        let refused = |times: Vec<BlendTime>| of(times).unwrap_err().to_string();
        assert!(refused(vec![time("wing", 0.5)]).contains("wing"));
        assert!(
            refused(vec![time("arm", f64::NAN)]).contains("arm") && refused(vec![time("arm", -1.0)]).contains("-1")
        );
    }
}

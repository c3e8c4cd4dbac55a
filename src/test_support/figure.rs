//! Characters of files as clips are measured on them.

use glam::Vec3;
use portamento_anim::curve::Animated;
use portamento_anim::foot_shape::{SolePart, soles};
use portamento_anim::quality::{Finding, Input, Quality, quality};
use portamento_anim::{Clip, Curve, Model, Rig, Roles, RootMotion};
use portamento_base::progress::Progress;
use portamento_formats::import::import;

use super::character;

/// A character of a file, as clips are measured and mended on it.
pub struct Figure {
    /// The character.
    pub model: Model,
    /// Its roles, found from the whole model.
    pub roles: Roles,
    /// The soles of its feet.
    pub soles: Vec<Vec<SolePart>>,
    /// Metres of a unit of the file.
    pub metres_per_unit: f64,
}

impl Figure {
    /// Opens `hero` or a file of the corpus; `None` where the corpus is absent.
    pub fn open(name: &str) -> Option<Self> {
        let imported = import(&character(name)?).unwrap();
        let roles = Rig::of_model(&imported.model).roles;
        let soles = soles(&imported.model, &roles.legs);
        Some(Self { model: imported.model, roles, soles, metres_per_unit: imported.metres_per_unit })
    }

    /// The joint of that name.
    pub fn joint(&self, name: &str) -> usize {
        self.model.skeleton.joints.iter().position(|joint| joint.name == name).unwrap()
    }

    /// Measures `clip`.
    pub fn quality(&self, clip: &Clip) -> Quality {
        let (skeleton, roles) = (&self.model.skeleton, &self.roles);
        let input = Input { skeleton, clip, roles, soles: &self.soles, metres_per_unit: self.metres_per_unit };
        quality(&input, &Progress::new()).unwrap().unwrap()
    }

    /// Moves every key of the joint that carries the body by what `by` gives for its time.
    pub fn move_body(&self, clip: &mut Clip, by: impl Fn(f32) -> Vec3) {
        let root = RootMotion::find(&self.model.skeleton, clip, &self.roles).unwrap().joint;
        let rest = self.model.skeleton.joints[root].rest.translation;
        let (end, curve) = (clip.duration as f32, &mut clip.tracks[root].translation);
        let curve = curve.get_or_insert_with(|| Curve::linear(vec![0.0, end], vec![rest, rest]));
        for (time, value) in curve.times.iter().zip(&mut curve.values) {
            *value += by(*time);
        }
    }

    /// The findings that `damage` adds to a clip.
    pub fn found(&self, clip: &str, damage: impl Fn(&mut Clip)) -> Vec<Finding> {
        let sound = self.model.clip(clip).unwrap();
        let mut damaged = sound.clone();
        damage(&mut damaged);
        let before = self.quality(sound).findings;
        self.quality(&damaged).findings.into_iter().filter(|finding| !before.contains(finding)).collect()
    }
}

/// `clip` without what comes after `end` seconds, with a key there in each curve.
pub fn cut(clip: &Clip, end: f64) -> Clip {
    fn curve<T: Animated>(curve: &mut Curve<T>, end: f64) {
        let Some(last) = curve.sample(end) else { return };
        let count = curve.times.iter().take_while(|time| f64::from(**time) < end).count();
        curve.times.truncate(count);
        curve.values.truncate(count);
        curve.times.push(end as f32);
        curve.values.push(last);
    }
    let mut clip = clip.clone();
    clip.duration = end;
    for tracks in &mut clip.tracks {
        tracks.translation.iter_mut().for_each(|found| curve(found, end));
        tracks.rotation.iter_mut().for_each(|found| curve(found, end));
        tracks.scale.iter_mut().for_each(|found| curve(found, end));
    }
    clip
}

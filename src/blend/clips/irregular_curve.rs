//! Curves of a clip that are sampled individually.

use glam::Vec3;

use super::soa_transform::{SoaTransform, WIDTH, set_lane};
use portamento_anim::{Curve, JointTracks};

/// Identifies a curve that does not share the clip's key times.
#[derive(Clone, Copy, Debug)]
pub(super) struct IrregularCurve {
    pub joint: usize,
    pub channel: Channel,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Channel {
    Translation,
    Rotation,
    Scale,
}

impl IrregularCurve {
    /// Writes the joint's channel at `time` (seconds). `tracks` are the tracks of that joint. Times outside the keys are
    /// clamped. Writes nothing if the joint has no such curve.
    pub fn sample(&self, tracks: &JointTracks, time: f64, out: &mut [SoaTransform]) {
        let (out, lane) = (&mut out[self.joint / WIDTH], self.joint % WIDTH);
        let vector = |curve: &Option<Curve<Vec3>>| curve.as_ref().and_then(|curve| curve.sample(time));
        match self.channel {
            Channel::Translation => {
                vector(&tracks.translation)
                    .iter()
                    .for_each(|value| set_lane(&mut out.translation, lane, value.to_array()));
            }
            Channel::Rotation => {
                let rotation = tracks.rotation.as_ref().and_then(|curve| curve.sample(time));
                rotation.iter().for_each(|value| set_lane(&mut out.rotation, lane, value.to_array()));
            }
            Channel::Scale => {
                vector(&tracks.scale).iter().for_each(|value| set_lane(&mut out.scale, lane, value.to_array()));
            }
        }
    }
}

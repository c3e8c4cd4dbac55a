//! The stages that bring one clip to its contract.

use portamento_anim::Tolerance;
use portamento_repair::{cleanup, close, offset, stride};
use portamento_stretch::retime;
use portamento_stretch::root::{self, RootTravel};
use portamento_takes::document::StageKind;
use portamento_takes::document::stage::Align;

/// Stages that bring one clip to its contract, at most one of each kind, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// True to repair jumps.
    pub pops: bool,
    /// The owner of the travel.
    pub travel: Option<RootTravel>,
    /// True to put feet and body on the ground.
    pub ground: bool,
    /// The seam of the loop.
    pub close: Option<close::Settings>,
    /// Length, seconds.
    pub length: Option<f64>,
    /// Factor of the strides.
    pub stride: Option<f64>,
    /// Moment of the loop with which it starts, as a fraction of its length.
    pub offset: Option<f64>,
    /// Poses at both ends.
    pub align: Option<Align>,
    /// Keys per second.
    pub rate: Option<f64>,
    /// True to remove keys that are not needed.
    pub reduce: bool,
}

impl Plan {
    /// Returns the stages. `seconds` is the length of the clip.
    pub fn kinds(&self, seconds: f64) -> Vec<StageKind> {
        let none = cleanup::Settings { pops: false, jitter: false, rotations: false, ..cleanup::Settings::default() };
        let mut kinds = Vec::new();
        let mut add = |is_wanted: bool, kind: &dyn Fn() -> StageKind| {
            if is_wanted {
                kinds.push(kind());
            }
        };
        add(self.pops, &|| StageKind::Cleanup(Box::new(cleanup::Settings { pops: true, rotations: true, ..none })));
        if let Some(travel) = self.travel {
            let evened = seconds.min(root::Settings::MAX_SMOOTHING_SECONDS);
            add(true, &|| StageKind::Root(Box::new(root::Settings { travel, heading: false, evened })));
        }
        add(self.ground, &|| StageKind::Ground(Box::default()));
        if let Some(close) = &self.close {
            add(true, &|| StageKind::Close(Box::new(close.clone())));
        }
        if self.length.is_some() {
            let retime = retime::Settings { length: self.length, ..retime::Settings::default() };
            add(true, &|| StageKind::Retime(Box::new(retime.clone())));
        }
        if let Some(scale) = self.stride {
            add(true, &|| StageKind::Stride(Box::new(stride::Settings { scale })));
        }
        if let Some(offset) = self.offset {
            add(true, &|| StageKind::Offset(Box::new(offset::Settings { offset })));
        }
        if let Some(align) = &self.align {
            add(true, &|| StageKind::Align(Box::new(align.clone())));
        }
        let reduce = self.reduce.then(Tolerance::default);
        let keys = cleanup::Settings { rate: self.rate, reduce, ..none };
        add(self.rate.is_some() || self.reduce, &|| StageKind::Cleanup(Box::new(keys)));
        kinds
    }
}

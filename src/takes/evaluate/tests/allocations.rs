//! Playback allocates nothing.

use super::*;
use crate::evaluate::frame::{FrameBuffers, next_frame};
use portamento_test_support::allocations::allocations;

#[test]
fn a_played_frame_of_joints_allocates_nothing() {
    let mut workshop = Workshop::new();
    for stages in [vec![], vec![to(DVec3::Z * 5.0)], vec![looped(0, 4)], vec![swinging(false)]] {
        let what = format!("{stages:?}");
        let built = workshop.build(&take(clip(HERO, "go"), stages)).unwrap();
        let overlay = built.overlay(None);
        let mut buffers = FrameBuffers::from(frame_at(&built, &overlay, 0.0));
        for step in 1..=120 {
            let mut frame = None;
            let count = allocations(|| {
                let buffers = std::mem::take(&mut buffers);
                frame = Some(next_frame(buffers, &built, &overlay, f64::from(step) / 60.0));
            });
            let frame = frame.unwrap();
            assert_eq!((count, frame.world.len()), (0, built.character.model.skeleton.len()), "{what} {step}");
            buffers = frame.into();
        }
    }
}

//! How a blend node makes a block of joints. Its weights never change while it plays, so the shares are worked out once.

use super::block::{Block, Lanes, WIDTH};
use super::mix::{self, mean};
use super::rig::Layer;

/// A child's part in a block.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    pub layer: usize,
    /// W·BW of each joint, or its share of their sum.
    pub weights: Lanes,
}

/// What a block is made of.
#[derive(Clone, Debug)]
pub(super) enum Recipe {
    /// Nobody speaks for it: the rest pose.
    Rest,
    /// One layer, untouched.
    Only(usize),
    /// The second of two over the first, by its share.
    Pair(usize, Voice),
    /// The mean of three or more, by their shares.
    Mean(Vec<Voice>),
    /// Not the same children in every lane, or one of them about to leave: joint after joint, by weight.
    Each(Vec<Voice>),
}

impl Recipe {
    /// The recipe of a block from all that may speak for it.
    pub fn of(voices: Vec<Voice>) -> Self {
        let everywhere = |voice: &Voice| voice.weights.iter().all(|&weight| weight > 0.0);
        let somewhere = |voice: &Voice| voice.weights.iter().any(|&weight| weight > 0.0);
        let mut heard: Vec<Voice> = voices.into_iter().filter(somewhere).collect();
        let hands_over = |lane: usize| mix::hands_over(heard.iter().map(|voice| voice.weights[lane]));
        if !heard.iter().all(everywhere) || heard.len() > 2 && (0..WIDTH).any(hands_over) {
            return Self::Each(heard);
        }
        match &heard[..] {
            [] => Self::Rest,
            [only] => Self::Only(only.layer),
            [first, second] => {
                let share = |lane: usize| second.weights[lane] / (first.weights[lane] + second.weights[lane]);
                let weights: Lanes = std::array::from_fn(share);
                // A share that rounds to all or nothing has to be exactly that.
                if weights.iter().all(|&share| share < 1.0) {
                    Self::Pair(first.layer, Voice { layer: second.layer, weights })
                } else {
                    Self::Each(heard)
                }
            }
            _ => {
                let sums: Lanes = std::array::from_fn(|lane| heard.iter().map(|voice| voice.weights[lane]).sum());
                heard.iter_mut().for_each(|voice| (0..WIDTH).for_each(|lane| voice.weights[lane] /= sums[lane]));
                Self::Mean(heard)
            }
        }
    }

    /// Makes block `b` from the layers that are `done`.
    pub fn make(&self, done: &[Layer], b: usize, rest: &Block, out: &mut Block) {
        match self {
            Self::Rest => *out = *rest,
            Self::Only(layer) => *out = done[*layer].blocks[b],
            Self::Pair(first, second) => {
                mix::mix_blocks(&done[*first].blocks[b], &done[second.layer].blocks[b], &second.weights, out);
            }
            Self::Mean(voices) => {
                mix::mean_of_blocks(
                    voices.iter().map(|voice| (&done[voice.layer].blocks[b], &voice.weights)),
                    rest,
                    out,
                );
            }
            Self::Each(voices) => {
                for lane in 0..WIDTH {
                    let parts = voices.iter().map(|voice| (done[voice.layer].blocks[b].get(lane), voice.weights[lane]));
                    let rest = rest.get(lane);
                    out.set(lane, mean(parts, rest.rotation).map_or(rest, |mean| mean.0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use glam::{Quat, Vec3};

    fn layer(seed: f32) -> Layer {
        let local = |lane: usize| Transform {
            translation: Vec3::new(seed, lane as f32, seed * lane as f32),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, seed * 2.1, lane as f32, seed * lane as f32),
            scale: Vec3::new(1.0 + 0.1 * seed, 1.0, 0.3 * lane as f32),
        };
        Layer { blocks: Block::of((0..WIDTH).map(local)), ..Layer::default() }
    }

    fn made(recipe: &Recipe, done: &[Layer], rest: &Block) -> Block {
        let mut out = *rest;
        recipe.make(done, 0, rest, &mut out);
        out
    }

    #[test]
    fn eight_joints_at_once_are_the_same_bits_as_one_by_one() {
        let (done, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        for heard in 0..16_u32 {
            let weight =
                |i: usize, lane: usize| if heard >> i & 1 == 1 { 1.0 + 0.1 * (i * 3 + lane) as f32 } else { 0.0 };
            let voice = |i: usize| Voice { layer: i, weights: std::array::from_fn(|lane| weight(i, lane)) };
            let recipe = Recipe::of((0..4).map(voice).collect());
            assert!(!matches!(recipe, Recipe::Each(_)), "{heard}");
            let one_by_one = Recipe::Each((0..4).map(voice).collect());
            assert_eq!(made(&recipe, &done, &rest), made(&one_by_one, &done, &rest), "{heard}");
        }
    }

    #[test]
    fn lanes_of_different_children_are_made_one_by_one_and_only_children_stay_as_they_are() {
        let (done, rest) = ([0.3, 1.1].map(layer), layer(9.0).blocks[0]);
        let voice =
            |i: usize| Voice { layer: i, weights: std::array::from_fn(|lane| f32::from(u8::from(lane % 2 == i))) };
        let block = made(&Recipe::of(vec![voice(0), voice(1)]), &done, &rest);
        assert!((0..WIDTH).all(|lane| block.get(lane) == done[lane % 2].blocks[0].get(lane)));
    }

    #[test]
    fn turns_that_cancel_leave_the_rest_pose() {
        let third = |turn: Quat| {
            let local = Transform { rotation: turn, ..Transform::IDENTITY };
            Layer { blocks: Block::of((0..WIDTH).map(|_| local)), ..Layer::default() }
        };
        // Half turns lie on the rim of every hemisphere of the rest pose: their signs stay as they are.
        let done = [third(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)), third(Quat::from_xyzw(-1.0, 0.0, 0.0, 0.0))];
        let voices = [(0, 0.5), (1, 0.25), (1, 0.25)].map(|(layer, weight)| Voice { layer, weights: [weight; WIDTH] });
        let rest = Block::of((0..WIDTH).map(|_| Transform::IDENTITY))[0];
        assert_eq!(made(&Recipe::of(voices.to_vec()), &done, &rest).rotation, rest.rotation);
    }
}

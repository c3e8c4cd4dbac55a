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

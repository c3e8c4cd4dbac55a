//! How a blend node makes a block of joints. Its weights never change while it plays, so the shares are worked out once.

use glam::Vec4;

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
    fn make(&self, done: &[Layer], b: usize, rest: &Block) -> Block {
        match self {
            Self::Rest => *rest,
            Self::Only(layer) => done[*layer].blocks[b],
            Self::Pair(first, second) => {
                let [below, above] = [*first, second.layer].map(|layer| &done[layer].blocks[b]);
                mix::mix_blocks(below, above, Vec4::from(second.weights))
            }
            Self::Mean(voices) | Self::Each(voices) => {
                let mut out = *rest;
                for lane in 0..WIDTH {
                    let part = |voice: &Voice| (done[voice.layer].blocks[b].get(lane), voice.weights[lane]);
                    let rest = rest.get(lane);
                    out.set(lane, mean(voices.iter().map(part), rest.rotation).map_or(rest, |mean| mean.0));
                }
                out
            }
        }
    }
}

/// How a blend node makes all blocks.
///
/// Means are summed child by child and channel by channel: runs of one short formula keep a processor busier than one long
/// formula per block. What never moves is summed beforehand.
#[derive(Clone, Debug, Default)]
pub(super) struct Recipes {
    /// Blocks that are no means.
    others: Vec<(usize, Recipe)>,
    /// Blocks that are, and what their sums begin with.
    means: Vec<(usize, Block)>,
    sums: Vec<Sum>,
}

/// What a child brings to means: blocks and its shares of them, for each channel.
#[derive(Clone, Debug)]
struct Sum {
    layer: usize,
    turns: Vec<(usize, Vec4)>,
    places: Vec<(usize, Vec4)>,
    sizes: Vec<(usize, Vec4)>,
}

/// A block's translations and scales where they never change.
pub(super) type Still = [Option<[Vec4; 3]>; 2];

impl Recipes {
    /// Of the recipes of all blocks in order; `still` tells of a layer and a block.
    pub fn of(recipes: impl Iterator<Item = Recipe>, still: impl Fn(usize, usize) -> Still) -> Self {
        let mut all = Self::default();
        for (b, recipe) in recipes.enumerate() {
            match recipe {
                Recipe::Mean(voices) => all.hear(b, &voices, |layer| still(layer, b)),
                other => all.others.push((b, other)),
            }
        }
        all
    }

    fn hear(&mut self, b: usize, voices: &[Voice], still: impl Fn(usize) -> Still) {
        let [place, size] = [0, 1].map(|channel| {
            voices.iter().try_fold([Vec4::ZERO; 3], |mut sum, voice| {
                mix::add_line(&mut sum, still(voice.layer)[channel]?, Vec4::from(voice.weights));
                Some(sum)
            })
        });
        let mut next = 0;
        for voice in voices {
            // Every block hears its voices in their own order, so that its bits depend on no other block.
            let known = self.sums[next..].iter().position(|sum| sum.layer == voice.layer);
            let at = known.map_or(next, |further| next + further);
            if known.is_none() {
                let (turns, places, sizes) = Default::default();
                self.sums.insert(at, Sum { layer: voice.layer, turns, places, sizes });
            }
            let (sum, share) = (&mut self.sums[at], (b, Vec4::from(voice.weights)));
            sum.turns.push(share);
            sum.places.extend(place.is_none().then_some(share));
            sum.sizes.extend(size.is_none().then_some(share));
            next = at + 1;
        }
        let nothing = [Vec4::ZERO; 3];
        let (translation, scale) = (place.unwrap_or(nothing), size.unwrap_or(nothing));
        self.means.push((b, Block { translation, rotation: [Vec4::ZERO; 4], scale }));
    }

    /// Makes every block from the layers that are `done`.
    pub fn make(&self, done: &[Layer], rest: &[Block], out: &mut [Block]) {
        for (b, recipe) in &self.others {
            out[*b] = recipe.make(done, *b, &rest[*b]);
        }
        for (b, Block { translation, rotation, scale }) in &self.means {
            (out[*b].translation, out[*b].rotation, out[*b].scale) = (*translation, *rotation, *scale);
        }
        self.sums.iter().for_each(|sum| sum.add(&done[sum.layer].blocks, rest, out));
        for &(b, _) in &self.means {
            out[b].rotation = mix::unit(out[b].rotation, rest[b].rotation);
        }
    }
}

impl Sum {
    #[inline(never)]
    fn add(&self, parts: &[Block], rest: &[Block], out: &mut [Block]) {
        for &(b, share) in &self.turns {
            mix::add_turn(&mut out[b].rotation, parts[b].rotation, share, rest[b].rotation);
        }
        for &(b, share) in &self.places {
            mix::add_line(&mut out[b].translation, parts[b].translation, share);
        }
        for &(b, share) in &self.sizes {
            mix::add_line(&mut out[b].scale, parts[b].scale, share);
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
        let mut out = [*rest];
        Recipes::of([recipe.clone()].into_iter(), |_, _| [None; 2]).make(done, &[*rest], &mut out);
        out[0]
    }

    #[test]
    fn four_joints_at_once_are_the_same_bits_as_one_by_one() {
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

    /// Three voices in a block, in this order and by these weights.
    fn three(layers: [usize; 3]) -> Recipe {
        let voice = |(i, layer): (usize, usize)| Voice { layer, weights: [0.5 - 0.17 * i as f32; WIDTH] };
        Recipe::of(layers.into_iter().enumerate().map(voice).collect())
    }

    #[test]
    fn what_never_moves_is_summed_beforehand_to_the_same_bits() {
        let (done, rest) = ([0.3, 1.1, 2.7].map(layer), layer(9.0).blocks[0]);
        let still = |layer: usize, _| [None, Some(done[layer].blocks[0].scale)];
        let (mut out, recipe) = ([rest], three([0, 1, 2]));
        let recipes = Recipes::of([recipe.clone()].into_iter(), still);
        assert!(recipes.sums.iter().all(|sum| sum.sizes.is_empty() && sum.places.len() == 1));
        recipes.make(&done, &[rest], &mut out);
        assert_eq!(out[0], made(&recipe, &done, &rest));
    }

    #[test]
    fn a_block_does_not_depend_on_what_other_blocks_hear() {
        let twice = |layer: Layer| Layer { blocks: [&layer.blocks[..], &layer.blocks].concat(), ..layer };
        let (one, rest) = ([0.3, 1.1, 2.7, 4.0].map(layer), layer(9.0).blocks[0]);
        let two = one.clone().map(twice);
        for others in [[0, 2, 3], [1, 2, 3], [0, 0, 2], [2, 1, 0]] {
            let (recipes, mut out) = ([three(others), three([0, 1, 2])], [rest; 2]);
            Recipes::of(recipes.clone().into_iter(), |_, _| [None; 2]).make(&two, &[rest; 2], &mut out);
            assert_eq!(out, recipes.map(|recipe| made(&recipe, &one, &rest)), "{others:?}");
        }
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

//! Whose share of a joint is how large in a scenario.

use super::mix::cover;
use super::rig::Rig;
use super::score::{Moment, Score, Strand, grip_on, heard};

impl Score {
    /// Each play's share of `joint` at `time`, then the rest pose's; they sum to 1. What an echo is made of has its share.
    pub fn shares(&self, rig: &Rig, time: f64, joint: usize) -> Vec<f32> {
        match self.moment_at(time) {
            Some(moment) => self.spread(self.voices(rig, moment, time, joint), joint),
            None => (0..=self.plays.len()).map(|play| if play == self.plays.len() { 1.0 } else { 0.0 }).collect(),
        }
    }

    /// The same within `moment`, with echoes as plays of their own.
    pub fn voices(&self, rig: &Rig, moment: &Moment, time: f64, joint: usize) -> Vec<f32> {
        let mut shares = vec![0.0; self.plays.len() + 1];
        let (whole, whole_cover) = self.chain_shares(rig, &moment.whole, time, joint);
        let (skill, skill_cover) = self.chain_shares(rig, &moment.skill, time, joint);
        let above =
            if moment.skill.is_empty() { 0.0 } else { grip_on(moment.grip(time), self.upper[joint]) * skill_cover };
        let below = (1.0 - above) * whole_cover;
        let spoken = cover(above + below, 1.0);
        for (i, share) in shares.iter_mut().enumerate().filter(|_| above + below > 0.0) {
            *share = spoken * (whole[i] * below + skill[i] * above) / (above + below);
        }
        shares[self.plays.len()] += 1.0 - spoken;
        shares
    }

    /// Each play's share of `joint` within WholeBody, or what the skill holds of it.
    pub fn side_shares(&self, rig: &Rig, time: f64, joint: usize, skill: bool) -> Vec<f32> {
        match self.moment_at(time) {
            Some(moment) if skill && moment.grip(time) != [0.0; 2] => {
                self.spread(self.chain_shares(rig, &moment.skill, time, joint).0, joint)
            }
            Some(moment) if !skill => self.spread(self.chain_shares(rig, &moment.whole, time, joint).0, joint),
            _ => Vec::new(),
        }
    }

    /// Shares within a chain, summing to 1 where anything has the joint, and the chain's cover.
    pub fn chain_shares(&self, rig: &Rig, strands: &[Strand], time: f64, joint: usize) -> (Vec<f32>, f32) {
        let mut shares = vec![0.0; self.plays.len() + 1];
        let mut covered = 0.0;
        for (i, strand) in heard(strands, time).iter().enumerate() {
            let weight = if i == 0 { 1.0 } else { strand.fade.at(time) };
            let has = strand.play.map_or(1.0, |play| self.has(rig, play, joint));
            let (below, above) = ((1.0 - weight) * covered, weight * has);
            if above > 0.0 {
                shares.iter_mut().for_each(|share| *share *= below / (below + above));
                shares[strand.play.unwrap_or(self.plays.len())] += above / (below + above);
            }
            covered = below + above;
        }
        (shares, covered)
    }

    /// How much of `joint` a play speaks for.
    fn has(&self, rig: &Rig, play: usize, joint: usize) -> f32 {
        let play = &self.plays[play];
        play.echo.as_ref().map_or_else(|| rig.has[play.clip][joint], |echo| echo.cover[joint])
    }

    /// Gives what echoes have to the plays that they were made of.
    pub fn spread(&self, mut shares: Vec<f32>, joint: usize) -> Vec<f32> {
        let rest = self.plays.len();
        for (i, play) in self.plays.iter().enumerate() {
            let Some(echo) = &play.echo else { continue };
            let share = std::mem::take(&mut shares[i]);
            let (rested, played) = echo.shares[joint].split_last().unwrap_or((&0.0, &[]));
            played.iter().enumerate().for_each(|(play, part)| shares[play] += share * part);
            shares[rest] += share * rested;
        }
        shares
    }
}

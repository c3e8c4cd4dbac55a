//! How the character moves, and which clips it moves with.

use serde::{Deserialize, Serialize};

use super::{Braking, GaitClip, WalkError};
use crate::message::message;

/// Which clip plays as what, by name. What is left open is proposed from measured speed, root motion and names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClipRoles {
    /// Stands and waits.
    pub idle: Option<String>,
    /// Repeating steps: walk, run, uphill …, in any order; empty for the proposal.
    pub gaits: Vec<GaitClip>,
    /// Runs in and stands; with none, the character slows down through its gaits.
    pub stop: Option<String>,
    /// Whether a stop clip is looked for when `stop` names none.
    pub propose_stop: bool,
    /// Turn on the spot, to either side and by any angles; empty for the proposal.
    pub turns: Vec<String>,
    /// Whether turn clips are looked for when `turns` names none; without any, the feet step round.
    pub propose_turns: bool,
    /// Stands and runs off; with none, the character speeds up through its gaits.
    pub start: Option<String>,
    /// Whether a start clip is looked for when `start` names none.
    pub propose_start: bool,
}

/// How to walk. All numbers are checked by `build`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Which clip plays as what.
    pub clips: ClipRoles,
    /// How the character speeds up, m/s², 0.1…100.
    pub acceleration: f64,
    /// How it slows down; its deceleration is 0.1…100 m/s², its friction 0…100 1/s.
    pub braking: Braking,
    /// Radius in which corners are rounded and the heading follows, metres, 0…10.
    pub turning_radius: f64,
    /// Where the character looks before it sets off, degrees about +Y from +Z towards +X, -360…360; `None` along the way.
    pub start_facing: Option<f64>,
    /// Where it looks in the end; `None` as it arrived.
    pub goal_facing: Option<f64>,
    /// Fastest the heading may turn, degrees a second, 30…1440: bends are taken slower, turns on the spot last longer.
    pub turn_speed: f64,
    /// Corners sharper than this, degrees, 60…180, are not rounded: the character stops, turns on the spot and sets off again.
    pub corner: f64,
    /// Largest sideways acceleration in a bend, m/s², 0.1…100; bends are taken slower where needed.
    pub sideways: f64,
    /// How far the body leans into bends, as a share of what balances there, 0…1.
    pub lean: f64,
    /// Slowest and fastest a gait may be played, as factors, 0.1…10.
    pub play_rates: [f64; 2],
    /// Steps a second of the engine whose braking is to be met; `None` brakes in continuous time. 10…1000.
    pub engine_rate: Option<f64>,
    /// Frames a second that are recorded, 10…240.
    pub fps: f64,
    /// Bring the limbs to the stop clip's pose before it plays on.
    pub match_pose: bool,
    /// Keep standing feet where they stand.
    pub lock_feet: bool,
    /// Seconds in which the difference to the stop clip's pose fades, 0.01…2.
    pub match_time: f64,
    /// Seconds in which a lifted foot comes back to its clip, 0.01…1.
    pub release: f64,
    /// Seconds recorded after the stop, 0.5…60.
    pub rest: f64,
    /// How often a way is walked round that ends where it begins, without a stop and so that the end runs on into the start, up
    /// to 100; 0 walks to the goal and stops there.
    pub laps: u32,
}

impl Default for ClipRoles {
    fn default() -> Self {
        Self {
            idle: None,
            gaits: Vec::new(),
            stop: None,
            propose_stop: true,
            turns: Vec::new(),
            propose_turns: true,
            start: None,
            propose_start: true,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clips: ClipRoles::default(),
            acceleration: 4.0,
            // From 4 m/s this rests within 2.3 m, what a run to a stand takes in captured motion.
            braking: Braking { friction: 0.2, deceleration: 3.0 },
            // Rounds a right angle by less than 25 cm, so that the body stays on the ground that was found walkable.
            turning_radius: 0.4,
            start_facing: None,
            goal_facing: None,
            // The ceiling of a person who pivots; bends are far below it.
            turn_speed: 360.0,
            corner: 120.0,
            // 0.4 g: what a runner takes without slipping or falling, a lean of 22°.
            sideways: 4.0,
            lean: 1.0,
            play_rates: [0.6, 1.4],
            engine_rate: None,
            fps: 60.0,
            match_pose: true,
            lock_feet: true,
            match_time: 0.2,
            release: 0.15,
            rest: 1.5,
            laps: 0,
        }
    }
}

impl Settings {
    /// Why these settings cannot be used, if so.
    pub fn check(&self) -> Result<(), WalkError> {
        let rows = [
            (message!("setting.walk.acceleration", "The acceleration"), self.acceleration, [0.1, 100.0], " m/s²"),
            (message!("setting.walk.friction", "The friction"), self.braking.friction, [0.0, 100.0], "/s"),
            (
                message!("setting.walk.deceleration", "The deceleration"),
                self.braking.deceleration,
                [0.1, 100.0],
                " m/s²",
            ),
            (message!("setting.walk.turning_radius", "The turning radius"), self.turning_radius, [0.0, 10.0], " m"),
            (
                message!("setting.walk.start_facing", "The facing at the start"),
                self.start_facing.unwrap_or(0.0),
                [-360.0, 360.0],
                "°",
            ),
            (
                message!("setting.walk.goal_facing", "The facing at the goal"),
                self.goal_facing.unwrap_or(0.0),
                [-360.0, 360.0],
                "°",
            ),
            (message!("setting.walk.turn_speed", "The turning speed"), self.turn_speed, [30.0, 1440.0], "°/s"),
            (message!("setting.walk.corner", "The sharpest corner"), self.corner, [60.0, 180.0], "°"),
            (message!("setting.walk.sideways", "The sideways acceleration"), self.sideways, [0.1, 100.0], " m/s²"),
            (message!("setting.walk.lean", "The lean"), self.lean, [0.0, 1.0], ""),
            (message!("setting.walk.slowest_rate", "The slowest play rate"), self.play_rates[0], [0.1, 1.0], ""),
            (message!("setting.walk.fastest_rate", "The fastest play rate"), self.play_rates[1], [1.0, 10.0], ""),
            (
                message!("setting.walk.engine_rate", "The engine's rate"),
                self.engine_rate.unwrap_or(60.0),
                [10.0, 1000.0],
                " Hz",
            ),
            (message!("setting.walk.fps", "The frame rate"), self.fps, [10.0, 240.0], " fps"),
            (message!("setting.walk.match_time", "The matching time"), self.match_time, [0.01, 2.0], " s"),
            (message!("setting.walk.release", "The release time"), self.release, [0.01, 1.0], " s"),
            (message!("setting.walk.rest", "The time after the stop"), self.rest, [0.5, 60.0], " s"),
            (message!("setting.walk.laps", "The number of laps"), f64::from(self.laps), [0.0, 100.0], ""),
        ];
        for (what, value, [low, high], unit) in rows {
            if !(value >= low && value <= high) {
                let rule = message!("rule.walk.range", "Use %{low} to %{high}%{unit}.", low, high, unit);
                return Err(WalkError::BadNumber { what: what.into(), value, rule: rule.into() });
            }
        }
        match self.clips.gaits.iter().find(|clip| !clip.is_usable()) {
            Some(gait) => Err(WalkError::BadSlopes { clip: gait.clip.clone() }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_usable_and_a_number_out_of_range_is_named() {
        assert_eq!(Settings::default().check(), Ok(()));
        let mut settings = Settings::default();
        settings.braking.deceleration = 0.0;
        let sentence = settings.check().unwrap_err().to_string();
        assert!(sentence.contains("deceleration is 0") && sentence.contains("never rests"), "{sentence}");
        let broken = Settings { fps: f64::NAN, ..Settings::default() };
        assert!(broken.check().is_err());
        let mut upside_down = Settings::default();
        upside_down.clips.gaits = vec![GaitClip { clip: "walk".into(), slope: Some([30.0, 10.0]) }];
        assert!(upside_down.check().unwrap_err().to_string().contains("'walk'"));
    }
}

//! Settings of the walk, and the clips it plays.

use serde::{Deserialize, Serialize};

use super::{Braking, GaitClip, WalkError};
use portamento_base::message::message;

/// Clip of each role, by name. Open roles get a proposal from measured speed, root motion and clip names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClipRoles {
    /// Clip for standing and waiting.
    pub idle: Option<String>,
    /// Cyclic clips (walk, run, uphill …) in any order; empty for the proposal.
    pub gaits: Vec<GaitClip>,
    /// Clip that comes to a stand from a move. If none, the walk slows down through its gaits.
    pub stop: Option<String>,
    /// True if a stop clip is proposed when `stop` names none.
    pub propose_stop: bool,
    /// Clips that turn on the spot, to either side and by any angle; empty for the proposal.
    pub turns: Vec<String>,
    /// True if turn clips are proposed when `turns` names none. Without turn clips the feet step around.
    pub propose_turns: bool,
    /// Clip that sets off from a stand. If none, the walk speeds up through its gaits.
    pub start: Option<String>,
    /// True if a start clip is proposed when `start` names none.
    pub propose_start: bool,
    /// Clips that cross obstacles and gaps; empty for the proposal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub crossings: Vec<String>,
}

/// Settings of a walk. [`Settings::check`] validates the ranges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Clip of each role.
    pub clips: ClipRoles,
    /// Acceleration, m/s², 0.1…100.
    pub acceleration: f64,
    /// Braking law. Deceleration 0.1…100 m/s², friction 0…100 1/s.
    pub braking: Braking,
    /// Radius to which corners are rounded, metres, 0…10.
    pub turning_radius: f64,
    /// Facing before the walk sets off, degrees about +Y from +Z towards +X, -360…360; `None` faces along the path.
    pub start_facing: Option<f64>,
    /// Facing at the end, same convention; `None` keeps the direction of arrival.
    pub goal_facing: Option<f64>,
    /// Highest turning speed of the heading, degrees per second, 30…1440. Bends are taken slower and turns on the spot
    /// last longer.
    pub turn_speed: f64,
    /// Sharpest corner that is rounded, degrees, 60…180. At sharper ones the character stops, turns on the spot and
    /// sets off again.
    pub corner: f64,
    /// Highest sideways acceleration in a bend, m/s², 0.1…100. Bends are taken slower where needed.
    pub sideways: f64,
    /// Lean into bends, as a share of the angle that balances the sideways acceleration, 0…1.
    pub lean: f64,
    /// Slowest and fastest play rate of a gait, as factors, 0.1…10.
    pub play_rates: [f64; 2],
    /// Frames per second of the game engine whose stepped braking is predicted, 10…1000; `None` brakes in continuous
    /// time.
    pub engine_rate: Option<f64>,
    /// Recorded frames per second, 10…240.
    pub fps: f64,
    /// True if the limbs are brought to the stop clip's pose before it plays.
    pub match_pose: bool,
    /// True if feet are locked during stance.
    pub lock_feet: bool,
    /// Fade time of the difference to the stop clip's pose, seconds, 0.01…2.
    pub match_time: f64,
    /// Time in which a lifted foot returns to its clip, seconds, 0.01…1.
    pub release: f64,
    /// Time recorded after the stop, seconds, 0.5…60.
    pub rest: f64,
    /// Laps of a closed path, 0…100. The laps are recorded without a stop, and their end continues into their start. 0
    /// walks to the goal and stops there.
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
            crossings: Vec::new(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clips: ClipRoles::default(),
            acceleration: 4.0,
            // From 4 m/s this stops within 2.3 m, the distance that a captured run needs to come to a stand.
            braking: Braking { friction: 0.2, deceleration: 3.0 },
            // Rounds a right angle by less than 25 cm, so the body stays on ground known to be walkable.
            turning_radius: 0.4,
            start_facing: None,
            goal_facing: None,
            // Upper limit of a person pivoting; bends need far less.
            turn_speed: 360.0,
            corner: 120.0,
            // 0.4 g: the limit at which a runner neither slips nor falls, a lean of 22°.
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
    /// Returns `Err` if:
    /// - a number is not within the range that its field names;
    /// - the slower play rate is above 1, or the faster one below 1;
    /// - the slope range of a gait is reversed, or not within ±90°.
    pub fn check(&self) -> Result<(), WalkError> {
        let rows = [
            (message!("setting.walk.acceleration", "The acceleration"), self.acceleration, [0.1, 100.0], " m/s²"),
            (message!("setting.walk.friction", "The friction"), self.braking.friction, [0.0, 100.0], "/s"),
            (message!("setting.walk.turning_radius", "The turn-in distance"), self.turning_radius, [0.0, 10.0], " m"),
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
            (message!("setting.walk.corner", "The sharpest rounded corner"), self.corner, [60.0, 180.0], "°"),
            (message!("setting.walk.sideways", "The cornering acceleration"), self.sideways, [0.1, 100.0], " m/s²"),
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
            (message!("setting.walk.release", "The foot release time"), self.release, [0.01, 1.0], " s"),
            (message!("setting.walk.rest", "The time after the stop"), self.rest, [0.5, 60.0], " s"),
            (message!("setting.walk.laps", "The number of laps"), f64::from(self.laps), [0.0, 100.0], ""),
        ];
        for (what, value, [low, high], unit) in rows {
            if !(value >= low && value <= high) {
                let rule = message!("rule.walk.range", "Use %{low} to %{high}%{unit}.", low, high, unit);
                return Err(WalkError::BadNumber { what: what.into(), value, rule: rule.into() });
            }
        }
        check_deceleration(self.braking.deceleration)?;
        match self.clips.gaits.iter().find(|clip| !clip.is_usable()) {
            Some(gait) => Err(WalkError::BadSlopes { clip: gait.clip.clone() }),
            None => Ok(()),
        }
    }
}

/// Returns `Err` unless `value` is within 0.1…100 m/s².
fn check_deceleration(value: f64) -> Result<(), WalkError> {
    if (0.1..=100.0).contains(&value) {
        return Ok(());
    }
    let what = message!("setting.walk.deceleration", "The deceleration");
    let rule = message!("rule.walk.deceleration", "Use 0.1 to 100 m/s². With less the character never stops.");
    Err(WalkError::BadNumber { what: what.into(), value, rule: rule.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the answer for the defaults with one number changed.
    fn checked(set: impl Fn(&mut Settings, f64), value: f64) -> Result<(), WalkError> {
        let mut settings = Settings::default();
        set(&mut settings, value);
        settings.check()
    }

    #[test]
    fn each_number_is_accepted_at_the_ends_of_its_range_and_refused_beyond() {
        assert_eq!(Settings::default().check(), Ok(()));
        type Set = fn(&mut Settings, f64);
        let rows: [(&str, Set, [f64; 2]); 17] = [
            ("acceleration", |settings, value| settings.acceleration = value, [0.1, 100.0]),
            ("friction", |settings, value| settings.braking.friction = value, [0.0, 100.0]),
            ("deceleration", |settings, value| settings.braking.deceleration = value, [0.1, 100.0]),
            ("turn-in", |settings, value| settings.turning_radius = value, [0.0, 10.0]),
            ("at the start", |settings, value| settings.start_facing = Some(value), [-360.0, 360.0]),
            ("at the goal", |settings, value| settings.goal_facing = Some(value), [-360.0, 360.0]),
            ("turning speed", |settings, value| settings.turn_speed = value, [30.0, 1440.0]),
            ("corner", |settings, value| settings.corner = value, [60.0, 180.0]),
            ("cornering", |settings, value| settings.sideways = value, [0.1, 100.0]),
            ("lean", |settings, value| settings.lean = value, [0.0, 1.0]),
            ("slowest", |settings, value| settings.play_rates[0] = value, [0.1, 1.0]),
            ("fastest", |settings, value| settings.play_rates[1] = value, [1.0, 10.0]),
            ("engine", |settings, value| settings.engine_rate = Some(value), [10.0, 1000.0]),
            ("frame rate", |settings, value| settings.fps = value, [10.0, 240.0]),
            ("matching", |settings, value| settings.match_time = value, [0.01, 2.0]),
            ("release", |settings, value| settings.release = value, [0.01, 1.0]),
            ("after the stop", |settings, value| settings.rest = value, [0.5, 60.0]),
        ];
        for (words, set, range) in rows {
            range.into_iter().for_each(|end| assert_eq!(checked(set, end), Ok(()), "{words} {end}"));
            let beyond = [range[0] - 1e-6, range[1] + 1e-6, f64::NAN];
            for value in beyond {
                let error = checked(set, value).unwrap_err();
                let WalkError::BadNumber { what, .. } = &error else { panic!("{words} {value}: {error:?}") };
                assert!(what.to_string().contains(words), "{words} {value}: {error}");
            }
        }
        let laps = |laps: u32| Settings { laps, ..Settings::default() }.check();
        assert!(laps(100).is_ok() && matches!(laps(101), Err(WalkError::BadNumber { value: 101.0, .. })));
        let sentence = checked(|settings, value| settings.braking.deceleration = value, 0.0).unwrap_err().to_string();
        assert!(sentence.contains("deceleration is 0") && sentence.contains("never stops"), "{sentence}");
    }

    #[test]
    fn a_slope_range_that_is_reversed_or_too_steep_is_refused() {
        let check = |slope: [f64; 2]| {
            let mut settings = Settings::default();
            settings.clips.gaits = vec![GaitClip { clip: "walk".into(), slope: Some(slope) }];
            settings.check()
        };
        assert_eq!(check([-90.0, 90.0]), Ok(()));
        for slope in [[30.0, 10.0], [-90.1, 0.0], [0.0, 90.1], [f64::NAN, 0.0]] {
            assert_eq!(check(slope), Err(WalkError::BadSlopes { clip: "walk".into() }), "{slope:?}");
        }
    }
}

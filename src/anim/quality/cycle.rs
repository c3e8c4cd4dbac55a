//! Clips that are called what repeats.

use crate::anim::Clip;
use crate::anim::rig::name_tokens;

/// Words of clips that go round however long they are.
const REPEATS: [&str; 7] = ["loop", "looped", "looping", "cycle", "idle", "dance", "dancing"];
/// Words of gaits, which go round unless they are captured for longer than [`LONGEST_CYCLE`].
const GAITS: [&str; 20] = [
    "walk",
    "walking",
    "run",
    "running",
    "jog",
    "jogging",
    "sprint",
    "sprinting",
    "trot",
    "canter",
    "gallop",
    "crawl",
    "crawling",
    "strafe",
    "swim",
    "swimming",
    "fly",
    "flying",
    "flap",
    "hover",
];
/// Words of clips that lead from one motion to another, or are played once in it.
const ONCE: [&str; 36] = [
    "start",
    "starts",
    "stop",
    "stops",
    "begin",
    "end",
    "enter",
    "exit",
    "in",
    "out",
    "to",
    "into",
    "from",
    "turn",
    "turning",
    "pivot",
    "transition",
    "jump",
    "jumping",
    "leap",
    "land",
    "fall",
    "roll",
    "dodge",
    "slide",
    "climb",
    "attack",
    "shoot",
    "punch",
    "slash",
    "throw",
    "hit",
    "death",
    "die",
    "up",
    "down",
];
/// Seconds.
const LONGEST_CYCLE: f64 = 4.0;

/// Whether the name of `clip` says that it ends as it began: a walk, a run, a loop, and not a start or a stop of one.
pub(super) fn is_called_a_cycle(clip: &Clip) -> bool {
    let words = name_tokens(&clip.name);
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let is_gait = clip.duration <= LONGEST_CYCLE && has(&GAITS);
    (has(&REPEATS) || is_gait) && !has(&ONCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_runs_and_loops_are_cycles_and_what_leads_to_them_is_none() {
        let is_cycle =
            |name: &str, duration: f64| is_called_a_cycle(&Clip { name: name.into(), duration, ..Clip::default() });
        for name in ["Walking_A", "run_root.001", "Armature|Trot", "CombatIdle", "flag loop", "Running_Strafe_Left"] {
            assert!(is_cycle(name, 0.8), "{name}");
        }
        for name in ["walk_start", "idle_to_fight", "WalkJump", "Run_Stop", "Punch", "Running_Attack", "grunt"] {
            assert!(!is_cycle(name, 0.8), "{name}");
        }
        assert!(!is_cycle("walk", 12.0) && is_cycle("Sit_Floor_Idle", 12.0));
    }
}

//! Recognizes looping clips by name.

use crate::rig::name_tokens;

/// Words in names of clips that loop at any length.
const LOOP_WORDS: [&str; 7] = ["loop", "looped", "looping", "cycle", "idle", "dance", "dancing"];
/// Words in names of gaits, which loop unless they are longer than [`MAX_GAIT_CYCLE_SECONDS`].
pub const GAIT_WORDS: [&str; 20] = [
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
/// Words in names of transitions and one-shot clips.
const ONE_SHOT_WORDS: [&str; 36] = [
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
/// Maximum length of a gait clip that counts as one cycle. Tuned; no derivation recorded.
const MAX_GAIT_CYCLE_SECONDS: f64 = 4.0;

/// True if the `name` of a clip of `duration` seconds says that it ends as it began, such as a loop, or a walk or run of at most
/// four seconds, but not a start or a stop.
pub fn is_called_a_cycle(name: &str, duration: f64) -> bool {
    let words = name_tokens(name);
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let is_gait = duration <= MAX_GAIT_CYCLE_SECONDS && has(&GAIT_WORDS);
    (has(&LOOP_WORDS) || is_gait) && !is_called_one_shot(name)
}

/// Words in names of clips that lead over an obstacle or a gap.
const CROSSING_WORDS: [&str; 7] = ["vault", "mantle", "climb", "hurdle", "leap", "jump", "drop"];

/// True if the `name` of a clip says that it leads over an obstacle or a gap.
pub(super) fn is_called_a_crossing(name: &str) -> bool {
    name_tokens(name).iter().any(|word| CROSSING_WORDS.contains(&word.as_str()))
}

/// True if the `name` of a clip says that it is a transition or an action that happens once.
pub(super) fn is_called_one_shot(name: &str) -> bool {
    name_tokens(name).iter().any(|word| ONE_SHOT_WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_runs_and_loops_are_cycles_and_transitions_are_not() {
        for name in ["Walking_A", "run_root.001", "Armature|Trot", "CombatIdle", "flag loop", "Running_Strafe_Left"] {
            assert!(is_called_a_cycle(name, 0.8), "{name}");
        }
        for name in ["walk_start", "idle_to_fight", "WalkJump", "Run_Stop", "Punch", "Running_Attack", "grunt"] {
            assert!(!is_called_a_cycle(name, 0.8), "{name}");
        }
        assert!(!is_called_a_cycle("walk", 12.0) && is_called_a_cycle("Sit_Floor_Idle", 12.0));
    }
}

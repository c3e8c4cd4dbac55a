//! Changes from one member of a set to another.

use serde::Serialize;

use super::{MeasuredClip, rounded};
use portamento_sets::{EndPose, SetKind, SetRequirements};

/// Cross-fade of a change whose poses do not meet, or that may begin at any time, seconds. Chosen: the usual default of engines.
const FADE_S: f64 = 0.2;

/// A change from one member to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Transition {
    /// Index of the member before.
    pub from: usize,
    /// Index of the member after, which begins at its first frame.
    pub to: usize,
    /// Moment at which the change begins.
    pub begins: Begins,
    /// Cause of the change.
    pub trigger: Trigger,
    /// Length of the cross-fade: 0 if the poses meet as the contract requires.
    pub fade_s: f64,
    /// Largest distance of a joint between the two poses; left out if it could not be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pose_gap_m: Option<f64>,
    /// Largest difference of a joint's velocity between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity_gap_mps: Option<f64>,
}

/// Moment at which a transition begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Begins {
    /// At the end of the member before, or of its current cycle.
    AtEnd,
    /// At any time.
    AtOnce,
}

/// Cause of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The member before has ended.
    Automatic,
    /// The game asks for it.
    Request,
}

/// Returns the transitions of a set: along a chain, and from the stance to each strike and back. Other kinds of sets have
/// none, and so do strikes without a stance.
pub(super) fn all(set: &SetRequirements, members: &[MeasuredClip], stance: Option<usize>) -> Vec<Transition> {
    let change = |from: usize, to: usize, begins: Begins, trigger: Trigger| {
        let end = usize::from(begins == Begins::AtEnd);
        let poses = members[from].ends.as_ref().zip(members[to].ends.as_ref());
        let gap = poses.and_then(|(from, to)| EndPose::difference(&from[end], &to[0]));
        let meets = gap.zip(set.max_pose_delta_m).is_some_and(|([pose, _], limit)| pose <= limit);
        Transition {
            from,
            to,
            begins,
            trigger,
            fade_s: if meets && begins == Begins::AtEnd { 0.0 } else { FADE_S },
            pose_gap_m: gap.map(|[pose, _]| rounded(pose)),
            velocity_gap_mps: gap.map(|[_, velocity]| rounded(velocity)),
        }
    };
    let others = (0..members.len()).filter(|&at| Some(at) != stance);
    match (set.kind, stance) {
        (SetKind::Chain, _) => {
            let trigger = |from: usize| if members[from].clip.loops { Trigger::Request } else { Trigger::Automatic };
            let others: Vec<usize> = others.collect();
            others.windows(2).map(|pair| change(pair[0], pair[1], Begins::AtEnd, trigger(pair[0]))).collect()
        }
        (SetKind::Strikes, Some(stance)) => others
            .flat_map(|strike| {
                let begin = change(stance, strike, Begins::AtOnce, Trigger::Request);
                [begin, change(strike, stance, Begins::AtEnd, Trigger::Automatic)]
            })
            .collect(),
        _ => Vec::new(),
    }
}

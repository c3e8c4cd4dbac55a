//! What is refused, and why.

use super::settings::{AngleLimit, ColliderShape, Profile, Settings};
use crate::anim::Skeleton;
use crate::message::{Message, message, tell};
use crate::progress::Cancelled;

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No joint to simulate.
    NoChain,
    /// A joint that does not exist.
    NoSuchJoint {
        /// The chain or collider.
        what: Message,
        /// The index asked for.
        joint: usize,
        /// How many there are.
        count: usize,
    },
    /// A collider that does not exist.
    NoSuchCollider {
        /// Name of the chain that asks for it.
        chain: String,
        /// The index asked for.
        collider: usize,
        /// How many there are.
        count: usize,
    },
    /// Two chains start at one joint.
    SameStart {
        /// The joint's name.
        joint: String,
        /// The earlier chain.
        one: String,
        /// The later chain.
        other: String,
    },
    /// A setting is not a usable number.
    BadNumber {
        /// The setting and whose it is.
        what: Message,
        /// What it holds.
        value: f64,
        /// What it should hold.
        rule: Box<Message>,
    },
    /// The recording would not fit in memory.
    TooLong {
        /// Length asked for.
        seconds: f64,
        /// Bones to record.
        bones: usize,
    },
    /// Stopped by the user.
    Cancelled(#[from] Cancelled),
}

tell!(BuildError {
    Self::NoChain => message!(
        "error.dynamics.no_chain",
        "There is no dynamic bone. Choose a joint, such as the first of a tail, and make a chain of it."
    ),
    Self::NoSuchJoint { what, joint, count } => message!(
        "error.dynamics.no_such_joint",
        "%{what} refers to joint %{joint}, but the skeleton has only %{count}. Choose a joint of this skeleton.",
        what = what, joint, count
    ),
    Self::NoSuchCollider { chain, collider, count } => message!(
        "error.dynamics.no_such_collider",
        "Chain '%{chain}' spares collider %{collider}, but there are only %{count}. Choose again what it meets.",
        chain, collider, count
    ),
    Self::SameStart { joint, one, other } => message!(
        "error.dynamics.same_start",
        "Chains '%{one}' and '%{other}' both start at joint '%{joint}'. Remove one of them.",
        one, other, joint
    ),
    Self::BadNumber { what, value, rule } => message!(
        "error.dynamics.bad_number",
        "%{what} is %{value}, which cannot be used. %{rule}",
        what = what, value, rule = &**rule
    ),
    Self::TooLong { seconds, bones } => message!(
        "error.dynamics.too_long",
        "%{seconds} s of %{bones} dynamic bones is too much to record. Bake a shorter part, or fewer bones.",
        seconds = format!("{seconds:.0}"), bones
    ),
    Self::Cancelled(error) => error.message(),
});

/// Refuses a clip length that is not a number of seconds below a million.
pub(super) fn check_length(duration: f64) -> Result<(), BuildError> {
    let rule = message!("rule.dynamics.length", "A clip's length is a number of seconds, at least 0.");
    if (0.0..1e6).contains(&duration) {
        return Ok(());
    }
    Err(BuildError::BadNumber {
        what: message!("setting.dynamics.length", "The length"),
        value: duration,
        rule: Box::new(rule),
    })
}

/// Largest size of any number: far beyond use, far below where squares overflow.
const HUGE: f64 = 1e9;

type Check = Result<(), BuildError>;

/// Refuses settings that cannot be stepped.
pub(super) fn check(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64) -> Check {
    if settings.chains.is_empty() {
        return Err(BuildError::NoChain);
    }
    above_zero(&message!("setting.dynamics.unit", "Metres per unit"), metres_per_unit)?;
    above_zero(&message!("setting.dynamics.scale", "The scale"), settings.scale)?;
    above_zero(&message!("setting.dynamics.wind_period", "The wind's period"), settings.wind.period)?;
    above_zero(&message!("setting.dynamics.jump_speed", "The jump speed"), settings.teleport.speed)?;
    above_zero(&message!("setting.dynamics.jump_turn", "The jump turn"), settings.teleport.turn)?;
    let wind = &settings.wind;
    number(&message!("setting.dynamics.gravity", "Gravity"), settings.gravity.to_array())?;
    number(&message!("setting.dynamics.wind_direction", "The wind's direction"), wind.direction.to_array())?;
    number(&message!("setting.dynamics.wind", "The wind"), [wind.strength, wind.gust, wind.turbulence])?;
    at_least_zero(
        &message!("setting.dynamics.gust", "Gust, turbulence, smoothing or pre-roll"),
        [wind.gust, wind.turbulence, settings.smoothing, settings.pre_roll],
    )?;
    if !(settings.slerp_buffer > 0.0 && settings.slerp_buffer <= 1.0) {
        return bad(
            &message!("setting.dynamics.slerp_buffer", "The rotation buffer"),
            settings.slerp_buffer,
            message!("rule.dynamics.buffer", "Use a share above 0, up to 1 (no buffer)."),
        );
    }
    if settings.pre_roll > 600.0 {
        return bad(
            &message!("setting.dynamics.pre_roll", "The pre-roll"),
            settings.pre_roll,
            message!("rule.dynamics.pre_roll", "Use at most 600 seconds."),
        );
    }
    check_chains(skeleton, settings)?;
    check_colliders(skeleton, settings)
}

fn check_chains(skeleton: &Skeleton, settings: &Settings) -> Check {
    for chain in &settings.chains {
        let whose = |what: Message| {
            message!("setting.of_chain", "%{what} of chain '%{chain}'", what = what, chain = &chain.name)
        };
        let joints = [chain.joint].into_iter().chain(chain.excluded.iter().copied());
        for joint in joints.chain(chain.overrides.iter().map(|own| own.joint)).chain(chain.center) {
            exists(skeleton, &message!("setting.chain", "Chain '%{chain}'", chain = &chain.name), joint)?;
        }
        let count = settings.colliders.len();
        if let Some(&collider) = chain.ignored_colliders.iter().find(|&&collider| collider >= count) {
            return Err(BuildError::NoSuchCollider { chain: chain.name.clone(), collider, count });
        }
        share(&whose(message!("setting.chain.drag", "Drag")), &chain.drag)?;
        positive(&whose(message!("setting.chain.stiffness", "Stiffness")), &chain.stiffness)?;
        positive(&whose(message!("setting.chain.radius", "Radius")), &chain.radius)?;
        profile(&whose(message!("setting.chain.gravity_factor", "Gravity factor")), &chain.gravity)?;
        at_least_zero(&whose(message!("setting.chain.end_length", "End length")), [chain.end_length])?;
        limit(&whose(message!("setting.chain.limit", "Angle limit")), chain.limit)?;
        for own in &chain.overrides {
            let values = [own.drag, own.stiffness, own.radius];
            at_least_zero(
                &whose(message!("setting.chain.override", "An override")),
                values.map(|value| value.unwrap_or(0.0)),
            )?;
            number(&whose(message!("setting.chain.override", "An override")), [own.gravity.unwrap_or(0.0)])?;
            share(
                &whose(message!("setting.chain.override_drag", "An override of drag")),
                &Profile::constant(own.drag.unwrap_or(0.0)),
            )?;
            limit(
                &whose(message!("setting.chain.override_limit", "An override of the limit")),
                own.limit.unwrap_or_default(),
            )?;
        }
    }
    Ok(())
}

fn check_colliders(skeleton: &Skeleton, settings: &Settings) -> Check {
    for collider in &settings.colliders {
        let name = message!("setting.collider", "Collider '%{collider}'", collider = &collider.name);
        if let Some(joint) = collider.joint {
            exists(skeleton, &name, joint)?;
        }
        match collider.shape {
            ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
                number(&name, center.to_array())?;
                at_least_zero(&name, [radius])?;
            }
            ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
                number(&name, a.to_array())?;
                number(&name, b.to_array())?;
                at_least_zero(&name, [radius])?;
            }
            ColliderShape::Plane { point, normal } => {
                number(&name, point.to_array())?;
                number(&name, normal.to_array())?;
                let normal_of =
                    message!("setting.collider_normal", "%{collider}: the length of the normal", collider = name);
                above_zero(&normal_of, normal.length())?;
            }
        }
    }
    Ok(())
}

fn bad<T>(what: &Message, value: f64, rule: Message) -> Result<T, BuildError> {
    Err(BuildError::BadNumber { what: what.clone(), value, rule: Box::new(rule) })
}

fn exists(skeleton: &Skeleton, what: &Message, joint: usize) -> Check {
    let count = skeleton.len();
    if joint < count { Ok(()) } else { Err(BuildError::NoSuchJoint { what: what.clone(), joint, count }) }
}

fn number<const N: usize>(what: &Message, values: [f64; N]) -> Check {
    let wrong = values.into_iter().find(|value| !(-HUGE..=HUGE).contains(value));
    wrong.map_or(Ok(()), |value| {
        bad(what, value, message!("rule.dynamics.number", "Use a number between −1e9 and 1e9."))
    })
}

fn at_least_zero<const N: usize>(what: &Message, values: [f64; N]) -> Check {
    let wrong = values.into_iter().find(|value| !(0.0..=HUGE).contains(value));
    wrong.map_or(Ok(()), |value| bad(what, value, message!("rule.dynamics.at_least_zero", "Use 0 or more, up to 1e9.")))
}

fn above_zero(what: &Message, value: f64) -> Check {
    if value > 1e-9 && value <= HUGE {
        Ok(())
    } else {
        bad(what, value, message!("rule.dynamics.above_zero", "Use a number above 0, up to 1e9."))
    }
}

fn profile(what: &Message, profile: &Profile) -> Check {
    number(what, [profile.value])?;
    profile.curve.iter().try_for_each(|&(depth, factor)| number(what, [depth, factor]))?;
    let unordered = profile.curve.windows(2).find(|pair| pair[0].0 >= pair[1].0);
    unordered.map_or(Ok(()), |pair| {
        bad(what, pair[1].0, message!("rule.dynamics.depths", "The depths of a curve must ascend."))
    })
}

fn positive(what: &Message, values: &Profile) -> Check {
    profile(what, values)?;
    at_least_zero(what, [values.value])?;
    values.curve.iter().try_for_each(|&(_, factor)| at_least_zero(what, [factor]))
}

fn share(what: &Message, values: &Profile) -> Check {
    positive(what, values)?;
    if values.value <= 1.0 {
        Ok(())
    } else {
        bad(what, values.value, message!("rule.dynamics.share", "Use 0 (no loss) to 1 (all speed lost)."))
    }
}

fn limit(what: &Message, limit: AngleLimit) -> Check {
    let pi = std::f64::consts::PI;
    match limit {
        AngleLimit::Free => Ok(()),
        AngleLimit::Cone { angle } if (0.0..=pi).contains(&angle) => Ok(()),
        AngleLimit::Cone { angle } => bad(what, angle, message!("rule.dynamics.cone", "Use a half angle from 0 to π.")),
        AngleLimit::Hinge { axis, low, high } => {
            number(what, axis.to_array())?;
            above_zero(what, axis.length())?;
            match ((-pi..=0.0).contains(&low), (0.0..=pi).contains(&high)) {
                (true, true) => Ok(()),
                (false, _) => bad(what, low, message!("rule.dynamics.low", "Use a lowest turn from −π to 0.")),
                (_, false) => bad(what, high, message!("rule.dynamics.high", "Use a highest turn from 0 to π.")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_up_to_the_largest_are_taken_and_those_beyond_are_refused() {
        let what = message!("setting.dynamics.scale", "The scale");
        assert!(
            above_zero(&what, HUGE).is_ok()
                && at_least_zero(&what, [0.0, HUGE]).is_ok()
                && number(&what, [-HUGE]).is_ok()
        );
        for value in [2.0 * HUGE, f64::INFINITY, f64::NAN] {
            assert!(above_zero(&what, value).is_err() && at_least_zero(&what, [value]).is_err());
            assert!(number(&what, [value]).is_err());
        }
        assert!(above_zero(&what, 0.0).is_err() && at_least_zero(&what, [-1e-9]).is_err());
        let sentence = above_zero(&what, 0.0).unwrap_err().to_string();
        assert!(sentence.starts_with("The scale is 0"), "{sentence}");
    }
}

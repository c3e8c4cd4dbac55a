//! Validation of the settings, and the errors of a build.

use super::settings::{AngleLimit, ColliderShape, Profile, Settings};
use portamento_anim::Skeleton;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// Error of a build.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// No chain is set up.
    NoChain => message!(
        "error.dynamics.no_chain",
        "There are no dynamic bones. Select a joint, such as the first joint of a tail, and add a chain there."
    ),
    /// A chain or collider refers to a joint that the skeleton does not have.
    NoSuchJoint {
        /// Name of the chain or collider.
        what: Message,
        /// Requested index.
        joint: usize,
        /// Number of joints of the skeleton.
        count: usize,
    } => message!(
        "error.dynamics.no_such_joint",
        "%{what} refers to joint %{joint}, but the skeleton has only %{count} %{count|joint|joints}. Choose a joint of this skeleton.",
        what = what, joint, count
    ),
    /// A chain ignores a collider that does not exist.
    NoSuchCollider {
        /// Name of the chain.
        chain: String,
        /// Requested index.
        collider: usize,
        /// Number of colliders.
        count: usize,
    } => message!(
        "error.dynamics.no_such_collider",
        "Chain '%{chain}' ignores collider %{collider}, but there are only %{count} colliders. Select its ignored colliders again.",
        chain, collider, count
    ),
    /// Two chains start at the same joint.
    SameStart {
        /// Name of the joint.
        joint: String,
        /// Name of the earlier chain.
        one: String,
        /// Name of the later chain.
        other: String,
    } => message!(
        "error.dynamics.same_start",
        "Chains '%{one}' and '%{other}' both start at joint '%{joint}'. Remove one of them.",
        one, other, joint
    ),
    /// A setting is out of range or not a number.
    BadNumber {
        /// Name of the setting and of the chain or collider it belongs to.
        what: Message,
        /// Value of the setting.
        value: f64,
        /// Allowed values, as a sentence.
        rule: Box<Message>,
    } => message!(
        "error.dynamics.bad_number",
        "%{what} is %{value}, which cannot be used. %{rule}",
        what = what, value, rule = &**rule
    ),
    /// The recording would need too much memory.
    TooLong {
        /// Length of the animation, seconds.
        seconds: f64,
        /// Number of bones to record.
        bones: usize,
    } => message!(
        "error.dynamics.too_long",
        "Recording %{bones} dynamic bones for %{seconds} s needs more than 1 GiB. Bake a shorter part or fewer bones.",
        seconds = format!("{seconds:.0}"), bones
    ),
    /// Stopped by the user.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

/// Returns `Err` unless `duration` is a number of seconds from 0 to below 10⁶.
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

/// Largest absolute value of any number: far beyond use, far below the values whose squares overflow.
const MAX_MAGNITUDE: f64 = 1e9;

type Check = Result<(), BuildError>;

/// Checks `settings` for a skeleton and its unit.
///
/// Returns `Err` if
/// - there is no chain;
/// - a joint or collider index is out of range;
/// - a number is not finite, beyond ±[`MAX_MAGNITUDE`], negative where only 0 or more makes sense, or 0 where it is
///   divided by;
/// - the rotation buffer is outside 0 (exclusive) to 1, the drag is above 1, or the pre-roll is above 600 s;
/// - the depths of a curve do not ascend, or an angle limit is outside its range.
pub(super) fn check(skeleton: &Skeleton, settings: &Settings, metres_per_unit: f64) -> Check {
    if settings.chains.is_empty() {
        return Err(BuildError::NoChain);
    }
    check_above_zero(&message!("setting.dynamics.unit", "Metres per unit"), metres_per_unit)?;
    check_above_zero(&message!("setting.dynamics.scale", "The scale"), settings.scale)?;
    check_above_zero(&message!("setting.dynamics.wind_period", "The wind's period"), settings.wind.period)?;
    check_above_zero(&message!("setting.dynamics.jump_speed", "The jump speed"), settings.teleport.speed)?;
    check_above_zero(&message!("setting.dynamics.jump_turn", "The jump turn"), settings.teleport.turn)?;
    let wind = &settings.wind;
    check_numbers(&message!("setting.dynamics.gravity", "Gravity"), settings.gravity.to_array())?;
    check_numbers(&message!("setting.dynamics.wind_direction", "The wind's direction"), wind.direction.to_array())?;
    check_numbers(&message!("setting.dynamics.wind", "The wind"), [wind.strength, wind.gust, wind.turbulence])?;
    check_at_least_zero(
        &message!("setting.dynamics.gust", "Gust, turbulence, smoothing or pre-roll"),
        [wind.gust, wind.turbulence, settings.smoothing, settings.pre_roll],
    )?;
    if !(settings.slerp_buffer > 0.0 && settings.slerp_buffer <= 1.0) {
        return bad_number(
            &message!("setting.dynamics.slerp_buffer", "The rotation buffer"),
            settings.slerp_buffer,
            message!("rule.dynamics.buffer", "Use a share above 0, up to 1 (no buffer)."),
        );
    }
    if settings.pre_roll > 600.0 {
        return bad_number(
            &message!("setting.dynamics.pre_roll", "The pre-roll"),
            settings.pre_roll,
            message!("rule.dynamics.pre_roll", "Use at most 600 seconds."),
        );
    }
    check_chains(skeleton, settings)?;
    check_colliders(skeleton, settings)
}

/// Returns `Err` if a chain or an override refers to an unknown joint or collider, or has a number out of range.
fn check_chains(skeleton: &Skeleton, settings: &Settings) -> Check {
    for chain in &settings.chains {
        let of_chain = |what: Message| {
            message!("setting.of_chain", "%{what} of chain '%{chain}'", what = what, chain = &chain.name)
        };
        let joints = [chain.joint].into_iter().chain(chain.excluded.iter().copied());
        for joint in joints.chain(chain.overrides.iter().map(|own| own.joint)).chain(chain.center) {
            check_joint(skeleton, &message!("setting.chain", "Chain '%{chain}'", chain = &chain.name), joint)?;
        }
        let count = settings.colliders.len();
        if let Some(&collider) = chain.ignored_colliders.iter().find(|&&collider| collider >= count) {
            return Err(BuildError::NoSuchCollider { chain: chain.name.clone(), collider, count });
        }
        check_profile_of_shares(&of_chain(message!("setting.chain.drag", "Drag")), &chain.drag)?;
        check_profile_at_least_zero(&of_chain(message!("setting.chain.stiffness", "Stiffness")), &chain.stiffness)?;
        check_profile_at_least_zero(&of_chain(message!("setting.chain.radius", "Radius")), &chain.radius)?;
        check_profile(&of_chain(message!("setting.chain.gravity_factor", "Gravity factor")), &chain.gravity)?;
        check_at_least_zero(&of_chain(message!("setting.chain.end_length", "End length")), [chain.end_length])?;
        check_limit(&of_chain(message!("setting.chain.limit", "Angle limit")), chain.limit)?;
        for own in &chain.overrides {
            let values = [own.drag, own.stiffness, own.radius];
            check_at_least_zero(
                &of_chain(message!("setting.chain.override", "An override")),
                values.map(|value| value.unwrap_or(0.0)),
            )?;
            check_numbers(&of_chain(message!("setting.chain.override", "An override")), [own.gravity.unwrap_or(0.0)])?;
            check_profile_of_shares(
                &of_chain(message!("setting.chain.override_drag", "An override of drag")),
                &Profile::constant(own.drag.unwrap_or(0.0)),
            )?;
            check_limit(
                &of_chain(message!("setting.chain.override_limit", "An override of the limit")),
                own.limit.unwrap_or_default(),
            )?;
        }
    }
    Ok(())
}

/// Returns `Err` if a collider refers to an unknown joint, has a number out of range, or is a plane whose normal has no length.
fn check_colliders(skeleton: &Skeleton, settings: &Settings) -> Check {
    for collider in &settings.colliders {
        let name = message!("setting.collider", "Collider '%{collider}'", collider = &collider.name);
        if let Some(joint) = collider.joint {
            check_joint(skeleton, &name, joint)?;
        }
        match collider.shape {
            ColliderShape::Sphere { center, radius } | ColliderShape::InsideSphere { center, radius } => {
                check_numbers(&name, center.to_array())?;
                check_at_least_zero(&name, [radius])?;
            }
            ColliderShape::Capsule { a, b, radius } | ColliderShape::InsideCapsule { a, b, radius } => {
                check_numbers(&name, a.to_array())?;
                check_numbers(&name, b.to_array())?;
                check_at_least_zero(&name, [radius])?;
            }
            ColliderShape::Plane { point, normal } => {
                check_numbers(&name, point.to_array())?;
                check_numbers(&name, normal.to_array())?;
                let normal_of =
                    message!("setting.collider_normal", "%{collider}: the length of the normal", collider = name);
                check_above_zero(&normal_of, normal.length())?;
            }
        }
    }
    Ok(())
}

fn bad_number<T>(what: &Message, value: f64, rule: Message) -> Result<T, BuildError> {
    Err(BuildError::BadNumber { what: what.clone(), value, rule: Box::new(rule) })
}

/// Returns `Err` unless `skeleton` has `joint`; `what` names what refers to it.
fn check_joint(skeleton: &Skeleton, what: &Message, joint: usize) -> Check {
    let count = skeleton.len();
    if joint < count { Ok(()) } else { Err(BuildError::NoSuchJoint { what: what.clone(), joint, count }) }
}

/// Returns `Err` with the first of `values` that is not finite or beyond ±[`MAX_MAGNITUDE`].
fn check_numbers<const N: usize>(what: &Message, values: [f64; N]) -> Check {
    let wrong = values.into_iter().find(|value| !(-MAX_MAGNITUDE..=MAX_MAGNITUDE).contains(value));
    wrong.map_or(Ok(()), |value| bad_number(what, value, magnitude_rule()))
}

/// Returns `Err` with the first of `values` that is negative, not finite or beyond [`MAX_MAGNITUDE`].
fn check_at_least_zero<const N: usize>(what: &Message, values: [f64; N]) -> Check {
    let wrong = values.into_iter().find(|value| !(0.0..=MAX_MAGNITUDE).contains(value));
    let rule = |value: f64| {
        if value < 0.0 { message!("rule.dynamics.at_least_zero", "Use 0 or more.") } else { magnitude_rule() }
    };
    wrong.map_or(Ok(()), |value| bad_number(what, value, rule(value)))
}

/// Returns the rule for numbers beyond ±[`MAX_MAGNITUDE`] and for those that are not finite.
fn magnitude_rule() -> Message {
    message!("rule.dynamics.number", "Use a number between −1,000,000,000 and 1,000,000,000.")
}

/// Returns `Err` unless `value` is above 10⁻⁹ and at most [`MAX_MAGNITUDE`].
fn check_above_zero(what: &Message, value: f64) -> Check {
    if value > 1e-9 && value <= MAX_MAGNITUDE {
        Ok(())
    } else {
        let rule = message!("rule.dynamics.above_zero", "Use a number above 0.");
        bad_number(what, value, if value > MAX_MAGNITUDE { magnitude_rule() } else { rule })
    }
}

/// Returns `Err` if a number of the profile is out of range, or if the depths of its curve do not ascend.
fn check_profile(what: &Message, profile: &Profile) -> Check {
    check_numbers(what, [profile.value])?;
    profile.curve.iter().try_for_each(|&(depth, factor)| check_numbers(what, [depth, factor]))?;
    let unordered = profile.curve.windows(2).find(|pair| pair[0].0 >= pair[1].0);
    unordered.map_or(Ok(()), |pair| {
        bad_number(what, pair[1].0, message!("rule.dynamics.depths", "The depths of a curve must ascend."))
    })
}

/// Returns `Err` if the profile is invalid, or if its value or a factor is negative.
fn check_profile_at_least_zero(what: &Message, values: &Profile) -> Check {
    check_profile(what, values)?;
    check_at_least_zero(what, [values.value])?;
    values.curve.iter().try_for_each(|&(_, factor)| check_at_least_zero(what, [factor]))
}

/// Returns `Err` if the profile is invalid, has a negative number, or its value is above 1. Factors of its curve may be above
/// 1.
fn check_profile_of_shares(what: &Message, values: &Profile) -> Check {
    check_profile_at_least_zero(what, values)?;
    if values.value <= 1.0 {
        Ok(())
    } else {
        bad_number(what, values.value, message!("rule.dynamics.share", "Use 0 (no loss) to 1 (all speed lost)."))
    }
}

/// Returns `Err` unless a cone is within 0…π, the ends of a hinge are within −π…0 and 0…π (radians), and its axis has a length.
fn check_limit(what: &Message, limit: AngleLimit) -> Check {
    let pi = std::f64::consts::PI;
    match limit {
        AngleLimit::Free => Ok(()),
        AngleLimit::Cone { angle } if (0.0..=pi).contains(&angle) => Ok(()),
        AngleLimit::Cone { angle } => {
            bad_number(what, angle, message!("rule.dynamics.cone", "Use a half angle from 0 to π."))
        }
        AngleLimit::Hinge { axis, low, high } => {
            check_numbers(what, axis.to_array())?;
            check_above_zero(what, axis.length())?;
            match ((-pi..=0.0).contains(&low), (0.0..=pi).contains(&high)) {
                (true, true) => Ok(()),
                (false, _) => bad_number(what, low, message!("rule.dynamics.low", "Use a lowest turn from −π to 0.")),
                (_, false) => bad_number(what, high, message!("rule.dynamics.high", "Use a highest turn from 0 to π.")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_up_to_the_largest_are_accepted_and_larger_ones_are_refused() {
        let what = message!("setting.dynamics.scale", "The scale");
        assert!(
            check_above_zero(&what, MAX_MAGNITUDE).is_ok()
                && check_at_least_zero(&what, [0.0, MAX_MAGNITUDE]).is_ok()
                && check_numbers(&what, [-MAX_MAGNITUDE]).is_ok()
        );
        for value in [2.0 * MAX_MAGNITUDE, f64::INFINITY, f64::NAN] {
            assert!(check_above_zero(&what, value).is_err() && check_at_least_zero(&what, [value]).is_err());
            assert!(check_numbers(&what, [value]).is_err());
        }
        assert!(check_above_zero(&what, 0.0).is_err() && check_at_least_zero(&what, [-1e-9]).is_err());
        let sentence = check_above_zero(&what, 0.0).unwrap_err().to_string();
        assert!(sentence.starts_with("The scale is 0"), "{sentence}");
    }
}

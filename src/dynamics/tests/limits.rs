//! Angle limits with colliders: the limit wins, and the cost is reported.

use glam::{DVec3, Quat};

use super::super::*;
use super::{bake, hanging, loose, swaying};
use portamento_anim::Pose;
use portamento_anim::math::mean::angle_between;

/// Bakes one bone of 10 cm with this limit. Its tip is inside a ball of this radius, 2 cm off its centre.
fn pushed(limit: AngleLimit, radius: f64) -> Built {
    let mut settings = loose(0.1);
    settings.chains[0].limit = limit;
    let shape = ColliderShape::Sphere { center: DVec3::new(-0.02, 0.8, 0.0), radius };
    settings.colliders.push(Collider { name: "ball".into(), joint: None, shape });
    bake(&hanging(1, 0.1), &|_: f64, _: &mut Pose| {}, 0.5, &settings)
}

fn most_turned(built: &Built) -> f64 {
    built.rows().flatten().map(|q| angle_between(*q, Quat::IDENTITY)).fold(0.0, f64::max)
}

fn limits(angle: f64) -> [AngleLimit; 2] {
    [AngleLimit::Cone { angle }, AngleLimit::Hinge { axis: DVec3::Z, low: -angle, high: angle }]
}

#[test]
fn a_limit_without_a_free_direction_wins_and_is_reported() {
    let free = pushed(AngleLimit::Free, 0.07);
    assert!(most_turned(&free) > 0.4 && free.report.warnings.is_empty(), "{}", most_turned(&free));
    for limit in limits(0.1) {
        let built = pushed(limit, 0.07);
        assert!(most_turned(&built) <= 0.1 + 1e-6, "{limit:?}: {}", most_turned(&built));
        let is_limited = |warning: &Warning| matches!(warning, Warning::Infeasible { limited: true, .. });
        assert!(built.report.warnings.iter().any(is_limited), "{limit:?}: {:?}", built.report.warnings);
        // The bone turns up to its limit, the nearest it can get to the surface.
        assert!(most_turned(&built) > 0.1 - 1e-6, "{limit:?}: {}", most_turned(&built));
    }
}

#[test]
fn a_limit_with_a_free_direction_moves_the_bone_out_of_the_ball() {
    for limit in limits(0.3) {
        let built = pushed(limit, 0.04);
        assert!(built.report.warnings.is_empty(), "{limit:?}: {:?}", built.report.warnings);
        assert!(built.report.penetration <= 1e-6 && built.report.contacts.iter().any(|&count| count > 0));
        assert!((0.1..=0.3 + 1e-6).contains(&most_turned(&built)), "{limit:?}: {}", most_turned(&built));
    }
}

#[test]
fn limits_are_respected_and_an_added_end_simulates_the_last_bone() {
    let skeleton = hanging(2, 0.1);
    let mut settings = loose(0.05);
    settings.chains[0].end_length = 0.1;
    settings.chains[0].limit = AngleLimit::Cone { angle: 0.2 };
    settings.gravity = DVec3::X * 50.0;
    let built = bake(&skeleton, &swaying, 2.0, &settings);
    assert_eq!(built.joints, [1, 2, 3]);
    let turned = |q: &Quat| angle_between(*q, Quat::IDENTITY);
    let most = built.rows().flatten().map(turned).fold(0.0, f64::max);
    assert!(most <= 0.2 + 1e-5 && most > 0.19, "{most}");
    settings.chains[0].overrides =
        vec![JointOverride { joint: 2, limit: Some(AngleLimit::Cone { angle: 0.0 }), ..Default::default() }];
    let limited = bake(&skeleton, &swaying, 2.0, &settings);
    assert!(limited.rows().all(|row| turned(&row[1]) < 1e-5));
}

//! Tests with clips whose moments, heights and speeds are known.

mod acrobat;
mod hero;

use glam::{DQuat, DVec3};

use acrobat::{Acrobat, FEET, G, HANDS, jump, mantle, vault};

use super::*;

const FRAME: f64 = 1.5 / acrobat::FPS;

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

#[test]
fn a_jump_is_recognised_with_its_moments_and_its_gap() {
    let clip = Acrobat::new(&jump(0.5, 0.0)).recognised();
    assert_eq!(clip.kind, CrossingKind::JumpAcross);
    let [take_off, _, _, landing] = clip.moments;
    assert!(near(take_off, 0.8, FRAME) && near(landing, 1.3, FRAME), "{:?}", clip.moments);
    assert!(clip.heading.abs_diff_eq(DVec3::Z, 1e-9));
    // From the tip of the foot at 1.8 m to the heel of the one at 3.9 m.
    let [near_edge, far_edge] = [clip.obstacle.near, clip.obstacle.far.unwrap()].map(|edge| edge[0].z);
    assert!(near(near_edge, 1.9, 0.02) && near(far_edge, 3.7, 0.02), "{near_edge} {far_edge}");
    assert!(clip.obstacle.start.abs_diff_eq(DVec3::Z * -0.3, 0.01), "{:?}", clip.obstacle);
    let arc = clip.flights[0].arc();
    assert!(near(arc.take_off_speed(), 0.5 * G * 0.5, 0.02) && near(arc.speed(), 3.0, 0.01), "{arc:?}");
}

#[test]
fn kinds_follow_from_hands_and_grounds() {
    let of = |act| Acrobat::new(&act).recognised();
    let drop = of(jump(0.7, -1.0));
    assert_eq!(drop.kind, CrossingKind::DropDown);
    assert!(near(drop.obstacle.landing.y, -1.0, 0.02) && drop.obstacle.far.is_none());
    let hop = of(jump(0.55, 0.4));
    assert_eq!(hop.kind, CrossingKind::HopUp);
    assert!(near(hop.obstacle.near[0].y, 0.4, 0.02), "{:?}", hop.obstacle);
    let climb = of(mantle());
    assert_eq!(climb.kind, CrossingKind::Mantle);
    assert!(near(climb.obstacle.near[0].y, 1.5, 0.02) && near(climb.obstacle.near[0].z, 2.6, 0.02));
    let over = of(vault());
    assert_eq!(over.kind, CrossingKind::Vault);
    assert!(near(over.obstacle.near[0].y, 0.8, 0.02) && near(over.obstacle.near[0].z, 3.15, 0.02), "{over:?}");
    for (found, known) in over.moments.iter().zip([0.8, 1.0, 1.3, 1.65]) {
        assert!(near(*found, known, 2.0 * FRAME), "{:?}", over.moments);
    }
}

#[test]
fn a_run_and_a_character_that_stands_cross_nothing() {
    let mut run = jump(0.12, 0.0);
    run.y.iter_mut().for_each(|knot| (knot.1, knot.2) = (0.83, 0.0));
    let run = Acrobat::new(&run);
    let found = CrossingClip::recognise(&run.input(), &Moments::default(), None);
    assert!(matches!(found, Err(BuildError::NoCrossing { .. })), "{found:?}");
    let mut still = jump(0.5, 0.0);
    still.z.iter_mut().for_each(|knot| (knot.1, knot.2) = (1.0, 0.0));
    let still = Acrobat::new(&still);
    let found = CrossingClip::recognise(&still.input(), &Moments::default(), None);
    assert!(matches!(found, Err(BuildError::NoTravel { .. })), "{found:?}");
}

/// The clips of all kinds.
fn all() -> Vec<Acrobat> {
    [jump(0.5, 0.0), jump(0.7, -1.0), jump(0.55, 0.4), vault(), mantle()].iter().map(Acrobat::new).collect()
}

#[test]
fn a_clip_on_its_own_obstacle_gives_itself_back() {
    for acrobat in all() {
        let clip = acrobat.recognised();
        let built = acrobat.fit(&clip.obstacle).unwrap();
        assert!(built.map.is_none());
        let mut worst: f64 = 0.0;
        for frame in 0..=(clip.seconds * acrobat::FPS) as usize {
            let time = f64::from((frame as f64 / acrobat::FPS) as f32);
            for joint in 0..acrobat.skeleton.len() {
                let [own, new] = [&acrobat.clip, &built.clip].map(|clip| acrobat.at(clip, joint, time));
                worst = worst.max(own.distance(new));
            }
        }
        assert!(worst <= 1e-4, "{:?}: {worst}", clip.kind);
    }
}

/// The clip's own obstacle with other sizes, turned about the start.
fn changed(clip: &CrossingClip, sizes: &Sizes) -> Obstacle {
    let own = clip.obstacle;
    let ahead = |by: f64| clip.heading * by;
    let up = DVec3::Y * sizes.height;
    let climbs = matches!(own.kind, CrossingKind::Mantle | CrossingKind::HopUp);
    let rise = if climbs { up } else { DVec3::Y * sizes.rise };
    let far_up = if own.kind == CrossingKind::JumpAcross { rise } else { up };
    let near_up = if clip.contacts_on(Support::Obstacle).next().is_some() || climbs { up } else { DVec3::ZERO };
    let turned = |point: DVec3| own.start + DQuat::from_rotation_y(sizes.yaw) * (point - own.start);
    Obstacle {
        kind: own.kind,
        near: own.near.map(|point| turned(point + ahead(sizes.run_up) + near_up)),
        far: own.far.map(|edge| edge.map(|point| turned(point + ahead(sizes.run_up + sizes.distance) + far_up))),
        start: own.start,
        landing: turned(own.landing + ahead(sizes.run_up + sizes.distance) + rise),
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    height: f64,
    distance: f64,
    rise: f64,
    run_up: f64,
    yaw: f64,
}

#[test]
fn a_wider_gap_is_jumped_by_the_formula_of_free_fall() {
    let acrobat = Acrobat::new(&jump(0.5, 0.0));
    let clip = acrobat.recognised();
    let built = acrobat.fit(&changed(&clip, &Sizes { distance: 0.6, ..Sizes::default() })).unwrap();
    let own = clip.flights[0].arc();
    // At an equal angle, airtime and speeds grow by the root of the distance.
    let factor = ((own.distance + 0.6) / own.distance).sqrt();
    let [before, after] = built.report.airtime.unwrap();
    assert!(near(after / before, factor, 1e-6), "{before} {after}");
    let [take_off, landing] = [built.report.moments[0], built.report.moments[3]];
    let start = acrobat.hips(&built.clip, take_off);
    for share in [0.25, 0.5, 0.75] {
        let time = (landing - take_off) * share;
        let fallen = own.take_off_speed() * factor * time - 0.5 * G * time * time;
        let height = acrobat.hips(&built.clip, take_off + time).y - start.y;
        assert!(near(height, fallen, 5e-3), "{share}: {height} {fallen}");
    }
    let travel = acrobat.hips(&built.clip, landing) - start;
    assert!(near(travel.z, own.distance + 0.6, 1e-4), "{travel}");
}

#[test]
fn hands_hold_a_higher_and_slanted_edge_and_feet_land_on_their_marks() {
    let acrobat = Acrobat::new(&vault());
    let clip = acrobat.recognised();
    let mut obstacle = changed(&clip, &Sizes { height: 0.1, run_up: 0.2, rise: 0.1, yaw: 0.7, ..Sizes::default() });
    // Slanted by 0.1 m over its 2 m.
    obstacle.near[0].y += 0.05;
    obstacle.near[1].y -= 0.05;
    let built = acrobat.fit(&obstacle).unwrap();
    let along = (obstacle.near[1] - obstacle.near[0]).normalize();
    for frame in 0..=16 {
        let time =
            built.report.moments[1] + (built.report.moments[2] - built.report.moments[1]) * f64::from(frame) / 16.0;
        for hand in HANDS {
            let hand = acrobat.at(&built.clip, hand, time) - obstacle.near[0];
            let distance = (hand - along * hand.dot(along)).length();
            assert!(distance <= 0.01, "{time}: {distance}");
        }
    }
    let landing = built.report.moments[3] + 0.1;
    let foot = acrobat.at(&built.clip, FEET[1], landing);
    assert!(near(foot.y, 0.08 + 0.1, 0.01), "{foot}");
    let end = built.clip.duration;
    let root = acrobat.at(&built.clip, 0, end).with_y(obstacle.landing.y);
    assert!(root.distance(obstacle.landing) < 1e-3, "{root} {:?}", obstacle.landing);
}

#[test]
fn random_obstacles_in_range_keep_their_marks() {
    let mut state = 7_u64;
    let mut random = |from: f64, to: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from + (to - from) * ((state >> 33) as f64 / (1_u64 << 31) as f64)
    };
    let acrobats = all();
    let mut fitted = 0;
    for round in 0..200 {
        let acrobat = &acrobats[round % acrobats.len()];
        let clip = acrobat.recognised();
        let range = clip.range();
        let own = clip.obstacle;
        let middle = |edge: EdgeLine| clip.along(edge[0].midpoint(edge[1]));
        let own_height = own.near[0].y - own.start.y;
        let own_gap = own.far.map_or(0.0, |far| middle(far) - middle(own.near));
        // Half of each range, so that sizes may be combined.
        let mut within = |range: &std::ops::RangeInclusive<f64>, own: f64| {
            let reach = |end: f64| (0.5 * (end - own)).clamp(-0.4, 0.4);
            random(reach(*range.start()), reach(*range.end()))
        };
        let sizes = Sizes {
            height: if own_height.abs() < 0.05 { 0.0 } else { within(&range.height, own_height).clamp(-0.15, 0.15) },
            distance: if own.far.is_some() { within(&range.distance, own_gap) } else { 0.0 },
            rise: within(&range.rise, own.landing.y - own.start.y).clamp(-0.3, 0.2),
            run_up: within(&range.run_up, middle(own.near)),
            yaw: random(-3.0, 3.0),
        };
        let built = acrobat.fit(&changed(&clip, &sizes));
        let built = match built {
            Ok(built) => built,
            Err(error) => {
                eprintln!("{round} {:?} {sizes:?}: {error}", clip.kind);
                continue;
            }
        };
        fitted += 1;
        let report = &built.report;
        for error in [&report.edge, &report.landing, &report.standing].into_iter().flatten() {
            assert!(error.error <= 0.01, "{round} {:?} {sizes:?}: {error:?}", clip.kind);
        }
        assert!(report.gravity.is_none_or(|[_, after]| after <= 0.1), "{round} {sizes:?}: {report:?}");
        assert!(report.flipped == 0, "{round} {sizes:?}: {report:?}");
    }
    assert!(fitted >= 190, "{fitted}");
}

#[test]
fn obstacles_out_of_range_are_refused_with_the_limit() {
    let acrobat = Acrobat::new(&jump(0.5, 0.0));
    let clip = acrobat.recognised();
    let fit = |sizes: Sizes| acrobat.fit(&changed(&clip, &sizes)).map(|built| built.report);
    let wide = fit(Sizes { distance: 3.5, ..Sizes::default() });
    assert!(matches!(wide, Err(BuildError::Speed { .. } | BuildError::Airtime { .. })), "{wide:?}");
    let far = fit(Sizes { run_up: 2.0, ..Sizes::default() });
    assert!(matches!(far, Err(BuildError::Stretch { .. })), "{far:?}");
    let high = fit(Sizes { rise: 1.5, ..Sizes::default() });
    assert!(matches!(high, Err(BuildError::Speed { .. })), "{high:?}");
    let mut slanted = clip.obstacle;
    slanted.near[0] += DVec3::Z * 3.0;
    assert!(matches!(acrobat.fit(&slanted), Err(BuildError::Angle { .. })));
    let mut short = clip.obstacle;
    short.far = short.far.map(|edge| edge.map(|point| point + DVec3::Z * 0.3));
    assert!(matches!(acrobat.fit(&short), Err(BuildError::LandingRoom { .. })));
    let other = Obstacle { kind: CrossingKind::Vault, ..clip.obstacle };
    assert!(matches!(acrobat.fit(&other), Err(BuildError::OtherKind { .. })));
    let broken = Obstacle { landing: DVec3::NAN, ..clip.obstacle };
    assert!(matches!(acrobat.fit(&broken), Err(BuildError::BadObstacle)));
}

#[test]
fn the_range_contains_the_clips_own_size_and_ends_at_its_limits() {
    for acrobat in all() {
        let clip = acrobat.recognised();
        let range = clip.range();
        let near = clip.along(clip.obstacle.near[0].midpoint(clip.obstacle.near[1]));
        assert!(range.run_up.contains(&near) && range.seconds == clip.seconds, "{range:?}");
        let beyond = *range.run_up.end() - near + 0.05;
        assert!(acrobat.fit(&changed(&clip, &Sizes { run_up: beyond, ..Sizes::default() })).is_err(), "{range:?}");
    }
}

#[test]
fn moments_set_by_hand_replace_those_of_the_clip_and_must_be_in_order() {
    let acrobat = Acrobat::new(&jump(0.5, 0.0));
    let set = Moments { near: Some(1.0), ..Moments::default() };
    assert_eq!(CrossingClip::recognise(&acrobat.input(), &set, None).unwrap().moments[1], 1.0);
    for bad in [Moments { near: Some(0.1), ..set }, Moments { landing: Some(9.0), ..set }] {
        let found = CrossingClip::recognise(&acrobat.input(), &bad, None);
        assert!(matches!(found, Err(BuildError::BadMoments { .. })), "{found:?}");
    }
}

/// Settings of a box at the clip's own run-up.
fn settings() -> Settings {
    Settings { shape: Shape::Box, height: 0.8, depth: 0.3, ..Settings::default() }
}

#[test]
fn a_box_stands_at_the_clips_own_run_up_and_hands_hold_its_top_edge() {
    let acrobat = Acrobat::new(&vault());
    let fit = |settings: &Settings| cross(&acrobat.input(), settings, None, &Progress::new()).unwrap();
    let crossed = fit(&settings());
    // The hold of the clip is 3.15 m ahead of the origin.
    let [near, far] = [crossed.obstacle.near, crossed.obstacle.far.unwrap()];
    assert!(near[0].abs_diff_eq(DVec3::new(near[0].x, 0.8, 3.15), 0.02) && near[0].x.abs() == 1.0, "{near:?}");
    assert!((far[0].z - near[0].z - 0.3).abs() < 1e-9, "{far:?}");
    let higher = fit(&Settings { height: 0.9, ..settings() });
    let built = higher.fitted.as_ref().unwrap();
    for hand in HANDS {
        let hand = acrobat.at(&built.clip, hand, built.report.moments[1] + 0.1);
        assert!((hand.y - 0.9).abs() <= 0.01 && (hand.z - near[0].z).abs() <= 0.01, "{hand}");
    }
    let refused = fit(&Settings { height: 2.5, ..settings() });
    assert!(refused.motion().is_none() && refused.warnings().len() == 1, "{:?}", refused.fitted);
    assert_eq!(fit(&Settings::default()).obstacle, higher.clip.obstacle);
}

#[test]
fn a_box_refuses_a_clip_that_jumps_and_a_gap_one_that_climbs() {
    for (act, fitting, other) in [(jump(0.5, 0.0), Shape::Gap, Shape::Box), (vault(), Shape::Box, Shape::Gap)] {
        let clip = Acrobat::new(&act).recognised();
        let of = |shape: Shape| Settings { shape, ..settings() }.obstacle(&clip, None);
        assert!(of(fitting).is_ok(), "{:?}", clip.kind);
        assert!(matches!(of(other), Err(BuildError::OtherKind { .. })), "{:?}", of(other));
    }
}

#[test]
fn a_box_in_the_world_is_approached_at_the_side_that_faces_the_start() {
    let acrobat = Acrobat::new(&vault());
    let clip = acrobat.recognised();
    let placed = Settings { place: Place::World, position: [1.2, 0.0, 3.0], ..settings() };
    let obstacle = placed.obstacle(&clip, None).unwrap();
    let heading = (obstacle.landing - obstacle.start).with_y(0.0).normalize();
    assert!(heading.abs_diff_eq(DVec3::new(1.2, 0.0, 3.3).normalize(), 0.01), "{heading}");
    assert!(obstacle.near[0].z < obstacle.far.unwrap()[0].z);
    let object = Settings { place: Place::Object, object: "crate".into(), ..placed.clone() };
    assert_eq!(object.obstacle(&clip, Some(DVec3::new(1.2, 0.0, 3.0))), Ok(obstacle));
    let bad = Settings { height: f64::NAN, ..placed };
    assert_eq!(bad.obstacle(&clip, None), Err(BuildError::BadObstacle));
}

#[test]
fn handles_set_the_lengths_that_they_show() {
    let clip = Acrobat::new(&vault()).recognised();
    let mut placed = settings();
    let base = placed.base(&clip, None);
    let handles = placed.handles(&clip, base);
    placed.drag(0, base, base + DVec3::X);
    assert_eq!((placed.place, placed.position), (Place::World, (base + DVec3::X).to_array()));
    let before = placed.clone();
    placed.drag(1, handles[0], handles[1] + DVec3::Y * 0.1);
    placed.drag(2, handles[0], handles[2] + DVec3::Z * 0.1);
    assert!((placed.height - before.height - 0.1).abs() < 1e-9 && (placed.depth - before.depth - 0.2).abs() < 1e-9);
    let mut gap = Settings { shape: Shape::Gap, depth: 1.5, ..Settings::default() };
    let [near, far] = gap.handles(&clip, base)[..] else { panic!() };
    assert!((far - near).abs_diff_eq(DVec3::Z * 1.5, 1e-6));
    gap.drag(1, near, near + DVec3::new(0.0, -0.5, 2.0));
    assert!((gap.depth - 2.0).abs() < 1e-9 && gap.rise == Some(-0.5), "{gap:?}");
}

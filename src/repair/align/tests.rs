use super::*;
use glam::{DAffine3, DQuat, DVec3};
use portamento_anim::{RootMotion, root_motion};
use portamento_test_support::Figure;

fn aligned(figure: &Figure, clip: &str, wanted: &Wanted, settings: &Settings) -> Result<Built, BuildError> {
    let (skeleton, clip) = (&figure.model.skeleton, figure.model.clip(clip).unwrap());
    let root = RootMotion::find(skeleton, clip, &figure.roles);
    let (roles, metres_per_unit) = (&figure.roles, figure.metres_per_unit);
    build(&Input { skeleton, clip, root, roles, fps: clip.fps(), metres_per_unit }, wanted, settings, &Progress::new())
}

/// Positions of all joints of the body at two times, metres, relative to the ground under the root and its heading at the first.
fn body(figure: &Figure, clip: &Clip, times: [f64; 2]) -> Vec<[DVec3; 2]> {
    let skeleton = &figure.model.skeleton;
    let root = RootMotion::find(skeleton, clip, &figure.roles).unwrap().joint;
    let heading = root_motion::headings(skeleton, clip, root, &times[..1])[0];
    let ground = root_motion::world_at(skeleton, clip, root, times[0]).translation.with_y(0.0);
    let from_world = DAffine3::from_rotation_translation(DQuat::from_rotation_y(heading), ground).inverse();
    let at = |joint: usize, time: f64| {
        figure.metres_per_unit
            * from_world.transform_point3(root_motion::world_at(skeleton, clip, joint, time).translation)
    };
    skeleton.subtree(root).into_iter().map(|joint| times.map(|time| at(joint, time))).collect()
}

/// Returns the largest differences of position and of velocity between the end of `a` and the start of `b`.
fn meeting(figure: &Figure, a: &Clip, b: &Clip) -> [f64; 2] {
    let step = 1.0 / 30.0;
    let [end, start] = [body(figure, a, [a.duration, a.duration - step]), body(figure, b, [0.0, step])];
    let apart = end.iter().zip(&start).map(|(a, b)| {
        let [before, after] = [(a[0] - a[1]) / step, (b[1] - b[0]) / step];
        [a[0].distance(b[0]), before.distance(after)]
    });
    apart.fold([0.0; 2], |all, one| [f64::max(all[0], one[0]), f64::max(all[1], one[1])])
}

#[test]
fn clips_of_a_chain_meet_in_pose_and_approach_in_velocity() {
    // The legs of a run change their velocity by metres per second within one frame, so chords on both sides differ.
    for (name, first, second) in [
        ("hero", "start_run", "run"),
        ("characters/knight.glb", "Jump_Start", "Jump_Land"),
        ("characters/fox.glb", "Survey", "Walk"),
    ] {
        let Some(figure) = Figure::open(name) else { continue };
        let like = |clip: &&Clip, like: &str| clip.name.to_lowercase().starts_with(&like.to_lowercase());
        let find = |wanted: &str| figure.model.clips.iter().find(|clip| like(clip, wanted)).unwrap();
        let [a, b] = [first, second].map(find);
        let before = meeting(&figure, a, b);
        // Clips that meet in velocity already cannot come nearer.
        let is_nearer = |after: f64| after < before[1] || (name != "hero" && after == before[1]);
        // The end of the first takes the start of the second.
        let settings = Settings { end: second.into(), end_at: ClipEnd::Start, ..Settings::default() };
        let built = aligned(&figure, &a.name, &Wanted { begin: None, end: Some(b) }, &settings).unwrap();
        let after = meeting(&figure, &built.clip, b);
        let about = format!("{name} {first} → {second}: {before:?} → {after:?} {:?}", built.report);
        assert!(after[0] <= 1e-3 && is_nearer(after[1]), "{about}");
        // The start of the second takes the end of the first.
        let settings = Settings { begin: first.into(), begin_at: ClipEnd::End, ..Settings::default() };
        let built = aligned(&figure, &b.name, &Wanted { begin: Some(a), end: None }, &settings).unwrap();
        let after = meeting(&figure, a, &built.clip);
        let about = format!("{name} {first} → {second}: {before:?} → {after:?} {:?}", built.report);
        assert!(after[0] <= 1e-3 && is_nearer(after[1]), "{about}");
        // Outside the changed part no frame changes, and between frames there is only rounding.
        let is_outside = |time: &f64| *time > 0.5 * b.duration + 0.05;
        let times = root_motion::frame_times(b, 0..figure.model.skeleton.len(), b.fps());
        for time in times.iter().copied().filter(is_outside) {
            let [was, is] = [b, &built.clip].map(|clip| clip.pose_at(&figure.model.skeleton, time));
            assert!(was == is, "{name} {second} at {time}");
            let [was, is] = [b, &built.clip].map(|clip| clip.pose_at(&figure.model.skeleton, time - 1e-3));
            let apart = was
                .locals
                .iter()
                .zip(&is.locals)
                .map(|(was, is)| was.to_affine_f64().abs_diff_eq(is.to_affine_f64(), 1e-5));
            assert!(apart.into_iter().all(|is_equal| is_equal), "{name} {second} at {time}");
        }
    }
}

#[test]
fn planted_feet_stay_planted_or_their_slide_is_reported() {
    let figure = Figure::open("hero").unwrap();
    let [idle, walk] = ["idle", "walk"].map(|clip| figure.model.clip(clip).unwrap());
    for (begin, end) in [(Some(idle), None), (None, Some(idle))] {
        let settings = Settings { end_at: ClipEnd::Start, begin_at: ClipEnd::Start, ..Settings::default() };
        let built = aligned(&figure, "walk", &Wanted { begin, end }, &settings).unwrap();
        let slide = |clip: &Clip| figure.quality(clip).feet.and_then(|feet| feet.slide).unwrap_or(0.0);
        let (was, is) = (slide(walk), slide(&built.clip));
        assert!(is <= was + 5.0 || built.report.warns(), "{was} → {is} cm/s: {:?}", built.report);
        let free = Settings { feet: false, ..settings };
        let free = aligned(&figure, "walk", &Wanted { begin, end }, &free).unwrap();
        assert!(is <= slide(&free.clip) + 1e-6, "{is} cm/s, without locked feet {} cm/s", slide(&free.clip));
    }
}

#[test]
fn without_clips_nothing_changes_and_bad_parts_are_refused() {
    let figure = Figure::open("hero").unwrap();
    let walk = figure.model.clip("walk").unwrap();
    let built = aligned(&figure, "walk", &Wanted::default(), &Settings::default()).unwrap();
    assert_eq!((built.clip, built.report), (walk.clone(), Report::default()));
    for seconds in [0.0, -1.0, 1e3, f64::NAN] {
        let settings = Settings { seconds, ..Settings::default() };
        let refused = aligned(&figure, "walk", &Wanted::default(), &settings);
        assert!(matches!(refused, Err(BuildError::BadPart { .. })), "{seconds}");
    }
}

#[test]
fn feet_that_stand_through_the_changed_part_step_to_their_wanted_positions() {
    // The stances of a strike and of the idle clip differ by centimetres.
    for (name, strike, idle) in [("hero", "strike", "idle"), ("characters/knight.glb", "1h_melee_attack_chop", "idle")]
    {
        let Some(figure) = Figure::open(name) else { continue };
        let like = |like: &str| figure.model.clips.iter().find(|clip| clip.name.to_lowercase().contains(like)).unwrap();
        let [strike, idle] = [strike, idle].map(like);
        for (begin, end) in [(Some(idle), None), (None, Some(idle))] {
            let settings = Settings { begin_at: ClipEnd::Start, ..Settings::default() };
            let built = aligned(&figure, &strike.name, &Wanted { begin, end }, &settings).unwrap();
            let about = format!("{name} {} {:?}", begin.is_some(), built.report);
            assert!(built.report.slide() <= 0.01, "{about}");
            assert!(built.report.distance()[1] <= 1e-3, "{about}");
            let slide = |clip: &Clip| figure.quality(clip).feet.and_then(|feet| feet.slide).unwrap_or(0.0);
            assert!(slide(&built.clip) <= slide(strike) + 2.0, "{about}: {} → {}", slide(strike), slide(&built.clip));
        }
    }
}

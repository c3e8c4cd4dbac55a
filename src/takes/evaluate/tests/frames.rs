use super::*;
use crate::evaluate::bake;
use portamento_anim::resample::frame_times;
use portamento_looping::finder::Search;

fn frame(built: &Arc<BuiltTake>, time: f64) -> Frame {
    frame_at(built, &built.overlay(None), time)
}

/// Returns the position of the root.
fn root(built: &Arc<BuiltTake>, time: f64) -> Vec3 {
    frame(built, time).world[0].translation.into()
}

#[test]
fn a_take_without_loop_is_clamped_at_its_ends() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![])).unwrap();
    assert_eq!((root(&built, -1.0), root(&built, 5.0)), (Vec3::ZERO, Vec3::Z * 2.0));
    assert!(root(&built, 5.5 / 30.0).abs_diff_eq(Vec3::Z * 0.875, 1e-6));
}

#[test]
fn onion_skins_are_every_nth_frame_on_both_sides_within_the_clip() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![])).unwrap();
    let skins = overlay::OnionSkins { every: 2, ghosts_per_side: 2 };
    let shown = |time: f64| {
        let ghosts = overlay::onion_skins(&built, time, skins);
        ghosts.iter().map(|ghost| (ghost.kind, ghost.world[0].translation.z)).collect::<Vec<_>>()
    };
    let at = |frame: f64| root(&built, frame / built.fps).z;
    let (before, after) = (GhostKind::Earlier, GhostKind::Later);
    let last = built.clip.duration * built.fps;
    assert_eq!(shown(2.0 / built.fps), [(after, at(6.0)), (before, at(0.0)), (after, at(4.0))]);
    assert_eq!(shown(built.clip.duration), [(before, at(last - 4.0)), (before, at(last - 2.0))]);
}

#[test]
fn a_loop_continues_from_its_end_position() {
    let mut clip = go();
    let times: Vec<f32> = (0..=20).map(|frame| frame as f32 / 30.0).collect();
    clip.duration = f64::from(times[20]);
    let steps = (0..=20).map(|frame| Vec3::Z * frame as f32 * 0.1).collect();
    clip.tracks[0].translation = Some(Curve::linear(times, steps));
    let mut workshop = Workshop::new();
    let model = model("hero", hero(), vec![clip]);
    workshop.library.insert(HERO, Asset::new(Loaded { model, ..Loaded::default() }));
    let built = workshop.build(&take(super::clip(HERO, "go"), vec![looped(0, 10)])).unwrap();
    let length = built.clip.duration;
    assert!((length - 10.0 / 30.0).abs() < 1e-6 && built.looped(None).unwrap().window.length == 10);
    let travel = root(&built, length) - root(&built, 0.0);
    assert!(travel.abs_diff_eq(Vec3::Z, 1e-5), "{travel}");
    for time in [0.01, 0.1, 0.3] {
        let later = root(&built, time + 3.0 * length) - root(&built, time);
        assert!(later.abs_diff_eq(travel * 3.0, 1e-5), "{later}");
    }
}

#[test]
fn vertices_are_interpolated_between_frames_and_images_are_not() {
    let mut workshop = Workshop::new();
    let cache = TakeSource::Vertices(Vertices { file: CACHE, clip: None, mesh: None, fps: None });
    let built = workshop.build(&take(cache, vec![])).unwrap();
    let height = |time: f64| match frame(&built, time).content {
        FrameContent::Vertices { positions, normals } => {
            assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5));
            positions[0].y
        }
        other => panic!("{other:?}"),
    };
    assert!((height(0.25) - 2.5).abs() < 1e-5 && height(9.0) == 11.0 && height(-1.0) == 0.0);
    let images = workshop
        .build(&take(TakeSource::Images { file: IMAGES, fps: Some(10.0), sheet: None, tag: None }, vec![]))
        .unwrap();
    let brightness = |time: f64| match frame(&images, time).content {
        FrameContent::Image { pixels, .. } => match &*pixels {
            Pixels::U8(pixels) => pixels[0][0],
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    assert_eq!([0.0, 0.29, 0.3, 9.0].map(brightness), [0, 2, 3, 11]);
}

#[test]
fn stretch_needs_joints_and_loops_are_not_looped() {
    let mut workshop = Workshop::new();
    let images = || TakeSource::Images { file: IMAGES, fps: None, sheet: None, tag: None };
    let refusal = workshop.refusal(&take(images(), vec![to(DVec3::X)]));
    assert_eq!(refusal, "the stretch needs joints, but the take contains images. Remove the stretch.");
    let refusal = workshop.refusal(&take(images(), vec![looped(0, 4), looped(0, 1)]));
    assert_eq!(refusal, "the take is a loop already. Remove one of its loops.");
    let built = workshop.build(&take(images(), vec![looped(0, 4)])).unwrap();
    assert_eq!(built.clip.duration, 4.0 / built.fps);
    let looped = built.looped(None).unwrap();
    assert_eq!((looped.latest_start(), looped.units()), (3, 1));
    assert_eq!(looped.bands(), [0.0, 4.0, 8.0].map(|frame| frame / built.fps));
}

#[test]
fn the_overlay_of_a_stretch_has_source_result_and_target() {
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![to(DVec3::Z * 5.0)])).unwrap();
    let overlay = built.overlay(None);
    assert_eq!(overlay.targets, [DVec3::Z * 5.0]);
    let kinds: Vec<TrailKind> = overlay.trails.iter().map(|trail| trail.kind).collect();
    assert_eq!(kinds, [TrailKind::Source, TrailKind::Result]);
    let ends: Vec<f32> = overlay.ghosts.iter().map(|ghost| ghost.world[0].translation.z).collect();
    assert_eq!(ends, [2.0, 5.0]);
    assert_eq!(overlay.trails[1].nearest(0.17), Some(5));
    // 3 m added to 2 m of travel: a step of 0.25 m in a thirtieth of a second becomes 0.625 m.
    assert!((overlay.trails[1].speeds[2] - 18.75).abs() < 1e-3, "{:?}", overlay.trails[1].speeds);
    assert_eq!(overlay.feet.len(), 2);
}

#[test]
fn a_take_in_place_has_no_trail() {
    let mut workshop = Workshop::new();
    let sways = workshop.build(&take(clip(HERO, "sway"), vec![])).unwrap();
    assert!(sways.overlay(None).trails.is_empty());
    let travelling = workshop.build(&take(clip(HERO, "go"), vec![])).unwrap();
    let trail = &travelling.overlay(None).trails[0];
    assert!((trail.speeds[1] - 7.5).abs() < 1e-3 && trail.speeds[0] == trail.speeds[1] && trail.speeds[4] == 0.0);
}

#[test]
fn foot_contacts_have_their_times() {
    let built = Workshop::new().build(&take(clip(HERO, "sway"), vec![])).unwrap();
    for foot in &built.overlay(None).feet {
        let total = foot.spans.iter().map(|(first, last)| last - first).sum::<f64>();
        assert!((0.0..=1.0).contains(&total), "{:?}", foot.spans);
    }
}

#[test]
fn baked_at_a_rate_every_frame_has_a_key_and_the_end_of_the_clip() {
    assert_eq!(frame_times(1.0, 4.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(frame_times(0.6, 4.0), [0.0, 0.25, 0.5, 0.6]);
    assert_eq!(frame_times(0.500_01, 4.0), [0.0, 0.25, 0.500_01]);
    assert_eq!(frame_times(0.0, 30.0), [0.0]);
    let built = Workshop::new().build(&take(clip(HERO, "go"), vec![])).unwrap();
    assert_eq!(bake::clip(&built, None).clip, *built.clip);
    let baked = bake::clip(&built, Some(bake::Frames { fps: 15.0, whole: false })).clip;
    let keys = baked.tracks[0].translation.as_ref().unwrap();
    let positions: Vec<f32> = keys.values.iter().map(|value| value.z).collect();
    let wanted = [0.0, 0.5, 0.5, 1.0, 1.5, 2.0];
    assert!(
        positions.len() == 6 && positions.iter().zip(wanted).all(|(z, wanted)| (z - wanted).abs() < 1e-5),
        "{positions:?}"
    );
    assert_eq!(f64::from(keys.times[5]), built.clip.duration);
    assert!(baked.tracks[1..].iter().all(JointTracks::is_empty));
}

#[test]
fn with_a_frame_at_the_end_loops_change_speed_and_other_clips_hold_their_last_pose() {
    let frames = bake::Frames { fps: 7.0, whole: true };
    let mut workshop = Workshop::new();
    let once = workshop.build(&take(clip(HERO, "go"), vec![])).unwrap();
    let skeleton = &once.character.model.skeleton;
    let baked = bake::clip(&once, Some(frames)).clip;
    assert_eq!((baked.duration, frames.pace(&once)), (3.0 / 7.0, 1.0));
    let times = [0.0, 1.0, 2.0].map(|frame| (frame / 7.0, frame / 7.0)).into_iter();
    for (written, source) in times.chain([(3.0 / 7.0, once.clip.duration)]) {
        let [written, source] = [baked.pose_at(skeleton, written), once.clip.pose_at(skeleton, source)];
        assert!(written.locals[0].translation.distance(source.locals[0].translation) < 1e-5);
    }
    let cycle = workshop.build(&take(clip(HERO, "go"), vec![looped(0, 4)])).unwrap();
    let baked = bake::clip(&cycle, Some(frames)).clip;
    assert_eq!(baked.duration, 1.0 / 7.0);
    assert!((frames.pace(&cycle) - 1.0 / 7.0 / cycle.clip.duration).abs() < 1e-9 && frames.pace(&cycle) > 1.0);
    let ends = [(0.0, 0.0), (1.0 / 7.0, cycle.clip.duration)];
    for [written, source] in ends.map(|(a, b)| [baked.pose_at(skeleton, a), cycle.clip.pose_at(skeleton, b)]) {
        assert!(written.locals[0].translation.distance(source.locals[0].translation) < 1e-5);
    }
    assert_eq!(bake::Frames { whole: false, ..frames }.pace(&cycle), 1.0);
}

#[test]
fn an_unclosed_loop_has_one_key_less() {
    let unclosed = bake::unclosed(go());
    let keys = unclosed.tracks[0].translation.as_ref().unwrap();
    assert!((unclosed.duration - 0.3).abs() < 1e-6 && keys.times.len() == 10 && keys.values.len() == 10);
    let mut single = still("single");
    single.tracks[0].translation = Some(Curve::linear(vec![1.0], vec![Vec3::X]));
    assert_eq!(bake::unclosed(single.clone()).tracks, single.tracks);
}

#[test]
fn a_search_for_loops_is_done_once_and_cached() {
    let mut workshop = Workshop::new();
    let built = workshop
        .build(&take(TakeSource::Images { file: IMAGES, fps: None, sheet: None, tag: None }, vec![looped(0, 4)]))
        .unwrap();
    let source = &built.looped(None).unwrap().source;
    let search = Search { shortest: 2, longest: 5, ..Search::default() };
    assert!(source.frames() == 12 && source.found(&search).is_none());
    let found = source.find(&search, &Progress::new()).unwrap();
    assert!(Arc::ptr_eq(&found, &source.find(&search, &Progress::new()).unwrap()));
    assert!(source.found(&Search { shortest: 3, ..search }).is_none());
    let joints = workshop.build(&take(clip(HERO, "go"), vec![])).unwrap();
    let stopped = Progress::new();
    stopped.cancel();
    assert!(matches!(joints.find_loops(&search, &stopped), Err(TakeError::Cancelled(_) | TakeError::Find(_))));
}

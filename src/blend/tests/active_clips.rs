//! Active clips: only they set the speed limit of a fade.

use super::*;

use Action::{Cast, Run, Stand};

/// Returns a clip in which only the left arm turns, with one key per frame from `angles`.
fn arm(name: &str, angles: &[f32]) -> Clip {
    let times: Vec<f32> = (0..angles.len()).map(|i| (i as f64 / FPS) as f32).collect();
    let keys = angles.iter().map(|&angle| Quat::from_rotation_z(angle)).collect();
    let duration = (angles.len() - 1) as f64 / FPS;
    let mut clip = Clip { name: name.into(), duration, tracks: vec![JointTracks::default(); 12] };
    for joint in 0..12 {
        clip.tracks[joint].rotation = Some(Curve::linear(vec![0.0], vec![Quat::IDENTITY]));
    }
    clip.tracks[4].rotation = Some(Curve::linear(times, keys));
    clip
}

fn build_scenario(settings: &Scenario, clips: &[Clip]) -> Built {
    built(clips, &Settings::Scenario(settings.clone())).unwrap()
}

#[test]
fn only_active_clips_set_the_speed_limit_of_a_fade() {
    let quick: Vec<f32> = (0..24).map(|i| if i % 2 == 0 { 0.0 } else { 1.5 }).collect();
    let clips = [arm("run", &[0.0; 24]), arm("stand", &[2.5; 24]), arm("cast", &quick)];
    let fast = |events: &[(f64, Action)]| {
        let mut settings = scenario(events);
        settings.events.iter_mut().for_each(|event| event.trans_time = 0.1);
        let built = build_scenario(&settings, &clips);
        let names: Vec<String> = built.active_clips(1.5).iter().map(|clip| clip.name.clone()).collect();
        (built.fast_fades().iter().map(|fade| fade.time).collect::<Vec<_>>(), names)
    };
    // The skill turns the arm at 45 rad/s, but it is cast after the end of the blend, ended at once, or cast long after the fade.
    for late in [&[(3.0, Cast)][..], &[(0.4, Cast), (0.4, Action::End)], &[(1.2, Cast)]] {
        let events = [&[(0.0, Run), (0.5, Stand)][..], late].concat();
        let (times, names) = fast(&events);
        assert!(times.contains(&0.5), "{events:?}: {times:?}");
        let is_active = late[0].0 == 1.2;
        assert_eq!(names.contains(&"cast".to_owned()), is_active, "{events:?}: {names:?}");
    }
}

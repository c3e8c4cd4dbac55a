//! The markers of a take: feet that stand, events, seams and the stop.

use super::plan::OutputClip;
use crate::anim::foot_contacts::{Walker, foot_contacts};
use crate::anim::foot_place::{sole, sole_heights};
use crate::anim::rig::chains::{Chain, Limb, chains};
use crate::anim::root_motion::{frame_times, path};
use crate::anim::travelling::travelling;
use crate::anim::{Clip, Skeleton};
use crate::evaluate::{BuiltTake, StageResult};
use crate::export::markers::{ClipMarkers, Marker};

/// Those of a clip.
pub(super) fn markers(output: &OutputClip) -> ClipMarkers {
    let OutputClip { built, clip, pace, .. } = output;
    let mut markers = feet(built, clip);
    markers.extend(built.events.iter().map(|event| {
        Marker {
            name: event
                .clip
                .as_ref()
                .map_or_else(|| event.action.name().into(), |clip| format!("{}:{clip}", event.action.name())),
            time: pace * event.time,
            until: (event.trans_time > 0.0).then_some(pace * (event.time + event.trans_time)),
        }
    }));
    markers.extend(seam(built, clip));
    markers.extend(stop(built, *pace));
    markers.retain(|marker| (0.0..=clip.duration).contains(&marker.time));
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    ClipMarkers { clip: clip.name.clone(), fps: built.fps, duration: clip.duration, loops: built.repeats(), markers }
}

/// From when to when each foot stands; of a gait on the spot, when it would if the body went where its feet take it.
fn feet(built: &BuiltTake, clip: &Clip) -> Vec<Marker> {
    let (model, legs) = (&built.character.model, &built.roles.legs);
    let skeleton = &model.skeleton;
    let Some(hips) = built.roles.hips.filter(|_| !legs.is_empty()) else { return Vec::new() };
    let unit = built.metres_per_unit;
    let gait = travelling(skeleton, clip, &built.roles, built.fps, unit).map(|gait| gait.clip);
    let clip = gait.as_ref().unwrap_or(clip);
    let times = frame_times(clip, 0..skeleton.len(), built.fps);
    let mut soles = vec![Vec::with_capacity(times.len()); legs.len()];
    for &time in &times {
        let pose = clip.pose_at(skeleton, time);
        legs.iter().zip(&mut soles).for_each(|(leg, soles)| soles.push(sole(skeleton, leg, &pose)));
    }
    let body = path(skeleton, clip, hips, &times);
    let heights = sole_heights(skeleton, &built.roles, &legs.iter().collect::<Vec<_>>());
    let found =
        foot_contacts(&Walker { soles: &soles, heights: &heights, body: &body, times: &times, metres_per_unit: unit });
    let limbs = chains(model, &built.roles);
    let mut markers = Vec::new();
    for (leg, stands) in legs.iter().zip(found) {
        let name = format!("{}_stands", foot_name(&limbs, skeleton, leg.foot));
        let marker = |range: std::ops::Range<usize>| Marker {
            name: name.clone(),
            time: times[range.start],
            until: Some(times[range.end - 1]),
        };
        markers.extend(stands.into_iter().filter(|range| !range.is_empty()).map(marker));
    }
    markers
}

fn foot_name(limbs: &[Chain], skeleton: &Skeleton, foot: usize) -> String {
    let is_it = |chain: &&Chain| matches!(chain.limb, Limb::Foot(..)) && chain.bones[0].joint == foot;
    limbs.iter().find(is_it).map_or_else(|| skeleton.joints[foot].name.clone(), |chain| chain.limb.name())
}

/// Where a motion that repeats begins again.
fn seam(built: &BuiltTake, clip: &Clip) -> Option<Marker> {
    let closes = built.stages.iter().any(|stage| matches!(stage.result, StageResult::Loop(_) | StageResult::Close(_)));
    closes.then(|| Marker { name: "seam".into(), time: clip.duration, until: None })
}

/// Where a walk enters its stop clip; later stages move it, and then it is not told.
fn stop(built: &BuiltTake, pace: f64) -> Option<Marker> {
    let walk = built.walked.as_ref().filter(|_| built.stages.is_empty())?.walk.as_ref()?;
    let report = &walk.report.stop;
    let name = report.clip.as_ref().map_or_else(|| "stop".to_owned(), |clip| format!("stop:{clip}"));
    (report.ends > report.begins).then_some(Marker {
        name,
        time: pace * report.begins,
        until: Some(pace * report.ends),
    })
}

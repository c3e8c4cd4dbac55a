//! Exported markers of a take: foot contacts, events, seam and stop.

use super::plan::OutputClip;
use super::warps::warps;
use portamento_anim::rig::chains::{Chain, Limb, chains};
use portamento_anim::{Clip, Skeleton};
use portamento_formats::export::markers::{AdditiveReference, CONTACT_SUFFIX, ClipMarkers, Marker};
use portamento_takes::evaluate::foot_contacts::FootContacts;
use portamento_takes::evaluate::{BuiltTake, StageResult};

/// Returns the markers of a clip by time, in exported seconds. Those outside of the clip are left out.
pub(super) fn markers(output: &OutputClip) -> ClipMarkers {
    let OutputClip { built, clip, time_scale, .. } = output;
    let mut markers = feet(built, clip);
    markers.extend(built.events.iter().map(|event| {
        Marker {
            name: event
                .clip
                .as_ref()
                .map_or_else(|| event.action.name().into(), |clip| format!("{}:{clip}", event.action.name())),
            time: time_scale * event.time,
            until: (event.trans_time > 0.0).then_some(time_scale * (event.time + event.trans_time)),
        }
    }));
    markers.extend(seam(built, clip));
    markers.extend(stop(built, *time_scale));
    markers.retain(|marker| (0.0..=clip.duration).contains(&marker.time));
    markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    ClipMarkers {
        clip: clip.name.clone(),
        fps: built.fps,
        duration: clip.duration,
        loops: output.loops,
        additive: additive(built),
        markers,
        warps: warps(output),
    }
}

/// Returns the contact intervals of all feet, seconds of `clip`. Empty without known hips or legs.
fn feet(built: &BuiltTake, clip: &Clip) -> Vec<Marker> {
    let of_foot = |((foot, _), contacts): ((String, usize), FootContacts)| {
        let name = foot + CONTACT_SUFFIX;
        contacts.spans.into_iter().map(move |(start, end)| Marker { name: name.clone(), time: start, until: Some(end) })
    };
    foot_names(built).into_iter().zip(built.foot_contacts(clip)).flat_map(of_foot).collect()
}

/// Returns the name and the joint index of each foot, in the order of the legs.
pub(super) fn foot_names(built: &BuiltTake) -> Vec<(String, usize)> {
    let model = &built.character.model;
    let limbs = chains(model, &built.roles);
    built.roles.legs.iter().map(|leg| (foot_name(&limbs, &model.skeleton, leg.foot), leg.foot)).collect()
}

/// Returns the name of the leg that ends in joint `foot`, or of the joint if it belongs to no known leg.
fn foot_name(limbs: &[Chain], skeleton: &Skeleton, foot: usize) -> String {
    let is_it = |chain: &&Chain| matches!(chain.limb, Limb::Foot(..)) && chain.bones[0].joint == foot;
    limbs.iter().find(is_it).map_or_else(|| skeleton.joints[foot].name.clone(), |chain| chain.limb.name())
}

/// Returns the reference of the last additive stage that was built; `None` if there is none.
fn additive(built: &BuiltTake) -> Option<AdditiveReference> {
    let results = built.stages.iter().rev().filter(|stage| stage.undone.is_none()).map(|stage| &stage.result);
    let report =
        results.filter_map(|result| if let StageResult::Additive(built) = result { Some(&built.report) } else { None });
    let report = report.into_iter().next()?;
    Some(AdditiveReference { pose: report.reference.name(), frame: report.frame.clone(), space: report.space.name() })
}

/// Returns a marker at the end of a motion that a stage loops or closes; `None` for any other motion.
fn seam(built: &BuiltTake, clip: &Clip) -> Option<Marker> {
    let closes = built
        .stages
        .iter()
        .any(|stage| stage.undone.is_none() && matches!(stage.result, StageResult::Loop(_) | StageResult::Close(_)));
    closes.then(|| Marker { name: "seam".into(), time: clip.duration, until: None })
}

/// Returns the stop of a walk, with the name of its clip and its times multiplied by `time_scale`. `None` without a stop,
/// or if stages exist, because they change its time.
fn stop(built: &BuiltTake, time_scale: f64) -> Option<Marker> {
    let walk = built.walked.as_ref().filter(|_| built.stages.is_empty())?.walk.as_ref()?;
    let report = &walk.report.stop;
    let name = report.clip.as_ref().map_or_else(|| "stop".to_owned(), |clip| format!("stop:{clip}"));
    (report.ends > report.begins).then_some(Marker {
        name,
        time: time_scale * report.begins,
        until: Some(time_scale * report.ends),
    })
}

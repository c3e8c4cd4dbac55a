//! Warnings about visible problems of a blend. Each names a clip or joint, a time and a remedy.

use super::spinning::Spin;
use crate::evaluate::JointSpike;
use portamento_anim::Skeleton;
use portamento_anim::resample::frame_times;
use portamento_base::message::{Message, message};
use portamento_blend as blend;
use portamento_blend::{Action, Event, Node, NodeKind, Settings, Tree};

/// Returns the warnings about `built` that need no baked clip, sampled at `fps` over `length` seconds.
pub(super) fn of_built(built: &blend::Built, fps: f64, length: f64) -> Vec<Message> {
    let far_apart = far_apart(built, fps, length).into_iter();
    far_apart.chain(fast_interruption(built)).chain(fast_fade(built)).chain(open_seams(built)).collect()
}

/// Returns a warning per node whose three or more inputs differ so much that the shortest rotation between them is
/// ambiguous. It is the moment at which they differ most.
fn far_apart(built: &blend::Built, fps: f64, length: f64) -> Vec<Message> {
    if !mixes_three(built.settings()) {
        return Vec::new();
    }
    let mut widest: Vec<blend::Disagreement> = Vec::new();
    for found in frame_times(length, fps).into_iter().flat_map(|time| built.disagreements(time)) {
        match widest.iter_mut().find(|known| known.node == found.node) {
            Some(known) if known.angle >= found.angle => {}
            Some(known) => *known = found,
            None => widest.push(found),
        }
    }
    let sentence = |each: blend::Disagreement| {
        let blend::Disagreement { time, node, joint, angle } = each;
        let degrees = angle.to_degrees();
        message!(
            "warning.blend.far_apart",
            "Three or more inputs of “%{node}” differ so much that the shortest rotation between them is ambiguous: at %{time} s \
             %{joint} differs by %{degrees}°. Their mean relative to the rest pose is used. Nest two blends to control the order.",
            node = node,
            time = format!("{time:.2}"),
            joint = joint,
            degrees = format!("{degrees:.0}")
        )
        .at(time, None)
    };
    widest.into_iter().map(sentence).collect()
}

/// True if a node of the tree blends three or more active links; false for a scenario.
fn mixes_three(settings: &Settings) -> bool {
    let Settings::Tree(tree) = settings else { return false };
    let three = |node: &Node| matches!(&node.kind, NodeKind::Blend(links) if Tree::active_links(links).count() >= 3);
    tree.nodes.iter().any(three)
}

/// Returns the warning about the joint spike `found`. `centimetres` is the length of a file unit in centimetres.
pub(super) fn spike(skeleton: &Skeleton, found: JointSpike, settings: &Settings, centimetres: f64) -> Message {
    let latest = latest_fade(settings, found.time);
    message!(
        "warning.blend.thrown",
        "A fade adds to quick motion: in the frame at %{time} s %{joint} moves %{centimetres} cm, %{beyond} cm more than in the \
         neighbouring frames and more abruptly than in any clip. Shift the fade midpoint of the event at %{event} s, lengthen the fade, or shorten it so that it ends before.",
        time = format!("{:.2}", found.time),
        joint = skeleton.joints[found.joint].name.clone(),
        centimetres = format!("{:.0}", found.step * centimetres),
        beyond = format!("{:.0}", found.beyond * centimetres),
        event = format!("{:.2}", latest.map_or(found.time, |event| event.time))
    )
    .at(found.time, Some(found.joint))
}

/// Returns the warning about a fade that rotates the body faster than its clips do. `hips` is the name of the joint.
pub(super) fn spins(hips: &str, found: Spin, settings: &Settings) -> Message {
    let latest = latest_fade(settings, found.time);
    let (event, lasts) = latest.map_or((found.time, 0.0), |event| (event.time, event.trans_time));
    // Frames are closer to the fastest moment of a longer fade, so 10 % are added.
    let enough = 1.1 * lasts * found.speed / found.limit;
    message!(
        "warning.blend.spins",
        "The body spins: at %{time} s %{joint} rotates at %{speed}° per second, faster than in any of its clips, which face different \
         directions. Lengthen the fade of the event at %{event} s to about %{enough} s.",
        time = format!("{:.2}", found.time),
        joint = hips,
        speed = format!("{:.0}", found.speed.to_degrees()),
        event = format!("{event:.2}"),
        enough = format!("{:.2}", (100.0 * enough).ceil() / 100.0)
    )
    .at(found.time, None)
}

/// Returns the latest event whose fade covers `time`. In seconds. `None` if there is none.
fn latest_fade(settings: &Settings, time: f64) -> Option<Event> {
    let fades = |event: &Event| (event.time..event.time + event.trans_time).contains(&time);
    settings.events().into_iter().filter(fades).max_by(|a, b| a.time.total_cmp(&b.time))
}

/// Returns warnings about clips that are looped but not closed.
fn open_seams(built: &blend::Built) -> Vec<Message> {
    let sentence = |gap: blend::SeamGap| {
        message!(
            "warning.blend.open_seam",
            "“%{clip}” is looped but not closed: %{joint} differs by %{degrees}° at the seam. The seam is smoothed; choose a \
             looping clip.",
            clip = gap.clip,
            joint = gap.joint,
            degrees = format!("{:.0}", gap.angle.to_degrees())
        )
    };
    built.open_seams().into_iter().map(sentence).collect()
}

/// Returns a warning about the interruption with the fastest joint that exceeds the limit of inertialization.
fn fast_interruption(built: &blend::Built) -> Option<Message> {
    let fastest = built.fast_interruptions().into_iter().max_by(|a, b| a.speed.total_cmp(&b.speed))?;
    let seconds = fastest.time;
    let warning = message!(
        "warning.blend.fast_interruption",
        "The event at %{time} s interrupts a transition while %{joint} rotates at %{speed}° per second. Its speed is reduced so \
         that it does not overshoot. Move the event, or cross-fade interrupted transitions.",
        time = format!("{:.2}", fastest.time),
        joint = fastest.joint,
        speed = format!("{:.0}", fastest.speed.to_degrees())
    );
    Some(warning.at(seconds, None))
}

/// Returns a warning about the fade that is too short by the largest factor.
fn fast_fade(built: &blend::Built) -> Option<Message> {
    let shortfall = |fade: &blend::FastFade| fade.enough / fade.lasts;
    let worst = built.fast_fades().into_iter().max_by(|a, b| shortfall(a).total_cmp(&shortfall(b)))?;
    let seconds = worst.time;
    let warning = message!(
        "warning.blend.fast_fade",
        "The fade is too fast: the event at %{time} s rotates %{joint} by %{angle}° in %{seconds} s, up to %{speed}° per second and \
         faster than its clips. Give that event a transition of about %{enough} s.",
        time = format!("{:.2}", worst.time),
        joint = worst.joint,
        angle = format!("{:.0}", worst.angle.to_degrees()),
        seconds = format!("{:.2}", worst.lasts),
        speed = format!("{:.0}", worst.speed.to_degrees()),
        enough = format!("{:.2}", (worst.enough * 100.0).ceil() / 100.0)
    );
    Some(warning.at(seconds, None))
}

/// Returns a warning about the run and stand clips that cannot be synchronized because their step counts differ. `None` if
/// they can be, or if they need not.
pub(super) fn out_of_step(settings: &Settings, foot_downs: &[(String, Vec<f64>)]) -> Option<Message> {
    let scenario = settings.standard()?;
    let body = |event: &&Event| !matches!(event.action, Action::Cast | Action::End);
    let names = scenario.events.iter().filter(body).filter_map(|event| scenario.clip_of(event));
    let mut counts: Vec<(&str, usize)> = names
        .filter_map(|name| foot_downs.iter().find(|(known, _)| known == name))
        .map(|(name, times)| (&**name, times.len()))
        .collect();
    counts.sort_unstable();
    counts.dedup();
    let equal_counts = counts.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let listed = || counts.iter().map(|(name, count)| format!("“{name}” {count}")).collect::<Vec<_>>().join(", ");
    (scenario.synchronise && !equal_counts).then(|| {
        message!(
            "warning.blend.out_of_step",
            "Only clips with equal step counts can be synchronized. Steps of the first leg: %{counts}.",
            counts = listed()
        )
    })
}

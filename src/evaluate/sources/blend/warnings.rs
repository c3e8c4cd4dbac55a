//! Sentences about what somebody would see of a blend that does not look right: each names a clip or joint, a place and a way out.

use super::spinning::Spin;
use crate::anim::Skeleton;
use crate::anim::resample::frame_times;
use crate::evaluate::Thrown;
use crate::message::{Message, message};
use crate::systems::blend::{self, Action, Event, Node, NodeKind, Settings, Tree};

/// What is seen of `built` at `fps` frames a second over `length` seconds.
pub(super) fn seen(built: &blend::Built, fps: f64, length: f64) -> Vec<Message> {
    let far_apart = far_apart(built, fps, length).into_iter();
    far_apart.chain(fast_interruption(built)).chain(fast_fade(built)).chain(open_seams(built)).collect()
}

/// Where three or more sides meet so far apart that the rule decides which way round: the widest of each node.
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
            "Three or more sides of “%{node}” are so far apart that the shortest way between them is not one: at %{time} s \
             %{joint} differs by %{degrees}°. Their mean as seen from the rest pose is used; nest two blends to choose the order.",
            node = node,
            time = format!("{time:.2}"),
            joint = joint,
            degrees = format!("{degrees:.0}")
        )
        .at(time, None)
    };
    widest.into_iter().map(sentence).collect()
}

fn mixes_three(settings: &Settings) -> bool {
    let Settings::Tree(tree) = settings else { return false };
    let three = |node: &Node| matches!(&node.kind, NodeKind::Blend(links) if Tree::active_links(links).count() >= 3);
    tree.nodes.iter().any(three)
}

/// A joint that a fade throws beyond what its clips do; `centimetres` are those of a unit of the file.
pub(super) fn thrown(skeleton: &Skeleton, found: Thrown, settings: &Settings, centimetres: f64) -> Message {
    let latest = latest_fade(settings, found.time);
    message!(
        "warning.blend.thrown",
        "A fade that adds to quick motion: in the frame at %{time} s %{joint} goes %{centimetres} cm, %{beyond} cm more than in the \
         frames beside it and more than any of its clips stands out. Bend the fade of the event at %{event} s, or let it be longer, or shorter so that it is over before.",
        time = format!("{:.2}", found.time),
        joint = skeleton.joints[found.joint].name.clone(),
        centimetres = format!("{:.0}", found.step * centimetres),
        beyond = format!("{:.0}", found.beyond * centimetres),
        event = format!("{:.2}", latest.map_or(found.time, |event| event.time))
    )
    .at(found.time, Some(found.joint))
}

/// A body that a fade turns about faster than its clips do; `hips` is its joint.
pub(super) fn spins(hips: &str, found: Spin, settings: &Settings) -> Message {
    let latest = latest_fade(settings, found.time);
    let (event, lasts) = latest.map_or((found.time, 0.0), |event| (event.time, event.trans_time));
    // Frames lie nearer to the fastest moment of a longer fade: a tenth more.
    let enough = 1.1 * lasts * found.speed / found.most;
    message!(
        "warning.blend.spins",
        "The body spins: at %{time} s %{joint} turns at %{speed}° a second, faster than in any of its clips, which look different \
         ways. Let the event at %{event} s fade over about %{enough} s.",
        time = format!("{:.2}", found.time),
        joint = hips,
        speed = format!("{:.0}", found.speed.to_degrees()),
        event = format!("{event:.2}"),
        enough = format!("{:.2}", (100.0 * enough).ceil() / 100.0)
    )
    .at(found.time, None)
}

/// The last event that fades at `time`.
fn latest_fade(settings: &Settings, time: f64) -> Option<Event> {
    let fades = |event: &Event| (event.time..event.time + event.trans_time).contains(&time);
    settings.events().into_iter().filter(fades).max_by(|a, b| a.time.total_cmp(&b.time))
}

/// Which clips are looped without being cycles.
fn open_seams(built: &blend::Built) -> Vec<Message> {
    let sentence = |gap: blend::SeamGap| {
        message!(
            "warning.blend.open_seam",
            "“%{clip}” is looped but does not end as it begins: %{joint} is %{degrees}° off. Its seam is smoothed; choose a \
             clip that closes.",
            clip = gap.clip,
            joint = gap.joint,
            degrees = format!("{:.0}", gap.angle.to_degrees())
        )
    };
    built.open_seams().into_iter().map(sentence).collect()
}

/// The interruption that catches a joint at its fastest, where any joint is too fast for its speed to be carried on.
fn fast_interruption(built: &blend::Built) -> Option<Message> {
    let fastest = built.fast_interruptions().into_iter().max_by(|a, b| a.speed.total_cmp(&b.speed))?;
    let seconds = fastest.time;
    let told = message!(
        "warning.blend.fast_interruption",
        "The event at %{time} s interrupts a transition while %{joint} turns at %{speed}° a second: it is slowed down at once so \
         that it does not swing far past. Move the event, or let interrupted transitions mix on.",
        time = format!("{:.2}", fastest.time),
        joint = fastest.joint,
        speed = format!("{:.0}", fastest.speed.to_degrees())
    );
    Some(told.at(seconds, None))
}

/// The fade that is too short by the largest factor, where any is.
fn fast_fade(built: &blend::Built) -> Option<Message> {
    let beyond = |fade: &blend::FastFade| fade.enough / fade.lasts;
    let worst = built.fast_fades().into_iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
    let seconds = worst.time;
    let told = message!(
        "warning.blend.fast_fade",
        "Too fast a fade: the event at %{time} s turns %{joint} by %{angle}° within %{seconds} s, up to %{speed}° a second and \
         faster than its clips do. Give that event a transition of about %{enough} s.",
        time = format!("{:.2}", worst.time),
        joint = worst.joint,
        angle = format!("{:.0}", worst.angle.to_degrees()),
        seconds = format!("{:.2}", worst.lasts),
        speed = format!("{:.0}", worst.speed.to_degrees()),
        enough = format!("{:.2}", (worst.enough * 100.0).ceil() / 100.0)
    );
    Some(told.at(seconds, None))
}

/// Which run and stand clips cannot be kept in step though they shall.
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
    let alike = counts.windows(2).all(|pair| pair[0].1 == pair[1].1);
    let told = || counts.iter().map(|(name, count)| format!("“{name}” {count}")).collect::<Vec<_>>().join(", ");
    (scenario.synchronise && !alike).then(|| {
        message!(
            "warning.blend.out_of_step",
            "Only clips with equally many steps are kept in step; here the first leg has: %{counts}.",
            counts = told()
        )
    })
}

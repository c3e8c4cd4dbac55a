//! The rig that a character follows, beside it: its bones as lines, the one that the selected joint follows told apart.

use glam::{DVec3, Vec3};

use crate::theme;
use crate::viewport::look::{Look, linear};
use portamento_anim::root_motion::rig_size;
use portamento_render::{Joint, Scene};
use portamento_takes::evaluate::Frame;

/// How far to the side it stands, in sizes of the character.
const BESIDE: f64 = 0.6;

/// Draws what `frame` follows, if it follows a rig and both have one clock.
pub(super) fn draw(scene: &mut Scene, frame: &Frame, look: &Look) {
    let Some(built) = frame.built.as_ref() else { return };
    let Some(retargeted) = built.retargeted.as_deref() else { return };
    // Stages that change times would let both run apart.
    if (built.clip.duration - built.source.duration).abs() > 1e-6 {
        return;
    }
    let skeleton = &retargeted.source.model.skeleton;
    let left = DVec3::Y.cross(built.roles.front.unwrap_or_default().direction());
    let aside = (left * BESIDE * rig_size(&frame.character.model.skeleton)).as_vec3();
    let places: Vec<Vec3> = retargeted.source_at(frame.time).into_iter().map(|place| place + aside).collect();
    let is_followed = |joint: usize| {
        retargeted
            .built
            .links
            .iter()
            .any(|link| skeleton.is_within(link.to, joint) || skeleton.is_within(link.from, joint))
    };
    let tokens = theme::over_view();
    let chosen = look.selected.and_then(|joint| retargeted.followed(joint));
    let first = retargeted.built.links.first().map(|link| link.to);
    for (joint, node) in skeleton.joints.iter().enumerate() {
        let Some(parent) = node.parent else { continue };
        // What lies above the hips is the file's frame, not the body.
        let in_body = first.is_none_or(|hips| skeleton.is_within(parent, hips));
        if in_body && is_followed(joint) {
            let color = if chosen == Some(parent) { tokens.selection } else { tokens.source };
            scene.joints.push(Joint { head: places[parent], tail: places[joint], color: linear(color) });
        }
    }
}

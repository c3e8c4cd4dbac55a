//! Drawing of the source rig of a retargeted take next to the character, with the selected joint's source highlighted.

use glam::{DVec3, Vec3};

use crate::theme;
use crate::viewport::look::{Look, linear};
use portamento_anim::root_motion::rig_size;
use portamento_render::{Joint, Scene};
use portamento_takes::evaluate::Frame;

/// Sideways offset in sizes of the character. Tuned; no derivation recorded.
const SIDE_OFFSET_SIZES: f64 = 0.6;

/// Draws the source rig of `frame` if the take is retargeted and has the source's timing.
pub(super) fn draw(scene: &mut Scene, frame: &Frame, look: &Look) {
    let Some(built) = frame.built.as_ref() else { return };
    let Some(retargeted) = built.retargeted.as_deref() else { return };
    // With stages that change the timing, both would be out of sync.
    if (built.clip.duration - built.source.duration).abs() > 1e-6 {
        return;
    }
    let skeleton = &retargeted.source.model.skeleton;
    let left = DVec3::Y.cross(built.roles.front.unwrap_or_default().direction());
    let aside = (left * SIDE_OFFSET_SIZES * rig_size(&frame.character.model.skeleton)).as_vec3();
    let positions: Vec<Vec3> = retargeted.source_at(frame.time).into_iter().map(|position| position + aside).collect();
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
        // Joints above the hips are the file's hierarchy, not the body.
        let in_body = first.is_none_or(|hips| skeleton.is_within(parent, hips));
        if in_body && is_followed(joint) {
            let color = if chosen == Some(parent) { tokens.selection } else { tokens.source };
            scene.joints.push(Joint { head: positions[parent], tail: positions[joint], color: linear(color) });
        }
    }
}

//! Errors of building a blend.

use super::trees::node_name::node_name;
use portamento_anim::mask::MaskError;
use portamento_base::message::{Message, message, messages};
use portamento_base::progress::Cancelled;

messages! {
/// The reason why a blend could not be built. Every message names the node or event.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A weight, time, speed or offset that is out of range.
    BadNumber {
        /// Name of the node or event.
        node: String,
        /// Name of the setting.
        what: Message,
        /// The refused number, as entered.
        value: f64,
    } => message!(
        "error.blend.bad_number",
        "The %{what} of \"%{node}\" is %{value}, which cannot be used. Enter 0 or more; speeds and offsets may have any value.",
        what = what, node = node_name(node), value
    ),
    /// A node that is its own descendant.
    Cycle {
        /// Name of the node that is refused.
        node: String,
    } => message!(
        "error.blend.cycle",
        "The node \"%{node}\" feeds itself through its children. Disconnect or mute one connection of the loop.",
        node = node_name(node)
    ),
    /// A connection to a node that does not exist.
    NoSuchNode {
        /// Name of the node or slot that has the connection.
        node: String,
        /// Index that no node has.
        child: usize,
    } => message!(
        "error.blend.no_such_node",
        "\"%{node}\" is connected to node number %{child}, which does not exist. Connect it again.",
        node = node_name(node), child
    ),
    /// A tree with too many levels.
    TooDeep {
        /// Name of the node that is refused.
        node: String,
        /// Largest number of levels.
        most: usize,
    } => message!(
        "error.blend.too_deep",
        "The node \"%{node}\" is more than %{most} levels below the output pose. Reduce the number of levels.",
        node = node_name(node), most
    ),
    /// A clip that does not exist.
    NoSuchClip {
        /// Name of the node or event.
        node: String,
        /// Name of the clip that is missing.
        clip: String,
    } => message!(
        "error.blend.no_such_clip",
        "\"%{node}\" plays the clip \"%{clip}\", which this character does not have. Choose another clip or mute it.",
        node = node_name(node), clip
    ),
    /// A mask that does not fit the rig.
    BadMask {
        /// Name of the node that is refused.
        node: String,
        /// The problem of the mask, as a sentence.
        reason: MaskError,
    } => message!(
        "error.blend.bad_mask",
        "The joint weights of \"%{node}\" cannot be used. %{reason}",
        node = node_name(node), reason = reason.message()
    ),
    /// A joint that does not exist.
    NoSuchJoint {
        /// Name of the joint.
        joint: String,
    } => message!(
        "error.blend.no_such_joint",
        "The skeleton has no joint \"%{joint}\", but a transition time is set for it. Choose another joint or remove the row.",
        joint
    ),
    /// A clip made for another skeleton, or with broken numbers.
    BadClip {
        /// Name of the refused clip.
        clip: String,
        /// The problem of the clip, as the end of a sentence.
        reason: Message,
    } => message!(
        "error.blend.bad_clip",
        "The clip \"%{clip}\" cannot be played on this skeleton: %{reason}.",
        clip, reason = reason
    ),
    /// Two samples of a blend space at the same position.
    SamePosition {
        /// Name of the node.
        node: String,
        /// The first clip at the position.
        one: String,
        /// The second clip at the position.
        other: String,
    } => message!(
        "error.blend.same_place",
        "In \"%{node}\" the clips \"%{one}\" and \"%{other}\" have the same position. Move one of them.",
        node = node_name(node), one, other
    ),
    /// A blend space with more samples than can be searched.
    TooManySamples {
        /// Name of the node.
        node: String,
        /// Largest number of samples.
        most: usize,
    } => message!(
        "error.blend.too_many_samples",
        "\"%{node}\" has more than %{most} clips. Remove some, or divide it into two nodes.",
        node = node_name(node), most
    ),
    /// A blend space without a sample.
    NoSamples {
        /// Name of the node.
        node: String,
    } => message!(
        "error.blend.no_samples",
        "\"%{node}\" has no clips yet. Add one.",
        node = node_name(node)
    ),
    /// An event that targets a state that does not exist.
    NoSuchState {
        /// Name of the state.
        state: String,
    } => message!(
        "error.blend.no_such_state",
        "An event goes to the state \"%{state}\", which the tree does not have. Choose another state or remove the event.",
        state
    ),
    /// The build was cancelled.
    Cancelled(#[from] error: Cancelled) => error.message(),
}
}

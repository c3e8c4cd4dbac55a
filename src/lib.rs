//! Portamento: stretch, blend, swing, loop and walk game animation, live, without touching the source.
//!
//! ```text
//! files ──import──▶ assets (Arc, immutable) ─┐
//!                                            ▼
//!            panels edit ──▶   Document (takes, settings)   ◀── undo / redo: snapshots
//!                                            │
//!                                systems::*::build            pure; kept while inputs are equal
//!                                            │
//!                                            ▼
//!       playback time ──▶  evaluate::frame_at(take, t) ──▶ Frame ──▶ render ──▶ viewport
//!                                                            ├──▶ timeline, plots, panels
//!                                                            └──▶ export, command line
//! ```
//!
//! What always holds:
//! - A result is a recipe over an untouched source; on one machine the same recipe gives the same bits with any number of
//!   threads, in debug and release. Between machines last bits may differ: `sin`, `exp`, `powf` and their like come from the C
//!   library, and glibc's own give other last bits on processors without FMA. The wide loops of [`math::simd`] do not differ.
//! - The value at a time never depends on the way the playhead got there.
//! - [`session::Session`] is the whole application; the window, the command line and the tests are its clients.
//! - What is shown is what is exported: both are sampled from the same clip.
//! - A system knows no window, file, clock or sibling; systems meet in [`evaluate`] only.
//! - Every limit or fallback is reported as data; no input panics.
//!
//! Where things are computed:
//! - blending: `systems::blend` — `kernel` (eight lanes of joints), `inertialization`, `timeline` (events to fade layers);
//! - walking: `systems::locomotion` — `plan`, `foot_plants`, `pose_match`, `distance_curve`; routes: `systems::navigation::search`;
//! - stretching: `systems::stretch::formula`; dynamic bones: `systems::dynamics::{step, lanes}` (four bones side by side); loops: `systems::looping`; cloth: `systems::cloth`;
//! - stages of a take: layer in `systems::blend::layered`, `systems::{close, retime, trim, ground, mirror, root, cleanup}`; clips of other rigs: `systems::retarget`;
//! - what a rig is: `anim::rig`; what is wrong with a clip: `anim::quality`; skinning: `anim::skinning`; leg and chain IK: `anim::ik`, `anim::chain_ik`.
//!
//! Words, their meaning and unit, and who else calls them so:
//!
//! | word | meaning | also in |
//! |---|---|---|
//! | clip | named curves over joints, seconds | glTF animation, Unreal sequence |
//! | pose | local transforms of all joints at one time | ozz, Unreal |
//! | skeleton, joint | the hierarchy, at rest | glTF, ozz |
//! | take | what the user makes: a source and the stages after it | MotionBuilder |
//! | source, stage | what begins a take; what transforms it | Blender modifier |
//! | stage span | seconds of the incoming motion within which a stage acts | strip in Blender's NLA |
//! | influence | how much of what a stage does is taken, 0 … 1, joints mixed between | Unity layer weight |
//! | key, keyed setting | what a number is at a time; a number of a stage with keys | Blender keyframe |
//! | recipe, slot | stages in a file, to be given to any clip; what they leave open | Blender node group and its inputs |
//! | rig, roles | which joint is hips, leg, head; where the character looks | Unity avatar, VRM humanoid |
//! | root motion | the part of a clip that carries the character, metres | Unreal, Unity |
//! | displacement stretching | a missing distance spread by how far each frame moved | – |
//! | blend mask | weight per joint, 0 … 1 | ozz, Unreal layered blend per bone |
//! | layer | a skill over any motion, as the standard tree lays it | Unreal layered blend |
//! | close | a motion of any length made to repeat, its travel kept | – |
//! | fade layer | one side of a transition with its weights over time | Unreal blend stack |
//! | inertialization | what is left of an interrupted pose, decaying | Unreal, Bollo |
//! | pop | a joint turning further in a frame than sources and weights explain, radians | – |
//! | sync marker | when a foot comes down, seconds | Unreal |
//! | chain, collider | joints that swing; what they may not enter, metres | VRM spring bone, Unreal |
//! | fade, seam | how two cycles are mixed; where the loop closes | Houdini loop |
//! | voxel, span, area | walkable ground of a level, metres | Recast |
//! | route, variant | a way over the ground; the same under another seed | Detour path |
//! | gait | a clip that walks or runs at a speed, m/s | Unreal locomotion |
//! | foot plant | where and how long a foot stands | Unreal foot placement |
//! | distance curve | metres still to travel, by clip time | Unreal distance matching |
//! | vertex clip | positions of a mesh in every frame | MDD, PC2, Alembic |
//! | vertex-animation texture | the same as texels | Unreal, Houdini VAT |
//! | sidecar | a file beside the clip: weights, routes, voxels | – |
//!
//! The modules below are in reading order; each may use those above it. `render` alone names three-d, `ui` alone egui.
#![warn(missing_docs)]
#![deny(unsafe_code)]
#![warn(clippy::too_many_lines, clippy::excessive_nesting)]
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo, clippy::dbg_macro)]

pub mod message;
pub mod budget;
pub mod progress;
mod system_reason;
mod regular_file;
pub mod math;
pub mod geometry;
pub mod media;
pub mod anim;
pub mod import;
pub mod systems;
pub mod document;
pub mod evaluate;
pub mod export;
pub mod session;
pub mod cli;
pub mod samples;
#[cfg(feature = "gui")]
pub mod render;
#[cfg(feature = "gui")]
pub mod ui;

/// Gives what peaks took back to the system: with that of glibc a window that builds takes for hours only ever grew.
#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The same; tests ask it whether something allocated.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: allocations::CountingAllocator = allocations::CountingAllocator;

#[cfg(test)]
#[path = "tests/support/allocations.rs"]
mod allocations;

#[cfg(test)]
#[path = "tests/support/mod.rs"]
mod support;

//! Portamento stretches, blends, loops and walks game animation and adds dynamics, live and without changing the source.
//!
//! ```text
//! files ──import──▶ assets (Arc, immutable) ─┐
//!                                            ▼
//!            panels edit ──▶   Document (takes, settings)   ◀── undo / redo: snapshots
//!                                            │
//!                                systems::*::build            pure; cached while inputs are equal
//!                                            │
//!                                            ▼
//!       playback time ──▶  evaluate::frame_at(take, t) ──▶ Frame ──▶ render ──▶ viewport
//!                                                            ├──▶ timeline, plots, panels
//!                                                            └──▶ export, command line
//! ```
//!
//! Invariants:
//! - A result is a recipe over an untouched source. On one machine the same recipe gives the same bits with any
//!   number of threads, in debug and release. Between machines the last bits may differ: `sin`, `exp`, `powf` and
//!   similar functions come from the C library, and glibc's give other last bits on processors without FMA. The wide
//!   loops of [`math::simd`] do not differ.
//! - The value at a time does not depend on how the playhead got there.
//! - [`session::Session`] is the whole application; the window, the command line and the tests are its clients.
//! - The view and the export sample the same clip, so they are equal.
//! - A system knows no window, file, clock or other system; systems meet in [`evaluate`] only.
//! - Every limit or fallback is reported as data; no input panics.
//!
//! Main computations:
//! - blending: `systems::blend` — `clips::kernel` (eight lanes of joints), `fades::inertialization`, `standard::timeline` (events to fade layers);
//! - walking: `systems::locomotion` — `segments::plan`, `segments::pose_match`, `feet::foot_plants`, `clips::distance_curve`; routes: `systems::navigation::search`;
//! - stretching: `systems::stretch::formula`; dynamic bones: `systems::dynamics::{stepping::step, lanes}` (four bones per SIMD step); loops: `systems::looping`; cloth: `systems::cloth`;
//! - stages of a take: layers in `systems::blend::layered`, `systems::{close, retime, trim, ground, mirror, root, cleanup}`; clips of other rigs: `systems::retarget`;
//! - rig detection: `anim::rig`; quality of a clip: `anim::quality`; skinning: `anim::skinning`; leg and chain IK: `anim::ik`, `anim::chain_ik`.
//!
//! Glossary, with units and the names in other programs:
//!
//! | word | meaning | also in |
//! |---|---|---|
//! | clip | named curves over joints, seconds | glTF animation, Unreal sequence |
//! | pose | local transforms of all joints at one time | ozz, Unreal |
//! | skeleton, joint | the hierarchy, at rest | glTF, ozz |
//! | take | an edited animation: a source and the stages after it | MotionBuilder |
//! | source, stage | the input of a take; a step that transforms it | Blender modifier |
//! | stage span | range of the incoming motion in which a stage acts, seconds | strip in Blender's NLA |
//! | influence | blend weight between a stage's input and output, 0 … 1 | Unity layer weight |
//! | key, keyed setting | a value at a time; a stage setting with keys | Blender keyframe |
//! | recipe, slot | stages saved for other clips; the inputs that they leave open | Blender node group and its inputs |
//! | rig, roles | the joints that are hips, legs, head; the facing direction | Unity avatar, VRM humanoid |
//! | root motion | the part of a clip that moves the character, metres | Unreal, Unity |
//! | displacement stretching | a missing distance distributed in proportion to each frame's movement | – |
//! | blend mask | weight per joint, 0 … 1 | ozz, Unreal layered blend per bone |
//! | layer | a skill on top of any motion, as in the standard tree | Unreal layered blend |
//! | close | making a motion of any length loop, with its travel preserved | – |
//! | fade layer | one side of a transition with its weights over time | Unreal blend stack |
//! | inertialization | a decaying offset from an interrupted pose | Unreal, Bollo |
//! | pop | a rotation step that sources and weights do not explain, radians | – |
//! | sync marker | time at which a foot comes down, seconds | Unreal |
//! | chain, collider | joints that swing; shapes that they must not enter, metres | VRM spring bone, Unreal |
//! | fade, seam | the mix of two cycles; the point at which the loop closes | Houdini loop |
//! | voxel, span, area | walkable ground of a level, metres | Recast |
//! | route, variant | a path over the ground; the same with another seed | Detour path |
//! | gait | a walk or run clip with its speed, m/s | Unreal locomotion |
//! | foot plant | position and duration of a foot contact | Unreal foot placement |
//! | distance curve | remaining distance over clip time, metres | Unreal distance matching |
//! | vertex clip | vertex positions of a mesh in every frame | MDD, PC2, Alembic |
//! | vertex animation texture | a vertex clip stored in texture pixels | Unreal, Houdini VAT |
//! | sidecar | a file next to the clip: weights, routes, voxels | – |
//!
//! The modules are in reading order; each may use the previous ones. Only `render` uses three-d, only `ui` uses egui.

#[doc(inline)]
pub use portamento_anim as anim;
pub use portamento_anim::{geometry, math, media};
pub use portamento_base::{budget, message, progress};
#[doc(inline)]
pub use portamento_formats::{export, import};
/// The systems: each a crate that knows no other.
pub mod systems {
    #[doc(inline)]
    pub use portamento_blend as blend;
    #[doc(inline)]
    pub use portamento_dynamics as dynamics;
    pub use portamento_dynamics::cloth;
    #[doc(inline)]
    pub use portamento_looping as looping;
    pub use portamento_repair::{cleanup, close, ground};
    #[doc(inline)]
    pub use portamento_retarget as retarget;
    #[doc(inline)]
    pub use portamento_stretch as stretch;
    pub use portamento_stretch::{mirror, retime, root, trim};
    pub use portamento_walk::{locomotion, navigation};
}
#[doc(inline)]
pub use portamento_cli as cli;
#[doc(inline)]
pub use portamento_render as render;
#[doc(inline)]
pub use portamento_session as session;
pub use portamento_session::samples;
pub use portamento_takes::{document, evaluate};
#[doc(inline)]
pub use portamento_ui as ui;

/// Returns memory to the system after peaks; with glibc's allocator the window's process only ever grew.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

//! Why a take cannot be shown or exported.

use crate::anim::root_synthesis::NoRootMotion;
use crate::media::image_clip::FrameError;
use crate::media::vertex_clip::VertexClipError;
use crate::systems::locomotion::WalkError;
use crate::systems::looping::finder::FindError;
use crate::systems::navigation::SearchError;
use crate::systems::navigation::voxels::VoxelError;
use crate::systems::{blend, cloth, dynamics, looping, stretch};

/// Why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// The file is missing or could not be read.
    #[error("the file of “{0}” is not loaded. Open it, or choose another source.")]
    NotLoaded(String),
    /// The clip is not in its file (any more).
    #[error("there is no clip “{clip}” in {file}. It has: {known}.")]
    NoClip {
        /// The name asked for.
        clip: String,
        /// Where it was looked for.
        file: String,
        /// What is there.
        known: String,
    },
    /// No joint of the clip is in the character.
    #[error(
        "no joint of “{0}” has the name of a joint of the character. Choose a clip made for a rig with the same names."
    )]
    NothingInCommon(String),
    /// The scene object is gone.
    #[error("there is no scene object “{0}”. Choose another target.")]
    NoObject(String),
    /// A skeleton without joints.
    #[error("the file of “{0}” has no joints to move. Choose a file with a rig.")]
    NoJoints(String),
    /// A blend of no length, or of more frames than are worth keeping.
    #[error("a blend of {0} s cannot be baked. Choose a length above 0 s, up to 600 s.")]
    BadLength(f64),
    /// A rate of keys that is no usable number.
    #[error("{0} keys per second cannot be baked. Choose a rate between 1 and 1000.")]
    BadRate(f64),
    /// The file holds no frames of that kind.
    #[error("“{file}” holds no {wanted}. Choose {instead}.")]
    WrongContent {
        /// The file.
        file: String,
        /// What was expected.
        wanted: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// A cache without faces met a mesh of other vertices.
    #[error("the mesh has {mesh} vertices, but “{cache}” has {points}. Choose the mesh the cache was made from.")]
    OtherMesh {
        /// The cache.
        cache: String,
        /// Vertices of the cache.
        points: usize,
        /// Vertices of the mesh.
        mesh: usize,
    },
    /// A modifier for joints on something without.
    #[error("the {modifier} needs joints, but the take is made of {content}. Remove the {modifier}.")]
    NeedsJoints {
        /// The modifier.
        modifier: &'static str,
        /// What there is.
        content: &'static str,
    },
    /// A loop of a loop of vertices or images.
    #[error("the take is a loop already. Remove one of its loops.")]
    AlreadyLooped,
    /// No loop was made.
    #[error(transparent)]
    Loop(#[from] looping::BuildError),
    /// Nothing was searched for loops.
    #[error(transparent)]
    Find(#[from] FindError),
    /// No cloth was simulated.
    #[error(transparent)]
    Cloth(#[from] cloth::BuildError),
    /// Vertices that do not fit together.
    #[error(transparent)]
    Vertices(#[from] VertexClipError),
    /// An image that cannot be read.
    #[error(transparent)]
    Image(#[from] FrameError),
    /// Root motion could not be made.
    #[error(transparent)]
    NoRootMotion(#[from] NoRootMotion),
    /// Stretching was refused.
    #[error(transparent)]
    Stretch(#[from] stretch::BuildError),
    /// Blending was refused.
    #[error(transparent)]
    Blend(#[from] blend::BuildError),
    /// Dynamic bones were refused.
    #[error(transparent)]
    Dynamics(#[from] dynamics::BuildError),
    /// A level without a place to stand.
    #[error("nothing in the level can be walked on. Check its unit and which axis is up, or allow steeper slopes.")]
    NoGround,
    /// A place of a way that is too far off the ground to be meant.
    #[error(
        "{what} is {metres:.2} m from the nearest walkable ground, which is at x {:.2}, y {:.2}, z {:.2} m. Move it onto \
         the ground, or widen what counts as walkable.",
        .ground.x, .ground.y, .ground.z
    )]
    OffGround {
        /// The start, or which stop.
        what: String,
        /// How far.
        metres: f64,
        /// The nearest ground, metres.
        ground: glam::DVec3,
    },
    /// Start or goal is not chosen yet, or the seed has no route.
    #[error("there is no way yet. Choose a start and a goal on the ground.")]
    NoWay,
    /// A walk without a character.
    #[error("nobody walks. Choose a character with a skeleton and clips.")]
    NobodyWalks,
    /// The level was refused.
    #[error(transparent)]
    Voxel(#[from] VoxelError),
    /// No way was found.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// No walk was made.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Stopped on request.
    #[error(transparent)]
    Cancelled(#[from] crate::progress::Cancelled),
}

//! Why a take cannot be shown or exported.

use super::stage_fault::{already_looped, bad_span, needs_joints, not_keyed, unknown_stage, word};
use crate::anim::root_synthesis::NoRootMotion;
use crate::media::image_clip::FrameError;
use crate::media::sprite_sheet::SheetError;
use crate::media::vertex_clip::VertexClipError;
use crate::message::{Message, Tell, display_in_english, message};
use crate::systems::locomotion::WalkError;
use crate::systems::looping::finder::FindError;
use crate::systems::navigation::SearchError;
use crate::systems::navigation::voxels::VoxelError;
use crate::systems::{
    blend, cleanup, close, cloth, dynamics, ground, looping, mirror, retarget, retime, root, stretch, trim,
};

/// Why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// The file is missing or could not be read.
    NotLoaded(String),
    /// The clip is not in its file (any more).
    NoClip {
        /// The name asked for.
        clip: String,
        /// Where it was looked for.
        file: String,
        /// What is there.
        known: Vec<String>,
    },
    /// No joint of the clip is in the character.
    NothingInCommon(String),
    /// The scene object is gone.
    NoObject(String),
    /// A skeleton without joints.
    NoJoints(String),
    /// A blend of no length, or of more frames than are worth keeping; seconds.
    BadLength(f64),
    /// A rate of keys that is not a usable number; frames per second.
    BadRate(f64),
    /// A span of a stage without sense: its first and last second.
    BadSpan {
        /// Where it starts, seconds.
        start: f64,
        /// Where it ends, seconds.
        end: f64,
    },
    /// The file holds no vertex cache.
    NoVertexCache {
        /// The file's name as the document shows it.
        file: String,
    },
    /// The file holds no images.
    NoImages {
        /// The file's name as the document shows it.
        file: String,
    },
    /// A cache without faces met a mesh of other vertices.
    OtherMesh {
        /// The point cache's name.
        cache: String,
        /// Vertices of the cache.
        points: usize,
        /// Vertices of the mesh.
        mesh: usize,
    },
    /// A stage for joints on something without.
    NeedsJoints {
        /// The refused step, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// What the take is made of, [`super::Content::name`].
        content: &'static str,
    },
    /// A take, by the name of its user, that is used as a clip and gone.
    NoTake(String),
    /// Takes that are made from each other, by their names along the way round.
    Cycle(Vec<String>),
    /// A take that is made from takes too many times over.
    TooDeep(String),
    /// A take used as a clip that moves no joints.
    NotJoints {
        /// Name of the take.
        take: String,
        /// What it is made of, [`super::Content::name`].
        content: &'static str,
    },
    /// A stage of a newer version, by its name in the file.
    UnknownStage(String),
    /// Keys of what cannot change over time.
    NotKeyed {
        /// The kind of the stage, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// What is keyed, [`crate::document::KeyedSetting::setting`].
        setting: String,
    },
    /// A loop of a loop of vertices or images.
    AlreadyLooped,
    /// No loop was made.
    Loop(#[from] looping::BuildError),
    /// Nothing was searched for loops.
    Find(#[from] FindError),
    /// No cloth was simulated.
    Cloth(#[from] cloth::BuildError),
    /// Vertices that do not fit together.
    Vertices(#[from] VertexClipError),
    /// An image that is not such a sprite sheet.
    Sheet(#[from] SheetError),
    /// An image that cannot be read.
    Image(#[from] FrameError),
    /// Root motion could not be made.
    NoRootMotion(#[from] NoRootMotion),
    /// Closing was refused.
    Close(#[from] close::BuildError),
    /// Another speed was refused.
    Retime(#[from] retime::BuildError),
    /// A motion of another rig was refused.
    Retarget(#[from] retarget::BuildError),
    /// A cut was refused.
    Trim(#[from] trim::BuildError),
    /// Cleaning up was refused.
    Cleanup(#[from] cleanup::BuildError),
    /// Mirroring was refused.
    Mirror(#[from] mirror::BuildError),
    /// The travel could not be put elsewhere.
    Root(#[from] root::BuildError),
    /// Ground was refused.
    Ground(#[from] ground::BuildError),
    /// Stretching was refused.
    Stretch(#[from] stretch::BuildError),
    /// Blending was refused.
    Blend(#[from] blend::BuildError),
    /// Dynamic bones were refused.
    Dynamics(#[from] dynamics::BuildError),
    /// A level without a place to stand.
    NoGround,
    /// A place of a way that is too far off the ground to be meant.
    OffGround {
        /// The start, or which stop.
        what: Message,
        /// Distance to the nearest walkable ground, metres.
        metres: f64,
        /// The nearest ground, metres.
        ground: glam::DVec3,
    },
    /// Start or goal is not chosen yet, or the seed has no route.
    NoWay,
    /// A walk without a character.
    NobodyWalks,
    /// The level was refused.
    Voxel(#[from] VoxelError),
    /// No way was found.
    Search(#[from] SearchError),
    /// No walk was made.
    Walk(#[from] WalkError),
    /// It needs more memory than it may take.
    OverBudget(#[from] crate::budget::OverBudget),
    /// Stopped on request.
    Cancelled(#[from] crate::progress::Cancelled),
}

display_in_english!(TakeError);

impl Tell for TakeError {
    fn message(&self) -> Message {
        match self {
            Self::NotLoaded(take) => not_loaded(take),
            Self::NoClip { clip, file, known } => no_clip(clip, file, known),
            Self::NothingInCommon(clip) => nothing_in_common(clip),
            Self::NoObject(object) => no_object(object),
            Self::NoJoints(clip) => no_joints(clip),
            Self::BadLength(seconds) => bad_length(*seconds),
            Self::BadRate(fps) => bad_rate(*fps),
            Self::BadSpan { start, end } => bad_span(*start, *end),
            Self::NoVertexCache { file } => no_vertex_cache(file),
            Self::NoImages { file } => no_images(file),
            Self::OtherMesh { cache, points, mesh } => other_mesh(cache, *points, *mesh),
            Self::NeedsJoints { stage, content } => needs_joints(stage, content),
            Self::NoTake(user) => no_take(user),
            Self::Cycle(names) => cycle(names),
            Self::TooDeep(take) => too_deep(take),
            Self::NotJoints { take, content } => not_joints(take, content),
            Self::UnknownStage(stage) => unknown_stage(stage),
            Self::NotKeyed { stage, setting } => not_keyed(stage, setting),
            Self::AlreadyLooped => already_looped(),
            Self::NoGround => no_ground(),
            Self::OffGround { what, metres, ground } => off_ground(what, *metres, *ground),
            Self::NoWay => no_way(),
            Self::NobodyWalks => nobody_walks(),
            Self::Stretch(error) => error.message(),
            Self::Close(error) => error.message(),
            Self::Retime(error) => error.message(),
            Self::Retarget(error) => error.message(),
            Self::Trim(error) => error.message(),
            Self::Ground(error) => error.message(),
            Self::Cleanup(error) => error.message(),
            Self::Mirror(error) => error.message(),
            Self::Root(error) => error.message(),
            Self::OverBudget(error) => error.message(),
            Self::Cancelled(error) => error.message(),
            Self::Loop(error) => error.message(),
            Self::Find(error) => error.message(),
            Self::Cloth(error) => error.message(),
            Self::Vertices(error) => error.message(),
            Self::Image(error) => error.message(),
            Self::NoRootMotion(error) => error.message(),
            Self::Blend(error) => error.message(),
            Self::Dynamics(error) => error.message(),
            Self::Voxel(error) => error.message(),
            Self::Search(error) => error.message(),
            Self::Walk(error) => error.message(),
            Self::Sheet(error) => error.message(),
        }
    }
}

fn not_loaded(take: &str) -> Message {
    message!(
        "error.take.not_loaded",
        "the file of “%{take}” is not loaded. Open it, or choose another source.",
        take = take
    )
}

fn no_clip(clip: &str, file: &str, known: &[String]) -> Message {
    if known.is_empty() {
        return message!(
            "error.take.no_clips",
            "there is no clip “%{clip}” in %{file}, which has no clips at all. Choose another file.",
            clip = clip,
            file = file
        );
    }
    message!(
        "error.take.no_clip",
        "there is no clip “%{clip}” in %{file}. It has: %{known}.",
        clip = clip,
        file = file,
        known = known.join(", ")
    )
}

fn nothing_in_common(clip: &str) -> Message {
    message!(
        "error.take.nothing_in_common",
        "no joint of “%{clip}” has the name of a joint of the character. Choose a clip made for a rig with the same names.",
        clip = clip
    )
}

fn no_object(object: &str) -> Message {
    message!("error.take.no_object", "there is no scene object “%{object}”. Choose another target.", object = object)
}

fn no_joints(clip: &str) -> Message {
    message!(
        "error.take.no_joints",
        "the file of “%{clip}” has no joints to move. Choose a file with a rig.",
        clip = clip
    )
}

fn bad_length(seconds: f64) -> Message {
    message!(
        "error.take.bad_length",
        "a blend of %{seconds} s cannot be baked. Choose a length above 0 s, up to 600 s.",
        seconds = seconds.to_string()
    )
}

fn bad_rate(fps: f64) -> Message {
    message!(
        "error.take.bad_rate",
        "%{fps} keys per second cannot be baked. Choose a rate between 1 and 1000.",
        fps = fps.to_string()
    )
}

fn no_vertex_cache(file: &str) -> Message {
    message!(
        "error.take.no_vertex_cache",
        "“%{file}” holds no vertex cache. Choose an MDD, PC2 or OBJ sequence, or a clip of a model.",
        file = file
    )
}

fn no_images(file: &str) -> Message {
    message!(
        "error.take.no_images",
        "“%{file}” holds no images. Choose numbered images, a GIF, APNG or WebP.",
        file = file
    )
}

fn other_mesh(cache: &str, points: usize, mesh: usize) -> Message {
    message!(
        "error.take.other_mesh",
        "the mesh has %{mesh} vertices, but “%{cache}” has %{points}. Choose the mesh the cache was made from.",
        mesh = mesh,
        cache = cache,
        points = points
    )
}

fn no_take(user: &str) -> Message {
    message!(
        "error.take.no_take",
        "a take that “%{user}” uses as a clip is gone. Choose another clip in its place, or undo what removed it.",
        user
    )
}

fn cycle(names: &[String]) -> Message {
    message!(
        "error.take.cycle",
        "takes are made from each other: %{names}. Choose another clip in one of them.",
        names = names.join(" ← ")
    )
}

fn too_deep(take: &str) -> Message {
    message!(
        "error.take.too_deep",
        "“%{take}” is made from takes that are made from takes more than 32 times over. Export one of them and use its clip.",
        take
    )
}

fn not_joints(take: &str, content: &'static str) -> Message {
    message!(
        "error.take.not_joints",
        "“%{take}” is made of %{content} and cannot stand for a clip of joints. Choose a take that moves a skeleton.",
        take,
        content = word(content)
    )
}

fn no_ground() -> Message {
    message!(
        "error.take.no_ground",
        "nothing in the level can be walked on. Check its unit and which axis is up, or allow steeper slopes."
    )
}

fn off_ground(what: &Message, metres: f64, ground: glam::DVec3) -> Message {
    let [x, y, z] = ground.to_array().map(|metres| format!("{metres:.2}"));
    message!(
        "error.take.off_ground",
        "%{what} is %{metres} m from the nearest walkable ground, which is at x %{x} m, y %{y} m, z %{z} m. Move it \
         onto the ground, or widen what counts as walkable.",
        what = what,
        metres = format!("{metres:.2}"),
        x = x,
        y = y,
        z = z
    )
}

fn no_way() -> Message {
    message!("error.take.no_way", "there is no way yet. Choose a start and a goal on the ground.")
}

fn nobody_walks() -> Message {
    message!("error.take.nobody_walks", "nobody walks. Choose a character with a skeleton and clips.")
}

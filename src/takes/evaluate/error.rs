//! Reasons why a take cannot be shown or exported.

use super::stage_fault::{already_looped, bad_span, needs_joints, not_keyed, unknown_stage, word};
use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::sprite_sheet::SheetError;
use portamento_anim::media::vertex_clip::VertexClipError;
use portamento_anim::root_synthesis::RootMotionError;
use portamento_base::message::{Message, Tell, display_in_english, message};
use portamento_blend as blend;
use portamento_dynamics as dynamics;
use portamento_dynamics::cloth;
use portamento_looping as looping;
use portamento_looping::finder::FindError;
use portamento_repair::{cleanup, close, ground};
use portamento_retarget as retarget;
use portamento_stretch as stretch;
use portamento_stretch::{mirror, retime, root, trim};
use portamento_walk::locomotion::WalkError;
use portamento_walk::navigation::SearchError;
use portamento_walk::navigation::voxels::VoxelError;

/// Reasons why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// The file of this take is missing or could not be read.
    NotLoaded(String),
    /// The clip does not exist in its file.
    NoClip {
        /// The requested name.
        clip: String,
        /// The searched file.
        file: String,
        /// The clips of the file.
        known: Vec<String>,
    },
    /// No joint of this clip exists in the character.
    NothingInCommon(String),
    /// No scene object has this name.
    NoObject(String),
    /// The file of this clip has a skeleton without joints.
    NoJoints(String),
    /// The length of a blend is not positive or exceeds the limit; seconds.
    BadLength(f64),
    /// The key rate is not usable; frames per second.
    BadRate(f64),
    /// The time span of a stage is invalid.
    BadSpan {
        /// Start of the span, seconds.
        start: f64,
        /// End of the span, seconds.
        end: f64,
    },
    /// The file contains no vertex cache.
    NoVertexCache {
        /// The file's name as the document shows it.
        file: String,
    },
    /// The file contains no images.
    NoImages {
        /// The file's name as the document shows it.
        file: String,
    },
    /// The vertex counts of a cache and of the mesh that provides its faces differ.
    OtherMesh {
        /// The name of the cache.
        cache: String,
        /// Number of vertices of the cache.
        points: usize,
        /// Number of vertices of the mesh.
        mesh: usize,
    },
    /// A stage that works on joints is applied to a take without joints.
    NeedsJoints {
        /// The kind of the refused stage, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// The kind of content of the take, [`super::Content::name`].
        content: &'static str,
    },
    /// This take uses another take as a clip, and that take no longer exists.
    NoTake(String),
    /// Takes that depend on each other, by name along the cycle.
    Cycle(Vec<String>),
    /// The chain of takes used as clips is too long; the name of the take at which the limit was reached.
    TooDeep(String),
    /// A take used as a clip does not contain joints.
    NotJoints {
        /// The name of the take.
        take: String,
        /// The kind of content of the take, [`super::Content::name`].
        content: &'static str,
    },
    /// A stage kind of a newer version, by its name in the file.
    UnknownStage(String),
    /// Keys on a setting that cannot be keyed.
    NotKeyed {
        /// The kind of the stage, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// The keyed setting, [`crate::document::KeyedSetting::setting`].
        setting: String,
    },
    /// Vertices or images are looped twice.
    AlreadyLooped,
    /// Building a loop failed.
    Loop(#[from] looping::BuildError),
    /// The search for loops failed.
    Find(#[from] FindError),
    /// The cloth simulation failed.
    Cloth(#[from] cloth::BuildError),
    /// The vertex data are inconsistent.
    Vertices(#[from] VertexClipError),
    /// The image does not match the sprite sheet grid.
    Sheet(#[from] SheetError),
    /// An image cannot be read.
    Image(#[from] FrameError),
    /// Root motion could not be computed.
    RootMotionError(#[from] RootMotionError),
    /// The close stage failed.
    Close(#[from] close::BuildError),
    /// The retime stage failed.
    Retime(#[from] retime::BuildError),
    /// Retargeting failed.
    Retarget(#[from] retarget::BuildError),
    /// The trim stage failed.
    Trim(#[from] trim::BuildError),
    /// The cleanup stage failed.
    Cleanup(#[from] cleanup::BuildError),
    /// The mirror stage failed.
    Mirror(#[from] mirror::BuildError),
    /// The root stage failed.
    Root(#[from] root::BuildError),
    /// The ground stage failed.
    Ground(#[from] ground::BuildError),
    /// The stretch stage failed.
    Stretch(#[from] stretch::BuildError),
    /// The blend failed.
    Blend(#[from] blend::BuildError),
    /// The dynamics stage failed.
    Dynamics(#[from] dynamics::BuildError),
    /// The level has no walkable ground.
    NoGround,
    /// A stop of a walk is too far from walkable ground.
    OffGround {
        /// The start, the goal or the number of the stop.
        what: Message,
        /// Distance to the nearest walkable ground, metres.
        metres: f64,
        /// Position of the nearest walkable ground, metres.
        ground: glam::DVec3,
    },
    /// The start or goal is not chosen yet, or the seed has no route.
    NoRoute,
    /// The walk has no character.
    NoCharacter,
    /// Voxelizing the level failed.
    Voxel(#[from] VoxelError),
    /// The route search failed.
    Search(#[from] SearchError),
    /// Building the walk failed.
    Walk(#[from] WalkError),
    /// The take has too many stages.
    TooManyStages {
        /// Number of active stages.
        count: usize,
        /// Largest number of stages.
        most: usize,
    },
    /// A blend or layer has too many events.
    TooManyEvents {
        /// Number of events.
        count: usize,
        /// Largest number of events.
        most: usize,
    },
    /// The memory limit would be exceeded.
    OverBudget(#[from] portamento_base::budget::OverBudget),
    /// The work was cancelled.
    Cancelled(#[from] portamento_base::progress::Cancelled),
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
            Self::NoRoute => no_route(),
            Self::NoCharacter => no_character(),
            Self::Stretch(error) => error.message(),
            Self::Close(error) => error.message(),
            Self::Retime(error) => error.message(),
            Self::Retarget(error) => error.message(),
            Self::Trim(error) => error.message(),
            Self::Ground(error) => error.message(),
            Self::Cleanup(error) => error.message(),
            Self::Mirror(error) => error.message(),
            Self::Root(error) => error.message(),
            Self::TooManyStages { count, most } => too_many_stages(*count, *most),
            Self::TooManyEvents { count, most } => too_many_events(*count, *most),
            Self::OverBudget(error) => error.message(),
            Self::Cancelled(error) => error.message(),
            Self::Loop(error) => error.message(),
            Self::Find(error) => error.message(),
            Self::Cloth(error) => error.message(),
            Self::Vertices(error) => error.message(),
            Self::Image(error) => error.message(),
            Self::RootMotionError(error) => error.message(),
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

fn too_many_stages(count: usize, most: usize) -> Message {
    message!(
        "error.take.too_many_stages",
        "it has %{count} stages; %{most} are possible. Turn stages off, or export the motion and go on from there.",
        count,
        most
    )
}

fn too_many_events(count: usize, most: usize) -> Message {
    message!(
        "error.take.too_many_events",
        "it has %{count} events; %{most} are possible. Remove events, or divide the motion among several takes.",
        count,
        most
    )
}

fn no_clip(clip: &str, file: &str, known: &[String]) -> Message {
    if known.is_empty() {
        return message!(
            "error.take.no_clips",
            "there is no clip “%{clip}” in %{file}, which contains no clips. Choose another file.",
            clip = clip,
            file = file
        );
    }
    message!(
        "error.take.no_clip",
        "there is no clip “%{clip}” in %{file}. Its clips: %{known}.",
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
        "“%{file}” contains no vertex cache. Choose an MDD, PC2 or OBJ sequence, or a clip of a model.",
        file = file
    )
}

fn no_images(file: &str) -> Message {
    message!(
        "error.take.no_images",
        "“%{file}” contains no images. Choose numbered images, a GIF, APNG or WebP.",
        file = file
    )
}

fn other_mesh(cache: &str, points: usize, mesh: usize) -> Message {
    message!(
        "error.take.other_mesh",
        "the mesh has %{mesh} vertices, but “%{cache}” has %{points}. Choose the mesh the cache was exported from.",
        mesh = mesh,
        cache = cache,
        points = points
    )
}

fn no_take(user: &str) -> Message {
    message!(
        "error.take.no_take",
        "“%{user}” uses a take as a clip that no longer exists. Choose another clip, or undo its removal.",
        user
    )
}

fn cycle(names: &[String]) -> Message {
    message!(
        "error.take.cycle",
        "takes use each other as clips: %{names}. Choose another clip in one of them.",
        names = names.join(" ← ")
    )
}

fn too_deep(take: &str) -> Message {
    message!(
        "error.take.too_deep",
        "“%{take}” depends on a chain of more than 32 takes. Export one of them and use its clip instead.",
        take
    )
}

fn not_joints(take: &str, content: &'static str) -> Message {
    message!(
        "error.take.not_joints",
        "“%{take}” contains %{content} and cannot be used as a joint clip. Choose a take that moves a skeleton.",
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

fn no_route() -> Message {
    message!("error.take.no_way", "the walk has no route yet. Choose a start and a goal on the ground.")
}

fn no_character() -> Message {
    message!("error.take.nobody_walks", "no character is assigned. Choose one that has a skeleton and clips.")
}

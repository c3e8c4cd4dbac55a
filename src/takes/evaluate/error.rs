//! Reasons why a take cannot be shown or exported.

use portamento_anim::media::image_clip::FrameError;
use portamento_anim::media::sprite_sheet::SheetError;
use portamento_anim::media::vertex_clip::VertexClipError;
use portamento_anim::root_synthesis::RootMotionError;
use portamento_base::message::{Message, message, messages};
use portamento_blend as blend;
use portamento_dynamics as dynamics;
use portamento_dynamics::cloth;
use portamento_looping as looping;
use portamento_looping::finder::FindError;
use portamento_repair::{cleanup, close, ground, pose};
use portamento_retarget as retarget;
use portamento_stretch as stretch;
use portamento_stretch::{additive, mirror, retime, root, trim};
use portamento_walk::crossing;
use portamento_walk::locomotion::WalkError;
use portamento_walk::navigation::SearchError;
use portamento_walk::navigation::voxels::VoxelError;

messages! {
/// Reasons why a take cannot be shown or exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TakeError {
    /// The file of this take is missing or could not be read.
    NotLoaded(take: String) => message!(
        "error.take.not_loaded",
        "the file of “%{take}” is not loaded. Open it, or choose another source.",
        take
    ),
    /// The file of this take was removed from the project: the take and the file.
    FileRemoved(take: String, file: String) => message!(
        "error.take.file_removed",
        "%{file} was removed from the project, and “%{take}” uses it. Give the take another file, or open %{file} again.",
        file, take
    ),
    /// The clip does not exist in its file.
    NoClip {
        /// The requested name.
        clip: String,
        /// The searched file.
        file: String,
        /// The clips of the file.
        known: Vec<String>,
    } => match &known[..] {
        [] => message!(
            "error.take.no_clips",
            "there is no clip “%{clip}” in %{file}, which contains no clips. Choose another file.",
            clip, file
        ),
        known => message!(
            "error.take.no_clip",
            "there is no clip “%{clip}” in %{file}. Its clips: %{known}.",
            clip, file, known = known.join(", ")
        ),
    },
    /// No joint of this clip exists in the character.
    NothingInCommon(clip: String) => message!(
        "error.take.nothing_in_common",
        "no joint of “%{clip}” has the name of a joint of the character. Choose a clip made for a rig with the same names.",
        clip
    ),
    /// No scene object has this name.
    NoObject(object: String) => message!("error.take.no_object", "there is no scene object “%{object}”. Choose another target.", object),
    /// The file of this clip has a skeleton without joints.
    NoJoints(clip: String) => message!(
        "error.take.no_joints",
        "the file of “%{clip}” has no joints to move. Choose a file with a rig.",
        clip
    ),
    /// The length of a blend is not positive or exceeds the limit; seconds.
    BadLength(seconds: f64) => message!(
        "error.take.bad_length",
        "a blend of %{seconds} s cannot be baked. Choose a length above 0 s, up to 600 s.",
        seconds
    ),
    /// The key rate is not usable; frames per second.
    BadRate(fps: f64) => message!(
        "error.take.bad_rate",
        "%{fps} keys per second cannot be baked. Choose a rate between 1 and 1000.",
        fps
    ),
    /// The time span of a stage is invalid.
    BadSpan {
        /// Start of the span, seconds.
        start: f64,
        /// End of the span, seconds.
        end: f64,
    } => message!(
        "error.take.bad_span",
        "the span of a stage cannot be %{start} s to %{end} s. Choose an end after the start, and fades of 0 s or more.",
        start, end
    ),
    /// The file contains no vertex cache.
    NoVertexCache {
        /// The file's name as the document shows it.
        file: String,
    } => message!(
        "error.take.no_vertex_cache",
        "“%{file}” contains no vertex cache. Choose an MDD, PC2 or OBJ sequence, or a clip of a model.",
        file
    ),
    /// The file contains no images.
    NoImages {
        /// The file's name as the document shows it.
        file: String,
    } => message!(
        "error.take.no_images",
        "“%{file}” contains no images. Choose numbered images, a GIF, APNG or WebP.",
        file
    ),
    /// The vertex counts of a cache and of the mesh that provides its faces differ.
    OtherMesh {
        /// The name of the cache.
        cache: String,
        /// Number of vertices of the cache.
        points: usize,
        /// Number of vertices of the mesh.
        mesh: usize,
    } => message!(
        "error.take.other_mesh",
        "the mesh has %{mesh} vertices, but “%{cache}” has %{points}. Choose the mesh the cache was exported from.",
        mesh, cache, points
    ),
    /// A stage that works on joints is applied to a take without joints.
    NeedsJoints {
        /// The kind of the refused stage, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// The kind of content of the take, [`super::Content::name`].
        content: &'static str,
    } => message!(
        "error.take.needs_joints",
        "the %{stage} needs joints, but the take contains %{content}. Remove the %{stage}.",
        stage = word(stage), content = word(content)
    ),
    /// This take uses another take as a clip, and that take no longer exists.
    NoTake(user: String) => message!(
        "error.take.no_take",
        "“%{user}” uses a take as a clip that no longer exists. Choose another clip, or undo its removal.",
        user
    ),
    /// Takes that depend on each other, by name along the cycle.
    Cycle(names: Vec<String>) => message!(
        "error.take.cycle",
        "takes use each other as clips: %{names}. Choose another clip in one of them.",
        names = names.join(" ← ")
    ),
    /// The chain of takes used as clips is too long; the name of the take at which the limit was reached.
    TooDeep(take: String) => message!(
        "error.take.too_deep",
        "“%{take}” depends on a chain of more than 32 takes. Export one of them and use its clip instead.",
        take
    ),
    /// A take used as a clip does not contain joints.
    NotJoints {
        /// The name of the take.
        take: String,
        /// The kind of content of the take, [`super::Content::name`].
        content: &'static str,
    } => message!(
        "error.take.not_joints",
        "“%{take}” contains %{content} and cannot be used as a joint clip. Choose a take that moves a skeleton.",
        take, content = word(content)
    ),
    /// A stage kind of a newer version, by its name in the file.
    UnknownStage(stage: String) => message!(
        "error.take.unknown_stage",
        "its stage “%{stage}” comes from a newer Portamento and cannot be built here. Mute or remove it, or update Portamento.",
        stage
    ),
    /// Keys on a setting that cannot be keyed.
    NotKeyed {
        /// The kind of the stage, [`crate::document::StageKind::name`].
        stage: &'static str,
        /// The keyed setting, [`crate::document::KeyedSetting::setting`].
        setting: String,
    } => message!(
        "error.take.not_keyed",
        "“%{setting}” of the stage “%{stage}” cannot be keyed: it does not exist, or it affects the whole motion at once. Remove its \
         keys. The influence can be keyed on stages that do not change time.",
        setting, stage = word(stage)
    ),
    /// Vertices or images are looped twice.
    AlreadyLooped => message!("error.take.already_looped", "the take is a loop already. Remove one of its loops."),
    /// Building a loop failed.
    Loop(#[from] error: looping::BuildError) => error.message(),
    /// The search for loops failed.
    Find(#[from] error: FindError) => error.message(),
    /// The cloth simulation failed.
    Cloth(#[from] error: cloth::BuildError) => error.message(),
    /// The vertex data are inconsistent.
    Vertices(#[from] error: VertexClipError) => error.message(),
    /// The image does not match the sprite sheet grid.
    Sheet(#[from] error: SheetError) => error.message(),
    /// An image cannot be read.
    Image(#[from] error: FrameError) => error.message(),
    /// Root motion could not be computed.
    RootMotionError(#[from] error: RootMotionError) => error.message(),
    /// A stage on the seam, the start, the strides or the ends of a motion failed.
    Close(#[from] error: close::BuildError) => error.message(),
    /// The retime stage failed.
    Retime(#[from] error: retime::BuildError) => error.message(),
    /// Retargeting failed.
    Retarget(#[from] error: retarget::BuildError) => error.message(),
    /// The trim stage failed.
    Trim(#[from] error: trim::BuildError) => error.message(),
    /// The cleanup stage failed.
    Cleanup(#[from] error: cleanup::BuildError) => error.message(),
    /// The mirror stage failed.
    Mirror(#[from] error: mirror::BuildError) => error.message(),
    /// The additive stage failed.
    Additive(#[from] error: additive::BuildError) => error.message(),
    /// The pose stage failed.
    Pose(#[from] error: pose::BuildError) => error.message(),
    /// The root stage failed.
    Root(#[from] error: root::BuildError) => error.message(),
    /// The ground stage failed.
    Ground(#[from] error: ground::BuildError) => error.message(),
    /// The cross stage failed.
    Cross(#[from] error: crossing::BuildError) => error.message(),
    /// The stretch stage failed.
    Stretch(#[from] error: stretch::BuildError) => error.message(),
    /// The blend failed.
    Blend(#[from] error: blend::BuildError) => error.message(),
    /// The dynamics stage failed.
    Dynamics(#[from] error: dynamics::BuildError) => error.message(),
    /// The level has no walkable ground.
    NoGround => message!(
        "error.take.no_ground",
        "nothing in the level can be walked on. Check its unit and which axis is up, or allow steeper slopes."
    ),
    /// A stop of a walk is too far from walkable ground.
    OffGround {
        /// The start, the goal or the number of the stop.
        what: Message,
        /// Distance to the nearest walkable ground, metres.
        metres: f64,
        /// Position of the nearest walkable ground, metres.
        ground: glam::DVec3,
    } => message!(
        "error.take.off_ground",
        "%{what} is %{metres} m from the nearest walkable ground, which is at x %{x} m, y %{y} m, z %{z} m. Move it \
         onto the ground, or widen what counts as walkable.",
        what = what, metres = metres_text(*metres), x = metres_text(ground.x), y = metres_text(ground.y),
        z = metres_text(ground.z)
    ),
    /// The start or goal is not chosen yet, or the seed has no route.
    NoRoute => message!("error.take.no_way", "the walk has no route yet. Choose a start and a goal on the ground."),
    /// The walked route crosses obstacles or gaps.
    RouteCrosses => message!(
        "error.take.route_crosses",
        "the route crosses an obstacle or a gap by listed sizes, without a clip. Cross with the character's clips, or remove \
         the sizes."
    ),
    /// The walk has no character.
    NoCharacter => message!("error.take.nobody_walks", "no character is assigned. Choose one that has a skeleton and clips."),
    /// Voxelizing the level failed.
    Voxel(#[from] error: VoxelError) => error.message(),
    /// The route search failed.
    Search(#[from] error: SearchError) => error.message(),
    /// Building the walk failed.
    Walk(#[from] error: WalkError) => error.message(),
    /// The take has too many stages.
    TooManyStages {
        /// Number of active stages.
        count: usize,
        /// Largest number of stages.
        most: usize,
    } => message!(
        "error.take.too_many_stages",
        "it has %{count} stages; %{most} are possible. Turn stages off, or export the motion and go on from there.",
        count, most
    ),
    /// A blend or layer has too many events.
    TooManyEvents {
        /// Number of events.
        count: usize,
        /// Largest number of events.
        most: usize,
    } => message!(
        "error.take.too_many_events",
        "it has %{count} events; %{most} are possible. Remove events, or divide the motion among several takes.",
        count, most
    ),
    /// The memory limit would be exceeded.
    OverBudget(#[from] error: portamento_base::budget::OverBudget) => error.message(),
    /// The work was cancelled.
    Cancelled(#[from] error: portamento_base::progress::Cancelled) => error.message(),
}
}

fn metres_text(metres: f64) -> String {
    format!("{metres:.2}")
}

/// Returns the name of a kind of stage or content as a word within a sentence.
pub(super) fn word(kind: &'static str) -> Message {
    match kind {
        "stretch" => message!("word.stretch", "stretch"),
        "dynamics" => message!("word.dynamics", "dynamics"),
        "loop" => message!("word.loop", "loop"),
        "ground" => message!("word.ground", "ground"),
        "close" => message!("word.close", "close"),
        "cleanup" => message!("word.cleanup", "cleanup"),
        "align" => message!("word.align", "align poses"),
        "cross" => message!("word.cross", "cross"),
        "joints" => message!("word.joints", "joints"),
        "vertices" => message!("word.vertices", "vertices"),
        "images" => message!("word.images", "images"),
        other => Message::verbatim(other),
    }
}

//! Everything a user can ask for, as data: menus, shortcuts, the palette, the command line and tests all speak it.

mod catalogue;
mod entry;
pub mod stage;
pub mod tree;

use std::path::PathBuf;

pub use catalogue::{catalogue, dynamics_entries, edit_entries, file_entries, transport_entries, view_entries};

pub use entry::CommandEntry;
use stage::StageCommand;
use tree::TreeCommand;

use super::DynamicsMode;
use super::ExportRequest;
use super::RecoverableWork;
use super::clip_library::{ClipRow, LibraryCommand, MendRequest};
use super::pair::PairCommand;
use crate::document::{FileId, Take, TakeId, TakePlace};
use crate::systems::cloth::ClothShape;
use crate::systems::dynamics::Preset;

/// One request. Panels edit settings in place; all else goes through here.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opening, saving, exporting.
    File(FileCommand),
    /// Changing what the document holds.
    Edit(EditCommand),
    /// Moving the playhead.
    Transport(TransportCommand),
    /// Two motions side by side.
    Pair(PairCommand),
    /// Things only a window can do: dialogs, cameras, panels. A session without a window ignores them.
    Window(WindowCommand),
}

/// Opening, saving, exporting.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCommand {
    /// An empty project.
    New,
    /// Projects, characters, clips: by extension.
    Open(Vec<PathBuf>),
    /// That clip of a file, which is opened first where it is not open yet.
    OpenClip {
        /// The file that has the clip.
        file: PathBuf,
        /// The clip's name.
        clip: String,
    },
    /// Lists the clips of these folders and files with their figures.
    MeasureClips(Vec<PathBuf>),
    /// A take of each of these clips that mends what was found in it.
    MendClips(MendRequest),
    /// Gives the chosen clips a tag, or takes it from them.
    TagClips {
        /// What it is marked with.
        tag: String,
        /// Given, not taken.
        holds: bool,
    },
    /// Makes takes of clips with the stages of that take.
    StackClips(Vec<ClipRow>, TakeId),
    /// Makes takes of clips with the stages that the recipe in that file holds.
    ApplyRecipe(Vec<ClipRow>, PathBuf),
    /// Writes the stages of that take as a recipe.
    SaveRecipe(TakeId, PathBuf),
    /// The sample project.
    OpenSamples,
    /// Writes the project where it was opened or saved last.
    Save,
    /// Writes the project there.
    SaveAs(PathBuf),
    /// Writes the user's preset of that index to be shared.
    SavePreset(usize, PathBuf),
    /// Writes takes as clips.
    Export(ExportRequest),
    /// Answers whether the project may be saved over what others wrote meanwhile.
    SaveAnyway(bool),
    /// Looks for sources that could not be read in that folder and below.
    FindMissing(PathBuf),
    /// Removes unsaved work that a window left.
    DiscardRecovery(RecoverableWork),
    /// Answers whether the last export may replace the files that are there; where not, nothing is written.
    Replace(bool),
}

/// Changing what the document holds.
#[derive(Clone, Debug, PartialEq)]
pub enum EditCommand {
    /// One step back.
    Undo,
    /// One step forward.
    Redo,
    /// To that entry of the history.
    GoToHistory(usize),
    /// A take of `clip` from file `clip_file` on the character of `character`, stretched by default to where it ends.
    AddStretch {
        /// Whose skeleton moves.
        character: FileId,
        /// Where the clip is.
        clip_file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// A blend of clips driven by events; run, stand and skill are proposed from the clips there are.
    AddScenario {
        /// Whose skeleton moves; `None` takes the character that is shown.
        character: Option<FileId>,
        /// A clip that shall be part of it, and its file.
        with: Option<(FileId, String)>,
    },
    /// Lets an event of the shown take, by its place among them, enter its clip at the frame nearest to what comes in.
    FindEntry(usize),
    /// Lets the fades of a blend that spin the body last as long as it takes to turn.
    GiveFadesTime(TakeId),
    /// Lets the fades of a blend that throw a joint in one frame be half done sooner or later.
    BendFades(TakeId),
    /// Lets the clip at a node of the shown tree, by its place among them, be at the frame nearest to what plays: where events start
    /// it again at the first of them, else at the playhead.
    FindNodeEntry(usize),
    /// A clip of another rig, or a take of another character, on `character`.
    AddRetarget {
        /// Whose skeleton moves.
        character: FileId,
        /// Where the clip is; of no meaning for a take.
        file: FileId,
        /// The clip's name, or the take's reference.
        clip: String,
    },
    /// A named point in the scene that takes can aim at, where the shown take ends.
    AddObject,
    /// The meshes of that file as an object in the scene to compare with; `None` takes those that are shown, or the last opened.
    AddReference(Option<FileId>),
    /// Lets the mesh of that object, by its place in the list, stand on the ground.
    GroundObject(usize),
    /// Draws the mesh of that object, by its place in the list, or no longer.
    ToggleObject(usize),
    /// Takes that point, by its place in the list, out of the scene; takes that aimed at it keep its place as their target.
    RemoveObject(usize),
    /// A looped take of the clip, cache or images that are shown, or a loop at the end of the shown take.
    AddLoop,
    /// A looped take of the shown clip, or of the shown take's clip, vertex by vertex: for painted fades.
    AddVertices,
    /// A cloth in the wind as a new take, looped.
    AddCloth(ClothShape),
    /// A cloth of the mesh that is shown, or of the last opened one, as a new take, looped.
    HangMesh,
    /// A walk through the level at hand by the character at hand.
    AddWalk,
    /// Makes a walk through the level in that file.
    WalkHere(FileId),
    /// Lets that joint of the shown character swing, with all its children: a chain of the shown take, or of a new take of the
    /// shown clip.
    MakeDynamic {
        /// The character to show first, if another is shown.
        character: Option<FileId>,
        /// Which joint of the character.
        joint: usize,
    },
    /// The same for the selected joint.
    MakeSelectedDynamic,
    /// Gives the selected chain the values of a usual thing that swings.
    UsePreset(Preset),
    /// Takes a chain out of the shown take's dynamic bones; without chains and colliders they go too.
    RemoveChain(usize),
    /// What swings or is in the way on the left also on the right, and the other way round.
    MirrorDynamics,
    /// A collider that fits what the selected joint carries of the mesh.
    FitSelected,
    /// A collider of the shown take's dynamic bones.
    AddCollider(NewCollider),
    /// For each take a second one with the same recipe.
    Duplicate(Vec<TakeId>),
    /// A take that starts from what comes out of that one.
    Derive(TakeId),
    /// Keeps variants of a take, as a draft of them made them.
    AddVariants(Vec<Take>),
    /// Puts takes elsewhere in the outliner: in another order, into a folder or out of one.
    Place {
        /// The takes, which keep their order.
        takes: Vec<TakeId>,
        /// Where they go.
        place: TakePlace,
    },
    /// Takes takes out of the document; asks first where other takes use one.
    Remove(Vec<TakeId>),
    /// The same without asking: those who use it say that it is gone.
    RemoveUsed(TakeId),
    /// Changes the stages of the shown take.
    Stage(StageCommand),
    /// Changes the tree of the shown blend.
    Tree(TreeCommand),
}

/// Which collider is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewCollider {
    /// The form that fits what this joint carries of the mesh.
    Fitted(usize),
    /// A ball on this joint, or in the world.
    Sphere(Option<usize>),
    /// A capsule along this joint's bone, or in the world.
    Capsule(Option<usize>),
    /// The ground, or a plane through this joint.
    Plane(Option<usize>),
}

/// Moving the playhead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransportCommand {
    /// Starts or pauses.
    PlayPause,
    /// Stops and returns to where playing started; where nothing plays, ends what is shown side by side.
    Stop,
    /// So many frames on (or back).
    Step(i64),
    /// To the first frame of the range.
    ToStart,
    /// To the last frame of the range.
    ToEnd,
    /// To the neighbouring key: 1 the next, −1 the one before.
    ToKey(i32),
    /// Loop, forth and back, or once.
    ToggleLoop,
    /// Loops are shown three times in a row, or once.
    ToggleRounds,
    /// The preview range starts at the playhead.
    RangeIn,
    /// The preview range ends at the playhead.
    RangeOut,
    /// The whole clip plays.
    ClearRange,
    /// How dynamic bones are watched.
    Watch(DynamicsMode),
}

/// Things only a window can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowCommand {
    /// Asks which files to open.
    AskOpen,
    /// Lists work that was not saved when a window ended.
    AskRecover,
    /// Asks for a folder whose clips shall be listed.
    AskClips,
    /// Something about the clips that are listed.
    Library(LibraryCommand),
    /// Asks where sources that could not be read may be.
    AskFindMissing,
    /// Asks where to save.
    AskSaveAs,
    /// Asks where to share the user's preset of that index.
    AskSavePreset(usize),
    /// Asks where to save the stages of that take as a recipe; of the shown one where none is meant.
    AskSaveRecipe(Option<TakeId>),
    /// Asks for the recipe whose stages the clips that are chosen in the library shall get.
    AskApplyRecipe,
    /// Lists the clips of a folder again, by its place among what was opened lately.
    ListRecent(usize),
    /// Shows the export dialog.
    AskExport,
    /// The same for all takes of the folder that holds that one.
    AskExportFolder(TakeId),
    /// Asks where to film the view to, frame by frame.
    AskFilm,
    /// Asks where to put one picture of the view.
    AskPicture,
    /// Asks which settings of the shown take shall be varied.
    AskVariants,
    /// Lets the shown take or the selected object be renamed.
    Rename,
    /// Shows the preferences.
    Preferences,
    /// Shows the command palette.
    Palette,
    /// Shows the keys.
    Help,
    /// Leaves the program, after the unsaved prompt.
    Quit,
    /// Puts the selection in the middle of the viewport.
    FrameSelection,
    /// Puts everything in the viewport.
    FrameAll,
    /// Looks from the front.
    ViewFront,
    /// Looks from the right.
    ViewRight,
    /// Looks from above.
    ViewTop,
    /// Looks from behind.
    ViewBack,
    /// Looks from the left.
    ViewLeft,
    /// Looks from below.
    ViewBottom,
    /// Perspective or parallel projection.
    ToggleOrthographic,
    /// Shows or hides ghosts.
    ToggleGhosts,
    /// The keys go to the next panel.
    NextPanel,
    /// The keys go to the panel before.
    PreviousPanel,
    /// Shows or hides trajectories.
    ToggleTrails,
    /// Shows or hides joints.
    ToggleJoints,
    /// Lets the view turn about what it looks at, or stops that.
    ToggleTurntable,
    /// Takes up the ruler, or lays it down.
    ToggleRuler,
    /// Lays the second of a pair over the first, or beside it.
    TogglePairOverlay,
    /// Takes up or lays down the brush for fades.
    TogglePaint,
    /// Dark or light.
    ToggleTheme,
    /// English or Chinese.
    ToggleLanguage,
    /// The panels as they were on the first start.
    ResetLayout,
}

#[cfg(test)]
mod tests;

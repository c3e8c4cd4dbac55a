//! Every user request as data, shared by menus, shortcuts, the palette, the command line and tests.

mod catalogue;
mod entry;
pub mod stage;
pub mod tree;

use std::path::PathBuf;

pub use catalogue::{
    catalogue, dynamics_entries, edit_entries, file_entries, help_entries, transport_entries, view_entries,
};

pub use entry::CommandEntry;
use stage::StageCommand;
use tree::TreeCommand;

use super::DynamicsMode;
use super::ExportRequest;
use super::RecoverableWork;
use super::clip_library::{ClipRow, LibraryCommand, MendRequest};
use super::lessons::LessonRequest;
use super::pair::PairCommand;
use super::posing::PoseCommand;
use portamento_dynamics::Preset;
use portamento_dynamics::cloth::ClothShape;
use portamento_formats::export::Resolution;
use portamento_takes::document::clip_set::MemberClip;
use portamento_takes::document::{FileId, Take, TakeDestination, TakeId};

/// A user request. Panels edit settings directly; everything else is a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Open, save and export.
    File(FileCommand),
    /// Edits of the document.
    Edit(EditCommand),
    /// Playback.
    Transport(TransportCommand),
    /// Side-by-side comparison of two motions.
    Pair(PairCommand),
    /// Actions that need a window: dialogs, cameras, panels. Sessions without a window ignore them.
    Window(WindowCommand),
}

/// Commands that open, save and export files.
#[derive(Clone, Debug, PartialEq)]
pub enum FileCommand {
    /// Starts an empty project.
    New,
    /// Opens projects, characters or clips; the extension decides.
    Open(Vec<PathBuf>),
    /// Shows a clip of a file; opens the file first if needed.
    OpenClip {
        /// The file of the clip.
        file: PathBuf,
        /// The clip's name.
        clip: String,
    },
    /// Lists the clips of these folders and files and measures them.
    MeasureClips(Vec<PathBuf>),
    /// Creates a take with fixing stages for each of these clips.
    MendClips(MendRequest),
    /// Adds a tag to the selected clips, or removes it.
    TagClips {
        /// The tag.
        tag: String,
        /// True to add, false to remove.
        holds: bool,
    },
    /// Creates takes of clips with the stages of that take.
    StackClips(Vec<ClipRow>, TakeId),
    /// Retargets clips of the library to that character.
    RetargetClips(Vec<ClipRow>, FileId),
    /// Opens the dialog that finishes clips of the library.
    FinishClips(Vec<ClipRow>),
    /// Creates takes of clips with the stages of the recipe file.
    ApplyRecipe(Vec<ClipRow>, PathBuf),
    /// Saves the stages of that take as a recipe file.
    SaveRecipe(TakeId, PathBuf),
    /// Opens the sample project.
    OpenSamples,
    /// Opens the project of a lesson.
    OpenLesson(LessonRequest),
    /// Saves the project to its current file.
    Save,
    /// Saves the project to that file.
    SaveAs(PathBuf),
    /// Writes the user's bone preset of that index to a file.
    SavePreset(usize, PathBuf),
    /// Writes the add-on for Blender to a file.
    SaveAddOn(PathBuf),
    /// Exports takes.
    Export(ExportRequest),
    /// Answers the prompt whether to overwrite a project file that changed on disk.
    SaveAnyway(bool),
    /// Reads a file again from disk; `None` for the file of the shown item.
    Reload(Option<FileId>),
    /// Replaces a file by the one at that path in all takes and reference meshes.
    ReplaceFile(FileId, PathBuf),
    /// Searches for missing sources in that folder and its subfolders.
    FindMissing(PathBuf),
    /// Deletes recoverable work of an earlier window.
    DiscardRecovery(RecoverableWork),
    /// Turns the export of every change on or off; opens the export dialog to turn it on.
    ExportAsIWork,
    /// Answers the prompt whether the last export may replace existing files; `false` writes nothing.
    Replace(bool),
    /// Finishes or undoes the interrupted export with that journal; `None` leaves it as it is.
    Resolve(PathBuf, Option<Resolution>),
}

/// Commands that edit the document.
#[derive(Clone, Debug, PartialEq)]
pub enum EditCommand {
    /// Undoes one step.
    Undo,
    /// Redoes one step.
    Redo,
    /// Goes to that entry of the undo history.
    GoToHistory(usize),
    /// Adds a take of `clip` on `character` with a stretch stage whose default target is the end of the clip.
    AddStretch {
        /// The character to animate.
        character: FileId,
        /// The file of the clip.
        clip_file: FileId,
        /// The clip's name.
        clip: String,
    },
    /// Adds an event-driven blend with proposed run, stand and skill clips.
    AddScenario {
        /// The character to animate; `None` for the shown one.
        character: Option<FileId>,
        /// A clip to use in the blend, and its file.
        with: Option<(FileId, String)>,
    },
    /// Sets the start of the event at that index of the shown take to the clip frame that best matches the motion.
    FindEntry(usize),
    /// Lengthens the fades of a blend that spin the body too fast.
    LengthenFades(TakeId),
    /// Shifts the midpoints of fades that throw a joint in one frame.
    ShiftFadeMidpoints(TakeId),
    /// Sets the offset of the node at that index of the shown tree to the clip frame that best matches the motion.
    /// The motion is compared at the first event that restarts the node, otherwise at the playhead.
    FindNodeEntry(usize),
    /// Adds a take that retargets a clip of another rig, or a take of another character, to `character`.
    AddRetarget {
        /// The character to animate.
        character: FileId,
        /// The file of the clip; ignored for a take.
        file: FileId,
        /// The clip's name, or the reference of a take.
        clip: String,
    },
    /// Retargets several clips, each with its file or a take by its reference, to `character`: one take each.
    RetargetClips {
        /// The character to animate.
        character: FileId,
        /// The clips.
        clips: Vec<(FileId, String)>,
    },
    /// Adds a named target point at the end of the shown take.
    AddObject,
    /// Adds the meshes of that file as a reference object; `None` for the shown or the last opened file.
    AddReference(Option<FileId>),
    /// Moves the reference object at that index onto the ground.
    GroundObject(usize),
    /// Toggles the visibility of the object at that index.
    ToggleObject(usize),
    /// Removes the point at that index; takes that used it as a target keep its position.
    RemoveObject(usize),
    /// Adds a take of the shown clip, cache or images without stages.
    AddTake,
    /// Adds a looped take of the shown clip, cache or images, or a loop stage to the shown take.
    AddLoop,
    /// Adds a take that loops the vertices of the shown clip, for painted fades.
    AddVertices,
    /// Adds a looped cloth take of a built-in shape.
    AddCloth(ClothShape),
    /// Adds a looped cloth take of the shown mesh, or of the last opened one.
    HangMesh,
    /// Adds a walk of the shown or first character through the first level.
    AddWalk,
    /// Adds a walk through the level of that file.
    WalkHere(FileId),
    /// Adds a dynamic chain from that joint of the character: to the shown take, or to a new take of the shown clip.
    MakeDynamic {
        /// The character to show first, if it is not shown.
        character: Option<FileId>,
        /// The root joint of the chain.
        joint: usize,
    },
    /// Adds dynamic chains from several joints of the character.
    MakeAllDynamic {
        /// The character to show first, if it is not shown.
        character: Option<FileId>,
        /// The root joints of the chains.
        joints: Vec<usize>,
    },
    /// Adds the dynamic chains that the names and the shape of the shown character suggest.
    MakeLikelyDynamic,
    /// Replaces the chains and colliders of the shown take by the spring bones of its avatar.
    UseSpringBones,
    /// Adds a dynamic chain from the selected joint.
    MakeSelectedDynamic,
    /// Applies a built-in preset to the selected chain.
    UsePreset(Preset),
    /// Removes a chain from the dynamic bones of the shown take; removes the stage if no chain or collider is left.
    RemoveChain(usize),
    /// Mirrors chains and colliders to the opposite side, in both directions.
    MirrorDynamics,
    /// Adds a collider that fits the mesh part of the selected joint.
    FitSelected,
    /// Adds a collider to the dynamic bones of the shown take.
    AddCollider(NewCollider),
    /// Duplicates takes with their stages.
    Duplicate(Vec<TakeId>),
    /// Adds a take whose source is the result of that take.
    Derive(TakeId),
    /// Adds finished variants of a take.
    AddVariants(Vec<Take>),
    /// Moves takes in the outliner: to another position, into a folder or out of it.
    Place {
        /// The takes; they keep their order.
        takes: Vec<TakeId>,
        /// The destination.
        place: TakeDestination,
    },
    /// Removes takes; asks first if other takes use one.
    Remove(Vec<TakeId>),
    /// Removes a take without asking; takes that use it report it as missing.
    RemoveUsed(TakeId),
    /// Removes a file, `None` for that of the shown item; asks first if takes or reference meshes use it.
    RemoveFile(Option<FileId>),
    /// Removes a file without asking; takes that use it are kept and report it as missing.
    RemoveUsedFile(FileId),
    /// Makes a take use another open file.
    GiveFile {
        /// The take.
        take: TakeId,
        /// The file that it uses.
        from: FileId,
        /// The file to use instead.
        to: FileId,
    },
    /// Edits the stages of the shown take.
    Stage(StageCommand),
    /// Copies all stages of a take.
    CopyStages(TakeId),
    /// Adds the copied stages to takes, or to the shown clip or take if the list is empty.
    PasteStages(Vec<TakeId>),
    /// Edits the pose stage of the shown take.
    Pose(PoseCommand),
    /// Edits the tree of the shown blend.
    Tree(TreeCommand),
    /// Adds the sets that the clips and takes suggest.
    ProposeSets,
    /// Adds members to a set.
    AddToSet {
        /// Index of the set; `None` for a new one.
        set: Option<usize>,
        /// The members; empty for the selected takes, or the shown clip or take.
        members: Vec<MemberClip>,
    },
    /// Repairs members of a set.
    BringSet(crate::sets::BringRequest),
    /// Samples an aim grid from a take: adds additive poses and a set.
    AddAimGrid(crate::sets::AimGridRequest),
    /// Adds takes for the untouched clips in the set of that index, so that the set can be exported.
    AddTakesOfSet(usize),
    /// Asks on which character to finish these clips, each with its file, or takes by their references; empty for the shown one.
    AskFinish(Vec<(FileId, String)>),
    /// Finishes motions on a character.
    FinishClips(crate::finish::FinishRequest),
}

/// The collider to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewCollider {
    /// A shape that fits the mesh part of this joint.
    Fitted(usize),
    /// A sphere on this joint, or in world space.
    Sphere(Option<usize>),
    /// A capsule along the bone of this joint, or in world space.
    Capsule(Option<usize>),
    /// A plane through this joint, or the ground plane.
    Plane(Option<usize>),
}

/// Playback commands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransportCommand {
    /// Toggles playback.
    PlayPause,
    /// Stops and returns to the start position; if nothing plays, ends the side-by-side comparison.
    Stop,
    /// Moves by that many frames.
    Step(i64),
    /// Goes to the first frame of the range.
    ToStart,
    /// Goes to the last frame of the range.
    ToEnd,
    /// Goes to a neighbouring key: 1 next, −1 previous.
    ToKey(i32),
    /// Cycles loop, ping-pong and once.
    ToggleLoop,
    /// Toggles showing loops three times in a row.
    ToggleRounds,
    /// Starts the preview range at the playhead.
    RangeIn,
    /// Ends the preview range at the playhead.
    RangeOut,
    /// Removes the preview range.
    ClearRange,
    /// Sets the preview mode of dynamic bones.
    Watch(DynamicsMode),
}

/// Commands that only a window can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowCommand {
    /// Opens the file dialog.
    AskOpen,
    /// Lists recoverable work of earlier windows.
    AskRecover,
    /// Asks for a folder whose clips to list.
    AskClips,
    /// A command of the clip library.
    Library(LibraryCommand),
    /// Asks for a folder to search for missing sources.
    AskFindMissing,
    /// Asks for the file to use instead of a file; `None` for that of the shown item.
    AskReplaceFile(Option<FileId>),
    /// Opens the folder of a file in the file manager; `None` for the file of the shown item.
    RevealFile(Option<FileId>),
    /// Shows the joint roles of that character.
    ShowRig(FileId),
    /// Opens the save dialog.
    AskSaveAs,
    /// Asks where to save the user's bone preset of that index.
    AskSavePreset(usize),
    /// Asks where to save the stages of that take, or of the shown one, as a recipe.
    AskSaveRecipe(Option<TakeId>),
    /// Asks for a recipe to apply to the selected library clips.
    AskApplyRecipe,
    /// Lists a recent clip folder again, by its index.
    ListRecent(usize),
    /// Opens the export dialog.
    AskExport,
    /// Opens the export dialog for all takes in the folder of that take.
    AskExportFolder(TakeId),
    /// Asks where to record the viewport as images.
    AskFilm,
    /// Asks where to save a picture of the viewport.
    AskPicture,
    /// Opens the dialog for variants of the shown take.
    AskVariants,
    /// Opens the table of the sets.
    AskSets,
    /// Puts the text of the copied stages on the clipboard of the system.
    CopyStagesText,
    /// Renames the shown take or the selected object.
    Rename,
    /// Opens the dialog of remote control.
    RemoteControl,
    /// Asks for a folder to which other programs may write.
    AskRemoteFolder,
    /// Asks where to save the add-on for Blender.
    AskSaveAddOn,
    /// Opens the preferences.
    Preferences,
    /// Opens the command palette.
    Palette,
    /// Opens the guide at the page for what is shown.
    Guide,
    /// Opens the page of workspaces, mouse and shortcuts.
    Help,
    /// Opens the editor of keyboard shortcuts.
    Shortcuts,
    /// Quits; asks first about unsaved changes.
    Quit,
    /// Frames the selection in the viewport.
    FrameSelection,
    /// Frames everything in the viewport.
    FrameAll,
    /// Front view.
    ViewFront,
    /// Right view.
    ViewRight,
    /// Top view.
    ViewTop,
    /// Back view.
    ViewBack,
    /// Left view.
    ViewLeft,
    /// Bottom view.
    ViewBottom,
    /// Toggles perspective and orthographic projection.
    ToggleOrthographic,
    /// Toggles ghosts.
    ToggleGhosts,
    /// Moves keyboard focus to the next panel.
    NextPanel,
    /// Moves keyboard focus to the previous panel.
    PreviousPanel,
    /// Gives the panel under the pointer the whole window, or restores the layout.
    MaximizePanel,
    /// Toggles trajectories.
    ToggleTrails,
    /// Toggles joints.
    ToggleJoints,
    /// Toggles the turntable rotation of the view.
    ToggleTurntable,
    /// Toggles the ruler tool.
    ToggleRuler,
    /// Toggles between overlaying both motions of a pair and placing them next to each other.
    TogglePairOverlay,
    /// Toggles the brush for painted fades.
    TogglePaint,
    /// Toggles the dark and the light theme.
    ToggleTheme,
    /// Toggles English and Chinese.
    ToggleLanguage,
    /// Restores the default panel layout.
    ResetLayout,
}

#[cfg(test)]
mod tests;

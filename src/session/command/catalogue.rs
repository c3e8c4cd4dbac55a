//! Every command that needs no argument, with its name and its keys.

use super::entry::CommandEntry;
use super::stage::{NewStage, StageCommand};
use super::{Command, EditCommand, FileCommand, TransportCommand, WindowCommand};
use crate::session::DynamicsMode;
use crate::session::blend::tree::tree_entries;
use crate::session::clip_library::library_entries;
use crate::session::pair::PairCommand;
use crate::session::stack::stage_entries;
use crate::systems::cloth::ClothShape;
use crate::systems::dynamics::Preset;

/// Every command that needs no argument, in menu order.
pub fn catalogue() -> Vec<CommandEntry> {
    let menus = [file_entries(), edit_entries(), transport_entries(), view_entries()].concat();
    [menus, library_entries(), dynamics_entries(), stage_entries(), tree_entries()].concat()
}

fn entry(name: &'static str, command: Command, keys: &'static [&'static str]) -> CommandEntry {
    CommandEntry { command, name, keys }
}

/// The File menu.
pub fn file_entries() -> Vec<CommandEntry> {
    use Command::{File, Window};
    vec![
        entry("new", File(FileCommand::New), &["Ctrl+N"]),
        entry("open", Window(WindowCommand::AskOpen), &["Ctrl+O"]),
        entry("open_clips", Window(WindowCommand::AskClips), &["Ctrl+Shift+O"]),
        entry("open_samples", File(FileCommand::OpenSamples), &[]),
        entry("recover", Window(WindowCommand::AskRecover), &[]),
        entry("find_missing", Window(WindowCommand::AskFindMissing), &[]),
        entry("save", File(FileCommand::Save), &["Ctrl+S"]),
        entry("save_as", Window(WindowCommand::AskSaveAs), &["Ctrl+Shift+S"]),
        entry("save_recipe", Window(WindowCommand::AskSaveRecipe(None)), &[]),
        entry("apply_recipe", Window(WindowCommand::AskApplyRecipe), &[]),
        entry("export", Window(WindowCommand::AskExport), &["Ctrl+E"]),
        entry("preferences", Window(WindowCommand::Preferences), &["Ctrl+Comma"]),
        entry("quit", Window(WindowCommand::Quit), &["Ctrl+Q"]),
    ]
}

/// The Edit menu.
pub fn edit_entries() -> Vec<CommandEntry> {
    vec![
        entry("undo", Command::Edit(EditCommand::Undo), &["Ctrl+Z"]),
        entry("redo", Command::Edit(EditCommand::Redo), &["Ctrl+Shift+Z", "Ctrl+Y"]),
        entry("rename", Command::Window(WindowCommand::Rename), &[]),
        entry("add_scenario", Command::Edit(EditCommand::AddScenario { character: None, with: None }), &[]),
        entry("add_loop", Command::Edit(EditCommand::AddLoop), &[]),
        entry("add_vertices", Command::Edit(EditCommand::AddVertices), &[]),
        entry("add_flag", Command::Edit(EditCommand::AddCloth(ClothShape::Flag)), &[]),
        entry("add_strip", Command::Edit(EditCommand::AddCloth(ClothShape::Strip)), &[]),
        entry("add_cape", Command::Edit(EditCommand::AddCloth(ClothShape::Cape)), &[]),
        entry("hang_mesh", Command::Edit(EditCommand::HangMesh), &[]),
        entry("add_walk", Command::Edit(EditCommand::AddWalk), &[]),
        entry("stage_layer", Command::Edit(EditCommand::Stage(StageCommand::Add(NewStage::Layer))), &[]),
        entry("stage_stretch", Command::Edit(EditCommand::Stage(StageCommand::Add(NewStage::Stretch))), &[]),
        entry("stage_dynamics", Command::Edit(EditCommand::Stage(StageCommand::Add(NewStage::Dynamics))), &[]),
        entry("add_object", Command::Edit(EditCommand::AddObject), &[]),
        entry("add_reference", Command::Edit(EditCommand::AddReference(None)), &[]),
        entry("variants", Command::Window(WindowCommand::AskVariants), &[]),
        entry("palette", Command::Window(WindowCommand::Palette), &["Ctrl+P"]),
        entry("help", Command::Window(WindowCommand::Help), &["F1"]),
    ]
}

/// The playback keys.
pub fn transport_entries() -> Vec<CommandEntry> {
    let entry = |name, command, keys| entry(name, Command::Transport(command), keys);
    vec![
        entry("play_pause", TransportCommand::PlayPause, &["Space"]),
        entry("stop", TransportCommand::Stop, &["Escape"]),
        entry("next_frame", TransportCommand::Step(1), &["ArrowRight"]),
        entry("previous_frame", TransportCommand::Step(-1), &["ArrowLeft"]),
        entry("ten_frames_on", TransportCommand::Step(10), &["Shift+ArrowRight"]),
        entry("ten_frames_back", TransportCommand::Step(-10), &["Shift+ArrowLeft"]),
        entry("next_key", TransportCommand::ToKey(1), &["Period", "ArrowUp"]),
        entry("previous_key", TransportCommand::ToKey(-1), &["Comma", "ArrowDown"]),
        entry("to_start", TransportCommand::ToStart, &["Home"]),
        entry("to_end", TransportCommand::ToEnd, &["End"]),
        entry("toggle_loop", TransportCommand::ToggleLoop, &["L"]),
        entry("toggle_rounds", TransportCommand::ToggleRounds, &["Shift+L"]),
        entry("range_in", TransportCommand::RangeIn, &["Ctrl+Home"]),
        entry("range_out", TransportCommand::RangeOut, &["Ctrl+End"]),
        entry("clear_range", TransportCommand::ClearRange, &["Alt+P"]),
    ]
}

/// The View menu.
pub fn view_entries() -> Vec<CommandEntry> {
    let pair = entry("side_by_side", Command::Pair(PairCommand::Toggle), &[]);
    let entry = |name, command, keys| entry(name, Command::Window(command), keys);
    vec![
        entry("frame_selection", WindowCommand::FrameSelection, &["F"]),
        entry("frame_all", WindowCommand::FrameAll, &["A"]),
        entry("view_front", WindowCommand::ViewFront, &["Num1"]),
        entry("view_right", WindowCommand::ViewRight, &["Num3"]),
        entry("view_top", WindowCommand::ViewTop, &["Num7"]),
        entry("view_back", WindowCommand::ViewBack, &["Ctrl+Num1"]),
        entry("view_left", WindowCommand::ViewLeft, &["Ctrl+Num3"]),
        entry("view_bottom", WindowCommand::ViewBottom, &["Ctrl+Num7"]),
        entry("toggle_orthographic", WindowCommand::ToggleOrthographic, &["Num5"]),
        entry("toggle_ghosts", WindowCommand::ToggleGhosts, &["Shift+O"]),
        entry("toggle_trails", WindowCommand::ToggleTrails, &["Shift+T"]),
        entry("toggle_joints", WindowCommand::ToggleJoints, &["Shift+J"]),
        entry("toggle_turntable", WindowCommand::ToggleTurntable, &[]),
        entry("toggle_ruler", WindowCommand::ToggleRuler, &["M"]),
        entry("toggle_paint", WindowCommand::TogglePaint, &["W"]),
        pair,
        entry("overlay_pair", WindowCommand::TogglePairOverlay, &[]),
        entry("picture", WindowCommand::AskPicture, &[]),
        entry("film", WindowCommand::AskFilm, &[]),
        entry("toggle_theme", WindowCommand::ToggleTheme, &[]),
        entry("toggle_language", WindowCommand::ToggleLanguage, &[]),
        entry("next_panel", WindowCommand::NextPanel, &["F6"]),
        entry("previous_panel", WindowCommand::PreviousPanel, &["Shift+F6"]),
        entry("reset_layout", WindowCommand::ResetLayout, &[]),
    ]
}

/// What can be done with dynamic bones.
pub fn dynamics_entries() -> Vec<CommandEntry> {
    let edit = |name, command| entry(name, Command::Edit(command), &[]);
    let watch = |name, mode| entry(name, Command::Transport(TransportCommand::Watch(mode)), &[]);
    vec![
        edit("dynamics_make", EditCommand::MakeSelectedDynamic),
        edit("dynamics_collider", EditCommand::FitSelected),
        edit("dynamics_mirror", EditCommand::MirrorDynamics),
        edit("dynamics_preset_hair", EditCommand::UsePreset(Preset::Hair)),
        edit("dynamics_preset_tail", EditCommand::UsePreset(Preset::Tail)),
        edit("dynamics_preset_cloth", EditCommand::UsePreset(Preset::Cloth)),
        edit("dynamics_preset_antenna", EditCommand::UsePreset(Preset::Antenna)),
        edit("dynamics_preset_chain", EditCommand::UsePreset(Preset::Chain)),
        watch("dynamics_live", DynamicsMode::Live),
        watch("dynamics_recorded", DynamicsMode::Recorded),
        watch("dynamics_off", DynamicsMode::Off),
    ]
}

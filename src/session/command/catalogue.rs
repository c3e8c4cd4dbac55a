//! All commands without arguments, with names and default keys.

use super::entry::CommandEntry;
use super::{Command, EditCommand, FileCommand, TransportCommand, WindowCommand};
use crate::DynamicsMode;
use crate::blend::tree::tree_entries;
use crate::clip_library::library_entries;
use crate::lessons::{Lesson, LessonRequest};
use crate::pair::PairCommand;
use crate::posing::pose_entries;
use crate::stack::{stage_entries, stage_entry};
use portamento_dynamics::Preset;
use portamento_dynamics::cloth::ClothShape;
use portamento_takes::document::StageType;

/// Returns every command without arguments, in menu order.
pub fn catalogue() -> Vec<CommandEntry> {
    let menus = [file_entries(), edit_entries(), transport_entries(), view_entries(), help_entries()].concat();
    [menus, library_entries(), dynamics_entries(), stage_entries(), pose_entries(), tree_entries()].concat()
}

/// Returns the entries of the File menu.
pub fn file_entries() -> Vec<CommandEntry> {
    use Command::{File, Window};
    let entry = CommandEntry::new;
    vec![
        entry("new", File(FileCommand::New), &["Ctrl+N"]),
        entry("open", Window(WindowCommand::AskOpen), &["Ctrl+O"]),
        entry("open_clips", Window(WindowCommand::AskClips), &["Ctrl+Shift+O"]),
        entry("open_samples", File(FileCommand::OpenSamples), &[]),
        entry("recover", Window(WindowCommand::AskRecover), &[]),
        entry("find_missing", Window(WindowCommand::AskFindMissing), &[]),
        entry("reload_file", File(FileCommand::Reload(None)), &["Ctrl+R"]).after_line(),
        entry("replace_file", Window(WindowCommand::AskReplaceFile(None)), &[]),
        entry("reveal_file", Window(WindowCommand::RevealFile(None)), &[]),
        entry("remove_file", Command::Edit(EditCommand::RemoveFile(None)), &[]),
        entry("save", File(FileCommand::Save), &["Ctrl+S"]).after_line(),
        entry("save_as", Window(WindowCommand::AskSaveAs), &["Ctrl+Shift+S"]),
        entry("save_recipe", Window(WindowCommand::AskSaveRecipe(None)), &[]).after_line(),
        entry("apply_recipe", Window(WindowCommand::AskApplyRecipe), &[]),
        entry("export", Window(WindowCommand::AskExport), &["Ctrl+E"]).after_line(),
        entry("export_as_i_work", File(FileCommand::ExportAsIWork), &[]),
        entry("remote_control", Window(WindowCommand::RemoteControl), &[]),
        entry("preferences", Window(WindowCommand::Preferences), &["Ctrl+Comma"]).after_line(),
        entry("quit", Window(WindowCommand::Quit), &["Ctrl+Q"]),
    ]
}

/// Returns the entries of the Edit menu.
pub fn edit_entries() -> Vec<CommandEntry> {
    let entry = CommandEntry::new;
    vec![
        entry("undo", Command::Edit(EditCommand::Undo), &["Ctrl+Z"]),
        entry("redo", Command::Edit(EditCommand::Redo), &["Ctrl+Shift+Z", "Ctrl+Y"]),
        entry("rename", Command::Window(WindowCommand::Rename), &[]).after_line(),
        entry("add_scenario", Command::Edit(EditCommand::AddScenario { character: None, with: None }), &[])
            .after_line(),
        entry("add_take", Command::Edit(EditCommand::AddTake), &[]),
        entry("add_loop", Command::Edit(EditCommand::AddLoop), &[]),
        entry("add_vertices", Command::Edit(EditCommand::AddVertices), &[]),
        entry("add_flag", Command::Edit(EditCommand::AddCloth(ClothShape::Flag)), &[]),
        entry("add_strip", Command::Edit(EditCommand::AddCloth(ClothShape::Strip)), &[]),
        entry("add_cape", Command::Edit(EditCommand::AddCloth(ClothShape::Cape)), &[]),
        entry("hang_mesh", Command::Edit(EditCommand::HangMesh), &[]),
        entry("add_walk", Command::Edit(EditCommand::AddWalk), &[]),
        stage_entry(StageType::Layer).after_line(),
        stage_entry(StageType::Stretch),
        stage_entry(StageType::Dynamics),
        entry("paste_stages", Command::Edit(EditCommand::PasteStages(Vec::new())), &[]).after_line(),
        entry("add_object", Command::Edit(EditCommand::AddObject), &[]).after_line(),
        entry("add_reference", Command::Edit(EditCommand::AddReference(None)), &[]),
        entry("variants", Command::Window(WindowCommand::AskVariants), &[]),
        entry("sets", Command::Window(WindowCommand::AskSets), &[]),
        entry("make_set", Command::Edit(EditCommand::AddToSet { set: None, members: Vec::new() }), &[]),
        entry("finish", Command::Edit(EditCommand::AskFinish(Vec::new())), &[]),
    ]
}

/// Returns the playback entries.
pub fn transport_entries() -> Vec<CommandEntry> {
    let entry = |name, command, keys| CommandEntry::new(name, Command::Transport(command), keys);
    vec![
        entry("play_pause", TransportCommand::PlayPause, &["Space"]),
        entry("stop", TransportCommand::Stop, &["Escape"]),
        entry("next_frame", TransportCommand::Step(1), &["ArrowRight"]).after_line(),
        entry("previous_frame", TransportCommand::Step(-1), &["ArrowLeft"]),
        entry("ten_frames_on", TransportCommand::Step(10), &["Shift+ArrowRight"]),
        entry("ten_frames_back", TransportCommand::Step(-10), &["Shift+ArrowLeft"]),
        entry("next_key", TransportCommand::ToKey(1), &["Period", "ArrowUp"]).after_line(),
        entry("previous_key", TransportCommand::ToKey(-1), &["Comma", "ArrowDown"]),
        entry("to_start", TransportCommand::ToStart, &["Home"]).after_line(),
        entry("to_end", TransportCommand::ToEnd, &["End"]),
        entry("toggle_loop", TransportCommand::ToggleLoop, &["L"]).after_line(),
        entry("toggle_rounds", TransportCommand::ToggleRounds, &["Shift+L"]),
        entry("range_in", TransportCommand::RangeIn, &["Ctrl+Home"]).after_line(),
        entry("range_out", TransportCommand::RangeOut, &["Ctrl+End"]),
        entry("clear_range", TransportCommand::ClearRange, &["Alt+P"]),
    ]
}

/// Returns the entries of the View menu.
pub fn view_entries() -> Vec<CommandEntry> {
    let pair = CommandEntry::new("side_by_side", Command::Pair(PairCommand::Toggle), &[]).after_line();
    let entry = |name, command, keys| CommandEntry::new(name, Command::Window(command), keys);
    vec![
        entry("frame_selection", WindowCommand::FrameSelection, &["F"]).after_line(),
        entry("frame_all", WindowCommand::FrameAll, &["A"]),
        entry("view_front", WindowCommand::ViewFront, &["Num1"]).within("menu.view_from"),
        entry("view_right", WindowCommand::ViewRight, &["Num3"]).within("menu.view_from"),
        entry("view_top", WindowCommand::ViewTop, &["Num7"]).within("menu.view_from"),
        entry("view_back", WindowCommand::ViewBack, &["Ctrl+Num1"]).within("menu.view_from"),
        entry("view_left", WindowCommand::ViewLeft, &["Ctrl+Num3"]).within("menu.view_from"),
        entry("view_bottom", WindowCommand::ViewBottom, &["Ctrl+Num7"]).within("menu.view_from"),
        entry("toggle_orthographic", WindowCommand::ToggleOrthographic, &["Num5"]),
        entry("toggle_ghosts", WindowCommand::ToggleGhosts, &["Shift+O"]).after_line(),
        entry("toggle_trails", WindowCommand::ToggleTrails, &["Shift+T"]),
        entry("toggle_joints", WindowCommand::ToggleJoints, &["Shift+J"]),
        entry("toggle_turntable", WindowCommand::ToggleTurntable, &[]).after_line(),
        entry("toggle_ruler", WindowCommand::ToggleRuler, &["M"]),
        entry("toggle_paint", WindowCommand::TogglePaint, &["W"]),
        pair,
        entry("overlay_pair", WindowCommand::TogglePairOverlay, &[]),
        entry("picture", WindowCommand::AskPicture, &[]),
        entry("film", WindowCommand::AskFilm, &[]),
        entry("toggle_theme", WindowCommand::ToggleTheme, &[]).after_line(),
        entry("toggle_language", WindowCommand::ToggleLanguage, &[]),
        entry("maximize_panel", WindowCommand::MaximizePanel, &["Ctrl+Space"]).after_line(),
        entry("next_panel", WindowCommand::NextPanel, &["F6"]),
        entry("previous_panel", WindowCommand::PreviousPanel, &["Shift+F6"]),
        entry("reset_layout", WindowCommand::ResetLayout, &[]),
    ]
}

/// Returns the entries of the Help menu.
pub fn help_entries() -> Vec<CommandEntry> {
    let entry = |name, command, keys| CommandEntry::new(name, Command::Window(command), keys);
    vec![
        entry("guide", WindowCommand::Guide, &["F1"]),
        entry("help", WindowCommand::Help, &["Shift+F1"]),
        entry("shortcuts", WindowCommand::Shortcuts, &[]),
        entry("palette", WindowCommand::Palette, &["Ctrl+P"]),
        entry("save_add_on", WindowCommand::AskSaveAddOn, &[]).within("menu.add_ons"),
        lesson_entry("lesson_stretch", Lesson::Stretch).after_line(),
        lesson_entry("lesson_blend", Lesson::Blend),
        lesson_entry("lesson_hair", Lesson::Hair),
        lesson_entry("lesson_loop", Lesson::Loop),
        lesson_entry("lesson_walk", Lesson::Walk),
        lesson_entry("lesson_mocap", Lesson::Mocap),
    ]
}

fn lesson_entry(name: &'static str, lesson: Lesson) -> CommandEntry {
    let request = LessonRequest { lesson, title: String::new(), reset: false };
    CommandEntry::new(name, Command::File(FileCommand::OpenLesson(request)), &[])
}

/// Returns the entries for dynamic bones.
pub fn dynamics_entries() -> Vec<CommandEntry> {
    let edit = |name, command| CommandEntry::new(name, Command::Edit(command), &[]);
    let watch = |name, mode| CommandEntry::new(name, Command::Transport(TransportCommand::Watch(mode)), &[]);
    vec![
        edit("dynamics_make", EditCommand::MakeSelectedDynamic),
        edit("dynamics_likely", EditCommand::MakeLikelyDynamic),
        edit("dynamics_springs", EditCommand::UseSpringBones),
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

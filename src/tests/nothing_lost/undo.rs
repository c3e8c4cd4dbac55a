//! Random sequences of all commands: undo leads back to the start, bit for bit, and redo to the end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use portamento::document::StageType;
use portamento::document::clip_set::MemberClip;
use portamento::document::{Document, FileId, History, TakeDestination, TakeId, file};
use portamento::math::random::{SplitMix64, spread};
use portamento::session::batch::job::Job;
use portamento::session::batch::parts::Chunks;
use portamento::session::clip_library::{ClipRow, MendRequest};
use portamento::session::command::stage::StageCommand;
use portamento::session::command::tree::{NewNode, TreeCommand};
use portamento::session::finish::FinishRequest;
use portamento::session::posing::PoseCommand;
use portamento::session::remote::{ClipName, Request as RemoteRequest};
use portamento::session::sets::{AimGridRequest, BringRequest};
use portamento::session::variants::{Index, VariantDraft, settings};
use portamento::session::{
    Command as Request, EditCommand, ExportRequest, FileCommand, NewCollider, PairCommand, Session, Shown,
    TransportCommand,
};
use portamento::systems::cloth::ClothShape;
use portamento::systems::dynamics::Preset;
use serde_json::{Value, json};

use super::{samples, save};

/// What random commands are chosen from, besides the document.
struct Shelf {
    /// The measured clips of the sample character.
    rows: Vec<ClipRow>,
    /// A recipe of stages for any clip.
    recipe: PathBuf,
    /// A copy of the sample character.
    copy: PathBuf,
    /// A folder that commands write to.
    out: PathBuf,
}

/// Random choices among the items of a session.
struct Choice<'s> {
    session: &'s Session,
    shelf: &'s Shelf,
    random: &'s mut SplitMix64,
}

impl Choice<'_> {
    fn up_to(&mut self, count: usize) -> usize {
        (self.random.bits() % count.max(1) as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.up_to(items.len())]
    }

    fn is(&mut self) -> bool {
        self.up_to(2) == 0
    }

    /// Returns a take; now and then one that does not exist.
    fn take(&mut self) -> TakeId {
        let takes = &self.session.document.takes;
        let index = self.up_to(takes.len() + 1);
        takes.get(index).map_or(TakeId(9999), |take| take.id)
    }

    /// Returns a file, or one that does not exist.
    fn file(&mut self) -> FileId {
        let index = self.up_to(self.session.document.files.len() + 1);
        self.session.document.files.get(index).map_or(FileId(99), |file| file.id)
    }

    /// Returns a clip of `file`, or a name that does not exist.
    fn clip(&mut self, file: FileId) -> String {
        let clips = self.session.library.get(file).map(|loaded| &loaded.model.clips[..]).unwrap_or_default();
        let index = self.up_to(clips.len() + 1);
        clips.get(index).map_or_else(|| "no such clip".to_owned(), |clip| clip.name.clone())
    }

    /// Returns a stage of the shown take, or one that does not exist.
    fn stage(&mut self) -> portamento::document::StageId {
        let stages = self.session.shown_take().map(|take| take.stages).unwrap_or_default();
        let index = self.up_to(stages.len() + 1);
        stages.get(index).map_or(portamento::document::StageId(99), |stage| stage.id)
    }

    fn rows(&mut self) -> Vec<ClipRow> {
        let index = self.up_to(self.shelf.rows.len());
        self.shelf.rows[index..].iter().take(2).cloned().collect()
    }

    fn request(&mut self) -> Request {
        match self.up_to(20) {
            0 => self.file_command(),
            1 => Request::Pair(match self.up_to(3) {
                0 => PairCommand::Toggle,
                1 => PairCommand::With(Shown::Take(self.take())),
                _ => PairCommand::Leave,
            }),
            2 => Request::Transport(self.of(&[
                TransportCommand::PlayPause,
                TransportCommand::Step(5),
                TransportCommand::ToEnd,
                TransportCommand::RangeIn,
                TransportCommand::ToggleLoop,
            ])),
            3..=6 => Request::Edit(EditCommand::Stage(self.stage_command())),
            7 => Request::Edit(EditCommand::Tree(self.tree_command())),
            8..=10 => Request::Edit(self.take_command()),
            _ => Request::Edit(self.edit_command()),
        }
    }

    /// Returns a request of another program: the takes of a recipe, of which some cannot be added.
    fn remote_request(&mut self) -> RemoteRequest {
        let row = self.rows().swap_remove(0);
        let clip = if self.up_to(4) == 0 { "no such clip".to_owned() } else { row.clip.clone() };
        let stages = json!([{ "mirror": {} }, { "trim": { "from": 0.05 } }]);
        let take = match self.up_to(3) {
            0 => json!({ "name": "{clip} twice", "source": "slot:clip", "stages": stages }),
            1 => json!({ "name": "own", "character": 1, "source": { "clip": { "file": 1, "clip": clip } } }),
            _ => json!({ "name": "lost", "character": 2, "source": { "clip": { "file": 1, "clip": clip } } }),
        };
        let recipe = json!({ "files": [row.file], "takes": [take] });
        let clips = if self.is() { vec![ClipName { file: row.file, clip }] } else { Vec::new() };
        RemoteRequest::Make { recipe, clips }
    }

    fn file_command(&mut self) -> Request {
        let file = self.file();
        Request::File(match self.up_to(14) {
            0 => FileCommand::StackClips(self.rows(), self.take()),
            1 => FileCommand::ApplyRecipe(self.rows(), self.shelf.recipe.clone()),
            2 => FileCommand::SaveRecipe(self.take(), self.shelf.out.join("saved.json")),
            3 => FileCommand::MendClips(MendRequest::new(self.rows().into_iter().take(1).collect())),
            4 => {
                let row = self.rows().swap_remove(0);
                FileCommand::OpenClip { file: row.file, clip: row.clip }
            }
            5 => FileCommand::TagClips { tag: "slow".into(), holds: self.is() },
            6 => FileCommand::RetargetClips(self.rows(), file),
            7 => FileCommand::SavePreset(self.up_to(3), self.shelf.out.join("saved.bonepreset")),
            8 => FileCommand::MeasureClips(vec![self.rows().swap_remove(0).file]),
            9 => FileCommand::Reload(self.is().then_some(file)),
            10 => FileCommand::ReplaceFile(file, self.shelf.copy.clone()),
            11 => FileCommand::SaveAs(self.shelf.out.join("saved.portamento")),
            12 => FileCommand::FinishClips(self.rows()),
            _ => FileCommand::FindMissing(self.shelf.out.clone()),
        })
    }

    fn stage_command(&mut self) -> StageCommand {
        match self.up_to(10) {
            0 => StageCommand::Duplicate(self.stage()),
            1 => StageCommand::Remove(self.stage()),
            2 => StageCommand::Move(self.stage(), self.up_to(4)),
            3 => StageCommand::SetOn(self.stage(), self.is()),
            4 => StageCommand::Open(self.stage()),
            5 => StageCommand::Copy(self.stage()),
            6 => StageCommand::Paste,
            _ => StageCommand::Add(self.of(StageType::ALL)),
        }
    }

    fn tree_command(&mut self) -> TreeCommand {
        let new = [NewNode::Blend, NewNode::Additive, NewNode::Space, NewNode::Standard];
        match self.up_to(4) {
            0 => TreeCommand::Free,
            1 => TreeCommand::Arrange,
            2 => TreeCommand::AddState,
            _ => TreeCommand::Add(self.of(&new)),
        }
    }

    /// Returns a command for takes: their order and folders, derived takes and variants.
    fn take_command(&mut self) -> EditCommand {
        let document = &self.session.document;
        match self.up_to(7) {
            0 => EditCommand::Duplicate(vec![self.take(), self.take()]),
            1 => EditCommand::Remove(vec![self.take()]),
            2 => EditCommand::RemoveUsed(self.take()),
            3 => EditCommand::Derive(self.take()),
            4 => {
                let folder = self.is().then(|| "set".to_owned());
                let before = self.is().then(|| self.take());
                EditCommand::Place { takes: vec![self.take()], place: TakeDestination { folder, before } }
            }
            _ => {
                let id = self.take();
                let proposal = document.take(id).map(|take| VariantDraft::new(id, &settings(document, take)));
                let variants = proposal.and_then(|draft| draft.create(document).ok()).unwrap_or_default();
                EditCommand::AddVariants(variants.into_iter().map(|variant| variant.take).take(3).collect())
            }
        }
    }

    fn edit_command(&mut self) -> EditCommand {
        let file = self.file();
        let clip = self.clip(file);
        let joint = self.up_to(40);
        match self.up_to(44) {
            0 => EditCommand::AddStretch { character: file, clip_file: self.file(), clip },
            1 => EditCommand::AddScenario { character: Some(file), with: None },
            2 => EditCommand::AddScenario { character: None, with: Some((file, clip)) },
            3 => EditCommand::AddObject,
            4 => EditCommand::RemoveObject(self.up_to(3)),
            5 => EditCommand::AddLoop,
            6 => EditCommand::AddVertices,
            7 => EditCommand::AddCloth(self.of(&[ClothShape::Flag, ClothShape::Strip, ClothShape::Cape])),
            8 => EditCommand::HangMesh,
            9 => EditCommand::AddWalk,
            10 => EditCommand::WalkHere(file),
            11 => EditCommand::MakeDynamic { character: Some(file), joint },
            12 => EditCommand::MakeSelectedDynamic,
            13 => EditCommand::UsePreset(self.of(&Preset::ALL)),
            14 => EditCommand::RemoveChain(self.up_to(3)),
            15 => EditCommand::MirrorDynamics,
            16 => EditCommand::FitSelected,
            17 => EditCommand::AddCollider(self.of(&[
                NewCollider::Sphere(Some(joint)),
                NewCollider::Plane(None),
                NewCollider::Capsule(Some(joint)),
                NewCollider::Fitted(joint),
            ])),
            18 => EditCommand::FindEntry(self.up_to(4)),
            19 => EditCommand::LengthenFades(self.take()),
            20 => EditCommand::ShiftFadeMidpoints(self.take()),
            21 => EditCommand::FindNodeEntry(self.up_to(4)),
            22 => EditCommand::AddRetarget { character: file, file: self.file(), clip },
            23 => EditCommand::AddReference(self.is().then_some(file)),
            24 => EditCommand::GroundObject(self.up_to(3)),
            25 => EditCommand::RetargetClips { character: file, clips: vec![(self.file(), clip)] },
            26 => EditCommand::MakeAllDynamic { character: Some(file), joints: vec![joint, self.up_to(40)] },
            27 => EditCommand::MakeLikelyDynamic,
            28 => EditCommand::UseSpringBones,
            29 => EditCommand::CopyStages(self.take()),
            30 => EditCommand::PasteStages(vec![self.take()]),
            31 => EditCommand::AddTake,
            32 => EditCommand::RemoveFile(self.is().then_some(file)),
            33 => EditCommand::RemoveUsedFile(file),
            34 => EditCommand::GiveFile { take: self.take(), from: file, to: self.file() },
            35 => EditCommand::ProposeSets,
            36 => EditCommand::BringSet(BringRequest { set: self.up_to(3), only: None }),
            37 => EditCommand::AskFinish(vec![(file, clip)]),
            38 => EditCommand::FinishClips(FinishRequest::new(self.file(), vec![(file, clip)])),
            39 => EditCommand::AddAimGrid(AimGridRequest {
                take: self.take(),
                yaw: vec![-5.0, 0.0, 5.0],
                pitch: vec![0.0],
                joint: None,
                space: Default::default(),
            }),
            40 => EditCommand::AddTakesOfSet(self.up_to(3)),
            41 => EditCommand::Pose(self.of(&[
                PoseCommand::AddKey,
                PoseCommand::RemoveKey,
                PoseCommand::MirrorKey,
                PoseCommand::Pin,
                PoseCommand::Look,
                PoseCommand::Keep,
                PoseCommand::Paste,
                PoseCommand::PasteMirrored,
            ])),
            42 => EditCommand::AddToSet {
                set: self.is().then(|| self.up_to(3)),
                members: vec![MemberClip::Take(self.take()), MemberClip::of(file, &clip)],
            },
            _ => EditCommand::ToggleObject(self.up_to(3)),
        }
    }
}

/// Returns the kind of an editing command. A new command is added here and to [`Choice`].
fn kind(command: &EditCommand) -> &'static str {
    use EditCommand as E;
    match command {
        E::Undo | E::Redo | E::GoToHistory(_) => "history",
        E::AddStretch { .. } => "add_stretch",
        E::AddScenario { .. } => "add_scenario",
        E::FindEntry(_) => "find_entry",
        E::LengthenFades(_) => "lengthen_fades",
        E::ShiftFadeMidpoints(_) => "shift_fade_midpoints",
        E::FindNodeEntry(_) => "find_node_entry",
        E::AddRetarget { .. } => "add_retarget",
        E::RetargetClips { .. } => "retarget_clips",
        E::AddObject => "add_object",
        E::AddReference(_) => "add_reference",
        E::GroundObject(_) => "ground_object",
        E::ToggleObject(_) => "toggle_object",
        E::RemoveObject(_) => "remove_object",
        E::AddLoop => "add_loop",
        E::AddVertices => "add_vertices",
        E::AddCloth(_) => "add_cloth",
        E::HangMesh => "hang_mesh",
        E::AddWalk => "add_walk",
        E::WalkHere(_) => "walk_here",
        E::MakeDynamic { .. } => "make_dynamic",
        E::MakeSelectedDynamic => "make_selected_dynamic",
        E::MakeAllDynamic { .. } => "make_all_dynamic",
        E::MakeLikelyDynamic => "make_likely_dynamic",
        E::UseSpringBones => "use_spring_bones",
        E::UsePreset(_) => "use_preset",
        E::RemoveChain(_) => "remove_chain",
        E::MirrorDynamics => "mirror_dynamics",
        E::FitSelected => "fit_selected",
        E::AddCollider(_) => "add_collider",
        E::Duplicate(_) => "duplicate",
        E::Derive(_) => "derive",
        E::AddVariants(_) => "add_variants",
        E::Place { .. } => "place",
        E::Remove(_) => "remove",
        E::RemoveUsed(_) => "remove_used",
        E::Stage(_) => "stage",
        E::ProposeSets => "propose_sets",
        E::AddToSet { .. } => "add_to_set",
        E::BringSet(_) => "bring_set",
        E::AddAimGrid(_) => "add_aim_grid",
        E::AddTakesOfSet(_) => "add_takes_of_set",
        E::AskFinish(_) => "ask_finish",
        E::FinishClips(_) => "finish_clips",
        E::AddTake => "add_take",
        E::RemoveFile(_) => "remove_file",
        E::RemoveUsedFile(_) => "remove_used_file",
        E::GiveFile { .. } => "give_file",
        E::CopyStages(_) => "copy_stages",
        E::PasteStages(_) => "paste_stages",
        E::Tree(_) => "tree",
        E::Pose(_) => "pose",
    }
}

/// Returns the kind of a file command; `None` for those that begin another project, answer a question or end elsewhere. A new
/// command is added here and to [`Choice`].
fn file_kind(command: &FileCommand) -> Option<&'static str> {
    use FileCommand as F;
    match command {
        F::New | F::Open(_) | F::OpenSamples | F::OpenLesson(_) => None,
        F::Save | F::SaveAnyway(_) | F::DiscardRecovery(_) => None,
        F::Export(_) | F::ExportAsIWork | F::Replace(_) | F::Resolve(..) | F::SaveAddOn(_) => None,
        F::OpenClip { .. } => Some("open_clip"),
        F::MeasureClips(_) => Some("measure_clips"),
        F::MendClips(_) => Some("mend_clips"),
        F::TagClips { .. } => Some("tag_clips"),
        F::StackClips(..) => Some("stack_clips"),
        F::RetargetClips(..) => Some("retarget_library_clips"),
        F::FinishClips(_) => Some("finish_library_clips"),
        F::ApplyRecipe(..) => Some("apply_recipe"),
        F::SaveRecipe(..) => Some("save_recipe"),
        F::SaveAs(_) => Some("save_as"),
        F::SavePreset(..) => Some("save_preset"),
        F::Reload(_) => Some("reload"),
        F::ReplaceFile(..) => Some("replace_file"),
        F::FindMissing(_) => Some("find_missing"),
    }
}

/// Number of kinds of editing commands besides those of the history, and of file commands.
const KINDS: usize = 46 + 14;

/// Changes a random number of the document, like a panel.
fn change_a_number(document: &mut Document, random: &mut SplitMix64) {
    fn numbers<'v>(value: &'v mut Value, all: &mut Vec<&'v mut Value>) {
        match value {
            Value::Number(_) => all.push(value),
            Value::Array(list) => list.iter_mut().for_each(|value| numbers(value, all)),
            Value::Object(entries) => entries.values_mut().for_each(|value| numbers(value, all)),
            _ => {}
        }
    }
    let mut json = serde_json::to_value(&document.takes).unwrap();
    let mut all = Vec::new();
    numbers(&mut json, &mut all);
    let count = all.len().max(1) as u64;
    if let Some(number) = all.get_mut((random.bits() % count) as usize) {
        **number = if number.is_f64() { Value::from(random.unit() * 3.0) } else { Value::from(random.bits() % 9) };
    }
    // Values that cannot be parsed again are not possible in a panel.
    if let Ok(takes) = serde_json::from_value(json) {
        document.takes = takes;
    }
}

/// Returns the document as saved: equal documents give equal bytes.
fn saved(document: &Document) -> Vec<u8> {
    file::to_bytes(document, Path::new("/a.portamento"))
}

/// Plans a job of one take and exports it; neither changes the document.
fn farm(session: &mut Session, shelf: &Shelf) {
    let before = session.document.clone();
    let Some(take) = before.takes.first() else { return };
    let request = ExportRequest { takes: vec![take.id], destination: shelf.out.join("takes"), ..Default::default() };
    let job = Job {
        request: request.clone(),
        folder: shelf.out.join("job"),
        chunks: Chunks::Count(1),
        index: Index::default(),
    };
    let _ = session.plan_job(&job);
    session.perform(Request::File(FileCommand::Export(request)));
    session.perform(Request::File(FileCommand::Replace(true)));
    assert!(session.document == before, "an export changes the document");
}

/// Opens the samples and prepares what the commands are chosen from.
fn prepared(folder: &Path) -> (Session, Shelf) {
    let mut session = Session::inline();
    save(&mut session, FileCommand::Open(vec![folder.join("samples.portamento")]));
    save(&mut session, FileCommand::MeasureClips(vec![folder.join("hero.glb")]));
    session.update(0.0, true);
    let recipe = folder.join("recipe.json");
    let stages = r#"[{ "mirror": {} }, { "trim": { "from": 0.05 } }]"#;
    let text =
        format!(r#"{{ "takes": [{{ "name": "{{clip}} mirrored", "source": "slot:clip", "stages": {stages} }}] }}"#);
    std::fs::write(&recipe, text).unwrap();
    let out = folder.join("out");
    std::fs::create_dir(&out).unwrap();
    let rows = session.clips.rows().to_vec();
    assert!(rows.len() > 5, "{} clips", rows.len());
    let copy = folder.join("copy.glb");
    std::fs::copy(folder.join("hero.glb"), &copy).unwrap();
    (session, Shelf { rows, recipe, copy, out })
}

/// Performs random commands and edits, undoes all and redoes all, `count` times.
fn undo_and_redo(count: u64) {
    let folder = samples();
    let (mut session, shelf) = prepared(folder.path());
    let start = session.document.clone();
    let (mut changes, mut kinds) = (0, BTreeSet::new());
    for number in 0..count {
        let mut random = SplitMix64::new(spread(number));
        session.document = start.clone();
        session.history = History::new(&start);
        for _ in 0..12 {
            let take = &session.document.takes[(random.bits() % session.document.takes.len() as u64) as usize];
            session.selection.show(Shown::Take(take.id));
            session.selection.joint = Some((random.bits() % 40) as usize);
            let chance = random.unit();
            if chance < 0.3 {
                change_a_number(&mut session.document, &mut random);
            } else if chance < 0.35 {
                let request = Choice { session: &session, shelf: &shelf, random: &mut random }.remote_request();
                session.answer(request, Box::new(|_| ()));
            } else {
                let request = Choice { session: &session, shelf: &shelf, random: &mut random }.request();
                kinds.extend(match &request {
                    Request::Edit(command) => Some(kind(command)),
                    Request::File(command) => file_kind(command),
                    _ => None,
                });
                session.perform(request);
            }
            session.history.observe(&session.document);
            if session.document.takes.is_empty() {
                break;
            }
        }
        if number % 50 == 0 {
            farm(&mut session, &shelf);
        }
        let (end, steps) = (session.document.clone(), session.history.current());
        (0..steps).for_each(|_| session.perform(Request::Edit(EditCommand::Undo)));
        assert!(session.document == start && saved(&session.document) == saved(&start), "undone: {number}");
        (0..steps).for_each(|_| session.perform(Request::Edit(EditCommand::Redo)));
        assert!(session.document == end && saved(&session.document) == saved(&end), "redone: {number}");
        changes += steps;
    }
    println!("{count} sequences, {changes} changes, {} kinds of commands", kinds.len());
    assert!(changes as u64 > 3 * count, "{changes}");
    assert!(kinds.len() == KINDS || count < 300, "{kinds:?}");
}

#[test]
fn undo_and_redo_restore_start_and_end_after_random_commands() {
    undo_and_redo(30);
}

#[test]
#[ignore = "minutes: 10 000 sequences"]
fn undo_and_redo_restore_start_and_end_after_many_random_commands() {
    undo_and_redo(10_000);
}

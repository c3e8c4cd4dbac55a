//! The application without a window, used by the window, the command line and the tests.
//!
//! Panels edit [`Session::document`] directly; everything else is a [`Command`]. [`Session::update`], called once per
//! displayed frame, collects finished jobs, moves the playhead, takes undo snapshots and evaluates the shown item.

pub mod add_on;
pub mod samples;
mod user;
mod background;
pub mod batch;
pub mod blend;
pub mod clip_library;
pub mod command;
pub mod delivery;
pub mod dynamics;
mod edit;
mod evaluation;
pub mod export;
pub mod fault_report;
pub mod film;
pub mod finish;
pub mod inspect;
pub mod jobs;
pub mod looping;
pub mod notices;
mod open_document;
pub mod painting;
pub mod pair;
pub mod playback;
pub mod posing;
pub mod project;
pub mod recipe;
pub mod remote;
mod scene_objects;
pub mod selection;
pub mod sets;
mod rigs;
mod shown_motion;
pub mod stack;
pub mod variants;
mod views;
pub mod walk;
pub mod watch;

use std::sync::Arc;

pub use clip_library::ClipTable;
pub use command::{Command, EditCommand, FileCommand, NewCollider, TransportCommand, WindowCommand};
pub use dynamics::live::{DynamicsMode, DynamicsPreview};
pub use dynamics::presets::ChainPreset;
pub use evaluation::{Evaluation, FailedStage, FiguresOfShown, FrameState};
pub use export::{
    ClipNames, ExportChoice, ExportFormat, ExportRequest, ExportSettings, Exports, ImageFormat, ImageLayout, Keep,
    MeshFormat, Preset, RouteFormat, Sidecars,
};
pub use jobs::{Indicator, JobKey, Jobs};
pub use notices::{Notice, Notices, Severity, Topic};
pub use open_document::OpenDocument;
pub use pair::{Pair, PairCommand};
pub use playback::{LoopMode, Playback};
pub use project::{ProjectFile, ReadFiles, RecoverableWork};
pub use rigs::retarget_many::{RetargetFigures, RetargetRow, RetargetTable};
pub use selection::Selection;
pub use shown_motion::Shown;
pub use user::preferences::Preferences;
pub use user::{appearance, keymap, lessons, preferences, units};

use evaluation::builds::job_key;
use portamento_base::progress::Progress;
use portamento_formats::export::file_system::{Disk, FileSystem};
use portamento_takes::document::{Document, History, Library, Take, TakeId};
use portamento_takes::evaluate::{BuiltTake, Frame, TakeError};

/// A running application.
#[derive(Debug)]
pub struct Session {
    /// The current project. Edit freely; [`Session::update`] detects changes.
    pub document: Document,
    /// The opened files.
    pub library: Library,
    /// Undo and redo.
    pub history: History,
    /// The item that was shown at each step of the history.
    views: views::Views,
    /// The playhead and its playback mode.
    pub playback: Playback,
    /// The shown and selected items.
    pub selection: Selection,
    /// Preview state of dynamic bones.
    pub dynamics: DynamicsPreview,
    /// The active brush.
    pub painter: painting::Painter,
    /// The seam search.
    pub seams: looping::seams::Seams,
    /// Export settings, results and prompts.
    pub exports: Exports,
    /// Takes whose removal waits for confirmation because other takes use them.
    pub asked_removals: Vec<TakeId>,
    /// The file whose removal waits for confirmation, because takes or reference meshes use it.
    pub asked_file_removal: Option<portamento_takes::document::FileId>,
    /// Questions whether opened images are sprite sheets.
    sheet_questions: Vec<looping::sheet_question::SheetQuestion>,
    /// The results of the last retarget of several clips, until they are closed.
    pub retargeted: Option<RetargetTable>,
    /// The motions that wait for a character on which they are finished.
    pub asked_finish: Option<finish::FinishQuestion>,
    /// The results of the last request to finish motions, until they are closed.
    pub finished: Option<finish::FinishTable>,
    /// The stages on the clipboard.
    pub copied_stages: Option<stack::clipboard::CopiedStages>,
    /// The pose that a pose key can take.
    pub stored_pose: Option<posing::StoredPose>,
    /// The correction of a joint that can be pasted.
    pub copied_correction: Option<portamento_repair::pose::Correction>,
    /// The lesson whose project is open.
    pub lesson: Option<lessons::Lesson>,
    /// Number of documents opened or begun so far. Documents use the same ids, so this tells whether a take is still the same.
    pub document_number: usize,
    /// A pending question about the level of a walk.
    pub asked_ground: walk::ground::AskedGround,
    /// The clip library.
    pub clips: ClipTable,
    /// The figures of sets.
    pub sets: sets::SetTable,
    /// The preview of variants.
    pub variants: variants::Preview,
    /// Questions about uncertain joint roles of opened characters, answered or not.
    pub rig_questions: rigs::rig_question::RigQuestions,
    /// Background jobs.
    pub jobs: Jobs,
    /// Messages to the user.
    pub notices: Notices,
    /// User preferences, independent of the document.
    pub preferences: Preferences,
    /// The project file and the recovery folder.
    pub project: ProjectFile,
    /// Stamps and fingerprints of the source files, for detecting changes.
    pub read: ReadFiles,
    /// Commands waiting for the window.
    pub window_requests: Vec<WindowCommand>,
    /// The displayed frame, or the reason there is none.
    pub evaluation: Evaluation,
    /// The file system that everything is written to.
    disk: Arc<dyn FileSystem>,
    /// The motion next to the shown one.
    pair: Option<Pair>,
    /// The watch of the sources; `None` without a window.
    source_watch: Option<project::SourceWatch>,
    /// Remote control by other programs.
    pub remote: remote::Remote,
    /// False while something is being dragged or typed.
    is_calm: bool,
}

impl Default for Session {
    fn default() -> Self {
        Self::with_jobs(Jobs::default())
    }
}

impl Session {
    /// Returns a session that runs jobs synchronously, for the command line and tests.
    pub fn inline() -> Self {
        Self::with_jobs(Jobs::inline())
    }

    /// Returns a session like [`Session::inline`] that shows the progress of each job by `indicator`.
    pub fn inline_with(indicator: Indicator) -> Self {
        Self::with_jobs(Jobs::inline_with(indicator))
    }

    /// Returns a session with an empty document that runs `jobs`.
    fn with_jobs(jobs: Jobs) -> Self {
        let document = Document::default();
        Self {
            history: History::new(&document),
            views: views::Views::default(),
            document,
            library: Library::default(),
            playback: Playback::default(),
            selection: Selection::default(),
            dynamics: DynamicsPreview::default(),
            painter: painting::Painter::default(),
            seams: looping::seams::Seams::default(),
            exports: Exports::default(),
            asked_removals: Vec::new(),
            asked_file_removal: None,
            sheet_questions: Vec::new(),
            retargeted: None,
            asked_finish: None,
            finished: None,
            copied_stages: None,
            stored_pose: None,
            copied_correction: None,
            lesson: None,
            document_number: 0,
            asked_ground: walk::ground::AskedGround::default(),
            clips: ClipTable::default(),
            sets: sets::SetTable::default(),
            variants: variants::Preview::default(),
            rig_questions: rigs::rig_question::RigQuestions::default(),
            jobs,
            notices: Notices::default(),
            preferences: Preferences::default(),
            project: ProjectFile::default(),
            read: ReadFiles::default(),
            window_requests: Vec::new(),
            evaluation: Evaluation::default(),
            disk: Arc::new(Disk),
            pair: None,
            source_watch: None,
            remote: remote::Remote::default(),
            is_calm: true,
        }
    }

    /// Performs a command. Errors become notices and leave the document unchanged. Also collects the results of finished
    /// jobs.
    pub fn perform(&mut self, command: Command) {
        match command {
            Command::File(command) => self.perform_file(command),
            Command::Edit(command) => self.perform_edit(command),
            Command::Transport(command) => self.perform_transport(command),
            Command::Pair(command) => self.perform_pair(command),
            Command::Window(command) => self.window_requests.push(command),
        }
        self.poll();
    }

    /// Collects the results of finished jobs. It applies them to the session, which may start further jobs.
    pub fn poll(&mut self) {
        self.clips.take_in();
        let opened = OpenDocument { document: &self.document, library: &self.library };
        self.clips.follow_mended(opened);
        self.variants.take_in();
        // A finished job may start another one.
        loop {
            let finished = self.jobs.finished();
            if finished.is_empty() {
                break;
            }
            finished.into_iter().for_each(|finish| finish(self));
        }
    }

    /// Drops a highlighted joint that belongs to another file than the shown one.
    pub fn drop_foreign_joint(&mut self) {
        let character = self.selection.shown.character(&self.document);
        self.selection.drop_foreign_joint(character);
    }

    /// Advances the application by `seconds`; `calm` if nothing is being dragged or typed. Undo snapshots are taken, and
    /// sources that changed on disk are read again, only if `calm`.
    pub fn update(&mut self, seconds: f64, calm: bool) {
        self.is_calm = calm;
        self.poll();
        if calm {
            self.take_arrived();
        }
        self.follow_sources(calm);
        self.follow_files();
        self.follow_remote(calm);
        self.evaluation.builds.stop_removed(&self.document, &mut self.jobs);
        self.evaluation.builds.retain_files_of(&self.library);
        self.playback.advance(seconds);
        self.drop_foreign_joint();
        if calm {
            self.history.observe(&self.document);
            self.views.note(&self.history, &self.selection.shown);
        }
        // Synchronous jobs have finished by now.
        if self.show(seconds) {
            self.poll();
            self.show(seconds);
        }
        if self.show_second() {
            self.poll();
            self.show_second();
        }
        if calm {
            self.place_new_loop();
        }
        if calm {
            self.follow_export_as_i_work();
        }
        self.evaluation.measure(calm, &mut self.jobs);
        self.measure_mended(calm);
        self.measure_sets(calm);
    }

    /// Updates [`Session::frame`]; returns true if a job was started.
    fn show(&mut self, seconds: f64) -> bool {
        let take = self.shown_take();
        let companion_seconds = self.pair().map_or(0.0, |pair| pair.seconds(&self.playback));
        let mut moment = evaluation::Moment {
            opened: OpenDocument { document: &self.document, library: &self.library },
            selection: &self.selection,
            playback: &mut self.playback,
            dynamics: &mut self.dynamics,
            jobs: &mut self.jobs,
            notices: &mut self.notices,
            companion_seconds,
            passed: seconds,
        };
        match take {
            Some(take) => self.evaluation.show(&take, &mut moment),
            None => {
                self.evaluation.show_rest(&mut moment);
                false
            }
        }
    }

    /// Returns the frame at the playhead, as of the last [`Session::update`]. `None` while nothing is shown.
    pub fn frame(&self) -> Option<&Frame> {
        self.evaluation.frame()
    }

    /// Builds `take`, or returns it from the cache. A slow build blocks the caller. Returns `Err` if it cannot be built.
    pub fn built(&mut self, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        let progress = Progress::new();
        let _shown = self.jobs.indicate(&job_key(take), &progress);
        self.evaluation.builds.take_within(opened, take, &progress)
    }

    /// Returns the take that plays: the selected take, or the selected clip, cache or images as a take without
    /// stages. `None` if nothing is shown that plays.
    pub fn shown_take(&self) -> Option<Take> {
        self.opened().take_of(&self.selection.shown).map(|take| self.whole_while_asked(take))
    }

    /// True if nothing is open.
    pub fn is_empty(&self) -> bool {
        self.document.files.is_empty() && self.document.takes.is_empty() && self.clips.is_empty()
    }

    /// True if there are unsaved changes, of the document or of the export settings.
    pub fn is_unsaved(&self) -> bool {
        !self.history.is_saved(&self.document) || self.project.exports_otherwise(&self.exports.choice)
    }
}

/// The version of the program, with the commit that a release is made of.
pub const VERSION: &str = env!("PORTAMENTO_VERSION");

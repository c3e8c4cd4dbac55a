//! The application without a window: the window, the command line and the tests are its three clients.
//!
//! Panels edit [`Session::document`] in place; everything else is a [`Command`]. [`Session::update`], called once per shown
//! frame, brings in finished jobs, moves the playhead, takes undo snapshots and evaluates what is shown.

pub mod appearance;
mod background;
pub mod batch;
pub mod blend;
pub mod clip_library;
pub mod command;
pub mod dynamics;
mod edit;
mod evaluation;
pub mod export;
pub mod fault_report;
pub mod film;
pub mod first_steps;
pub mod jobs;
pub mod keymap;
pub mod looping;
pub mod notices;
mod open_document;
pub mod painting;
pub mod pair;
pub mod playback;
pub mod preferences;
pub mod project;
pub mod recipe;
mod scene_objects;
pub mod selection;
mod retarget;
mod rig_preset;
mod rig_question;
mod shown_motion;
pub mod stack;
pub mod units;
pub mod variants;
pub mod walk;

use std::sync::Arc;

pub use clip_library::ClipTable;
pub use command::{Command, EditCommand, FileCommand, NewCollider, TransportCommand, WindowCommand};
pub use dynamics::live::{DynamicsMode, DynamicsPreview};
pub use dynamics::presets::ChainPreset;
pub use evaluation::{Evaluation, FiguresOfShown, FrameState};
pub use export::{
    ClipFormat, ClipNames, ExportChoice, ExportFormat, ExportRequest, Exports, ImageFormat, ImageLayout, Keep,
    MeshFormat, Preset, RouteFormat, Sidecars,
};
pub use jobs::Jobs;
pub use notices::{Notice, Notices, Severity};
pub use open_document::OpenDocument;
pub use pair::{Pair, PairCommand};
pub use playback::{LoopMode, Playback};
pub use preferences::Preferences;
pub use project::{ProjectFile, ReadFiles, RecoverableWork};
pub use selection::Selection;
pub use shown_motion::Shown;

use crate::document::{Document, History, Library, Take, TakeId};
use crate::evaluate::{BuiltTake, Frame, TakeError};
use crate::export::file_system::{Disk, FileSystem};

/// One running application.
#[derive(Debug)]
pub struct Session {
    /// What the user is making. Edit freely; [`Session::update`] notices.
    pub document: Document,
    /// The opened files.
    pub library: Library,
    /// Undo and redo.
    pub history: History,
    /// The playhead and how it moves.
    pub playback: Playback,
    /// What is shown.
    pub selection: Selection,
    /// How dynamic bones are watched.
    pub dynamics: DynamicsPreview,
    /// The brush in use.
    pub painter: painting::Painter,
    /// Comparisons of frames for better seams.
    pub seams: looping::seams::Seams,
    /// What was exported and what is about to be.
    pub exports: Exports,
    /// A take that others use and that shall be removed, until somebody says whether.
    pub asked_removals: Vec<TakeId>,
    /// A question about the level of a walk.
    pub asked_ground: walk::ground::AskedGround,
    /// The clips of a folder with their figures.
    pub clips: ClipTable,
    /// Variants that are looked at before they are made.
    pub variants: variants::Preview,
    /// Roles in doubt of characters opened since the document was, answered or not.
    pub rig_questions: rig_question::RigQuestions,
    /// Work in the background, with progress and cancel.
    pub jobs: Jobs,
    /// Messages to the user.
    pub notices: Notices,
    /// What the user prefers, whatever the document.
    pub preferences: Preferences,
    /// Where the document stands on disk, and where what is not saved yet is kept.
    pub project: ProjectFile,
    /// The sources as they were read.
    pub read: ReadFiles,
    /// What only a window can do, waiting for it.
    pub window_requests: Vec<WindowCommand>,
    /// What is shown, and why it cannot be.
    pub evaluation: Evaluation,
    /// What everything is written to.
    disk: Arc<dyn FileSystem>,
    /// What stands beside what is shown.
    pair: Option<Pair>,
}

impl Default for Session {
    fn default() -> Self {
        Self::with_jobs(Jobs::default())
    }
}

impl Session {
    /// A session whose jobs end before the call that starts them returns: for the command line and tests.
    pub fn inline() -> Self {
        Self::with_jobs(Jobs::inline())
    }

    fn with_jobs(jobs: Jobs) -> Self {
        let document = Document::default();
        Self {
            history: History::new(&document),
            document,
            library: Library::default(),
            playback: Playback::default(),
            selection: Selection::default(),
            dynamics: DynamicsPreview::default(),
            painter: painting::Painter::default(),
            seams: looping::seams::Seams::default(),
            exports: Exports::default(),
            asked_removals: Vec::new(),
            asked_ground: walk::ground::AskedGround::default(),
            clips: ClipTable::default(),
            variants: variants::Preview::default(),
            rig_questions: rig_question::RigQuestions::default(),
            jobs,
            notices: Notices::default(),
            preferences: Preferences::default(),
            project: ProjectFile::default(),
            read: ReadFiles::default(),
            window_requests: Vec::new(),
            evaluation: Evaluation::default(),
            disk: Arc::new(Disk),
            pair: None,
        }
    }

    /// Carries out one command; what goes wrong becomes a notice and changes nothing.
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

    /// Brings in what jobs have finished.
    pub fn poll(&mut self) {
        self.clips.take_in();
        let opened = OpenDocument { document: &self.document, library: &self.library };
        self.clips.follow_mended(opened);
        self.variants.take_in();
        // What one has finished may start another.
        loop {
            let finished = self.jobs.finished();
            if finished.is_empty() {
                break;
            }
            finished.into_iter().for_each(|finish| finish(self));
        }
    }

    /// One step of the application: `seconds` have passed; `calm` when nothing is being dragged or typed.
    pub fn update(&mut self, seconds: f64, calm: bool) {
        self.poll();
        self.playback.advance(seconds);
        if calm {
            self.history.observe(&self.document);
        }
        // A job that runs inside the call that starts it has ended by now.
        if self.show(seconds) {
            self.poll();
            self.show(seconds);
        }
        if self.show_second() {
            self.poll();
            self.show_second();
        }
        self.evaluation.measure(calm, &mut self.jobs);
        self.measure_mended(calm);
    }

    /// Brings [`Session::frame`] up to date; answers whether a job was begun for it.
    fn show(&mut self, seconds: f64) -> bool {
        let take = self.shown_take();
        let seconds_beside = self.pair().map_or(0.0, |pair| pair.seconds(&self.playback));
        let mut moment = evaluation::Moment {
            opened: OpenDocument { document: &self.document, library: &self.library },
            selection: &self.selection,
            playback: &mut self.playback,
            dynamics: &mut self.dynamics,
            jobs: &mut self.jobs,
            notices: &mut self.notices,
            seconds_beside,
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

    /// What is shown at the playhead, as of the last [`Session::update`].
    pub fn frame(&self) -> Option<&Frame> {
        self.evaluation.frame()
    }

    /// `take` built, from memory where its inputs are as before.
    pub fn built(&mut self, take: &Take) -> Result<Arc<BuiltTake>, TakeError> {
        let opened = OpenDocument { document: &self.document, library: &self.library };
        self.evaluation.builds.take(opened, take)
    }

    /// The recipe of what plays: the selected take, or the selected clip, cache or images as a take without stages.
    pub fn shown_take(&self) -> Option<Take> {
        self.opened().take_of(&self.selection.shown)
    }

    /// Whether there is nothing to work on yet.
    pub fn is_empty(&self) -> bool {
        self.document.files.is_empty() && self.document.takes.is_empty() && self.clips.is_empty()
    }

    /// Whether closing now would lose work.
    pub fn is_unsaved(&self) -> bool {
        !self.history.is_saved(&self.document)
    }
}

//! The command line: converts arguments to commands of a [`Session`], and its reports to text or JSON.
//!
//! Exit codes: 0 success, 1 failure, 2 invalid arguments. Frames count from 0. Files are written only to the paths
//! given.

mod add_on;
mod bake;
mod blend;
mod check;
mod finish;
mod flags;
mod generate;
mod dynamics;
mod inspect;
mod job;
mod library;
mod looping;
mod make;
mod mcp;
mod output;
mod progress_bar;
mod recover;
mod report;
mod retarget;
mod stretch;
mod variants;
mod walk;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use portamento_anim::Model;
use portamento_base::budget;
use portamento_formats::export::{ExportError, FileSet, Interrupted, Replace};
use portamento_session::{Command, FileCommand, Notice, Session, Severity};
use portamento_takes::document::{Asset, FileId, Loaded};

use output::{print, print_text, warn};

/// Stretch, blend, loop and walk game animation, with dynamic bones.
#[derive(Debug, Parser)]
#[command(name = "portamento", version = portamento_session::VERSION, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    /// Projects, characters or clips to open in the window.
    files: Vec<PathBuf>,
    /// Open the window with remote control on: programs of the same user on this computer may send requests.
    #[arg(long)]
    remote_control: bool,
    /// Memory limit, such as 4GB. Default: half of the machine's memory.
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Prints the content of a file: joints, clips, key rates, root motion, warnings.
    Inspect(inspect::Arguments),
    /// Measures every clip of files and folders: travel, loop gap, feet, jitter, keys and findings.
    Library(library::Arguments),
    /// Stretches a clip to a new end position.
    Stretch(stretch::Arguments),
    /// Blends run, stand and skill clips by events.
    Blend(blend::Arguments),
    /// Simulates tails, hair and cloth as dynamic bones.
    Dynamics(dynamics::Arguments),
    /// Creates a seamless loop of a cache, of images or of a clip.
    Loop(Box<looping::Arguments>),
    /// Finds routes through a level and generates a walk of a character.
    Walk(Box<walk::Arguments>),
    /// Retargets clips of other rigs to a character: any file or folder of clips.
    Retarget(Box<retarget::Arguments>),
    /// Finishes captured and generated motions on a character: retarget, clean up, lock the feet, root motion, close.
    Finish(Box<finish::Arguments>),
    /// Creates a take from a recipe (a stack of stages in JSON).
    Make(make::Arguments),
    /// Measures clips and compares them with a contract; exit codes for build servers.
    Check(check::Arguments),
    /// Proposes a contract for clips, from their names and figures.
    InitContract(check::propose::Arguments),
    /// Exports the takes of a project.
    Bake(bake::Arguments),
    /// Exports takes again whenever their sources, the project or the recipe are saved.
    Watch(Box<watch::Arguments>),
    /// Exports a take once per combination of setting values, with an index.
    Variants(variants::Arguments),
    /// Checks the results of a job and merges the measurements of its tasks.
    Report(report::Arguments),
    /// Finishes or undoes exports that were interrupted.
    Recover(recover::Arguments),
    /// Exports the sample project, then opens it in the window if there is a display.
    Demo(generate::demo::Arguments),
    /// Takes a screenshot of the window.
    Screenshot(Screenshot),
    /// Serves a project without a window to an agent by the Model Context Protocol.
    Mcp(mcp::Arguments),
    /// Saves the add-on for Blender as a zip file.
    AddOn(add_on::Arguments),
    /// Writes the guide as a website.
    Guide(generate::guide::Arguments),
    /// Regenerates the sample files.
    Samples(generate::samples::Arguments),
    /// Prints a shell completion script.
    Completions(generate::completions::Arguments),
    /// Prints the manual, or writes one page per command.
    Man(generate::man::Arguments),
}

/// Returns the full command definition, for shell completions and the manual.
fn described() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Arguments of a screenshot.
#[derive(Clone, Debug, clap::Args)]
pub struct Screenshot {
    /// Project or file to show; with --panel clips also a folder. Default: the start screen.
    pub project: Option<PathBuf>,
    /// Take to show, or clip of a folder. Default: the first. A second one is shown side by side.
    #[arg(long)]
    pub take: Vec<String>,
    /// Panel to show in front.
    #[arg(long)]
    pub panel: Option<String>,
    /// Size in pixels.
    #[arg(long, default_value = "1280x800", value_parser = size)]
    pub size: (u32, u32),
    /// Theme: dark or light.
    #[arg(long, default_value = "dark", value_parser = ["dark", "light"])]
    pub theme: String,
    /// Language of the window, `en` or `zh-CN`.
    #[arg(long, default_value = "en", value_parser = ["en", "zh-CN"])]
    pub lang: String,
    /// Time of the playhead, seconds.
    #[arg(long)]
    pub time: Option<f64>,
    /// Record the viewport from start to end instead: .apng, .webp or .gif, or numbered images as .png.
    #[arg(long)]
    pub film: bool,
    /// Frame the character alone. The camera of a film follows it. Default: all that is shown.
    #[arg(long)]
    pub follow: bool,
    /// PNG or recording to write.
    #[arg(short, long)]
    pub out: PathBuf,
    /// Whether existing files may be replaced.
    #[command(flatten)]
    #[allow(missing_docs, reason = "its flag has the documentation")]
    pub force: Force,
}

impl Screenshot {
    /// Refuses before the window opens if the picture would replace a file. Numbered images have other names.
    fn check(&self) -> Result<(), Failure> {
        let is_numbered = self.film && self.out.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
        match self.out.exists() && !self.force.force && !is_numbered {
            true => Err(refused(ExportError::WouldReplace { files: vec![self.out.clone()] })),
            false => Ok(()),
        }
    }
}

/// A task for the window after parsing the arguments.
#[derive(Debug)]
pub enum WindowTask {
    /// Open the window with these files; without files, the last project or the start screen.
    Open {
        /// The files.
        files: Vec<PathBuf>,
        /// True to turn remote control on.
        remote_control: bool,
    },
    /// Take a screenshot.
    Screenshot(Screenshot),
}

/// Runs the command in `arguments`. Tasks that need a window are passed to `window`, which returns the exit code. Errors
/// are printed to standard error. The exit code is 0, 1 for a failure, or 2 for invalid arguments.
pub fn run(arguments: Arguments, window: impl FnOnce(WindowTask) -> ExitCode) -> ExitCode {
    if let Some(bytes) = arguments.memory {
        budget::choose_limit(bytes);
    }
    let result = match arguments.command {
        None => {
            return window(WindowTask::Open { files: arguments.files, remote_control: arguments.remote_control });
        }
        Some(Subcommands::Screenshot(screenshot)) => match screenshot.check() {
            Ok(()) => return window(WindowTask::Screenshot(screenshot)),
            refused => refused,
        },
        Some(Subcommands::Demo(demo)) => match demo.run() {
            Ok(Some(project)) => {
                return window(WindowTask::Open { files: vec![project], remote_control: false });
            }
            result => result.map(|_| ()),
        },
        Some(Subcommands::Inspect(inspect)) => inspect.run(),
        Some(Subcommands::Library(library)) => library.run(),
        Some(Subcommands::Stretch(stretch)) => stretch.run(),
        Some(Subcommands::Blend(blend)) => blend.run(),
        Some(Subcommands::Dynamics(dynamics)) => dynamics.run(),
        Some(Subcommands::Loop(looped)) => looped.run(),
        Some(Subcommands::Walk(walk)) => walk.run(),
        Some(Subcommands::Retarget(retarget)) => retarget.run(),
        Some(Subcommands::Finish(finish)) => finish.run(),
        Some(Subcommands::Make(make)) => make.run(),
        Some(Subcommands::Check(check)) => check.run(),
        Some(Subcommands::InitContract(propose)) => propose.run(),
        Some(Subcommands::Bake(bake)) => bake.run(),
        Some(Subcommands::Watch(watch)) => watch.run(),
        Some(Subcommands::Variants(variants)) => variants.run(),
        Some(Subcommands::Report(report)) => report.run(),
        Some(Subcommands::Recover(recover)) => recover.run(),
        Some(Subcommands::Mcp(mcp)) => mcp.run(),
        Some(Subcommands::AddOn(add_on)) => add_on.run(),
        Some(Subcommands::Guide(guide)) => guide.run(),
        Some(Subcommands::Samples(samples)) => samples.run(),
        Some(Subcommands::Completions(completions)) => completions.run(),
        Some(Subcommands::Man(man)) => man.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(sentence)) => fail(&sentence, 2),
        Err(Failure::Failed(sentence)) => fail(&sentence, 1),
    }
}

/// The failure of a command.
#[derive(Debug)]
enum Failure {
    /// Invalid or inconsistent arguments, or names that do not exist.
    Usage(String),
    /// Valid arguments, but the command failed.
    Failed(String),
}

/// Parses keys or frames per second, 1…1000. Returns `Err` with what is allowed for any other text.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1.0..=1000.0).contains(rate));
    rate.ok_or_else(|| "give a rate between 1 and 1000".into())
}

/// Parses a size such as `4GB` to bytes. Returns `Err` with an example for any other text.
fn memory(text: &str) -> Result<u64, String> {
    budget::parse_size(text).ok_or_else(|| "is not a size such as 4GB or 512MB".into())
}

/// Prints `sentence` to standard error and returns the exit code `code`.
fn fail(sentence: &str, code: u8) -> ExitCode {
    warn(&format!("portamento: {sentence}"));
    ExitCode::from(code)
}

/// Returns a session with `path` opened, and the id and content of the file. Warnings are printed. Returns `Err` if it
/// cannot be opened.
fn open(path: &Path) -> Result<(Session, FileId, Asset<Loaded>), Failure> {
    open_with(path, None)
}

/// Returns a session with `path` opened and turned, and the id and content of the file. The content is the turned one.
/// Without an axis nothing is turned.
fn open_up(path: &Path, up: flags::up::UpArgument) -> Result<(Session, FileId, Asset<Loaded>), Failure> {
    let (mut session, id, asset) = open(path)?;
    up.apply(&mut session, id);
    let turned = session.library.get(id).cloned().unwrap_or(asset);
    Ok((session, id, turned))
}

/// Returns a session with `path` and the file `other` that belongs to it opened, and the id and content of the first.
/// Returns `Err` if one cannot be opened or has no content.
fn open_with(path: &Path, other: Option<&Path>) -> Result<(Session, FileId, Asset<Loaded>), Failure> {
    let mut session = progress_bar::session();
    let paths = std::iter::once(path).chain(other).map(Path::to_owned).collect();
    perform(&mut session, Command::File(FileCommand::Open(paths)))?;
    let files = &session.document.files;
    let id = if other.is_some() { files.first() } else { files.last() }.map(|file| file.id);
    let loaded = id.and_then(|id| Some((id, session.library.get(id)?.clone())));
    let (id, asset) =
        loaded.ok_or_else(|| Failure::Failed(format!("{} contains nothing to work on.", path.display())))?;
    Ok((session, id, asset))
}

/// Opens another file or project in `session`; errors become a failure.
fn open_more(session: &mut Session, path: &Path) -> Result<(), Failure> {
    perform(session, Command::File(FileCommand::Open(vec![path.to_owned()])))
}

/// Flag to replace existing files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Force {
    /// Replace existing files; source files are never replaced.
    #[arg(long)]
    pub force: bool,
}

impl From<Force> for Replace {
    fn from(force: Force) -> Self {
        if force.force { Self::Allow } else { Self::Refuse }
    }
}

/// Writes the files that `add` adds, never over a source of `session`, and over existing files only with `force`.
fn write(
    session: &Session,
    force: Force,
    add: impl FnOnce(&mut FileSet) -> Result<(), ExportError>,
) -> Result<(), Failure> {
    let mut files = FileSet::new(session.sources().into());
    add(&mut files).map_err(refused)?;
    commit(files, force)
}

/// Moves `files` into place, and warns of interrupted exports that were found there. Returns `Err` if that fails, or if
/// files would be replaced without consent. None is then moved.
fn commit(mut files: FileSet, replace: impl Into<Replace>) -> Result<(), Failure> {
    let written = files.commit(replace.into());
    let remains = files.remains();
    remains.unreadable.iter().for_each(|report| warn(&format!("warning: {report}")));
    warn_of_interrupted(&remains.interrupted);
    written.map(|_| ()).map_err(refused)
}

/// Prints a warning about each interrupted export, with the command that resolves it.
fn warn_of_interrupted(interrupted: &[Interrupted]) {
    for each in interrupted {
        warn(&format!("warning: {} {}", each.message(), recover::how_to_resolve(each.folder())));
    }
}

/// Returns the failure of an export, with a hint at `--force` if it would replace files.
fn refused(error: ExportError) -> Failure {
    let hint = if matches!(error, ExportError::WouldReplace { .. }) { " Use --force to replace them." } else { "" };
    Failure::Failed(format!("{error}{hint}"))
}

/// Performs `command`; error notices become a failure, warnings are printed to standard error. Files that would be replaced
/// without consent are a failure too.
fn perform(session: &mut Session, command: Command) -> Result<(), Failure> {
    session.perform(command);
    if let Some(files) = session.exports.conflicting_files() {
        session.perform(Command::File(FileCommand::Replace(false)));
        return Err(refused(ExportError::WouldReplace { files }));
    }
    warn_of_interrupted(&session.exports.take_interrupted());
    let notices = session.notices.take_new();
    let is_warning = |notice: &&Notice| notice.severity == Severity::Warning || notice.messages()[0].is_harmless();
    for message in notices.iter().filter(is_warning).flat_map(Notice::messages) {
        warn(&format!("warning: {message}"));
    }
    let flags = session.rig_questions.take_flags();
    if !flags.is_empty() {
        warn(&format!("warning: on the command line, {} states it.", flags.join(" or ")));
    }
    match notices.into_iter().find(|notice| notice.severity == Severity::Error) {
        Some(error) => Err(Failure::Failed(error.text())),
        None => Ok(()),
    }
}

/// A clip named on the command line.
struct NamedClip {
    file: FileId,
    name: String,
}

/// Finds the clip that `text` names: a clip of the open file `file`, or `FILE:NAME` of another file, which is opened. `FILE:` alone
/// is enough for a file with one clip. Returns `Err` if there is no such clip, or if the file cannot be opened.
fn named_clip(session: &mut Session, file: FileId, text: &str) -> Result<NamedClip, Failure> {
    let model = |session: &Session, id: FileId| session.library.get(id).cloned();
    if model(session, file).is_some_and(|asset| asset.model.clips.iter().any(|clip| clip.name == text)) {
        return Ok(NamedClip { file, name: text.to_owned() });
    }
    let mut split = text.match_indices(':').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    let Some((path, name)) = split.rfind(|(path, _)| path.is_file()) else {
        let asset = model(session, file);
        asset.map_or(Ok(()), |asset| check_clip(&asset.model, text))?;
        return Ok(NamedClip { file, name: text.to_owned() });
    };
    let is_same =
        |open: &Path| open == path || matches!((open.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
    let known = session.document.files.iter().find(|open| is_same(&open.path)).map(|open| open.id);
    if known.is_none() {
        open_more(session, path)?;
    }
    let file = known.or_else(|| session.document.files.last().map(|file| file.id)).unwrap_or(file);
    let asset = model(session, file).ok_or_else(|| Failure::Failed(format!("{} has no clip.", path.display())))?;
    let name = match (name, &asset.model.clips[..]) {
        ("", [only]) => only.name.clone(),
        _ => name.to_owned(),
    };
    check_clip(&asset.model, &name)?;
    let name = asset.model.clip(&name).map_or(name.clone(), |clip| clip.name.clone());
    Ok(NamedClip { file, name })
}

/// Returns the name by which a blend finds clip `name` of `file`: `model:name`, with the name of the file's model, if an earlier
/// one of its `files` has a clip of that name too, else `name`.
fn name_in_blend(session: &Session, files: &[FileId], file: FileId, name: &str) -> String {
    let model = |id: FileId| session.library.get(id).map(|asset| &asset.model);
    let is_ambiguous = files
        .iter()
        .take_while(|&&earlier| earlier != file)
        .any(|&id| model(id).is_some_and(|model| model.clip(name).is_some()));
    match model(file).filter(|_| is_ambiguous) {
        Some(model) => format!("{}:{name}", model.name),
        None => name.to_owned(),
    }
}

/// Returns a usage error if `model` has no clip of that name.
fn check_clip(model: &Model, name: &str) -> Result<(), Failure> {
    if model.clip(name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    Err(Failure::Usage(format!("{} has no clip “{name}”. {}", model.name, it_has(&known))))
}

/// Returns a sentence that lists the existing names.
fn it_has(known: &[&str]) -> String {
    if known.is_empty() { "It has none.".to_owned() } else { format!("It has: {}.", known.join(", ")) }
}

/// Returns the joint of that name, or a usage error.
fn joint(model: &Model, name: &str) -> Result<usize, Failure> {
    let unknown = || Failure::Usage(format!("There is no joint “{name}”. `portamento inspect` lists all joints."));
    model.skeleton.find(name).ok_or_else(unknown)
}

/// Parses `WIDTHxHEIGHT`, pixels. The limits are 320 × 200 and 7680 × 4320. Returns `Err` with what is allowed for
/// any other text.
fn size(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match numbers {
        Some((width @ 320..=7680, height @ 200..=4320)) => Ok((width, height)),
        _ => Err("give WIDTHxHEIGHT between 320x200 and 7680x4320, for example 1280x800".into()),
    }
}

/// Parses a point `X,Y,Z` of three finite numbers, with or without blanks. Its unit and space are those of the flag.
/// Returns `Err` with an example for any other text.
fn point(text: &str) -> Result<glam::DVec3, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if [x, y, z].iter().all(|n| n.is_finite()) && text.split(',').count() == 3 => {
            Ok(glam::DVec3::new(x, y, z))
        }
        _ => Err("give three finite numbers as X,Y,Z, for example 0,0,6".into()),
    }
}

/// Parses the key reduction tolerance: millimetres at ACL's shell distance, 0…1000. Returns `Err` with what is
/// allowed for any other text.
fn tolerance(text: &str) -> Result<portamento_anim::Tolerance, String> {
    match text.trim().parse() {
        Ok(millimetres) if (0.0..=1000.0).contains(&millimetres) => Ok(portamento_anim::Tolerance { millimetres }),
        _ => Err("give the largest error in millimetres, 0 to 1000, for example 0.1".into()),
    }
}

#[cfg(test)]
mod tests;

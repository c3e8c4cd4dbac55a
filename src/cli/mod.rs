//! The command line: arguments become commands of a [`Session`], its reports become text or JSON.
//!
//! Exit codes: 0 done; 1 the work failed; 2 the arguments cannot be read or name what is not there. Frames count from 0. Nothing is written except where told.

mod bake;
mod blend;
mod collider;
mod completions;
mod demo;
mod dynamics;
mod image_layout;
mod inspect;
mod job;
mod library;
mod looping;
mod make;
mod man;
mod page;
mod page_files;
mod report;
mod retarget;
mod rig;
mod samples;
mod stretch;
mod variants;
mod walk;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::Value;

use crate::anim::Model;
use crate::budget;
use crate::document::{Asset, FileId, Loaded};
use crate::export::{ExportError, FileSet, Replace};
use crate::session::{Command, FileCommand, Session, Severity};
use crate::system_reason::system_reason;

/// Stretch, blend, swing, loop and walk game animation.
#[derive(Debug, Parser)]
#[command(name = "portamento", version = env!("PORTAMENTO_VERSION"), about, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Subcommands>,
    /// Projects, characters or clips to open in the window.
    files: Vec<PathBuf>,
    /// Memory that work may take, such as 4GB; half of the machine's when absent.
    #[arg(long, global = true, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Shows what a file holds: joints, clips, key rates, root motion, warnings.
    Inspect(inspect::Arguments),
    /// Measures every clip of files and folders: way, seam, feet, noise, keys, and what is worth a look.
    Library(library::Arguments),
    /// Stretches a clip so that it ends at a new place.
    Stretch(stretch::Arguments),
    /// Blends running, standing and a skill by events: cast on the run, stop in mid-cast, run on.
    Blend(blend::Arguments),
    /// Lets tails, hair and cloth swing.
    Dynamics(dynamics::Arguments),
    /// Makes a seamless loop of a cache, of images or of a clip.
    Loop(Box<looping::Arguments>),
    /// Finds ways through a level and lets a character walk one.
    Walk(Box<walk::Arguments>),
    /// Puts clips of other rigs on a character: any file or folder of clips.
    Retarget(Box<retarget::Arguments>),
    /// Makes a take from a stack of stages written as JSON.
    Make(make::Arguments),
    /// Exports the takes of a project.
    Bake(bake::Arguments),
    /// Exports a take once for each combination of values of its settings, with an index.
    Variants(variants::Arguments),
    /// Tells whether all that a job makes is there, and puts together what its tasks measured.
    Report(report::Arguments),
    /// Bakes the sample project, then opens the window on it where there is a display.
    Demo(demo::Arguments),
    /// Takes a picture of the window on a project.
    Screenshot(Screenshot),
    /// Makes the sample files again.
    Samples(samples::Arguments),
    /// Prints what lets a shell complete the arguments.
    Completions(completions::Arguments),
    /// Prints the manual, or writes a page per command.
    Man(man::Arguments),
}

/// All that the program takes, as the shells and the manual are told.
fn described() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// A picture of the window.
#[derive(Clone, Debug, clap::Args)]
pub struct Screenshot {
    /// The project or file to show, with --panel clips also a folder of them; without it the start screen.
    pub project: Option<PathBuf>,
    /// The take to show, or of a folder the clip; the first when absent. A second one is shown beside it.
    #[arg(long)]
    pub take: Vec<String>,
    /// The panel to bring to the front.
    #[arg(long)]
    pub panel: Option<String>,
    /// Size in pixels.
    #[arg(long, default_value = "1280x800", value_parser = size)]
    pub size: (u32, u32),
    /// dark or light.
    #[arg(long, default_value = "dark", value_parser = ["dark", "light"])]
    pub theme: String,
    /// Language of the window, `en` or `zh-CN`.
    #[arg(long, default_value = "en", value_parser = ["en", "zh-CN"])]
    pub lang: String,
    /// Where the playhead stands, seconds.
    #[arg(long)]
    pub time: Option<f64>,
    /// Films the view instead, frame by frame from start to end: .apng, .webp or .gif, or numbered pictures as .png.
    #[arg(long)]
    pub film: bool,
    /// The PNG to write, or the film.
    #[arg(short, long)]
    pub out: PathBuf,
}

/// What is left for the window after the arguments are read.
#[derive(Debug)]
pub enum WindowTask {
    /// Open the window with these files; none means the last project or the start screen.
    Open(Vec<PathBuf>),
    /// Take a picture.
    Screenshot(Screenshot),
}

/// Carries out what `arguments` ask for. What needs a window is handed to `window`, which answers with the exit code.
pub fn run(arguments: Arguments, window: impl FnOnce(WindowTask) -> ExitCode) -> ExitCode {
    if let Some(bytes) = arguments.memory {
        budget::choose_limit(bytes);
    }
    let result = match arguments.command {
        None => return window(WindowTask::Open(arguments.files)),
        Some(Subcommands::Screenshot(screenshot)) => return window(WindowTask::Screenshot(screenshot)),
        Some(Subcommands::Demo(demo)) => match demo.run() {
            Ok(Some(project)) => return window(WindowTask::Open(vec![project])),
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
        Some(Subcommands::Make(make)) => make.run(),
        Some(Subcommands::Bake(bake)) => bake.run(),
        Some(Subcommands::Variants(variants)) => variants.run(),
        Some(Subcommands::Report(report)) => report.run(),
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

/// Why a command did not do what was asked.
#[derive(Debug)]
enum Failure {
    /// The arguments make no sense together or name things that do not exist.
    Usage(String),
    /// The arguments are fine; the work failed.
    Failed(String),
}

/// Keys or frames per second.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1.0..=1000.0).contains(rate));
    rate.ok_or_else(|| "give a rate between 1 and 1000".into())
}

fn memory(text: &str) -> Result<u64, String> {
    budget::parse_size(text).ok_or_else(|| "is not a size such as 4GB or 512MB".into())
}

fn fail(sentence: &str, code: u8) -> ExitCode {
    eprintln!("portamento: {sentence}");
    ExitCode::from(code)
}

/// A session with `path` opened, and the id and content of that file.
fn open(path: &Path) -> Result<(Session, FileId, Asset<Loaded>), Failure> {
    let mut session = Session::inline();
    open_more(&mut session, path)?;
    let id = session.document.files.last().map(|file| file.id);
    let loaded = id.and_then(|id| Some((id, session.library.get(id)?.clone())));
    let (id, asset) = loaded.ok_or_else(|| Failure::Failed(format!("{} holds nothing to work on.", path.display())))?;
    Ok((session, id, asset))
}

/// Opens another file or project in `session`, turning its errors into a failure.
fn open_more(session: &mut Session, path: &Path) -> Result<(), Failure> {
    perform(session, Command::File(FileCommand::Open(vec![path.to_owned()])))
}

/// Whether files that are there may be replaced.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Force {
    /// Replace files that are there; sources never are.
    #[arg(long)]
    force: bool,
}

impl From<Force> for Replace {
    fn from(force: Force) -> Self {
        if force.force { Self::Allow } else { Self::Refuse }
    }
}

/// Puts the files that `add` adds in place, but never over a source of `session`, and over others only with `force`.
fn write(
    session: &Session,
    force: Force,
    add: impl FnOnce(&mut FileSet) -> Result<(), ExportError>,
) -> Result<(), Failure> {
    let mut files = FileSet::new(session.sources().into());
    let written = add(&mut files).and_then(|()| files.commit(force.into()));
    written.map(|_| ()).map_err(refused)
}

fn refused(error: ExportError) -> Failure {
    let way_out = if matches!(error, ExportError::WouldReplace { .. }) { " Use --force to replace them." } else { "" };
    Failure::Failed(format!("{error}{way_out}"))
}

/// Performs `command`; error notices become a failure, warnings go to standard error.
fn perform(session: &mut Session, command: Command) -> Result<(), Failure> {
    session.perform(command);
    if let Some(files) = session.exports.files_in_the_way() {
        session.perform(Command::File(FileCommand::Replace(false)));
        return Err(refused(ExportError::WouldReplace { files }));
    }
    let notices = session.notices.take_new();
    for notice in notices.iter().filter(|notice| notice.severity == Severity::Warning) {
        eprintln!("warning: {}", notice.text());
    }
    match notices.into_iter().find(|notice| notice.severity == Severity::Error) {
        Some(error) => Err(Failure::Failed(error.text())),
        None => Ok(()),
    }
}

/// Refuses a clip that `model` does not have.
fn check_clip(model: &Model, name: &str) -> Result<(), Failure> {
    if model.clip(name).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
    Err(Failure::Usage(format!("{} has no clip “{name}”. {}", model.name, it_has(&known))))
}

/// What there is instead, as a sentence.
fn it_has(known: &[&str]) -> String {
    if known.is_empty() { "It has none at all.".to_owned() } else { format!("It has: {}.", known.join(", ")) }
}

/// The joint of that name.
fn joint(model: &Model, name: &str) -> Result<usize, Failure> {
    let unknown = || Failure::Usage(format!("There is no joint “{name}”; `portamento inspect` lists them."));
    model.skeleton.find(name).ok_or_else(unknown)
}

/// Prints a report: pretty JSON, or one `name: value` line per entry. A reader that has seen enough is no error, a full disk is.
fn print(report: &Value, json: bool) -> Result<(), Failure> {
    let mut text = String::new();
    if json {
        text = format!("{report:#}\n");
    } else {
        add_lines(&mut text, report, 0);
    }
    say(&text)
}

/// Writes to standard output. A reader that has seen enough is no error, a full disk is.
fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Failed(format!("The report could not be written: {}.", system_reason(&error))))
        }
        _ => Ok(()),
    }
}

fn add_lines(text: &mut String, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    let nested =
        |value: &Value| value.is_object() || value.as_array().is_some_and(|list| list.iter().any(Value::is_object));
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Object(entries) => {
            for (name, entry) in entries {
                let name = name.replace('_', " ");
                if nested(entry) {
                    *text += &format!("{indent}{name}\n");
                    add_lines(text, entry, depth + 1);
                } else {
                    *text += &format!("{indent}{name}: {}\n", word(entry));
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|entry| {
            add_lines(text, entry, depth);
            text.push('\n');
        }),
        other => *text += &format!("{indent}{}\n", word(other)),
    }
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let numbers = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match numbers {
        Some((width @ 320..=7680, height @ 200..=4320)) => Ok((width, height)),
        _ => Err("give WIDTHxHEIGHT between 320x200 and 7680x4320, for example 1280x800".into()),
    }
}

/// `X,Y,Z` in the file's world space.
fn point(text: &str) -> Result<glam::DVec3, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    match numbers[..] {
        [x, y, z] if [x, y, z].iter().all(|n| n.is_finite()) && text.split(',').count() == 3 => {
            Ok(glam::DVec3::new(x, y, z))
        }
        _ => Err("give three finite numbers as X,Y,Z, for example 0,0,6".into()),
    }
}

/// Millimetres on ACL's shell.
fn tolerance(text: &str) -> Result<crate::anim::Tolerance, String> {
    match text.trim().parse() {
        Ok(millimetres) if (0.0..=1000.0).contains(&millimetres) => Ok(crate::anim::Tolerance { millimetres }),
        _ => Err("give the largest error in millimetres, 0 to 1000, for example 0.1".into()),
    }
}

#[cfg(test)]
mod tests;

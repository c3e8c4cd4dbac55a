//! One export of all takes whose inputs changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::Arguments;
use super::contract::Requirements;
use crate::output::{one_line, print_text, warn};
use crate::{Failure, bake, job, make};
use portamento_session::batch::{OutcomeState, Receipt, SetOutcome, TakeOutcome};
use portamento_session::project::{Stamp, Stamps};
use portamento_session::recipe::{Recipe, is_recipe};
use portamento_session::{Command, ExportRequest, FileCommand, Preferences, Session, Severity};
use portamento_takes::document::file::absolute;

/// The rounds of a watch, with the failures that were printed.
pub(super) struct Rounds<'s> {
    arguments: Arguments,
    is_stopped: &'s AtomicBool,
    /// Printed failure of each take and each set that still fails.
    failures: BTreeMap<String, String>,
    /// Printed problems of opening.
    problems: BTreeSet<String>,
}

impl<'s> Rounds<'s> {
    pub fn new(arguments: Arguments, is_stopped: &'s AtomicBool) -> Self {
        Self { arguments, is_stopped, failures: BTreeMap::new(), problems: BTreeSet::new() }
    }

    /// Reads all inputs and exports the takes whose receipts on disk no longer fit, or that have none. Receipts of
    /// earlier runs count. Returns the stamps of all inputs before they were read.
    ///
    /// The result is `Err` if the project, the recipe or the contract cannot be read, or if they do not fit the
    /// arguments. A take that fails is printed and is no `Err`.
    pub fn next(&mut self) -> (Stamps, Result<(), Failure>) {
        let named = [Some(&self.arguments.input), self.arguments.contract.as_ref()];
        let mut inputs = Stamp::of_all(named.into_iter().flatten().map(|path| absolute(path)));
        let result = self.export(&mut inputs);
        (inputs, result)
    }

    /// Exports the takes whose receipts on disk no longer fit, and adds the stamps of all sources to `inputs`. Prints
    /// takes that fail; they are no `Err`.
    fn export(&mut self, inputs: &mut Stamps) -> Result<(), Failure> {
        let mut session = Session::inline();
        session.preferences.recent = Preferences::opened_files();
        let problems = self.open(&mut session, inputs)?;
        inputs.extend(session.source_stamps());
        self.print_problems(problems)?;
        let requirements = self.arguments.contract.as_deref().map(Requirements::read).transpose()?;
        let request = ExportRequest {
            takes: bake::with_sets(&mut session, &self.arguments.take, &self.arguments.set)?,
            destination: self.arguments.out.clone(),
            springs: self.arguments.export.springs,
            settings: self.arguments.export.clone().settings(),
            replace: self.arguments.force.into(),
            ..ExportRequest::default()
        };
        let check = requirements.as_ref().map(|requirements| move |exports: &_| requirements.check(exports));
        let check = check.as_ref().zip(requirements.as_ref()).map(|(check, requirements)| requirements.as_check(check));
        let mut printed = Ok(());
        let each = |outcome: &TakeOutcome| {
            printed = self.print_outcome(outcome);
            let goes_on = printed.is_ok() && !self.is_stopped.load(Ordering::Relaxed);
            if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let baked = session.bake_while(&request, check.as_ref(), each);
        crate::warn_of_interrupted(&session.exports.take_interrupted());
        let baked = baked.map_err(|why| Failure::Usage(why.to_string()))?;
        printed?;
        baked.sets.iter().try_for_each(|outcome| self.print_set(outcome))
    }

    /// Opens the project or the recipe, and adds the stamps of a recipe's files to `inputs`. Returns the errors about a
    /// project that could still be opened.
    ///
    /// Returns `Err` if it cannot be opened, or if the recipe has a stack.
    fn open(&self, session: &mut Session, inputs: &mut Stamps) -> Result<Vec<String>, Failure> {
        let path = absolute(&self.arguments.input);
        if is_recipe(&path) {
            self.open_recipe(session, &path, inputs)?;
            return Ok(Vec::new());
        }
        session.perform(Command::File(FileCommand::Open(vec![path.clone()])));
        let errors = session.notices.take_new().into_iter().filter(|notice| notice.severity == Severity::Error);
        let mut errors: Vec<String> = errors.map(|notice| notice.text()).collect();
        if session.project.path.is_none() {
            let unopened = || format!("{} is neither a project nor a recipe.", path.display());
            return Err(Failure::Failed(errors.pop().unwrap_or_else(unopened)));
        }
        Ok(errors)
    }

    /// Opens the recipe at `path` and adds the stamps of its files to `inputs`. Returns `Err` if it cannot be opened or has a
    /// stack.
    fn open_recipe(&self, session: &mut Session, path: &Path, inputs: &mut Stamps) -> Result<(), Failure> {
        let recipe = Recipe::read(path).map_err(|why| Failure::Failed(why.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        inputs.extend(Stamp::of_all(recipe.files.iter().map(|file| absolute(&folder.join(file)))));
        if let Some(stack) = recipe.takes.iter().find(|take| take.is_stack()) {
            let sentence = format!(
                "“{}” is a stack for any clip, which cannot be watched. Name a clip as its source.",
                stack.name
            );
            return Err(Failure::Usage(sentence));
        }
        make::open(&recipe, session, path, &self.arguments.files_in)
    }

    /// Prints the number of watched files.
    pub fn print_begin(&self, inputs: &Stamps) {
        if !self.arguments.json {
            warn(&format!("Watching {} files. Stop with Ctrl+C.", inputs.len()));
        }
    }

    /// Prints the end of a round for scripts.
    pub fn print_ready(&self, inputs: &Stamps) -> Result<(), Failure> {
        let ready = json!({ "state": "watching", "files": inputs.len(), "failing": self.failures.len() });
        if self.arguments.json { print_text(&format!("{ready}\n")) } else { Ok(()) }
    }

    /// Prints why a round could not begin; `None` if it did.
    pub fn print_failure(&mut self, failure: Option<Failure>) -> Result<(), Failure> {
        let Some(Failure::Usage(sentence) | Failure::Failed(sentence)) = failure else { return Ok(()) };
        self.print_problems(vec![sentence])
    }

    /// Prints the problems that were not printed for the round before.
    fn print_problems(&mut self, problems: Vec<String>) -> Result<(), Failure> {
        let problems: BTreeSet<String> = problems.into_iter().collect();
        let new: Vec<String> = problems.difference(&self.problems).cloned().collect();
        self.problems = problems;
        new.iter().try_for_each(|problem| self.print_line(&json!({ "state": "failed", "reason": problem }), problem))
    }

    /// Prints the result of a take, unless its files are unchanged or it fails as before.
    fn print_outcome(&mut self, outcome: &TakeOutcome) -> Result<(), Failure> {
        let TakeOutcome { take, state, seconds, receipt } = outcome;
        let mut row = json!({ "take": take, "state": state.name(), "seconds": seconds });
        match state {
            OutcomeState::Kept if self.failures.remove(take).is_none() => Ok(()),
            // The next round begins as soon as the source is still.
            OutcomeState::Outdated(_) => Ok(()),
            OutcomeState::Kept => self.print_line(&row, &format!("{take}: unchanged")),
            OutcomeState::Failed(why) => {
                let why = why.to_string();
                if self.failures.insert(take.clone(), why.clone()).as_ref() == Some(&why) {
                    return Ok(());
                }
                row["reason"] = why.clone().into();
                self.print_line(&row, &format!("{take}: failed. {why}"))
            }
            OutcomeState::Written => {
                self.failures.remove(take);
                let findings = receipt.as_ref().map(findings).unwrap_or_default();
                row["files"] = receipt.iter().flat_map(|receipt| &receipt.files).map(|file| &*file.path).collect();
                row["findings"] = json!(findings);
                let found =
                    if findings.is_empty() { String::new() } else { format!("; findings: {}", findings.join(", ")) };
                self.print_line(&row, &format!("{take}: written in {seconds:.2} s{found}"))
            }
        }
    }

    /// Prints the result of a set, unless its files are unchanged or it fails as before.
    fn print_set(&mut self, outcome: &SetOutcome) -> Result<(), Failure> {
        let key = format!("set {}", outcome.set);
        let why = outcome.state.failure().map(ToString::to_string);
        let before = match &why {
            Some(why) => self.failures.insert(key, why.clone()),
            None => self.failures.remove(&key),
        };
        let is_new =
            if why.is_some() { before != why } else { outcome.state == OutcomeState::Written || before.is_some() };
        let mut row = json!({ "set": outcome.set, "state": outcome.state.name(), "files": outcome.files });
        if let Some(why) = why {
            row["reason"] = why.into();
        }
        if is_new { self.print_line(&row, &job::set_line(outcome)) } else { Ok(()) }
    }

    /// Prints `row` with `--json`, otherwise `line` as one line.
    fn print_line(&self, row: &Value, line: &str) -> Result<(), Failure> {
        print_text(&if self.arguments.json { format!("{row}\n") } else { one_line(line) + "\n" })
    }
}

/// Returns the findings of a motion. They are names from its receipt.
fn findings(receipt: &Receipt) -> Vec<&str> {
    let findings = receipt.figures.get("findings").and_then(Value::as_array);
    findings.into_iter().flatten().filter_map(Value::as_str).collect()
}

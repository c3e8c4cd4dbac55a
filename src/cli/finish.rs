//! `portamento finish`: finishes captured and generated motions on a character.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Failure;
use super::flags::retargeting::{OpenedClips, RetargetFlags};
use super::output::one_line;
use portamento_session::finish::{FinishFigure, FinishFigures, FinishRequest, FinishRow, FinishStep, StepOutcome};
use portamento_session::{Command, EditCommand, Session};
use portamento_takes::document::TakeId;

/// Finishes captured and generated motions on a character: retarget, clean up, lock the feet, root motion, close.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files or folders with the clips: glTF, GLB, FBX, VRMA, BVH, NPZ or NPY.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    clips: Vec<PathBuf>,
    /// Character: glTF, GLB, VRM or FBX.
    #[arg(long, value_name = "CHARACTER")]
    onto: PathBuf,
    #[command(flatten)]
    flags: RetargetFlags,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Finishes the motions, writes those that could be finished, and prints the list. Returns `Err` if one could not be
    /// finished or written.
    pub(super) fn run(self) -> Result<(), Failure> {
        let OpenedClips { mut session, character, clips } = self.flags.open(&self.onto, &self.clips)?;
        let request = FinishRequest { retarget: self.flags.settings(), ..FinishRequest::new(character, clips) };
        session.perform(Command::Edit(EditCommand::FinishClips(request)));
        session.update(0.0, true);
        let mut rows = session.finished.take().map(|table| table.rows).unwrap_or_default();
        let takes: Vec<TakeId> = rows.iter().filter_map(|row| row.outcome.as_ref().ok()?.0).collect();
        for row in &mut rows {
            if let Ok((Some(id), _)) = row.outcome {
                row.name = self.renamed(&mut session, id);
            }
        }
        if !takes.is_empty() {
            self.flags.write(&mut session, takes)?;
        }
        match self.json {
            true => super::print(&rows.iter().map(json_of).collect::<Vec<Value>>().into(), true)?,
            false => super::print_text(&rows.iter().map(text_of).collect::<String>())?,
        }
        let failed: Vec<String> =
            rows.iter().filter_map(|row| Some(format!("{}: {}", row.name, row.outcome.as_ref().err()?))).collect();
        match &failed[..] {
            [] => Ok(()),
            [first, ..] => Err(Failure::Failed(format!(
                "{} of {} motions could not be finished. The first: {first}",
                failed.len(),
                rows.len()
            ))),
        }
    }

    /// Gives the take a name that no clip of the written file has. Returns the name. The name is empty if there is no such
    /// take.
    fn renamed(&self, session: &mut Session, id: TakeId) -> String {
        let Some(known) = session.document.take_mut(id) else { return String::new() };
        let wanted = std::mem::take(&mut known.name);
        let character = known.character;
        let name = self.flags.free_name(session, character, &wanted);
        session.document.take_mut(id).into_iter().for_each(|take| take.name.clone_from(&name));
        name
    }
}

/// Returns a finished motion as JSON: its figures before and after, its steps and warnings, or the reason of a failure.
fn json_of(row: &FinishRow) -> Value {
    let finished = match &row.outcome {
        Ok((_, finished)) => finished,
        Err(why) => return json!({ "clip": row.name, "reason": why.to_string() }),
    };
    let step = |step: &FinishStep| match &step.outcome {
        StepOutcome::Done { before, after } => {
            json!({ "step": step.name, "done": true, "before": before, "after": after })
        }
        StepOutcome::Left(why) => json!({ "step": step.name, "done": false, "reason": why.to_string() }),
    };
    json!({
        "clip": row.name,
        "before": finished.before,
        "after": finished.after,
        "steps": finished.steps.iter().map(step).collect::<Vec<_>>(),
        "warnings": finished.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Returns a finished motion as lines of text: its steps and its figures before and after, or the reason of a failure.
fn text_of(row: &FinishRow) -> String {
    let mut text = one_line(&row.name) + "\n";
    let finished = match &row.outcome {
        Ok((_, finished)) => finished,
        Err(why) => return format!("{text}  failed    {}\n", one_line(&why.to_string())),
    };
    for step in &finished.steps {
        let result = match &step.outcome {
            StepOutcome::Done { before: Some(before), after } => format!("done      {}", changes(before, after)),
            StepOutcome::Done { .. } => "done".to_owned(),
            StepOutcome::Left(why) => format!("left      {}", one_line(&why.to_string())),
        };
        text += format!("  {:<9} {result}", step.name).trim_end();
        text += "\n";
    }
    for figure in FinishFigure::ALL {
        let name = figure.name().replace('_', " ");
        let [before, after] = [finished.before, finished.after].map(|figures| number(&figures, figure));
        text += &format!("  {name:<20} {before:>8} → {after}\n");
    }
    text
}

/// Returns the figures that differ, with their values before and after.
fn changes(before: &FinishFigures, after: &FinishFigures) -> String {
    let change = |figure: FinishFigure| {
        let [before, after] = [before, after].map(|figures| number(figures, figure));
        (before != after).then(|| format!("{} {before} → {after}", figure.name().replace('_', " ")))
    };
    FinishFigure::ALL.into_iter().filter_map(change).collect::<Vec<_>>().join(", ")
}

/// Returns the figure with its usual digits, or `not measured`.
fn number(figures: &FinishFigures, figure: FinishFigure) -> String {
    figures.get(figure).map_or_else(|| "not measured".into(), |value| format!("{value:.*}", figure.digits()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::parsed;

    #[test]
    fn a_clip_is_finished_on_its_own_character_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.glb").display().to_string();
        let hero = portamento_test_support::character("hero").unwrap().display().to_string();
        let words = [&*hero, "--onto", &hero, "--clip", "run", "--keep", "alone", "-o", &out];
        parsed::<Arguments>(&words).and_then(Arguments::run).unwrap();
        let model = portamento_formats::import::import(std::path::Path::new(&out)).unwrap().model;
        assert_eq!(model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["run"]);
        std::fs::write(&out, "the user's own").unwrap();
        let again = parsed::<Arguments>(&words).and_then(Arguments::run);
        assert!(matches!(again, Err(Failure::Failed(sentence)) if sentence.contains("--force")));
        let unknown = [&*hero, "--onto", &hero, "--clip", "gone", "-o", &out];
        assert!(matches!(parsed::<Arguments>(&unknown).and_then(Arguments::run), Err(Failure::Usage(_))));
    }

    #[test]
    fn a_figure_that_was_not_measured_is_named_so() {
        let row = FinishRow { name: "walk".into(), outcome: Err(portamento_base::message::Message::verbatim("gone")) };
        assert_eq!(
            (text_of(&row), json_of(&row)["reason"].as_str()),
            ("walk\n  failed    gone\n".into(), Some("gone"))
        );
        assert_eq!(number(&FinishFigures::default(), FinishFigure::Slide), "not measured");
        assert_eq!(json!(FinishFigures::default())["slide_cm_s"], Value::Null);
    }
}

//! The scripts that run the parts of a job: Open Job Description (`jobtemplate-2023-09`) and Slurm array job.

use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::export::command_line::quoted;
use portamento_formats::export::{ExportError, FileSet};

/// Folder that the tasks read.
pub const INPUTS: &str = "inputs";
/// Default folder that the tasks write to.
const OUTPUT: &str = "output";

/// The tasks of a job. A final task runs `portamento report` over all output.
pub(crate) struct Plan {
    /// The job's name.
    pub name: String,
    /// Name of the step that runs the tasks.
    pub step: &'static str,
    /// Description of the inputs, one sentence.
    pub inputs: &'static str,
    /// The arguments of `portamento` in each task.
    pub task: Vec<Word>,
    /// Number of tasks, without the final report.
    pub parts: usize,
}

/// A word of a task's command line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Word {
    /// A literal word, the same in every task.
    Plain(String),
    /// A file in the inputs folder by name; an empty name is the folder itself.
    Input(&'static str),
    /// The output folder.
    Output,
    /// The 1-based number of the part.
    Part,
}

/// Maximum length of a job name in the Open Job Description schema, characters.
const MAX_JOB_NAME_CHARS: usize = 100;

impl From<&str> for Word {
    fn from(word: &str) -> Self {
        Self::Plain(word.to_owned())
    }
}

impl Word {
    /// Returns the word as an Open Job Description template writes it.
    fn in_template(&self) -> String {
        match self {
            Self::Plain(word) => word.clone(),
            Self::Input("") => "{{Param.Inputs}}".into(),
            Self::Input(name) => format!("{{{{Param.Inputs}}}}/{name}"),
            Self::Output => "{{Param.Output}}".into(),
            Self::Part => "{{Task.Param.Part}}".into(),
        }
    }

    /// Returns the word as the shell script writes it, quoted if needed.
    fn in_shell(&self) -> String {
        match self {
            Self::Plain(word) => quoted(word),
            Self::Input("") => format!("\"$job/{INPUTS}\""),
            Self::Input(name) => format!("\"$job/{INPUTS}/{name}\""),
            Self::Output => "\"$output\"".into(),
            Self::Part => "\"$SLURM_ARRAY_TASK_ID\"".into(),
        }
    }
}

impl Plan {
    /// Adds both job scripts to `files`. They are in `folder`.
    pub fn write(&self, files: &mut FileSet, folder: &Path) -> Result<(), ExportError> {
        files.write(&folder.join("template.json"), &pretty(&self.open_job_description()))?;
        files.write(&folder.join("slurm.sh"), self.slurm().as_bytes())
    }

    /// Returns the Open Job Description template that farms run.
    fn open_job_description(&self) -> Value {
        let folder = |name: &str, flow: &str, default: &str, description: &str| {
            json!({
                "name": name, "type": "PATH", "objectType": "DIRECTORY", "dataFlow": flow,
                "default": default, "description": description,
            })
        };
        let run = |words: &[Word]| {
            let words: Vec<String> = words.iter().map(Word::in_template).collect();
            json!({ "actions": { "onRun": { "command": "{{Param.Portamento}}", "args": words } } })
        };
        json!({
            "specificationVersion": "jobtemplate-2023-09",
            "name": self.title(),
            "parameterDefinitions": [
                folder("Inputs", "IN", INPUTS, self.inputs),
                folder("Output", "OUT", OUTPUT, "Where the files are written."),
                {
                    "name": "Portamento", "type": "STRING", "default": "portamento",
                    "description": "The program, with its path where it is not found by name.",
                },
            ],
            "steps": [
                {
                    "name": self.step,
                    "parameterSpace": {
                        "taskParameterDefinitions": [
                            { "name": "Part", "type": "INT", "range": format!("1-{}", self.parts) },
                        ],
                    },
                    "script": run(&self.task),
                },
                { "name": "Report", "dependencies": [{ "dependsOn": self.step }], "script": run(&report()) },
            ],
        })
    }

    /// Returns the script for `sbatch`.
    fn slurm(&self) -> String {
        let (name, parts) = (self.title(), self.parts);
        let line = |words: &[Word]| words.iter().map(Word::in_shell).collect::<Vec<_>>().join(" ");
        let (task, report) = (line(&self.task), line(&report()));
        format!(
            "#!/bin/sh\n\
             #SBATCH --array=1-{parts}\n\
             # {name}: one task for each part.\n\
             #     job=$(sbatch --parsable slurm.sh)\n\
             #     sbatch --array=1 --dependency=afterany:$job slurm.sh report\n\
             # PORTAMENTO names the program, OUTPUT the folder for its files, JOB the folder of this job.\n\
             set -eu\n\
             job=${{JOB:-${{SLURM_SUBMIT_DIR:-$(dirname \"$0\")}}}}\n\
             output=${{OUTPUT:-$job/{OUTPUT}}}\n\
             portamento=${{PORTAMENTO:-portamento}}\n\
             if [ \"${{1-}}\" = report ]; then\n\
             \x20   exec \"$portamento\" {report}\n\
             fi\n\
             exec \"$portamento\" {task}\n"
        )
    }

    /// Returns the name of the job for the template, without control characters and `{{`, cut to [`MAX_JOB_NAME_CHARS`];
    /// `takes` if nothing is left.
    fn title(&self) -> String {
        let mut title = String::new();
        for letter in self.name.split(char::is_control).collect::<Vec<_>>().join(" ").trim().chars() {
            // Two braces begin an expression.
            if !(letter == '{' && title.ends_with('{')) {
                title.push(letter);
            }
        }
        let title: String = title.chars().take(MAX_JOB_NAME_CHARS).collect();
        if title.is_empty() { "takes".into() } else { title }
    }
}

/// Returns the command-line words of the final report task.
fn report() -> [Word; 5] {
    ["report".into(), Word::Input(""), "--out".into(), Word::Output, "--force".into()]
}

/// Serialises `value` as indented JSON.
pub(crate) fn pretty(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_has_a_valid_title_whatever_the_project_is_called() {
        let title = |name: &str| {
            let plan =
                Plan { name: name.into(), step: "Bake", inputs: "The project.", task: vec!["bake".into()], parts: 2 };
            let slurm = plan.slurm();
            let comment = slurm.lines().nth(2).unwrap().to_owned();
            assert!(slurm.lines().count() == 14 && comment.starts_with("# "), "{slurm}");
            plan.open_job_description()["name"].as_str().unwrap().to_owned()
        };
        for name in ["{{{x}", "{{{{{{Param.Portamento}}", "a\nb", "\r\n", "", "a\u{0}{{\u{7}{{b", &"{".repeat(300)] {
            let title = title(name);
            assert!(!title.is_empty() && title.chars().count() <= MAX_JOB_NAME_CHARS, "{name:?}: {title:?}");
            assert!(!title.contains("{{") && !title.contains(char::is_control), "{name:?}: {title:?}");
        }
        assert_eq!([title("{{{x}"), title("a\nb"), title("shot 3")], ["{x}", "a b", "shot 3"]);
    }
}

//! How the parts of a job are run: as Open Job Description (`jobtemplate-2023-09`) and as array job of Slurm.

use serde_json::{Value, json};

use super::job::{INPUTS, OUTPUT, PARTS, PROJECT};
use crate::session::export::command_line::quoted;

/// What the tasks are.
pub(super) struct Plan {
    /// The job's name.
    pub name: String,
    /// Flags of `portamento bake`.
    pub words: Vec<String>,
    /// How many tasks there are before the last.
    pub parts: usize,
}

/// Longest name of a job that the description allows.
const NAME: usize = 100;

impl Plan {
    /// The template that farms run.
    pub fn open_job_description(&self) -> Value {
        let inputs = |name: &str| format!("{{{{Param.Inputs}}}}/{name}");
        let (project, parts) = (inputs(PROJECT), inputs(PARTS));
        let output = ["--out", "{{Param.Output}}"];
        let mut bake = vec!["bake".to_owned(), project];
        bake.extend(self.words.iter().cloned());
        bake.extend(output.map(str::to_owned));
        bake.extend(["--parts", &parts, "--part", "{{Task.Param.Part}}"].map(str::to_owned));
        let report = ["report", &inputs(""), output[0], output[1]].map(|word| word.trim_end_matches('/').to_owned());
        let folder = |name: &str, flow: &str, default: &str, description: &str| {
            json!({
                "name": name, "type": "PATH", "objectType": "DIRECTORY", "dataFlow": flow,
                "default": default, "description": description,
            })
        };
        let run = |arguments: &[String]| json!({ "actions": { "onRun": { "command": "{{Param.Portamento}}", "args": arguments } } });
        json!({
            "specificationVersion": "jobtemplate-2023-09",
            "name": self.title(),
            "parameterDefinitions": [
                folder("Inputs", "IN", INPUTS, "The project, its sources and the parts."),
                folder("Output", "OUT", OUTPUT, "Where the files are written."),
                {
                    "name": "Portamento", "type": "STRING", "default": "portamento",
                    "description": "The program, with its path where it is not found by name.",
                },
            ],
            "steps": [
                {
                    "name": "Bake",
                    "parameterSpace": {
                        "taskParameterDefinitions": [
                            { "name": "Part", "type": "INT", "range": format!("1-{}", self.parts) },
                        ],
                    },
                    "script": run(&bake),
                },
                { "name": "Report", "dependencies": [{ "dependsOn": "Bake" }], "script": run(&report) },
            ],
        })
    }

    /// The script for `sbatch`.
    pub fn slurm(&self) -> String {
        let (name, parts) = (self.title(), self.parts);
        let words: String = self.words.iter().map(|word| format!(" {}", quoted(word))).collect();
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
             \x20   exec \"$portamento\" report \"$job/{INPUTS}\" --out \"$output\"\n\
             fi\n\
             exec \"$portamento\" bake \"$job/{INPUTS}/{PROJECT}\"{words} --out \"$output\" \\\n\
             \x20   --parts \"$job/{INPUTS}/{PARTS}\" --part \"$SLURM_ARRAY_TASK_ID\"\n"
        )
    }

    fn title(&self) -> String {
        let plain: String = self.name.chars().filter(|letter| !letter.is_control()).take(NAME).collect();
        plain.replace("{{", "{")
    }
}

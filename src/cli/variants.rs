//! `portamento variants`: exports a take with varied settings and an index of the clips.

use std::path::{Path, PathBuf};

use super::Failure;
use super::job::JobFlags;
use portamento_formats::export::FileSet;
use portamento_session::variants::{Axis, Index, NAMES, variants};
use portamento_session::{ExportFormat, ExportRequest, ExportSettings, Keep, Session};

/// Exports a take of a project once per combination of setting values.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// Name of the take.
    #[arg(long)]
    take: String,
    /// Setting and values, such as target/world/2=2..8:0.5, seed=1,7,9, character=hero,knight or mirrored=false,true.
    /// May be given several times for all combinations. The error for an unknown setting lists the existing ones.
    #[arg(long, required = true, value_name = "SETTING=VALUES", value_parser = Axis::parse)]
    vary: Vec<Axis>,
    /// Name pattern of the variants: {take} is the take's name, {varied} each setting with its value, {1}, {2} … the
    /// values alone, an n in braces the number.
    #[arg(long, default_value = NAMES)]
    names: String,
    /// Clips already in the file: append, replace, alone, or motion (alone, without mesh).
    #[arg(long, default_value = "alone", value_parser = Keep::parse)]
    keep: Keep,
    /// Format of clips in a folder.
    #[arg(long, default_value = "glb", value_parser = ExportFormat::parse)]
    format: ExportFormat,
    /// Sample keys on every frame at this rate. Default: the keys of the source.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Write the values, duration and travel of each clip to this .json or .csv; the report of a job writes both.
    #[arg(long, value_name = "INDEX", value_parser = index_path, conflicts_with = "job")]
    index: Option<PathBuf>,
    /// File for all variants, or folder for one file each.
    #[arg(short, long, required_unless_present = "job")]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    force: super::Force,
    /// Print the index as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Exports the variants, or writes the inputs of a job, and prints the index. If some variants fail, the index has the
    /// others, and `Err` is returned.
    pub(super) fn run(mut self) -> Result<(), Failure> {
        let mut session = crate::progress_bar::session();
        super::open_more(&mut session, &self.project)?;
        let take = super::bake::take_named(&session, &self.take)?.clone();
        let results = variants(&mut session.document, &take, &self.vary, &self.names);
        let results = results.map_err(|message| Failure::Usage(message.to_string()))?;
        session.document.takes.extend(results.iter().map(|variant| variant.take.clone()));
        let mut index = Index::new(&self.vary, &results);
        let request = ExportRequest {
            takes: results.iter().map(|variant| variant.take.id).collect(),
            destination: self.out.clone().unwrap_or_default(),
            settings: ExportSettings { format: self.format, keep: self.keep, fps: self.fps, ..Default::default() },
            replace: self.force.into(),
            measured: true,
            ..ExportRequest::default()
        };
        if let Some(folder) = self.job.folder.job.clone() {
            self.job.index = index;
            return self.job.write(&mut session, request, folder, self.json);
        }
        let baked = super::bake::bake(&mut session, request);
        let results = session.exports.reports();
        results.iter().for_each(|report| index.set_exported_results(report));
        // Failed variants do not stop the others, so the index of the written clips is still needed.
        if !results.is_empty() {
            if let Some(path) = &self.index {
                self.write_index(&session, path, &index)?;
            }
            super::print(&serde_json::json!(index), self.json)?;
        }
        baked
    }

    /// Writes the index as CSV if `path` ends in `.csv`, else as JSON.
    fn write_index(&self, session: &Session, path: &Path, index: &Index) -> Result<(), Failure> {
        let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        let text = if is_csv { index.csv() } else { index.json() };
        super::write(session, self.force, |files: &mut FileSet| files.write(path, text.as_bytes()))
    }
}

/// Parses the path of the index. Returns `Err` unless its extension is `json` or `csv`, in any case.
fn index_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if matches!(&*end, "json" | "csv") { Ok(path) } else { Err("give a name that ends in .json or .csv".into()) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::parsed;

    fn run(words: &[&str]) -> Result<(), Failure> {
        parsed::<Arguments>(words)?.run()
    }

    #[test]
    fn leaps_to_several_targets_end_there_and_the_index_lists_them() {
        let folder = tempfile::tempdir().unwrap();
        portamento_session::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out, index) = (at("samples.portamento"), at("leaps.glb"), at("leaps.json"));
        let vary = ["--take", "leap to 5 m", "--vary", "world/2=3..5:0.5", "--names", "leap {1}"];
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &index]].concat()).unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
        assert_eq!(rows.len(), 5);
        let model = portamento_formats::import::import(Path::new(&out)).unwrap().model;
        assert_eq!(model.clips.len(), 5);
        let roles = portamento_anim::Rig::of_model(&model).roles;
        for row in &rows {
            let wanted = row["world/2"].as_f64().unwrap();
            let clip = model.clip(row["clip"].as_str().unwrap()).unwrap();
            let root = portamento_anim::RootMotion::find(&model.skeleton, clip, &roles).unwrap();
            let end = portamento_anim::root_motion::path(&model.skeleton, clip, root.joint, &[clip.duration])[0];
            assert!((end.z - wanted).abs() < 1e-4, "{row} {end}");
        }
        let csv = at("leaps.csv");
        std::fs::write(&out, "the user's own").unwrap();
        let again = run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv]].concat());
        assert!(matches!(again, Err(Failure::Failed(sentence)) if sentence.contains("--force")));
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv, "--force"]].concat()).unwrap();
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 6);
        let clip_name = |row: &Value| row["clip"].as_str().unwrap_or_default().to_owned();
        let (out, index) = (at("some"), at("some.json"));
        let some = ["--take", "leap to 5 m", "--vary", "dead_zone=0,1000", "-o", &out, "--index", &index];
        let failed = run(&[&[&*project], &some[..]].concat());
        assert!(matches!(failed, Err(Failure::Failed(sentence)) if sentence.contains("does not move")));
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
        assert!(
            rows[0]["file"].is_string() && rows[1]["file"].is_null(),
            "a failed variant does not stop the others: {rows:?}"
        );
        assert_eq!([&rows[0], &rows[1]].map(clip_name), [0, 1000].map(|far| format!("leap to 5 m - dead zone {far}")));
        let unknown = run(&[&*project, "--take", "leap to 5 m", "--vary", "no=1", "-o", &out]);
        assert!(matches!(unknown, Err(Failure::Usage(sentence)) if sentence.contains("no setting")));
    }
}

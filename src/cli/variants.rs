//! `portamento variants`: a take with its settings varied, exported with an index of which clip is which.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Failure;
use super::job::JobFlags;
use crate::export::FileSet;
use crate::session::variants::{Axis, TakeVariant, variants, words};
use crate::session::{ExportFormat, ExportRequest, Keep, Session};

/// Exports a take of a project once for each combination of values of its settings.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The .portamento file.
    project: PathBuf,
    /// The take's name.
    #[arg(long)]
    take: String,
    /// A setting and its values, as target/world/2=2..8:0.5 or seed=1,7,9; may be given several times for all combinations. A
    /// wrong setting is told with those that there are.
    #[arg(long, required = true, value_name = "SETTING=VALUES", value_parser = Axis::parse)]
    vary: Vec<Axis>,
    /// What the variants are called; {take} stands for the take's name, {n} for the number, {1}, {2} … for the values.
    #[arg(long, default_value = "{take} {n}")]
    names: String,
    /// What becomes of the file's other clips.
    #[arg(long, default_value = "alone", value_parser = Keep::parse)]
    keep: Keep,
    /// What a folder gets of clips.
    #[arg(long, default_value = "glb", value_parser = ExportFormat::parse)]
    format: ExportFormat,
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Write which clip has which values, how long it is and how far it goes, to this .json or .csv.
    #[arg(long, value_name = "INDEX", value_parser = index_path, conflicts_with = "job")]
    index: Option<PathBuf>,
    /// One file for all variants, or a folder for one file each.
    #[arg(short, long, required_unless_present = "job")]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    force: super::Force,
    /// The index as JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut session = Session::inline();
        super::open_more(&mut session, &self.project)?;
        let take = super::bake::take_named(&session, &self.take)?.clone();
        let made = variants(&mut session.document, &take, &self.vary, &self.names);
        let made = made.map_err(|message| Failure::Usage(message.to_string()))?;
        session.document.takes.extend(made.iter().map(|variant| variant.take.clone()));
        let request = ExportRequest {
            takes: made.iter().map(|variant| variant.take.id).collect(),
            destination: self.out.clone().unwrap_or_default(),
            format: self.format,
            keep: self.keep,
            fps: self.fps,
            replace: self.force.into(),
            ..ExportRequest::default()
        };
        if let Some(folder) = self.job.job.clone() {
            return self.job.write(&mut session, request, folder, self.json);
        }
        super::bake::bake(&mut session, request)?;
        let rows = self.rows(&mut session, &made);
        if let Some(path) = &self.index {
            self.write_index(&session, path, &rows)?;
        }
        if self.json { super::print(&json!(rows), true) } else { super::say(&table(&rows, " ")) }
    }

    /// One row per variant: where it is, its values, and what an engine wants to know to choose it.
    fn rows(&self, session: &mut Session, made: &[TakeVariant]) -> Vec<Value> {
        let files: Vec<Value> = session.exported().iter().map(|report| report["file"].clone()).collect();
        let row = |(at, variant): (usize, &TakeVariant)| {
            let mut row = json!({ "clip": variant.take.name, "file": files.get(at).or(files.last()) });
            for (axis, value) in self.vary.iter().zip(&variant.values) {
                row[&axis.place] = value.clone();
            }
            if let Some(quality) = session.quality_of(variant.take.id) {
                let way = quality.way;
                row["seconds"] = quality.seconds.into();
                row["travel_m"] = way.travel.into();
                row["climb_m"] = way.climb.into();
                row["turn_degrees"] = way.turn.into();
                row["speed_m_per_s"] = way.speed.into();
            }
            row
        };
        made.iter().enumerate().map(row).collect()
    }

    fn write_index(&self, session: &Session, path: &Path, rows: &[Value]) -> Result<(), Failure> {
        let is_csv = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
        let text = if is_csv { table(rows, ",") } else { format!("{:#}\n", json!(rows)) };
        super::write(session, self.force, |files: &mut FileSet| files.write(path, text.as_bytes()))
    }
}

/// The rows below the names of their columns.
fn table(rows: &[Value], between: &str) -> String {
    let empty = serde_json::Map::new();
    let fields = |row: &'_ Value| row.as_object().cloned().unwrap_or_else(|| empty.clone());
    let heads: Vec<String> = rows.first().map(fields).unwrap_or_default().keys().cloned().collect();
    let cell = |text: String| {
        let is_plain = !text.contains([',', '"', '\n']) || between != ",";
        if is_plain { text } else { format!("\"{}\"", text.replace('"', "\"\"")) }
    };
    let line = |cells: Vec<String>| cells.into_iter().map(cell).collect::<Vec<_>>().join(between) + "\n";
    let row = |row: &Value| line(heads.iter().map(|head| words(&row[head])).collect());
    line(heads.clone()) + &rows.iter().map(row).collect::<String>()
}

fn index_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let end = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if matches!(&*end, "json" | "csv") { Ok(path) } else { Err("give a name that ends in .json or .csv".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;

    fn run(words: &[&str]) -> Result<(), Failure> {
        parsed::<Arguments>(words)?.run()
    }

    #[test]
    fn a_leap_to_many_places_ends_on_each_and_the_index_says_which() {
        let folder = tempfile::tempdir().unwrap();
        crate::samples::write_all(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (project, out, index) = (at("samples.portamento"), at("leaps.glb"), at("leaps.json"));
        let vary = ["--take", "leap to 5 m", "--vary", "world/2=3..5:0.5", "--names", "leap {1}"];
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &index]].concat()).unwrap();
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(&index).unwrap()).unwrap();
        assert_eq!(rows.len(), 5);
        let model = crate::import::import(Path::new(&out)).unwrap().model;
        assert_eq!(model.clips.len(), 5);
        let roles = crate::anim::Rig::of_model(&model).roles;
        for row in &rows {
            let wanted = row["world/2"].as_f64().unwrap();
            let clip = model.clip(row["clip"].as_str().unwrap()).unwrap();
            let root = crate::anim::RootMotion::find(&model.skeleton, clip, &roles).unwrap();
            let end = crate::anim::root_motion::path(&model.skeleton, clip, root.joint, &[clip.duration])[0];
            assert!((end.z - wanted).abs() < 1e-4, "{row} {end}");
        }
        let csv = at("leaps.csv");
        std::fs::write(&out, "the user's own").unwrap();
        let again = run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv]].concat());
        assert!(matches!(again, Err(Failure::Failed(sentence)) if sentence.contains("--force")));
        run(&[&[&*project], &vary[..], &["-o", &out, "--index", &csv, "--force"]].concat()).unwrap();
        assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 6);
        let unknown = run(&[&*project, "--take", "leap to 5 m", "--vary", "no=1", "-o", &out]);
        assert!(matches!(unknown, Err(Failure::Usage(sentence)) if sentence.contains("no setting")));
    }
}

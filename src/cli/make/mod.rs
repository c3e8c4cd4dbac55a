//! `portamento make`: takes from recipes (stacks of stages in JSON).

mod schema;
mod stack;

pub(super) use schema::schema;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::Failure;
use super::job::{JobFlags, PartFlags};
use portamento_session::recipe::{Recipe, RecipeTake};
use portamento_session::{ClipNames, ExportRequest, ExportSettings, Keep, Session};
use portamento_takes::document::FileId;
use portamento_takes::document::file::{absolute, may_read};
use stack::{StackFlags, Stacked, refused};

/// Creates a take from a recipe.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Recipe: a JSON file with files and takes; the last take is written.
    #[arg(required_unless_present = "schema")]
    recipe: Option<PathBuf>,
    /// Name of another take of the recipe.
    #[arg(long)]
    take: Option<String>,
    #[command(flatten)]
    stack: StackFlags,
    /// Folder whose files the recipe may read, besides its own folder.
    #[arg(long, value_name = "FOLDER", num_args = 1..)]
    files_in: Vec<PathBuf>,
    /// Name pattern of clips and files, with the placeholders {take} and {character}.
    #[arg(long, value_name = "PATTERN")]
    clip_names: Option<String>,
    /// Sample keys on every frame at this rate. Default: the keys of the source.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// Clips already in the file: append, replace or alone.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// File or folder to write.
    #[arg(short, long, required_unless_present_any = ["schema", "job"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    force: super::Force,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of recipes with the defaults of every stage, and exit.
    #[arg(long)]
    schema: bool,
}

impl Arguments {
    /// Returns the files and folders named on the command line.
    fn places(&self) -> Vec<PathBuf> {
        [&self.files_in, &self.stack.clips, &self.stack.with].into_iter().flatten().cloned().collect()
    }

    /// Exports the chosen take of the recipe, a stack for every clip, or writes the inputs of a job, and prints the report.
    /// Returns `Err` if a take cannot be created or written.
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.schema {
            return super::print(&schema(), true);
        }
        let named = self.places();
        let Some(path) = self.recipe else {
            return Err(Failure::Usage("Give a recipe and an output: portamento make RECIPE.json -o OUT.".into()));
        };
        let recipe = Recipe::read(&path).map_err(refused)?;
        let mut session = crate::progress_bar::session();
        open(&recipe, &mut session, &path, &named)?;
        let chosen = recipe_take(&recipe, self.take.as_deref())?;
        let is_stack = !self.stack.clips.is_empty();
        let stacked = match (is_stack, chosen.is_stack()) {
            (true, _) => self.stack.stack(&mut session, &recipe, chosen)?,
            (false, false) => Stacked { takes: vec![chosen.id], left_out: Vec::new() },
            (false, true) => {
                let sentence = format!("“{}” is a stack for any clip: give the clips with --clips.", chosen.name);
                return Err(Failure::Usage(sentence));
            }
        };
        let names = self.clip_names.map(|pattern| ClipNames { pattern, ..ClipNames::default() }).unwrap_or_default();
        let request = ExportRequest {
            takes: stacked.takes.clone(),
            destination: self.out.unwrap_or_default(),
            settings: ExportSettings { keep: self.keep, fps: self.fps, names, ..Default::default() },
            replace: self.force.into(),
            ..Default::default()
        };
        if let Some(folder) = self.job.folder.job.clone() {
            stacked.failure().map_or(Ok(()), Err)?;
            return self.job.write(&mut session, request, folder, self.json);
        }
        if is_stack {
            let failure = stacked.failure();
            PartFlags::default().bake(&mut session, request, self.json)?;
            return failure.map_or(Ok(()), Err);
        }
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exports.reports().first()), self.json)
    }
}

/// Returns the take of that name, or the last one without a name. Returns `Err` if there is none.
fn recipe_take<'r>(recipe: &'r Recipe, name: Option<&str>) -> Result<&'r RecipeTake, Failure> {
    let Some(name) = name else {
        return recipe.takes.last().ok_or_else(|| Failure::Usage("The recipe has no take.".into()));
    };
    let known: Vec<&str> = recipe.takes.iter().map(|take| take.name.as_str()).collect();
    let unknown = || Failure::Usage(format!("The recipe has no take “{name}”. {}", super::it_has(&known)));
    recipe.takes.iter().find(|take| take.name == name).ok_or_else(unknown)
}

/// Opens the files of the recipe at `path` and creates its takes, except stacks. The files are beside the recipe or in one
/// of the places `named` on the command line. Returns `Err` if a file is elsewhere, is listed twice or cannot be opened, or
/// if a take does not fit its files.
pub(super) fn open(recipe: &Recipe, session: &mut Session, path: &Path, named: &[PathBuf]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut known = BTreeSet::new();
    for file in &recipe.files {
        let file = folder.join(file);
        if !may_read(path, &file, named) {
            return Err(Failure::Usage(format!(
                "{} is outside the folder of the recipe, so the recipe may not read it. Copy it beside the recipe, or name \
                 its folder with --files-in.",
                file.display()
            )));
        }
        if !known.insert(absolute(&file)) {
            return Err(listed_twice());
        }
        super::open_more(session, &file)?;
    }
    let opened: Vec<FileId> = session.document.files.iter().map(|file| file.id).collect();
    if opened.iter().zip(1..).any(|(id, wanted)| id.0 != wanted) || opened.len() != recipe.files.len() {
        return Err(listed_twice());
    }
    session.document.objects.extend(recipe.objects.iter().cloned());
    for take in recipe.takes.iter().filter(|take| !take.is_stack()) {
        let stacked = session.opened().recipe_take(recipe, take).map_err(refused)?;
        session.document.takes.push(stacked);
    }
    let last = recipe.takes.iter().map(|take| take.id.0).max().unwrap_or(0);
    session.document.next_id = session.document.next_id.max(last);
    Ok(())
}

fn listed_twice() -> Failure {
    Failure::Usage("A file is listed twice or is a project. List each file once, and no projects.".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::parsed;

    #[test]
    fn the_stages_of_a_recipe_are_applied_to_every_clip_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::create_dir(at("clips")).unwrap();
        let hero = portamento_test_support::asset("hero.glb");
        std::fs::copy(hero, at("clips/hero.glb")).unwrap();
        std::fs::write(at("clips/ill.glb"), "no glTF").unwrap();
        let recipe = json!({
            "files": ["clips/hero.glb"],
            "takes": [{ "name": "turned", "character": 1, "source": { "clip": { "file": 1, "clip": "run" } },
                        "stages": [{ "mirror": {} }] }],
        });
        std::fs::write(at("recipe.json"), recipe.to_string()).unwrap();
        let run = || {
            let (recipe, clips, out) = (at("recipe.json"), at("clips"), at("out"));
            let words = [&*recipe, "--clips", &clips, "-o", &out, "--keep", "alone"];
            parsed::<Arguments>(&words)?.run()
        };
        assert!(
            matches!(run(), Err(Failure::Failed(sentence)) if sentence.contains("ill.glb")),
            "the others are exported"
        );
        let hero = portamento_test_support::hero();
        for clip in &hero.clips {
            let model =
                portamento_formats::import::import(&PathBuf::from(at(&format!("out/{}_turned.glb", clip.name))))
                    .unwrap()
                    .model;
            assert_eq!(model.clips[0].name, format!("{} turned", clip.name));
        }
    }

    #[test]
    fn a_stack_with_slots_is_applied_to_the_chosen_clips_that_fit() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let hero = portamento_test_support::asset("hero.glb").display().to_string();
        let recipe = |joint: &str, skill: &str| {
            let chain = json!({ "joint": joint, "excluded": ["hair.3"] });
            let stages = json!([
                { "layer": { "settings": { "skill": skill, "events": [{ "time": 0.1, "action": "cast" }] } } },
                { "dynamics": { "settings": { "chains": [chain] } } },
            ]);
            let recipe = json!({ "takes": [{ "name": "{clip} of {file}", "source": "slot:clip", "stages": stages }] });
            std::fs::write(at("recipe.json"), recipe.to_string()).unwrap();
        };
        let run = |more: &[&str]| {
            let (recipe, out) = (at("recipe.json"), at("out"));
            parsed::<Arguments>(&[&[&*recipe, "-o", &out, "--keep", "alone"], more].concat())?.run()
        };
        let clips = ["--clips", &*hero, "--clip", "turn_*"];
        recipe("hair.1", "slot:spell");
        assert!(matches!(run(&[]), Err(Failure::Usage(sentence)) if sentence.contains("--clips")));
        let refused = |outcome| match outcome {
            Err(Failure::Failed(sentence)) => sentence,
            other => panic!("{other:?}"),
        };
        let text = refused(run(&clips));
        assert!(text.starts_with("2 clips or files") && text.contains("slot “spell”"), "{text}");
        run(&[&clips[..], &["--slot", "spell=cast", "--clip-names", "A_{take}"]].concat()).unwrap();
        for clip in ["turn_left", "turn_right"] {
            let path = PathBuf::from(at(&format!("out/A_{clip}_of_hero.glb")));
            assert_eq!(
                portamento_formats::import::import(&path).unwrap().model.clips[0].name,
                format!("A_{clip} of hero")
            );
        }
        recipe("tail.1", "cast");
        let text = refused(run(&clips));
        assert!(text.contains("hero.glb, turn_left") && text.contains("no joint “tail.1”"), "{text}");
        assert!(matches!(run(&["--clips", &hero, "--clip", "swim"]), Err(Failure::Usage(_))));
    }

    #[test]
    fn a_recipe_reads_files_beside_it_or_in_folders_named_on_the_command_line_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        ["mine", "other"].iter().for_each(|name| std::fs::create_dir(at(name)).unwrap());
        for name in ["other/hero.glb", "mine/hero.glb"] {
            std::fs::copy(portamento_test_support::asset("hero.glb"), at(name)).unwrap();
        }
        let run = |files: &[&str], more: &[&str]| {
            let source = json!({ "clip": { "file": 1, "clip": "run" } });
            let takes = json!([{ "name": "a", "character": 1, "source": source, "stages": [] }]);
            std::fs::write(at("mine/recipe.json"), json!({ "files": files, "takes": takes }).to_string()).unwrap();
            let (recipe, out) = (at("mine/recipe.json"), at("out.glb"));
            parsed::<Arguments>(&[&[&*recipe, "-o", &out, "--force"], more].concat())?.run()
        };
        run(&["hero.glb"], &[]).unwrap();
        for outside in ["../other/hero.glb", &*at("other/hero.glb")] {
            let refused = run(&[outside], &[]);
            assert!(matches!(&refused, Err(Failure::Usage(text)) if text.contains("--files-in")), "{refused:?}");
            run(&[outside], &["--files-in", &at("other")]).unwrap();
        }
        let begin = std::time::Instant::now();
        let often = run(&vec!["hero.glb"; 20_000], &[]);
        assert!(matches!(&often, Err(Failure::Usage(text)) if text.contains("listed twice")), "{often:?}");
        assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
    }

    #[test]
    fn the_motion_ends_at_the_target_of_a_recipe() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::copy(portamento_test_support::asset("hero.glb"), at("hero.glb")).unwrap();
        let recipe = json!({
            "files": ["hero.glb"],
            "takes": [{ "name": "far", "character": 1, "source": { "clip": { "file": 1, "clip": "leap_strike" } },
                        "stages": [{ "stretch": { "settings": { "target": { "world": [0, 0, 7] } } } }] }],
        });
        std::fs::write(at("recipe.json"), recipe.to_string()).unwrap();
        parsed::<Arguments>(&[&*at("recipe.json"), "-o", &at("far.glb")]).and_then(Arguments::run).unwrap();
        let model = portamento_formats::import::import(&PathBuf::from(at("far.glb"))).unwrap().model;
        let clip = model.clip("far").unwrap();
        let root =
            portamento_anim::RootMotion::find(&model.skeleton, clip, &portamento_anim::Rig::of_model(&model).roles);
        let end = portamento_anim::root_motion::path(&model.skeleton, clip, root.unwrap().joint, &[clip.duration])[0];
        assert!((end.z - 7.0).abs() < 1e-4, "{end}");
    }
}

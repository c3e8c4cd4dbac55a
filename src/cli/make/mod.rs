//! `portamento make`: a take from a stack of stages written as JSON.

mod recipe;
mod schema;

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
use super::job::{JobFlags, PartFlags};
use crate::document::TakeId;
use crate::session::clip_library::{Stack, clip_files};
use crate::session::{ExportRequest, Keep, Session};
use recipe::Recipe;

/// Makes a take from a recipe.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The recipe: a JSON file with the files to open and the takes to make, the last of which is written.
    #[arg(required_unless_present = "schema")]
    recipe: Option<PathBuf>,
    /// Another take of the recipe, by name.
    #[arg(long)]
    take: Option<String>,
    /// Give the stages of that take to every clip of these files and folders instead, a file each in the folder --out.
    #[arg(long, value_name = "FILE|FOLDER", num_args = 1..)]
    clips: Vec<PathBuf>,
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// What becomes of the files' other clips.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// The file or folder to write.
    #[arg(short, long, required_unless_present_any = ["schema", "job"])]
    out: Option<PathBuf>,
    #[command(flatten)]
    job: JobFlags,
    #[command(flatten)]
    force: super::Force,
    /// The report as JSON.
    #[arg(long)]
    json: bool,
    /// Print the JSON Schema of recipes, with the defaults of every stage, and nothing else.
    #[arg(long)]
    schema: bool,
}

impl Arguments {
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.schema {
            return super::print(&schema::schema(), true);
        }
        let Some(path) = self.recipe else {
            return Err(Failure::Usage("Name a recipe and what to write: portamento make RECIPE.json -o OUT.".into()));
        };
        let recipe = Recipe::read(&path)?;
        let mut session = Session::inline();
        let takes = recipe.put_into(&mut session, &path)?;
        let find = |name: &String| {
            let known: Vec<&str> = takes.iter().map(|(_, name)| name.as_str()).collect();
            let found = takes.iter().find(|(_, known)| known == name);
            found.ok_or_else(|| Failure::Usage(format!("The recipe has no take “{name}”. {}", super::it_has(&known))))
        };
        let chosen = match &self.take {
            Some(name) => find(name)?.0,
            None => takes.last().map(|(id, _)| *id).ok_or_else(|| Failure::Usage("The recipe has no take.".into()))?,
        };
        let (stacked, unread) =
            if self.clips.is_empty() { (vec![chosen], Vec::new()) } else { stack(&mut session, chosen, &self.clips)? };
        let request = ExportRequest {
            takes: stacked,
            destination: self.out.unwrap_or_default(),
            keep: self.keep,
            fps: self.fps,
            replace: self.force.into(),
            ..Default::default()
        };
        if let Some(folder) = self.job.folder.job.clone() {
            unread.into_iter().next().map_or(Ok(()), Err)?;
            return self.job.write(&mut session, request, folder, self.json);
        }
        if !self.clips.is_empty() {
            let baked = PartFlags::default().bake(&mut session, request, self.json);
            return unread.into_iter().next().map_or(baked, Err);
        }
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exported().first()), self.json)
    }
}

/// Takes of every clip in `paths` with the stages of take `like`, and why files could not be read.
fn stack(session: &mut Session, like: TakeId, paths: &[PathBuf]) -> Result<(Vec<TakeId>, Vec<Failure>), Failure> {
    let files = clip_files(paths).map_err(|error| Failure::Usage(error.to_string()))?;
    let Some(like) = session.document.take(like).cloned() else { return Ok(Default::default()) };
    let (before, mut unread) = (session.document.takes.len(), Vec::new());
    for path in files {
        let path = std::path::absolute(&path).unwrap_or(path);
        let known = session.document.files.iter().find(|file| file.path == path).map(|file| file.id);
        if known.is_none()
            && let Err(failure) = super::open_more(session, &path)
        {
            unread.push(failure);
            continue;
        }
        let opened = known.or_else(|| session.document.files.last().map(|file| file.id));
        let Some((id, loaded)) = opened.and_then(|id| Some((id, session.library.get(id)?.clone()))) else { continue };
        for clip in &loaded.model.clips {
            session.add_stack(id, &clip.name, Stack::of(&like, &clip.name));
        }
    }
    Ok((session.document.takes[before..].iter().map(|take| take.id).collect(), unread))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::tests::parsed;

    #[test]
    fn the_stages_of_a_recipe_are_given_to_every_clip_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::create_dir(at("clips")).unwrap();
        let hero = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/hero.glb");
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
        assert!(matches!(run(), Err(Failure::Failed(sentence)) if sentence.contains("ill.glb")), "the rest is made");
        let hero = crate::samples::hero();
        for clip in &hero.clips {
            let model =
                crate::import::import(&PathBuf::from(at(&format!("out/{} turned.glb", clip.name)))).unwrap().model;
            assert_eq!(model.clips[0].name, format!("{} turned", clip.name));
        }
    }
}

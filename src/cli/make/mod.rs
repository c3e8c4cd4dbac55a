//! `portamento make`: a take from a stack of stages written as JSON.

mod recipe;
mod schema;

use std::path::PathBuf;

use serde_json::json;

use super::Failure;
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
    /// Keys on every frame at this rate; the source's own keys when absent.
    #[arg(long, value_parser = super::rate)]
    fps: Option<f64>,
    /// What becomes of the files' other clips.
    #[arg(long, default_value = "append", value_parser = Keep::parse)]
    keep: Keep,
    /// The file or folder to write.
    #[arg(short, long, required_unless_present = "schema")]
    out: Option<PathBuf>,
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
        let (Some(path), Some(destination)) = (self.recipe, self.out) else {
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
        let request = ExportRequest {
            takes: vec![chosen],
            destination,
            keep: self.keep,
            fps: self.fps,
            replace: self.force.into(),
            ..Default::default()
        };
        super::bake::bake(&mut session, request)?;
        super::print(&json!(session.exported().first()), self.json)
    }
}

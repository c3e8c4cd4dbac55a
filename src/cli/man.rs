//! `portamento man`: the manual in roff.

use std::path::PathBuf;

use clap_mangen::Man;

use super::page_files::{PageFile, write};
use super::{Failure, Force, described, say};

/// `portamento man | man -l -`
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A folder for a page per command; without it the page of the program is printed.
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Arguments {
    pub fn run(self) -> Result<(), Failure> {
        let pages = pages()?;
        match self.out {
            Some(folder) => write(&folder, &pages, self.force),
            None => pages.first().map_or(Ok(()), |page| say(&String::from_utf8_lossy(&page.text))),
        }
    }
}

/// The program's page first, then one per command.
fn pages() -> Result<Vec<PageFile>, Failure> {
    let whole = described().disable_help_subcommand(true);
    let of_command = |command: &clap::Command| {
        // A command's own name is the word that is typed; its page's begins with that of the program.
        let name = format!("portamento-{}", command.get_name());
        command.clone().name(name).version(env!("PORTAMENTO_VERSION"))
    };
    let commands: Vec<clap::Command> = whole.get_subcommands().map(of_command).collect();
    std::iter::once(whole).chain(commands).map(page).collect()
}

fn page(command: clap::Command) -> Result<PageFile, Failure> {
    let name = format!("{}.1", command.get_name());
    let mut text = Vec::new();
    let written = Man::new(command).render(&mut text);
    written.map_err(|error| Failure::Failed(format!("the page {name} could not be made: {error}.")))?;
    Ok(PageFile { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_of_the_program_and_of_every_command() {
        let pages = pages().unwrap();
        assert_eq!(pages[0].name, "portamento.1");
        assert_eq!(pages.len(), 1 + described().get_subcommands().count());
        let text = |name: &str| {
            let page = pages.iter().find(|page| page.name == name).unwrap();
            String::from_utf8(page.text.clone()).unwrap()
        };
        for page in &pages {
            let text = text(&page.name);
            assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{}", page.name);
        }
        assert!(
            text("portamento.1").contains("portamento\\-stretch(1)"),
            "the program's page leads to those of the commands"
        );
        assert!(text("portamento-stretch.1").contains("\\-\\-clip"));
    }
}

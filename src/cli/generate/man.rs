//! `portamento man`: manual pages in roff.

use std::path::PathBuf;

use clap_mangen::Man;

use super::page_files::{PageFile, write};
use crate::{Failure, Force, described, print_text};

/// `portamento man | man -l -`
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for one page per command. Default: print the page of the program.
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Arguments {
    /// Writes all pages to a folder, or prints the program's own page without one.
    pub fn run(self) -> Result<(), Failure> {
        let pages = pages()?;
        match self.out {
            Some(folder) => write(&folder, &pages, self.force),
            None => pages.first().map_or(Ok(()), |page| print_text(&String::from_utf8_lossy(&page.text))),
        }
    }
}

/// Returns the program's page followed by one page per command.
fn pages() -> Result<Vec<PageFile>, Failure> {
    let program = described().disable_help_subcommand(true);
    let of_command = |command: &clap::Command| {
        // The name of a command's page starts with that of the program.
        let name = format!("portamento-{}", command.get_name());
        command.clone().name(name).version(portamento_session::VERSION)
    };
    let commands: Vec<clap::Command> = program.get_subcommands().map(of_command).collect();
    std::iter::once(program).chain(commands).map(page).collect()
}

/// Returns the manual page of `command`, section 1.
fn page(command: clap::Command) -> Result<PageFile, Failure> {
    let name = format!("{}.1", command.get_name());
    let mut text = Vec::new();
    let written = Man::new(command).render(&mut text);
    written.map_err(|error| Failure::Failed(format!("The page {name} could not be created: {error}.")))?;
    Ok(PageFile { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_and_every_command_have_a_page() {
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
            "the program's page refers to those of the commands"
        );
        assert!(text("portamento-stretch.1").contains("\\-\\-clip"));
    }
}

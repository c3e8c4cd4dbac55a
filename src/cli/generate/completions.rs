//! `portamento completions`: shell completion scripts.

use std::path::PathBuf;

use clap::ValueEnum;
use clap_complete::{Generator, Shell, generate};

use super::page_files::{PageFile, write};
use crate::{Failure, Force, described, print_text};

/// `portamento completions bash > ~/.local/share/bash-completion/completions/portamento`
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Shell whose script is printed.
    #[arg(required_unless_present = "out")]
    shell: Option<Shell>,
    /// Folder for the scripts of all shells.
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "shell")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Arguments {
    /// Prints the script of one shell, or writes those of all shells to a folder.
    pub fn run(self) -> Result<(), Failure> {
        if let Some(shell) = self.shell {
            return print_text(&String::from_utf8_lossy(&script(shell).text));
        }
        let scripts: Vec<PageFile> = Shell::value_variants().iter().copied().map(script).collect();
        self.out.map_or(Ok(()), |folder| write(&folder, &scripts, self.force))
    }
}

/// Returns the completion script for `shell`.
fn script(shell: Shell) -> PageFile {
    let mut text = Vec::new();
    generate(shell, &mut described(), "portamento", &mut text);
    PageFile { name: shell.file_name("portamento"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_script_contains_every_command_and_its_options() {
        for shell in Shell::value_variants() {
            let script = String::from_utf8(script(*shell).text).unwrap();
            for command in described().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
            assert!(script.contains("dead-zone"), "{shell}: an option of one command");
        }
    }
}

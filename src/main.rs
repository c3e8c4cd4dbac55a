//! The program: opens the window without a subcommand, otherwise runs the command line.

use std::process::ExitCode;

use clap::Parser;
use portamento::cli::{self, WindowTask};

fn main() -> ExitCode {
    cli::run(cli::Arguments::parse(), window)
}

#[cfg(feature = "gui")]
fn window(task: WindowTask) -> ExitCode {
    portamento::ui::run(task)
}

#[cfg(not(feature = "gui"))]
fn window(_: WindowTask) -> ExitCode {
    eprintln!("portamento: this build has no window. Build it with the feature `gui`, or see `portamento --help`.");
    ExitCode::FAILURE
}

//! The program: without arguments the window, otherwise the command line.

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
    eprintln!("portamento: this build has no window. Build with the feature `gui`, or see `portamento --help`.");
    ExitCode::FAILURE
}

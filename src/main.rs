//! The program: opens the window without a subcommand, otherwise runs the command line.

use std::process::ExitCode;

use clap::Parser;
use portamento::cli::{self, WindowTask};

fn main() -> ExitCode {
    cli::run(cli::Arguments::parse(), window)
}

fn window(task: WindowTask) -> ExitCode {
    portamento::ui::run(task)
}

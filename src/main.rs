//! The program: without arguments the window, otherwise the command line.

fn main() {}

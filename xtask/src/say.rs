//! The only module that prints.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the workshop talks to a person at a terminal, through this module alone"
)]

/// A line of results, on standard output.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// A line about what is going on, on standard error.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// What went wrong, on standard error.
pub(crate) fn trouble(text: &str) {
    eprintln!("{text}");
}

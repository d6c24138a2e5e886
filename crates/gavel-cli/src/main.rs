//! The `gavel` binary: flags, prompts, progress, wiring.

fn main() {}

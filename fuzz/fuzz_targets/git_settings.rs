//! The settings of a repository, as git lists them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::git_settings(bytes));

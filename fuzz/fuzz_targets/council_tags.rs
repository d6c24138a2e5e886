//! What a seat of a council says.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::council_tags(bytes));

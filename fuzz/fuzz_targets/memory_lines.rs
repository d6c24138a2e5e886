//! Lines of memory.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::memory_lines(bytes));

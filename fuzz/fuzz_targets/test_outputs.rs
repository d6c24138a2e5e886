//! What a test runner printed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::test_outputs(bytes));

//! Contracts of every kind.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::contracts(bytes));

//! The address of a remote.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::remote_url(bytes));

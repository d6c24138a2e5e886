//! A stream of Anthropic's wire.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::anthropic_stream(bytes));

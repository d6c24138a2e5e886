//! A stream of OpenAI's wire.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::openai_stream(bytes));

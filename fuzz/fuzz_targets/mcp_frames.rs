//! Lines over standard input.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gavel_fuzz::mcp_frames(bytes));

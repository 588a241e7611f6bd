//! Feeds the input of the fuzzer to the laws in `tests/it/corpora/hook_payload.rs`.

#![no_main]

#[path = "../../tests/it/corpora/hook_payload.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::check(input));

//! Feeds the input of the fuzzer to the laws in `tests/it/corpora/shell_command.rs`.

#![no_main]

#[path = "../../tests/it/corpora/shell_command.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|input: &[u8]| laws::check(input));

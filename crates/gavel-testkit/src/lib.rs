//! What tests share: the store suite, fake model servers, TestRun, the crash harness.

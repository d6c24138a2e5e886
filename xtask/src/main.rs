//! The workshop: setup, test, tidy, bench, model.

fn main() {}

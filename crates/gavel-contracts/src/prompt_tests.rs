//! Tests come with their module.

//! One run from an idea to a sealed branch: stages, done gate, lessons.

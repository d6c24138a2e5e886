//! Options held against evidence, by rules alone.

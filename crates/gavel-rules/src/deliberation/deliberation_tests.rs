//! Tables over loops.

//! Tool registry, grants, the turn loop, work-tree tools.

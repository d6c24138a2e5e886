//! The nine contracts: formats, checks, the tools that read them, and how they are written.

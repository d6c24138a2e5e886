//! Whether a turn says that everything is settled.

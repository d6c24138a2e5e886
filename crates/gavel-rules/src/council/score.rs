//! Whether debates were worth their money.

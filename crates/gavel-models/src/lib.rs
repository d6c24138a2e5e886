//! The Model trait, provider clients, catalogue and prices.

//! Tags of claims, and how much of a debate was checked.

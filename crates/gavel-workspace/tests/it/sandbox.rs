//! The escape list: everything that a command must not be able to do, tried for real.
//!
//! Each attempt is also made without walls, where it must succeed, so that no test passes because
//! the attempt itself was broken.

mod basics;

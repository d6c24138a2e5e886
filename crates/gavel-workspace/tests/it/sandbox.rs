//! The escape list: everything that a command must not be able to do, tried for real.
//!
//! Each attempt is also made where nothing forbids it, so that no test passes because the attempt
//! itself was broken.

mod basics;
mod files;
mod lifetime;
mod limits;
mod network;
mod privileges;
mod sockets;

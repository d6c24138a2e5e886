//! The real binary, through the door that people use.

#![cfg(test)]

mod bench;
mod commands;
mod crash;
mod two_processes;

//! The real binary, through the door that people use.

#![cfg(test)]

mod agent;
mod bench;
mod commands;
mod crash;
mod intake;
mod memory;
mod seal;
mod settings;
mod two_processes;

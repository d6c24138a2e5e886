//! Tests against real git repositories, files and processes.

mod alone;
mod examples;
mod files;
mod fixture;
mod git_and_go;
mod git_branch;
mod git_checkout;
mod git_escape;
mod git_push;
mod git_read;
mod git_repository;
mod git_tree;
mod install;
mod managers;
mod mutation;
mod room;
mod sandbox;
mod smoke;
mod verify;
mod web;

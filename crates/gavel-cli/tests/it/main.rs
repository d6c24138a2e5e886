//! The real binary, through the door that people use.

#![cfg(test)]

mod agent;
mod answering;
#[path = "../../../../tests/attacks/mod.rs"]
mod attacks;
mod bench;
#[path = "../../../../tests/cheats/mod.rs"]
mod cheats;
mod clumsy;
mod commands;
mod contracts_check;
mod council;
mod council_debate;
mod council_kills;
mod council_terminal;
mod crash;
mod ideate;
mod ideate_kills;
mod intake;
mod kept_runs;
mod killing;
mod loops;
mod mcp;
mod mcp_install;
mod mcp_runs;
mod memory;
mod memory_files;
mod memory_life;
mod memory_proposals;
mod narrow;
mod older_flow;
mod product_council;
mod product_crash;
mod product_discovery;
mod product_gate;
mod product_hot;
mod product_http;
mod product_ideas;
mod product_kills;
mod product_lessons;
mod product_recall;
mod product_scoping;
mod product_sprints;
mod product_terminals;
mod product_trouble;
mod review;
mod review_links;
mod seal;
mod seen;
mod settings;
mod sources;
mod start;
mod studio;
mod surface;
mod terminal;
mod two_processes;
mod usage;
mod which_run;

//! Grants: which tool is for whom, through which door. One table; what it does not say is refused.

use std::fmt;

use gavel_domain::{Door, Role, Speaker};

/// How somebody proved who they are, beside the door they came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bond {
    /// By the door alone.
    Door,
    /// By a token that Gavel gave to an agent it started, bound to run, role and expiry.
    Token,
}

/// Where a tool may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reach {
    /// In the engine's own process; elsewhere only by an agent that holds a token.
    WorkTree,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
struct Grant {
    tool: &'static str,
    reach: Reach,
    roles: &'static [Role],
}

const READERS: &[Role] = &[
    Role::Researcher,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
];
/// Who reads contracts while a run goes.
const CONTRACT_READERS: &[Role] = &[
    Role::Leader,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
];
const CHECKERS: &[Role] = &[Role::Coder, Role::Auditor, Role::Fixer];
const WRITERS: &[Role] = &[Role::Coder, Role::Fixer];

const fn work_tree(tool: &'static str, roles: &'static [Role]) -> Grant {
    Grant {
        tool,
        reach: Reach::WorkTree,
        roles,
    }
}

/// The table.
const GRANTS: &[Grant] = &[
    work_tree("read_file", READERS),
    work_tree("list_directory", READERS),
    work_tree("search_code", READERS),
    work_tree("search_memory", &[Role::Researcher]),
    work_tree("ask_source", &[Role::Researcher]),
    work_tree("check_syntax", CHECKERS),
    work_tree("write_file", WRITERS),
    work_tree("edit_file", WRITERS),
    work_tree("run_tests", WRITERS),
    work_tree("run_command", WRITERS),
    work_tree("gavel_list_contracts", CONTRACT_READERS),
    work_tree("gavel_get_contract", CONTRACT_READERS),
    work_tree("gavel_get_phase_window", CONTRACT_READERS),
    work_tree("gavel_get_project_context", &[Role::Leader]),
    work_tree("submit_contract", &[Role::Leader]),
    work_tree("submit_audit", &[Role::Auditor]),
];

/// A tool that is not for the speaker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// No grant names the tool, so nobody may use it.
    #[error("`{tool}` is granted to nobody")]
    NoGrant {
        /// The tool.
        tool: String,
    },
    /// Somebody else may use it.
    #[error("`{tool}` is not for the role {role} through {door}: it is for {who_may}")]
    NotYours {
        /// The tool.
        tool: &'static str,
        /// The role that asked.
        role: &'static str,
        /// The door it came through.
        door: &'static str,
        /// Who may.
        who_may: WhoMay,
    },
}

/// Who may use a tool, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WhoMay {
    roles: &'static [Role],
    reach: Reach,
}

impl fmt::Display for WhoMay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, role) in self.roles.iter().enumerate() {
            let joint = match place {
                0 => "",
                _ if place + 1 == self.roles.len() => " and ",
                _ => ", ",
            };
            write!(f, "{joint}{}", role_word(*role))?;
        }
        match self.reach {
            Reach::WorkTree => f.write_str(" in the engine's process or with a token of the run"),
        }
    }
}

/// Says whether a speaker who proved nothing but the door may use a tool.
pub fn check_grant(tool: &str, speaker: Speaker) -> Result<(), Denied> {
    check_bound_grant(tool, speaker, Bond::Door)
}

/// Says whether a speaker may use a tool. What the table does not name is refused.
pub fn check_bound_grant(tool: &str, speaker: Speaker, bond: Bond) -> Result<(), Denied> {
    let Some(grant) = GRANTS.iter().find(|grant| grant.tool == tool) else {
        let tool = tool.chars().take(64).collect();
        return Err(Denied::NoGrant { tool });
    };
    if grant.roles.contains(&speaker.role) && reaches(grant.reach, speaker.door, bond) {
        return Ok(());
    }
    Err(Denied::NotYours {
        tool: grant.tool,
        role: role_word(speaker.role),
        door: door_word(speaker.door),
        who_may: WhoMay {
            roles: grant.roles,
            reach: grant.reach,
        },
    })
}

/// Every tool that the table names.
pub fn granted_tools() -> impl Iterator<Item = &'static str> {
    GRANTS.iter().map(|grant| grant.tool)
}

/// People and keys never hold a token: it is given to agents, which come over MCP or ACP.
const fn reaches(reach: Reach, door: Door, bond: Bond) -> bool {
    match (reach, door, bond) {
        (Reach::WorkTree, Door::Engine, Bond::Door | Bond::Token)
        | (Reach::WorkTree, Door::Mcp | Door::Acp, Bond::Token) => true,
        (Reach::WorkTree, Door::Mcp | Door::Acp, Bond::Door)
        | (Reach::WorkTree, Door::Cli | Door::Http, Bond::Door | Bond::Token) => false,
    }
}

const fn role_word(role: Role) -> &'static str {
    match role {
        Role::Person => "person",
        Role::Engine => "engine",
        Role::Leader => "leader",
        Role::Stance => "stance",
        Role::Researcher => "researcher",
        Role::Scout => "scout",
        Role::Coder => "coder",
        Role::Auditor => "auditor",
        Role::Fixer => "fixer",
        Role::Judge => "judge",
        Role::Guest => "guest",
    }
}

const fn door_word(door: Door) -> &'static str {
    match door {
        Door::Engine => "the engine",
        Door::Cli => "the command line",
        Door::Mcp => "MCP",
        Door::Acp => "ACP",
        Door::Http => "HTTP",
    }
}

#[cfg(test)]
#[path = "grants_tests.rs"]
mod tests;

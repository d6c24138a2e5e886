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

/// What somebody may do at most, whatever their role: the scope of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyScope {
    /// Look.
    Read,
    /// Look, propose, take part, start runs.
    Propose,
    /// All of that, and decide what a person decides.
    Decide,
}

impl KeyScope {
    /// Every scope, the narrowest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Propose, Self::Decide];

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Propose => "propose",
            Self::Decide => "decide",
        }
    }
}

/// Where a tool may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reach {
    /// In the engine's own process; elsewhere only by an agent that holds a token.
    WorkTree,
    /// Through every door that serves tools, and in the engine's own process.
    Served,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
struct Grant {
    tool: &'static str,
    reach: Reach,
    roles: &'static [Role],
}

/// Who reads files; a seat of a council does it before it speaks.
const SEARCHERS: &[Role] = &[
    Role::Stance,
    Role::Researcher,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
];
const READERS: &[Role] = &[
    Role::Researcher,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
];
/// Everybody who may come through a door that serves tools.
const VISITORS: &[Role] = &[
    Role::Leader,
    Role::Stance,
    Role::Researcher,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
    Role::Guest,
];
/// Who reads contracts, in a run or from outside.
const CONTRACT_VISITORS: &[Role] = &[
    Role::Leader,
    Role::Scout,
    Role::Coder,
    Role::Auditor,
    Role::Fixer,
    Role::Judge,
    Role::Guest,
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

const fn served(tool: &'static str, roles: &'static [Role]) -> Grant {
    Grant {
        tool,
        reach: Reach::Served,
        roles,
    }
}

/// The table.
const GRANTS: &[Grant] = &[
    work_tree("read_file", SEARCHERS),
    work_tree("list_directory", READERS),
    work_tree("search_code", SEARCHERS),
    work_tree("search_memory", &[Role::Stance, Role::Researcher]),
    work_tree("ask_source", &[Role::Researcher]),
    work_tree("check_syntax", CHECKERS),
    work_tree("write_file", WRITERS),
    work_tree("edit_file", WRITERS),
    work_tree("run_tests", WRITERS),
    work_tree("run_command", WRITERS),
    served("gavel_list_contracts", CONTRACT_VISITORS),
    served("gavel_get_contract", CONTRACT_VISITORS),
    served("gavel_get_phase_window", CONTRACT_VISITORS),
    served("gavel_get_project_context", &[Role::Leader, Role::Guest]),
    work_tree("submit_contract", &[Role::Leader]),
    work_tree("submit_audit", &[Role::Auditor]),
    served("gavel_get_summary", CONTRACT_VISITORS),
    served("gavel_list_project_contracts", CONTRACT_VISITORS),
    served("gavel_get_project_contract", CONTRACT_VISITORS),
    served("gavel_get_build_contracts", CONTRACT_VISITORS),
    served("gavel_set_session", VISITORS),
    served("gavel_memory_search", VISITORS),
    served("gavel_memory_get", VISITORS),
    served("gavel_memory_add", VISITORS),
    served("gavel_memory_update", VISITORS),
    served("gavel_loop", VISITORS),
    served("gavel_coordinate", VISITORS),
    served("gavel_start_run", &[Role::Guest]),
    served("gavel_run_status", VISITORS),
    served("gavel_answer", &[Role::Guest]),
    served("gavel_say", &[Role::Guest]),
    served("gavel_control", &[Role::Guest]),
    served("gavel_council", &[Role::Guest]),
    served("gavel_get_branch_status", VISITORS),
    served("gavel_list_branch_commits", VISITORS),
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
    /// The key only reads.
    #[error(
        "`{tool}` changes something, and the key in use has the scope {scope}: use a key with the \
         scope propose"
    )]
    ScopeTooNarrow {
        /// The tool.
        tool: &'static str,
        /// The scope of the key.
        scope: &'static str,
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
            Reach::Served => f.write_str(" in the engine's process, over MCP or over ACP"),
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

/// Says whether a speaker may use a served tool, with the scope that they have at most and whether
/// the tool only reads.
pub fn check_served(
    tool: &str,
    (speaker, bond): (Speaker, Bond),
    (scope, reads): (KeyScope, bool),
) -> Result<(), Denied> {
    check_bound_grant(tool, speaker, bond)?;
    let Some(tool) = served_tools().find(|name| *name == tool) else {
        let tool = tool.chars().take(64).collect();
        return Err(Denied::NoGrant { tool });
    };
    if reads || scope > KeyScope::Read {
        return Ok(());
    }
    let scope = scope.word();
    Err(Denied::ScopeTooNarrow { tool, scope })
}

/// Every tool that the table serves to programs outside.
pub fn served_tools() -> impl Iterator<Item = &'static str> {
    let served = GRANTS.iter().filter(|grant| grant.reach == Reach::Served);
    served.map(|grant| grant.tool)
}

/// Every tool that the table names.
pub fn granted_tools() -> impl Iterator<Item = &'static str> {
    GRANTS.iter().map(|grant| grant.tool)
}

/// People and keys never hold a token: it is given to agents, which come over MCP or ACP.
const fn reaches(reach: Reach, door: Door, bond: Bond) -> bool {
    match (reach, door, bond) {
        (Reach::WorkTree, Door::Engine, Bond::Door | Bond::Token)
        | (Reach::WorkTree, Door::Mcp | Door::Acp, Bond::Token)
        | (Reach::Served, Door::Engine | Door::Mcp | Door::Acp, Bond::Door | Bond::Token) => true,
        (Reach::WorkTree, Door::Mcp | Door::Acp, Bond::Door)
        | (
            Reach::WorkTree | Reach::Served,
            Door::Cli | Door::Http | Door::Bridge,
            Bond::Door | Bond::Token,
        ) => false,
    }
}

/// The word for a role, as callers know it.
pub const fn role_word(role: Role) -> &'static str {
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
        Door::Bridge => "the notify program",
    }
}

#[cfg(test)]
#[path = "grants_tests.rs"]
mod tests;

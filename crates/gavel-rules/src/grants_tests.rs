use std::fmt::Write as _;

use super::*;

const ROLES: [Role; 11] = [
    Role::Person,
    Role::Engine,
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
const DOORS: [Door; 6] = [
    Door::Engine,
    Door::Cli,
    Door::Mcp,
    Door::Acp,
    Door::Http,
    Door::Bridge,
];

const fn speaker(door: Door, role: Role) -> Speaker {
    Speaker {
        door,
        role,
        decides: false,
    }
}

/// The tools of the work tree.
fn allowed(door: Door, bond: Bond) -> String {
    let inner = |tool: &&str| !served_tools().any(|served| served == *tool);
    told(granted_tools().filter(inner), door, bond)
}

fn told(tools: impl Iterator<Item = &'static str>, door: Door, bond: Bond) -> String {
    let mut lines = String::new();
    for tool in tools {
        let roles: Vec<_> = ROLES
            .into_iter()
            .filter(|role| check_bound_grant(tool, speaker(door, *role), bond).is_ok())
            .map(role_word)
            .collect();
        writeln!(lines, "{tool}: {}", roles.join(" ")).unwrap();
    }
    lines
}

#[test]
fn in_process_each_role_has_its_tools() {
    insta::assert_snapshot!(allowed(Door::Engine, Bond::Door), @r"
    read_file: stance researcher scout coder auditor fixer judge
    list_directory: researcher scout coder auditor fixer judge
    search_code: stance researcher scout coder auditor fixer judge
    search_memory: stance researcher
    ask_source: researcher
    check_syntax: coder auditor fixer
    write_file: coder fixer
    edit_file: coder fixer
    run_tests: coder fixer
    run_command: coder fixer
    submit_contract: leader
    submit_audit: auditor
    ");
}

#[test]
fn outside_the_process_only_a_token_opens_the_work_tree() {
    let inside = allowed(Door::Engine, Bond::Door);
    for door in DOORS {
        for bond in [Bond::Door, Bond::Token] {
            let open = match (door, bond) {
                (Door::Engine, _) | (Door::Mcp | Door::Acp, Bond::Token) => true,
                (Door::Mcp | Door::Acp, Bond::Door)
                | (Door::Cli | Door::Http | Door::Bridge, _) => false,
            };
            let seen = allowed(door, bond);
            if open {
                assert_eq!(seen, inside, "{door:?} {bond:?}");
            } else {
                let nobody = |line: &str| line.ends_with(": ");
                assert!(seen.lines().all(nobody), "{door:?} {bond:?}: {seen}");
            }
        }
    }
}

#[test]
fn served_tools_are_for_visitors_and_decide_nothing() {
    let outside = told(served_tools(), Door::Mcp, Bond::Door);
    insta::assert_snapshot!(outside, @"
    gavel_list_contracts: leader scout coder auditor fixer judge guest
    gavel_get_contract: leader scout coder auditor fixer judge guest
    gavel_get_phase_window: leader scout coder auditor fixer judge guest
    gavel_get_project_context: leader guest
    gavel_get_summary: leader scout coder auditor fixer judge guest
    gavel_list_project_contracts: leader scout coder auditor fixer judge guest
    gavel_get_project_contract: leader scout coder auditor fixer judge guest
    gavel_get_build_contracts: leader scout coder auditor fixer judge guest
    gavel_set_session: leader stance researcher scout coder auditor fixer judge guest
    gavel_memory_search: leader stance researcher scout coder auditor fixer judge guest
    gavel_memory_get: leader stance researcher scout coder auditor fixer judge guest
    gavel_memory_add: leader stance researcher scout coder auditor fixer judge guest
    gavel_memory_update: leader stance researcher scout coder auditor fixer judge guest
    gavel_loop: leader stance researcher scout coder auditor fixer judge guest
    gavel_coordinate: leader stance researcher scout coder auditor fixer judge guest
    gavel_start_run: guest
    gavel_run_status: leader stance researcher scout coder auditor fixer judge guest
    gavel_answer: guest
    gavel_say: guest
    gavel_control: guest
    gavel_council: guest
    gavel_get_branch_status: leader stance researcher scout coder auditor fixer judge guest
    gavel_list_branch_commits: leader stance researcher scout coder auditor fixer judge guest
    ");
    for (door, bond) in [
        (Door::Engine, Bond::Door),
        (Door::Acp, Bond::Door),
        (Door::Mcp, Bond::Token),
    ] {
        assert_eq!(told(served_tools(), door, bond), outside, "{door:?}");
    }
    for door in [Door::Cli, Door::Http] {
        let nobody = |line: &str| line.ends_with(": ");
        assert!(told(served_tools(), door, Bond::Door).lines().all(nobody));
    }
}

#[test]
fn a_key_that_only_reads_changes_nothing() {
    let guest = (speaker(Door::Mcp, Role::Guest), Bond::Door);
    for (scope, reads, open) in [
        (KeyScope::Read, true, true),
        (KeyScope::Read, false, false),
        (KeyScope::Propose, true, true),
        (KeyScope::Propose, false, true),
        (KeyScope::Decide, false, true),
    ] {
        let seen = check_served("gavel_memory_add", guest, (scope, reads));
        assert_eq!(seen.is_ok(), open, "{scope:?} {reads}");
    }
    let refused = check_served("gavel_memory_add", guest, (KeyScope::Read, false)).unwrap_err();
    insta::assert_snapshot!(refused, @"`gavel_memory_add` changes something, and the key in use has the scope read: use a key with the scope propose");
    let inner = check_served("read_file", guest, (KeyScope::Decide, true)).unwrap_err();
    assert!(matches!(inner, Denied::NotYours { .. }));
    let coder = (speaker(Door::Mcp, Role::Coder), Bond::Token);
    let inner = check_served("read_file", coder, (KeyScope::Decide, true)).unwrap_err();
    assert!(matches!(inner, Denied::NoGrant { .. }), "not served at all");
}

#[test]
fn refusals_name_who_may() {
    let refused = check_grant("write_file", speaker(Door::Engine, Role::Auditor)).unwrap_err();
    insta::assert_snapshot!(refused, @"`write_file` is not for the role auditor through the engine: it is for coder and fixer in the engine's process or with a token of the run");
    let refused = check_grant("read_file", speaker(Door::Mcp, Role::Coder)).unwrap_err();
    insta::assert_snapshot!(refused, @"`read_file` is not for the role coder through MCP: it is for stance, researcher, scout, coder, auditor, fixer and judge in the engine's process or with a token of the run");
}

#[test]
fn a_tool_without_a_grant_is_for_nobody() {
    let long = "x".repeat(200);
    for tool in [
        "",
        "delete_everything",
        "READ_FILE",
        "read_file ",
        long.as_str(),
    ] {
        for role in ROLES {
            for door in DOORS {
                for bond in [Bond::Door, Bond::Token] {
                    let refused = check_bound_grant(tool, speaker(door, role), bond).unwrap_err();
                    assert!(matches!(refused, Denied::NoGrant { .. }), "{refused}");
                    assert!(refused.to_string().len() < 100);
                }
            }
        }
    }
}

#[test]
fn no_tool_is_named_twice() {
    let mut names: Vec<_> = granted_tools().collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), GRANTS.len());
}

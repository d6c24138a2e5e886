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
const DOORS: [Door; 5] = [Door::Engine, Door::Cli, Door::Mcp, Door::Acp, Door::Http];

const fn speaker(door: Door, role: Role) -> Speaker {
    Speaker {
        door,
        role,
        decides: false,
    }
}

fn allowed(door: Door, bond: Bond) -> String {
    let mut lines = String::new();
    for tool in granted_tools() {
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
    read_file: researcher scout coder auditor fixer judge
    list_directory: researcher scout coder auditor fixer judge
    search_code: researcher scout coder auditor fixer judge
    search_memory: researcher
    ask_source: researcher
    check_syntax: coder auditor fixer
    write_file: coder fixer
    edit_file: coder fixer
    run_tests: coder fixer
    run_command: coder fixer
    gavel_list_contracts: leader scout coder auditor fixer judge
    gavel_get_contract: leader scout coder auditor fixer judge
    gavel_get_phase_window: leader scout coder auditor fixer judge
    gavel_get_project_context: leader
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
                (Door::Mcp | Door::Acp, Bond::Door) | (Door::Cli | Door::Http, _) => false,
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
fn refusals_name_who_may() {
    let refused = check_grant("write_file", speaker(Door::Engine, Role::Auditor)).unwrap_err();
    insta::assert_snapshot!(refused, @"`write_file` is not for the role auditor through the engine: it is for coder and fixer in the engine's process or with a token of the run");
    let refused = check_grant("read_file", speaker(Door::Mcp, Role::Coder)).unwrap_err();
    insta::assert_snapshot!(refused, @"`read_file` is not for the role coder through MCP: it is for researcher, scout, coder, auditor, fixer and judge in the engine's process or with a token of the run");
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

//! What each role remembers from sprint to sprint: two kilobytes each, the oldest sprint forgotten
//! first.

use std::collections::VecDeque;

use gavel_domain::Role;

/// The most that one role remembers, in bytes.
pub const ROLE_MEMORY_BYTES: usize = 2_048;

/// The memories of the roles of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleMemory {
    by_role: Vec<(Role, VecDeque<String>)>,
}

impl RoleMemory {
    /// Notes what a role did or found in a sprint; nothing is noted for empty words.
    pub fn note(&mut self, role: Role, sprint: u32, words: &str) {
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        let mut block = format!("### Sprint {sprint}\n{words}\n");
        block.truncate(block.floor_char_boundary(ROLE_MEMORY_BYTES));
        let known = self.by_role.iter().position(|(known, _)| *known == role);
        if known.is_none() {
            self.by_role.push((role, VecDeque::new()));
        }
        let place = known.unwrap_or(self.by_role.len() - 1);
        let Some((_, blocks)) = self.by_role.get_mut(place) else {
            return;
        };
        blocks.push_back(block);
        while blocks.iter().map(String::len).sum::<usize>() > ROLE_MEMORY_BYTES {
            blocks.pop_front();
        }
    }

    /// What a role remembers, oldest first; empty when there is nothing.
    pub fn of(&self, role: Role) -> String {
        let of_role = self.by_role.iter().filter(|(known, _)| *known == role);
        let blocks = of_role.flat_map(|(_, blocks)| blocks);
        blocks.map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_role_remembers_its_own() {
        let mut memory = RoleMemory::default();
        memory.note(Role::Coder, 1, "wrote the store\n");
        memory.note(Role::Coder, 2, "  ");
        memory.note(Role::Auditor, 1, "no test of the error path");
        assert_eq!(memory.of(Role::Coder), "### Sprint 1\nwrote the store\n");
        assert!(memory.of(Role::Auditor).contains("error path"));
        assert_eq!(memory.of(Role::Scout), "");
    }

    #[test]
    fn the_oldest_sprint_is_forgotten_first() {
        let mut memory = RoleMemory::default();
        for sprint in 1..=5 {
            memory.note(Role::Fixer, sprint, &"x".repeat(600));
        }
        let kept = memory.of(Role::Fixer);
        assert!(!kept.contains("Sprint 2\n") && kept.contains("Sprint 3\n"));
        assert!(kept.contains("Sprint 5\n"));
    }

    proptest! {
        #[test]
        fn it_never_grows_beyond_its_size(words in proptest::collection::vec(".{0,900}", 0..12)) {
            let mut memory = RoleMemory::default();
            for (sprint, words) in (1..).zip(&words) {
                memory.note(Role::Coder, sprint, words);
                prop_assert!(memory.of(Role::Coder).len() <= ROLE_MEMORY_BYTES);
            }
            if let Some(last) = words.last().filter(|words| !words.trim().is_empty()) {
                let begins: String = last.trim().chars().take(20).collect();
                prop_assert!(memory.of(Role::Coder).contains(&begins));
            }
        }
    }
}

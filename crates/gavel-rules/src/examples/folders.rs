//! Where an example is executed: folders with other names and another nesting each time, so that a
//! program cannot know an example by its place.

use super::random::Sequence;

const FIRST: [&str; 16] = [
    "bel", "cor", "dan", "fen", "gil", "hov", "jur", "kel", "lam", "mir", "nor", "pel", "rov",
    "sil", "tov", "wen",
];
const LAST: [&str; 12] = [
    "ada", "ek", "ido", "ona", "ur", "is", "a", "en", "ot", "ari", "une", "yl",
];
const TERMINALS: [&str; 4] = ["xterm", "xterm-256color", "linux", "screen"];
const SHELLS: [&str; 3] = ["/bin/sh", "/bin/bash", "/usr/bin/zsh"];
/// Where people keep their files.
const PARENTS: [&str; 6] = ["home", "srv", "mnt", "media", "data", "users"];

/// The folders of one execution. All but `parents` are relative, with `/` between names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFolders {
    /// Folders at the root of the file system that could hold the others, the best first.
    pub parents: Vec<&'static str>,
    /// What holds the other three.
    pub root: String,
    /// The home, below the root; empty when it is the root.
    pub home: String,
    /// Where the program is started, below the root.
    pub work: String,
    /// Its temporary folder, below the root.
    pub temp: String,
    /// The project's tree, beside the root.
    pub tree: String,
    /// What the environment says beside paths; nothing as an example is written.
    pub person: Option<Person>,
}

/// Whose environment it is, as on a person's own machine: a program cannot know an example by what its
/// environment lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who is logged in.
    pub name: String,
    /// The kind of terminal.
    pub terminal: &'static str,
    /// The shell.
    pub shell: &'static str,
}

impl ExampleFolders {
    /// The folders of one execution of an example. In every other one the program is started below its
    /// home, as most people do it.
    pub fn draw(seed: u64, execution: u32) -> Self {
        let first = Sequence::of(seed, 0).below(2);
        let below_home = (first + u64::from(execution)).is_multiple_of(2);
        let mut draw = Draw {
            random: Sequence::of(seed, u64::from(execution) + 1),
            used: Vec::new(),
        };
        let mut parents: Vec<&'static str> = PARENTS.to_vec();
        let begin = draw.random.below(PARENTS.len() as u64);
        parents.rotate_left(usize::try_from(begin).unwrap_or_default());
        let root = draw.path(2);
        let home = match below_home && draw.random.below(2) == 0 {
            true => String::new(),
            false => draw.path(2),
        };
        let inner = draw.path(3);
        let work = match (below_home, home.as_str()) {
            (true, home) if !home.is_empty() => format!("{home}/{inner}"),
            _ => inner,
        };
        let (temp, tree) = (draw.path(2), draw.path(3));
        let person = Person {
            name: draw.name(),
            terminal: draw.random.pick(&TERMINALS).unwrap_or("xterm"),
            shell: draw.random.pick(&SHELLS).unwrap_or("/bin/sh"),
        };
        Self {
            parents,
            root,
            home,
            work,
            temp,
            tree,
            person: (execution > 0).then_some(person),
        }
    }
}

struct Draw {
    random: Sequence,
    /// Names at the beginning of paths: no folder may be part of another by accident.
    used: Vec<String>,
}

impl Draw {
    /// A path of at most so many names.
    fn path(&mut self, most: u64) -> String {
        let mut names = vec![self.unused()];
        for _ in 0..self.random.below(most) {
            names.push(self.name());
        }
        names.join("/")
    }

    fn unused(&mut self) -> String {
        loop {
            let name = self.name();
            if !self.used.contains(&name) {
                self.used.push(name.clone());
                return name;
            }
        }
    }

    fn name(&mut self) -> String {
        let first = self.random.pick(&FIRST).unwrap_or_default();
        let last = self.random.pick(&LAST).unwrap_or_default();
        format!("{first}{last}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_folders_and_each_execution_others() {
        let all: Vec<_> = (0..40).map(|n| ExampleFolders::draw(7, n)).collect();
        assert_eq!(ExampleFolders::draw(7, 3), all[3]);
        let distinct = |pick: fn(&ExampleFolders) -> &String| {
            all.iter().map(pick).collect::<BTreeSet<_>>().len()
        };
        assert!(distinct(|one| &one.root) > 30);
        assert!(distinct(|one| &one.work) > 30);
        assert!(distinct(|one| &one.tree) > 30);
        let depths: BTreeSet<_> = all
            .iter()
            .map(|one| one.work.matches('/').count())
            .collect();
        assert!(depths.len() >= 3, "{depths:?}");
    }

    #[test]
    fn every_other_execution_starts_below_the_home() {
        for seed in 0..50 {
            let below = |execution| {
                let folders = ExampleFolders::draw(seed, execution);
                folders.home.is_empty() || folders.work.starts_with(&format!("{}/", folders.home))
            };
            for execution in 0..4 {
                assert_ne!(below(execution), below(execution + 1), "{seed} {execution}");
            }
        }
    }

    #[test]
    fn nobody_is_logged_in_as_an_example_is_written() {
        assert_eq!(ExampleFolders::draw(7, 0).person, None);
        let names: BTreeSet<_> = (1..20)
            .map(|n| ExampleFolders::draw(7, n).person.unwrap().name)
            .collect();
        assert!(names.len() > 10, "{names:?}");
    }

    #[test]
    fn the_home_and_the_temporary_folder_are_never_below_the_work() {
        for seed in 0..500 {
            let ExampleFolders {
                home, work, temp, ..
            } = ExampleFolders::draw(seed, 1);
            let work = format!("{work}/");
            for other in [home, temp] {
                assert!(!format!("{other}/").starts_with(&work), "{other} {work}");
            }
        }
    }
}

use super::*;

const OURS: &str = "01890000-0000-7000-8000-000000000001";
const OTHERS: &str = "01890000-0000-7000-8000-000000000002";

/// A folder with two projects, a linked work tree of the first, and places where nothing is.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        ground.repository("project");
        ground.repository("clone");
        // As `git worktree add` leaves it.
        let entry = ground.at("project/.git/worktrees/linked");
        fs::create_dir_all(&entry).unwrap();
        fs::write(entry.join("commondir"), "../..\n").unwrap();
        fs::write(entry.join("HEAD"), "ref: refs/heads/linked\n").unwrap();
        let file = ground.at("linked/.git");
        fs::write(entry.join("gitdir"), format!("{}\n", file.display())).unwrap();
        ground.links_to("linked", "project/.git/worktrees/linked");
        fs::create_dir(ground.at("settings-only")).unwrap();
        fs::write(ground.at("settings-only/gavel.toml"), "").unwrap();
        fs::create_dir(ground.at("empty")).unwrap();
        ground
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn repository(&self, name: &str) {
        let git_dir = self.at(name).join(".git");
        fs::create_dir_all(git_dir.join("objects")).unwrap();
        fs::create_dir_all(git_dir.join("refs")).unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    /// A folder whose `.git` is a file that names a git dir.
    fn links_to(&self, name: &str, git_dir: &str) {
        fs::create_dir_all(self.at(name)).unwrap();
        let text = format!("gitdir: {}\n", self.at(git_dir).display());
        fs::write(self.at(name).join(".git"), text).unwrap();
    }

    fn judged(&self, here: &str, begun: &str) -> Belonging {
        let (id, project) = (Some(OURS.parse().unwrap()), Some(OURS.parse().unwrap()));
        let root = Some(self.at(here));
        let checkout = Some(self.at(begun));
        ProjectFolder { id, root }.belonging(&RunOrigin {
            project,
            checkout,
            git_dir: None,
        })
    }
}

#[test]
fn an_id_counts_with_the_folder_or_the_repository_where_it_is() {
    let ground = Ground::new();
    let cases = [
        ("project", "project", Belonging::Here),
        ("linked", "project", Belonging::Here),
        ("project", "linked", Belonging::Here),
        ("clone", "project", Belonging::Elsewhere),
        ("clone", "linked", Belonging::Elsewhere),
        // A folder without a repository is no exception.
        ("empty", "project", Belonging::Elsewhere),
        ("project", "settings-only", Belonging::Elsewhere),
        ("project", "gone", Belonging::Moved),
        ("project", "empty", Belonging::Moved),
    ];
    for (here, begun, expected) in cases {
        assert_eq!(ground.judged(here, begun), expected, "{here} for {begun}");
    }
}

/// What a folder says about its git dir can be written by whoever made the folder.
#[test]
fn a_git_dir_that_a_folder_merely_names_makes_it_no_work_tree() {
    let ground = Ground::new();
    ground.links_to("names-it", "project/.git");
    ground.links_to("names-the-entry", "project/.git/worktrees/linked");
    ground.repository("common");
    let common = ground.at("common/.git/commondir");
    fs::write(common, format!("{}\n", ground.at("project/.git").display())).unwrap();
    fs::create_dir(ground.at("through-a-link")).unwrap();
    let link = ground.at("through-a-link/.git");
    std::os::unix::fs::symlink(ground.at("project/.git"), link).unwrap();
    for here in ["names-it", "names-the-entry", "common", "through-a-link"] {
        let judged = ground.judged(here, "project");
        assert_eq!(judged, Belonging::Elsewhere, "{here}");
    }
}

#[test]
fn without_the_same_id_only_the_very_folder_counts() {
    let ground = Ground::new();
    let judged = |id: Option<&str>, project: Option<&str>, begun: &str| {
        let read = |id: &str| id.parse().unwrap();
        let root = Some(ground.at("project"));
        let id = id.map(read);
        let origin = RunOrigin {
            project: project.map(read),
            checkout: Some(ground.at(begun)),
            git_dir: None,
        };
        ProjectFolder { id, root }.belonging(&origin)
    };
    let cases = [
        (None, None, "project", Belonging::Here),
        // The id was given to it since, or taken away.
        (Some(OURS), None, "project", Belonging::Here),
        (None, Some(OURS), "project", Belonging::Here),
        (None, None, "linked", Belonging::Elsewhere),
        (None, None, "gone", Belonging::Elsewhere),
        (Some(OURS), None, "gone", Belonging::Elsewhere),
        (Some(OURS), Some(OTHERS), "project", Belonging::Elsewhere),
    ];
    for (id, project, begun, expected) in cases {
        assert_eq!(
            judged(id, project, begun),
            expected,
            "{id:?} {project:?} {begun}"
        );
    }
}

#[test]
fn a_run_whose_brief_is_gone_is_known_by_its_git_dir() {
    let ground = Ground::new();
    let id = Some(OURS.parse().unwrap());
    let root = Some(ground.at("project"));
    let folder = ProjectFolder { id, root };
    let judged = |git_dir: Option<&str>| {
        folder.belonging(&RunOrigin {
            project: id,
            checkout: None,
            git_dir: git_dir.map(|name| ground.at(name)),
        })
    };
    assert_eq!(judged(Some("project/.git")), Belonging::Here);
    assert_eq!(judged(Some("clone/.git")), Belonging::Elsewhere);
    assert_eq!(judged(Some("gone/.git")), Belonging::Moved);
    assert_eq!(judged(None), Belonging::Unknown);
}

#[test]
fn where_a_run_was_begun_stands_in_its_first_record_and_its_brief() {
    let mut started = RunStarted {
        flow: 9,
        driver: "product".to_owned(),
        seed: gavel_domain::Digest::of("seed"),
        gavel: "0.1.0".to_owned(),
        settings: gavel_domain::Settings::default(),
        project: Some(OURS.parse().unwrap()),
        brief: None,
    };
    let nowhere = RunOrigin {
        project: started.project,
        ..RunOrigin::default()
    };
    assert_eq!(RunOrigin::of(&started, None), nowhere);
    // A council outside of every project reads an empty folder; a toy names its work tree.
    for brief in ["{\"topic\":\"a\",\"folder\":\"/empty\"}", "no json", "[]"] {
        assert_eq!(RunOrigin::of(&started, Some(brief.as_bytes())), nowhere);
    }
    let decision = PushDecision {
        repository: "/here/.git".to_owned(),
        plan: gavel_domain::PushPlan::Nowhere,
    };
    decision.record(&mut started.settings);
    let brief = br#"{"idea":"a","checkout":"/here"}"#;
    let origin = RunOrigin::of(&started, Some(brief));
    assert_eq!(origin.checkout, Some("/here".into()));
    assert_eq!(origin.git_dir, Some("/here/.git".into()));
}

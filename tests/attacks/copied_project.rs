//! A folder that carries the id of another project. The id stands in a committed file: whoever knows it
//! can write it down anywhere, and it opens nothing there.

use std::path::{Path, PathBuf};

use gavel_domain::EarlierRunsRecalled;
use gavel_testkit::{FakeServer, git};
use serde_json::{Value, json};

use crate::bench::run_id;
use crate::mcp::asked;
use crate::product_discovery::leader;
use crate::seen::Seen;
use crate::studio::{Served, Speaks, Studio};

const SECRET_IDEA: &str = "a guest book for the visitors of the zeppelinarium";
const IDEA: &str = "a guest book for the visitors of a museum";
const VICTIMS: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
const LOOP: &str = "Move the zeppelinarium to a new hall";

/// A project with a run that waits and a loop, and the folder of somebody who copied its settings.
struct Ground {
    studio: Studio,
}

impl Ground {
    fn new() -> Self {
        let ground = Self {
            studio: Studio::offline(),
        };
        let run = ["start", SECRET_IDEA, "--into", "victim", "--run", VICTIMS];
        let waits = ground.studio.run(&run);
        assert_eq!(waits.code, Some(3), "{waits:?}");
        let open = json!({ "intent": "open", "agent_id": "ann", "title": LOOP });
        let opened = ground.tool("victim", "gavel_loop", &open);
        assert!(!opened.contains("\"isError\":true"), "{opened}");
        ground
    }

    fn at(&self, folder: &str) -> PathBuf {
        self.studio.bench.folder().join("project").join(folder)
    }

    /// A folder with the victim's settings, and what its maker does to the `.git` of it.
    fn copy(&self, folder: &str, git_of: impl FnOnce(&Path, &Path)) {
        let (copy, victim) = (self.at(folder), self.at("victim"));
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(victim.join("gavel.toml"), copy.join("gavel.toml")).unwrap();
        git_of(&copy, &victim);
    }

    /// What a program is answered that is served in a folder.
    fn tool(&self, folder: &str, name: &str, arguments: &Value) -> String {
        let call = (
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        );
        self.request(folder, call)
    }

    fn request(&self, folder: &str, request: (&str, Value)) -> String {
        let lines = asked(&self.studio.bench, &["-C", folder], &[request]);
        lines.last().unwrap().to_string()
    }

    /// Everything that a program can ask for without knowing anything.
    fn everything(&self, folder: &str) -> String {
        let mut told = self.request(folder, ("resources/list", json!({})));
        told += &self.tool(folder, "gavel_run_status", &json!({}));
        told += &self.tool(folder, "gavel_loop", &json!({ "intent": "list" }));
        told
    }

    /// Where the victim's run stands.
    fn seq(&self) -> Value {
        self.studio.bench.json(&["status", VICTIMS])["seq"].clone()
    }
}

fn plain_repository(copy: &Path, _victim: &Path) {
    git(copy, &["init", "-q"]);
    git(copy, &["add", "-A"]);
    git(copy, &["commit", "-qm", "all"]);
}

/// A `.git` that claims to be a work tree of the victim's repository.
fn claims_the_git_dir(copy: &Path, victim: &Path) {
    let text = format!("gitdir: {}\n", victim.join(".git").display());
    std::fs::write(copy.join(".git"), text).unwrap();
}

fn no_repository(_copy: &Path, _victim: &Path) {}

#[test]
fn a_program_served_in_a_folder_with_a_copied_id_sees_and_drives_nothing() {
    let ground = Ground::new();
    ground.copy("repository", plain_repository);
    ground.copy("claims", claims_the_git_dir);
    ground.copy("bare", no_repository);
    let before = ground.seq();
    for folder in ["repository", "claims", "bare"] {
        let told = ground.everything(folder);
        assert!(!told.contains("zeppelinarium"), "{folder}: {told}");
        assert!(!told.contains(VICTIMS), "{folder}: {told}");
        let run = json!({ "run": VICTIMS });
        let status = ground.tool(folder, "gavel_run_status", &run);
        assert!(status.contains("there is no run"), "{folder}: {status}");
        let answer = json!({ "run": VICTIMS, "answer": "1", "option": "1", "text": "Stop." });
        for name in [
            "gavel_answer",
            "gavel_say",
            "gavel_resume_run",
            "gavel_get_summary",
        ] {
            let refused = ground.tool(folder, name, &answer);
            assert!(refused.contains("rror"), "{folder} {name}: {refused}");
            assert!(
                !refused.contains("zeppelinarium"),
                "{folder} {name}: {refused}"
            );
        }
        let listed = ground.studio.bench.json(&["-C", folder, "status"]);
        assert_eq!(listed["total"], 0, "{folder}: {listed}");
        let said = ground.studio.run(&["-C", folder, "say", "Stop."]);
        assert_eq!(said.code, Some(2), "{folder}: {said:?}");
    }
    assert_eq!(ground.seq(), before, "nothing was said to it");
}

fn served(server: &FakeServer) -> Served<'_> {
    Served {
        name: "lead",
        server,
        speaks: Speaks::OpenAi,
    }
}

/// A new run in this folder, and what its provider was sent.
fn sent_by_a_new_run(ground: &Ground, folder: &str) -> String {
    let server = leader("trivial");
    let settings =
        "[models]\npaid = \"agreed\"\nslots = { leader = \"lead/rules\", stances = [] }\n";
    ground.studio.set(settings, &[served(&server)]);
    let id = run_id().to_string();
    let begun = ground
        .studio
        .run(&["-C", folder, "start", IDEA, "--run", &id]);
    assert_eq!(begun.code, Some(3), "{begun:?}");
    let bodies = server.requests().into_iter().map(|seen| seen.body);
    Value::Array(bodies.collect()).to_string()
}

#[test]
fn a_run_in_a_folder_with_a_copied_id_is_told_of_no_earlier_run() {
    let ground = Ground::new();
    ground.copy("repository", plain_repository);
    let sent = sent_by_a_new_run(&ground, "repository");
    assert!(sent.contains("museum"), "{sent}");
    assert!(!sent.contains("zeppelinarium"), "{sent}");
    let recalled = Seen::of(&ground.studio.bench).facts::<EarlierRunsRecalled>();
    assert!(recalled.iter().all(|recalled| recalled.runs.is_empty()));
}

/// The twins: a work tree of the repository is the project, and so is the folder once it moved.
#[test]
fn a_work_tree_and_a_project_that_moved_keep_their_runs() {
    let ground = Ground::new();
    let victim = ground.at("victim");
    git(&victim, &["add", "-A"]);
    git(&victim, &["commit", "-qm", "settings"]);
    git(&victim, &["worktree", "add", "-q", "../beside"]);
    for folder in ["victim", "beside"] {
        let told = ground.everything(folder);
        assert!(told.contains(VICTIMS), "{folder}: {told}");
        assert!(told.contains(LOOP), "{folder}: {told}");
        let listed = ground.studio.bench.json(&["-C", folder, "status"]);
        assert_eq!(listed["total"], 2, "{folder}: {listed}");
    }
    git(&victim, &["worktree", "remove", "--force", "../beside"]);
    std::fs::rename(&victim, ground.at("moved")).unwrap();
    let told = ground.everything("moved");
    assert!(told.contains(VICTIMS) && told.contains(LOOP), "{told}");
    let listed = ground.studio.run(&["-C", "moved", "status"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.stdout.contains("zeppelin"), "{listed:?}");
    assert!(listed.stderr.contains("/victim is gone"), "{listed:?}");
    let sent = sent_by_a_new_run(&ground, "moved");
    assert!(sent.contains("zeppelinarium"), "{sent}");
}

//! `gavel seal` through the binary: whose seal it is, whether it holds, what a script sees.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gavel_build::{
    PublicKey, SealContract, SealCriterion, SealJournal, SealKey, SealPredicate, SealSpend,
    SealStatement, Signer, seal_file, sign_seal,
};
use gavel_domain::{ContractKind, Digest, MicroUsd, Seq, Tokens};
use gavel_testkit::git;
use serde_json::Value;

use crate::bench::{Ended, ended};

pub(crate) const BRANCH: &str = "gavel/build-1a2b";
const SCHEMA: &str = "# Schema\n";

/// A repository with a sealed branch, and a home for whoever looks at it.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) key: SealKey,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self {
            folder: tempfile::tempdir().unwrap(),
            key: SealKey::generate().unwrap().1,
        };
        std::fs::create_dir_all(desk.repository()).unwrap();
        std::fs::create_dir_all(desk.home().join(".config/gavel")).unwrap();
        desk.git(&["init", "-q", "-b", "main"]);
        desk.put("gavel.toml", "[models]\nmax_input = 70000\n");
        desk.commit("begin");
        desk.git(&["checkout", "-q", "-b", BRANCH]);
        desk.put("src/main.rs", "fn main() {}\n");
        desk.put(".gavel/contracts/schema.md", SCHEMA);
        desk.commit("phase 1");
        desk.seal(&desk.key);
        desk.git(&["checkout", "-q", "main"]);
        desk
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn keys(&self) -> PathBuf {
        self.home().join(".local/share/gavel/keys")
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(&self.repository(), args)
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.repository().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(crate) fn commit(&self, title: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", title]);
    }

    /// Seals the commit that HEAD is at.
    fn seal(&self, key: &SealKey) {
        self.seal_with(key, |_| ());
    }

    /// The same, with something else in the statement.
    pub(crate) fn seal_with(&self, key: &SealKey, change: impl FnOnce(&mut SealPredicate)) {
        let tree = self.git(&["rev-parse", "HEAD^{tree}"]).parse().unwrap();
        let judged = self.git(&["rev-parse", "HEAD"]);
        let mut predicate = predicate(judged, key);
        change(&mut predicate);
        let statement = SealStatement::new(&tree, predicate);
        let sealed = sign_seal(&statement, key).unwrap();
        self.put(&seal_file("1a2b"), sealed);
        self.commit("[gavel] seal: conditional");
    }

    /// The binary, in a folder, as somebody at that home.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is how a person starts the binary"
    )]
    pub(crate) fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gavel"));
        let git = gavel_testkit::git_program();
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", git.parent().unwrap())
            .env("TZ", "UTC")
            .current_dir(folder)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.run_in(&self.repository(), args)
    }

    fn run_in(&self, folder: &Path, args: &[&str]) -> Ended {
        ended(self.command(folder, args).spawn().unwrap())
    }

    fn verify(&self, more: &[&str]) -> (Option<i32>, Value) {
        let args = [&["--json", "seal", "verify"], more].concat();
        let ended = self.run(&args);
        let read = serde_json::from_str(&ended.stdout);
        (
            ended.code,
            read.unwrap_or_else(|error| panic!("{error}: {ended:?}")),
        )
    }

    fn own_settings(&self, text: &str) {
        std::fs::write(self.home().join(".config/gavel/config.toml"), text).unwrap();
    }

    fn public(&self) -> String {
        self.key.public().to_string()
    }
}

fn predicate(judged: String, key: &SealKey) -> SealPredicate {
    let contract = SealContract {
        file: ".gavel/contracts/schema.md".to_owned(),
        blake3: Digest::of(SCHEMA),
    };
    SealPredicate {
        format: None,
        build: "1a2b".to_owned(),
        run: crate::bench::run_id(),
        gavel: "0.1.0".to_owned(),
        sealed_at: "2026-11-15T12:00:00Z".parse().unwrap(),
        branch: BRANCH.to_owned(),
        base_commit: "b".repeat(40),
        judged_commit: judged,
        verdict: gavel_rules::SealVerdict::Conditional,
        score: 1000,
        reasons: vec!["no debate\x1b[2J took place".to_owned()],
        left_out: vec!["debate: rule-based review only".to_owned()],
        asks: Vec::new(),
        idea: String::new(),
        idea_became: None,
        refuted: Vec::new(),
        approval: None,
        replies: Vec::new(),
        conditions: vec![gavel_domain::GateCondition {
            id: "engineering_floor".to_owned(),
            holds: true,
            looked_at: 1,
            held: 1,
            reason: String::new(),
        }],
        criteria: vec![SealCriterion {
            id: "c1".to_owned(),
            statement: "a note can be added".to_owned(),
            evidence: "test c1".to_owned(),
            holds: true,
            standing: None,
            weight: 1,
            proof: Vec::new(),
            rank: None,
            caught: String::new(),
        }],
        proof: None,
        contracts: BTreeMap::from([(ContractKind::Schema, contract)]),
        journal: SealJournal {
            seq: Seq(7),
            head: Digest::of("head"),
        },
        commands: Vec::new(),
        models: vec!["offline".to_owned()],
        spend: SealSpend {
            usd: Some(MicroUsd(4_200)),
            unpriced_calls: 0,
            unmetered_calls: 0,
            reported_calls: 0,
            unconfirmed_usd: MicroUsd::ZERO,
            calls: 12,
            input_tokens: Tokens(1_000),
            output_tokens: Tokens(200),
            sources: Vec::new(),
        },
        follows: None,
        signer: Signer {
            public_key: key.public(),
        },
    }
}

#[test]
fn an_unknown_signer_is_in_the_first_line_and_in_the_exit_code() {
    let desk = Desk::new();
    let ended = desk.run(&["seal", "verify"]);
    assert_eq!(ended.code, Some(6), "{ended:?}");
    let first = ended.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("valid, but the signer is UNKNOWN"),
        "{ended:?}"
    );
    assert!(
        ended.stdout.contains(&format!("--key {}", desk.public())),
        "{ended:?}"
    );
    let (code, json) = desk.verify(&[]);
    assert_eq!(code, Some(6));
    assert_eq!(json["schema"], "gavel/seal-verify/v1");
    assert_eq!(json["valid"], true);
    assert_eq!(json["signer"], "unknown");
    assert_eq!(json["known_by"], Value::Null);
    assert!(!desk.keys().exists(), "checking makes no key");
}

#[test]
fn a_named_key_is_known() {
    let desk = Desk::new();
    let ended = desk.run(&["seal", "verify", BRANCH, "--key", &desk.public()]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let first = ended.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("valid, signed by a known key ("),
        "{first}"
    );
    for told in [
        "conditional, 1000 of 1000",
        "debate: rule-based review only",
        "1 of 1 shown",
        "$0.0042, 12 calls",
        "offline",
    ] {
        assert!(ended.stdout.contains(told), "{told}: {ended:?}");
    }
    assert!(!ended.stdout.contains('\x1b'), "no seal steers a terminal");
    let (code, json) = desk.verify(&["--key", &desk.public()]);
    assert_eq!(code, Some(0));
    assert_eq!(json["verdict"], "conditional");
    assert_eq!(json["score"], 1000);
    assert_eq!(json["signer"], "known");
    assert_eq!(json["problems"], serde_json::json!([]));
    assert_eq!(json["branch"], BRANCH);
    let wrong = desk.run(&["seal", "verify", "--key", "ed25519:AAAA"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn people_know_keys_and_the_default_branch_only_claims_them() {
    let desk = Desk::new();
    let settings = format!("[seal]\nkeys = [\"{}\"]\n", desk.public());
    desk.own_settings(&settings);
    let (code, json) = desk.verify(&[]);
    assert_eq!((code, &json["signer"]), (Some(0), &"known".into()));
    assert_eq!(json["known_by"], "seal.keys of your settings");
    desk.own_settings("");
    // In the checkout alone they say nothing; committed on main they do.
    desk.put("gavel.toml", &settings);
    let (code, _) = desk.verify(&[]);
    assert_eq!(code, Some(6));
    desk.commit("a known key");
    let (code, json) = desk.verify(&[]);
    assert_eq!((code, &json["signer"]), (Some(6), &"claimed".into()));
    assert_eq!(json["known_by"], serde_json::Value::Null);
    assert_eq!(json["named_by"], "gavel.toml of main");
    // Also for somebody who looks at the build's branch, whose own file does not name it.
    desk.git(&["checkout", "-q", BRANCH]);
    assert_eq!(desk.verify(&[]).1["signer"], "claimed");
    // Whoever wrote the repository wrote that file: a person says whether it is so.
    let trusted = desk.run(&["seal", "trust", &desk.public()]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let again = desk.run(&["seal", "trust", &desk.public()]);
    assert!(again.stdout.contains("known already"), "{again:?}");
    let (code, json) = desk.verify(&[]);
    assert_eq!((code, &json["signer"]), (Some(0), &"known".into()));
    assert_eq!(json["known_by"], "accepted with gavel seal trust");
    // A list that cannot be read is told, not skipped.
    desk.git(&["checkout", "-q", "main"]);
    desk.put("gavel.toml", "[seal]\nkeys = \"all\"\n");
    desk.commit("nonsense");
    let wrong = desk.run(&["seal", "verify"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("gavel.toml of main"), "{wrong:?}");
}

#[test]
fn a_build_cannot_introduce_its_own_signer() {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", BRANCH]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let stranger = SealKey::generate().unwrap().1;
    let settings = format!("[seal]\nkeys = [\"{}\"]\n", stranger.public());
    desk.put("gavel.toml", settings);
    desk.commit("phase 2");
    desk.seal(&stranger);
    for _ in 0..2 {
        let (code, json) = desk.verify(&[BRANCH]);
        assert_eq!(code, Some(6), "{json}");
        assert_eq!(json["signer"], "unknown");
        // The second time there is no other branch left that could be the default one.
        if desk.git(&["branch", "--list", "main"]).contains("main") {
            desk.git(&["branch", "-q", "-D", "main"]);
        }
    }
    let ended = desk.run(&["seal", "verify"]);
    assert!(ended.stderr.contains("no default branch"), "{ended:?}");
}

#[test]
fn a_clone_has_all_that_is_needed() {
    let desk = Desk::new();
    let url = format!("file://{}", desk.repository().display());
    git(desk.folder.path(), &["clone", "-q", &url, "clone"]);
    let clone = desk.folder.path().join("clone");
    let key = desk.public();
    for branch in [&[][..], &[BRANCH], &["origin/gavel/build-1a2b"]] {
        let args = [&["seal", "verify", "--key", &key], branch].concat();
        let ended = desk.run_in(&clone, &args);
        assert_eq!(ended.code, Some(0), "{branch:?} {ended:?}");
    }
    // The default branch of the remote says who it claims to be signed by.
    desk.put("gavel.toml", format!("[seal]\nkeys = [\"{key}\"]\n"));
    desk.commit("a known key");
    assert_eq!(desk.run_in(&clone, &["seal", "verify"]).code, Some(6));
    git(&clone, &["fetch", "-q"]);
    let ended = desk.run_in(&clone, &["seal", "verify"]);
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stdout.contains("only CLAIMED"), "{ended:?}");
    assert!(
        ended.stdout.contains("gavel.toml of origin/main"),
        "{ended:?}"
    );
    // A bare clone will do, too.
    git(desk.folder.path(), &["clone", "-q", "--bare", &url, "bare"]);
    let bare = desk.folder.path().join("bare");
    let ended = desk.run_in(&bare, &["seal", "verify"]);
    assert!(ended.stdout.contains("only CLAIMED"), "{ended:?}");
    // There its HEAD says which branch is the default, whatever others are called.
    git(&bare, &["branch", "-q", "develop", "main~1"]);
    git(&bare, &["symbolic-ref", "HEAD", "refs/heads/develop"]);
    let ended = desk.run_in(&bare, &["seal", "verify"]);
    assert_eq!(ended.code, Some(6), "{ended:?}");
    assert!(ended.stdout.contains("UNKNOWN"), "{ended:?}");
}

#[test]
fn a_statement_that_contradicts_itself_is_not_valid_whoever_signed_it() {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", BRANCH]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.seal_with(&desk.key, |predicate| {
        predicate.verdict = gavel_rules::SealVerdict::Certified;
        for condition in &mut predicate.conditions {
            (condition.holds, condition.held) = (false, 0);
        }
    });
    let ended = desk.run(&["seal", "verify", "--key", &desk.public(), BRANCH]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    for told in [
        "NOT valid",
        "contradicts itself",
        "can be `flagged` at most",
    ] {
        assert!(ended.stdout.contains(told), "{told}: {ended:?}");
    }
}

#[test]
fn a_seal_that_does_not_hold_is_not_valid_whoever_made_it() {
    let desk = Desk::new();
    desk.git(&["checkout", "-q", BRANCH]);
    desk.put("src/main.rs", "fn main() { steal() }\n");
    desk.commit("later");
    let ended = desk.run(&["seal", "verify", "--key", &desk.public()]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let first = ended.stdout.lines().next().unwrap();
    assert!(first.starts_with("NOT valid"), "{first}");
    assert!(
        ended
            .stdout
            .contains("1 commit after the seal is not covered"),
        "{ended:?}"
    );
    let (code, json) = desk.verify(&["--key", &desk.public()]);
    assert_eq!(code, Some(5));
    assert_eq!(json["valid"], false);
    assert_eq!(
        (&json["verdict"], &json["score"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(json["signer"], "known");
    assert_eq!(json["problems"].as_array().unwrap().len(), 1);
    desk.git(&["reset", "-q", "--hard", "HEAD~2"]);
    let (code, json) = desk.verify(&["--key", &desk.public()]);
    assert_eq!(code, Some(5));
    assert_eq!(json["problems"][0], "there is no seal on this branch");
    assert_eq!(json["signer"], "unknown");
}

#[test]
fn wrong_places_and_names_are_usage() {
    let desk = Desk::new();
    for args in [
        &["seal", "verify", "no-such-branch"][..],
        &["seal", "verify", "--", "--output=x"],
        &["seal", "verify", "HEAD~1"],
    ] {
        let ended = desk.run(args);
        assert_eq!(ended.code, Some(2), "{args:?} {ended:?}");
    }
    let outside = desk.run_in(desk.folder.path(), &["seal", "verify"]);
    assert_eq!(outside.code, Some(2), "{outside:?}");
    desk.git(&["branch", "-q", "-D", BRANCH]);
    let none = desk.run(&["seal", "verify"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.stderr.contains("no build branch"), "{none:?}");
}

#[test]
fn this_machines_key_is_made_once_for_its_owner_alone() {
    let desk = Desk::new();
    let shown = desk.run(&["seal", "key"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let key: PublicKey = shown.stdout.trim().parse().unwrap();
    assert_eq!(desk.run(&["seal", "key"]).stdout, shown.stdout);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&desk.keys()), 0o700);
    assert_eq!(mode(&desk.keys().join("seal.pk8")), 0o600);
    let names: Vec<_> = std::fs::read_dir(desk.keys()).unwrap().collect();
    assert_eq!(names.len(), 1, "no draft is left");
    // What it signs is known here, without any setting.
    let bytes = std::fs::read(desk.keys().join("seal.pk8")).unwrap();
    let own = SealKey::from_pkcs8(&bytes).unwrap();
    assert_eq!(own.public(), key);
    desk.git(&["checkout", "-q", BRANCH]);
    desk.git(&["reset", "-q", "--hard", "HEAD~1"]);
    desk.seal(&own);
    let (code, json) = desk.verify(&[]);
    assert_eq!((code, &json["signer"]), (Some(0), &"known".into()));
    assert_eq!(json["known_by"], "this machine's own key");
}

#[test]
fn two_processes_that_make_the_key_agree() {
    let desk = Desk::new();
    let many: Vec<_> = (0..8)
        .map(|_| {
            let args = ["seal", "key"];
            let mut command = desk.command(&desk.repository(), &args);
            command.spawn().unwrap()
        })
        .collect();
    let shown: std::collections::BTreeSet<String> = many
        .into_iter()
        .map(|child| {
            let ended = ended(child);
            assert_eq!(ended.code, Some(0), "{ended:?}");
            ended.stdout
        })
        .collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(std::fs::read_dir(desk.keys()).unwrap().count(), 1);
}

#[test]
fn a_key_that_others_can_read_is_not_used() {
    let desk = Desk::new();
    let made = desk.run(&["seal", "key"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let file = desk.keys().join("seal.pk8");
    for (path, open, tight) in [(&file, 0o640, 0o600), (&desk.keys(), 0o755, 0o700)] {
        let set = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, permissions).unwrap();
        };
        set(open);
        let refused = desk.run(&["seal", "key"]);
        assert_eq!(refused.code, Some(6), "{refused:?}");
        let remedy = format!("chmod {tight:o} '{}'", path.display());
        assert!(refused.stderr.contains(&remedy), "{refused:?}");
        // Somebody else's seal can still be judged; the own key then vouches for nothing.
        let other = desk.run(&["seal", "verify", "--key", &desk.public()]);
        assert_eq!(other.code, Some(0), "{other:?}");
        assert!(other.stderr.contains("is not used"), "{other:?}");
        set(tight);
    }
    std::fs::write(&file, "no key").unwrap();
    let broken = desk.run(&["seal", "key"]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
    let linked = desk.run(&["seal", "key"]);
    assert_eq!(linked.code, Some(6), "{linked:?}");
}

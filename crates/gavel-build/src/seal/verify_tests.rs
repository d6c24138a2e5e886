use std::path::{Path, PathBuf};

use gavel_testkit::{git, git_program};
use gavel_workspace::{BranchTip, Repository};

use super::super::sample::{BRANCH, CONTRACT, SCHEMA, statement};
use super::{SealCheck, SignerStanding, verify_seal};
use gavel_domain::{Approver, GateCondition};

use crate::seal::{
    LaterApproval, PublicKey, SealApproval, SealKey, SealProblem, SealStatement,
    numbered_seal_file, seal_file, sign_seal,
};

/// A repository whose build branch can be sealed, by git alone: what a check sees is a clone.
struct Bed {
    folder: tempfile::TempDir,
    key: SealKey,
}

impl Bed {
    fn new() -> Self {
        let bed = Self {
            folder: tempfile::tempdir().unwrap(),
            key: SealKey::generate().unwrap().1,
        };
        std::fs::create_dir(bed.path()).unwrap();
        bed.git(&["init", "-q", "-b", "main"]);
        bed.put("README.md", "# Notes\n");
        bed.commit("begin");
        bed.git(&["checkout", "-q", "-b", BRANCH]);
        bed.put("src/main.rs", "fn main() {}\n");
        bed.put(CONTRACT, SCHEMA);
        bed.commit("phase 1");
        bed
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn git(&self, args: &[&str]) -> String {
        git(&self.path(), args)
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    fn commit(&self, title: &str) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", title]);
    }

    /// What is to be said about the commit that HEAD is at.
    fn statement(&self, key: &SealKey) -> SealStatement {
        let tree = self.git(&["rev-parse", "HEAD^{tree}"]).parse().unwrap();
        statement(&tree, &self.git(&["rev-parse", "HEAD"]), key)
    }

    fn seal(&self) {
        self.seal_with(&self.statement(&self.key), &self.key);
    }

    fn seal_with(&self, statement: &SealStatement, key: &SealKey) {
        self.put(&seal_file("1"), sign_seal(statement, key).unwrap());
        self.commit("[gavel] seal: conditional");
    }

    async fn check(&self) -> SealCheck {
        self.check_knowing(&[self.key.public()]).await
    }

    async fn check_knowing(&self, known: &[PublicKey]) -> SealCheck {
        check_in(&self.path(), "refs/heads/gavel/build-1", known).await
    }

    /// What is wrong, as people read it.
    async fn problems(&self) -> Vec<String> {
        told(&self.check().await)
    }
}

async fn check_in(folder: &Path, name: &str, known: &[PublicKey]) -> SealCheck {
    let repository = Repository::open(&git_program(), folder).await.unwrap();
    let branches = repository.branches().await.unwrap();
    let tip: &BranchTip = branches.iter().find(|tip| tip.name == name).unwrap();
    verify_seal(
        &repository,
        tip,
        crate::ReadersKeys {
            known,
            claimed: &[],
        },
    )
    .await
    .unwrap()
}

fn told(check: &SealCheck) -> Vec<String> {
    assert!(!check.is_valid());
    assert_eq!((check.verdict(), check.score()), (None, None));
    check.problems.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_seal_holds_in_its_repository_and_in_any_clone() {
    let bed = Bed::new();
    bed.seal();
    let check = bed.check().await;
    assert_eq!(check.problems, []);
    assert_eq!(check.signer, SignerStanding::Known);
    assert_eq!(check.verdict(), Some(gavel_rules::SealVerdict::Conditional));
    assert_eq!(check.score(), Some(1000));
    let tip = bed.git(&["rev-parse", "HEAD"]);
    assert_eq!(check.commit.unwrap().as_str(), tip);
    let url = format!("file://{}", bed.path().display());
    let clone = bed.folder.path().join("clone");
    git(bed.folder.path(), &["clone", "-q", &url, "clone"]);
    let name = "refs/remotes/origin/gavel/build-1";
    let there = check_in(&clone, name, &[bed.key.public()]).await;
    assert!(there.is_valid(), "{there:?}");
    assert_eq!(there.signer, SignerStanding::Known);
}

#[tokio::test]
async fn a_clone_without_the_judged_commit_is_told_how_to_get_it() {
    let bed = Bed::new();
    bed.seal();
    let url = format!("file://{}", bed.path().display());
    let args = [
        "clone",
        "-q",
        "--depth=1",
        "--branch",
        BRANCH,
        &url,
        "clone",
    ];
    git(bed.folder.path(), &args);
    let clone = bed.folder.path().join("clone");
    let name = "refs/heads/gavel/build-1";
    let check = check_in(&clone, name, &[bed.key.public()]).await;
    assert!(
        told(&check)[0].contains("git fetch --deepen=1"),
        "{check:?}"
    );
    git(&clone, &["fetch", "-q", "--deepen=1"]);
    let check = check_in(&clone, name, &[bed.key.public()]).await;
    assert!(check.is_valid(), "{check:?}");
}

#[tokio::test]
async fn another_key_is_unknown_however_well_it_signs() {
    let bed = Bed::new();
    let stranger = SealKey::generate().unwrap().1;
    bed.seal_with(&bed.statement(&stranger), &stranger);
    let check = bed.check().await;
    assert!(check.is_valid(), "{check:?}");
    assert_eq!(check.signer, SignerStanding::Unknown);
    assert_eq!(check.key, Some(stranger.public()));
    let known = [bed.key.public(), stranger.public()];
    assert_eq!(
        bed.check_knowing(&known).await.signer,
        SignerStanding::Known
    );
}

#[tokio::test]
async fn tampering_and_signing_again_with_a_fresh_key_is_unknown() {
    let bed = Bed::new();
    bed.seal();
    bed.git(&["reset", "-q", "--hard", "HEAD~1"]);
    bed.put("src/main.rs", "fn main() { steal() }\n");
    bed.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    let fresh = SealKey::generate().unwrap().1;
    bed.seal_with(&bed.statement(&fresh), &fresh);
    let check = bed.check().await;
    assert!(check.is_valid());
    assert_eq!(check.signer, SignerStanding::Unknown);
}

#[tokio::test]
async fn a_branch_without_a_seal_has_none() {
    let bed = Bed::new();
    assert_eq!(bed.check().await.problems, [SealProblem::NoSeal]);
}

#[tokio::test]
async fn commits_after_the_seal_are_counted() {
    let bed = Bed::new();
    bed.seal();
    bed.put("src/main.rs", "fn main() { steal() }\n");
    bed.commit("later");
    let told = bed.problems().await;
    assert_eq!(told, ["1 commit after the seal is not covered"]);
    bed.commit("an empty one");
    let told = bed.problems().await;
    assert_eq!(told, ["2 commits after the seal are not covered"]);
    // The signature still holds, and who signed is still told.
    assert_eq!(bed.check().await.signer, SignerStanding::Known);
}

#[tokio::test]
async fn a_changed_payload_is_noticed() {
    let bed = Bed::new();
    bed.seal();
    let file = bed.path().join(seal_file("1"));
    let mut envelope: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    use base64::Engine as _;
    let engine = base64::engine::general_purpose::STANDARD;
    let payload = engine.decode(envelope["payload"].as_str().unwrap());
    let text = String::from_utf8(payload.unwrap()).unwrap();
    let better = text.replace("\"conditional\"", "\"certified\"");
    envelope["payload"] = engine.encode(better).into();
    std::fs::write(&file, envelope.to_string()).unwrap();
    bed.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    let check = bed.check().await;
    assert_eq!(check.problems, [SealProblem::Signature]);
    assert_eq!(check.signer, SignerStanding::Unknown);
    assert_eq!((&check.statement, &check.key), (&None, &None));
    // Changed in a later commit, it is not even new.
    bed.put(&seal_file("1"), "{}");
    bed.commit("later");
    let told = bed.problems().await.join("; ");
    assert!(
        told.contains("also changes `.gavel/seal/1.dsse.json`"),
        "{told}"
    );
    assert!(told.contains("adds 0 seals"), "{told}");
}

#[tokio::test]
async fn other_files_than_the_sealed_ones_are_noticed() {
    let bed = Bed::new();
    let before = bed.statement(&bed.key);
    bed.put("src/main.rs", "fn main() { steal() }\n");
    bed.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    bed.seal_with(&before, &bed.key);
    let told = bed.problems().await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("the seal is for the tree"), "{told:?}");
    assert!(
        told[1].starts_with("the seal judges the commit"),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_contract_must_be_the_sealed_one() {
    let bed = Bed::new();
    bed.put(CONTRACT, "# Another schema\n");
    bed.commit("phase 2");
    bed.seal();
    let told = bed.problems().await;
    let changed =
        "the contract schema at `.gavel/contracts/schema.md` is not the one that was sealed";
    assert_eq!(told, [changed]);
    let bed = Bed::new();
    bed.git(&["rm", "-q", CONTRACT]);
    bed.commit("phase 2");
    bed.seal();
    let told = bed.problems().await;
    assert_eq!(
        told,
        ["the contract schema is not at `.gavel/contracts/schema.md`"]
    );
    // A link to the right text is not the file.
    let bed = Bed::new();
    bed.git(&["mv", CONTRACT, "elsewhere.md"]);
    let link = bed.path().join(CONTRACT);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("../../elsewhere.md", link).unwrap();
    bed.commit("phase 2");
    bed.seal();
    assert_eq!(bed.problems().await, told);
}

#[tokio::test]
async fn nothing_else_may_be_in_the_seal_commit() {
    for (name, text) in [
        ("src/extra.rs", "steal()\n"),
        ("src/main.rs", "fn main() { steal() }\n"),
        (".gavel/seal/notes.txt", "more\n"),
        (".gavel/seal/deeper/1.dsse.json", "{}\n"),
    ] {
        let bed = Bed::new();
        let sealed = sign_seal(&bed.statement(&bed.key), &bed.key).unwrap();
        bed.put(&seal_file("1"), sealed);
        bed.put(name, text);
        bed.commit("[gavel] seal: conditional");
        let told = bed.problems().await;
        assert_eq!(told, [format!("the seal commit also changes `{name}`")]);
    }
    let bed = Bed::new();
    bed.put(&seal_file("2"), "{}");
    bed.seal();
    assert_eq!(
        bed.problems().await,
        ["the seal commit adds 2 seals, not one"]
    );
    // A submodule is a change, too.
    let bed = Bed::new();
    let sealed = sign_seal(&bed.statement(&bed.key), &bed.key).unwrap();
    bed.put(&seal_file("1"), sealed);
    bed.git(&["add", "-A", "-f"]);
    let entry = format!("160000,{},vendor", "1".repeat(40));
    bed.git(&["update-index", "--add", "--cacheinfo", &entry]);
    bed.git(&["commit", "-q", "-m", "seal"]);
    let told = bed.problems().await;
    assert_eq!(told, ["the seal commit also changes `vendor`"]);
}

#[tokio::test]
async fn a_seal_is_for_its_own_branch_and_build() {
    let bed = Bed::new();
    bed.seal();
    bed.git(&["branch", "gavel/build-2"]);
    let known = [bed.key.public()];
    let check = check_in(&bed.path(), "refs/heads/gavel/build-2", &known).await;
    let told = told(&check);
    assert_eq!(
        told,
        ["the seal is for the branch `gavel/build-1`, not for `gavel/build-2`"]
    );
    let bed = Bed::new();
    let sealed = sign_seal(&bed.statement(&bed.key), &bed.key).unwrap();
    bed.put(&seal_file("3"), sealed);
    bed.commit("seal");
    let told = bed.problems().await;
    assert_eq!(
        told,
        ["the seal of the build `1` lies at `.gavel/seal/3.dsse.json`"]
    );
}

#[tokio::test]
async fn a_merged_seal_commit_is_no_seal_commit() {
    let bed = Bed::new();
    let sealed = sign_seal(&bed.statement(&bed.key), &bed.key).unwrap();
    bed.git(&["checkout", "-q", "-b", "side", "main"]);
    bed.put("side.txt", "side\n");
    bed.commit("side");
    bed.git(&["checkout", "-q", BRANCH]);
    bed.git(&["merge", "-q", "--no-commit", "--no-ff", "side"]);
    bed.put(&seal_file("1"), sealed);
    bed.commit("seal");
    assert_eq!(
        bed.problems().await,
        ["the seal commit has 2 parents, not one"]
    );
}

#[tokio::test]
async fn replacement_objects_deceive_nobody() {
    let bed = Bed::new();
    bed.seal();
    let sealed_tip = bed.git(&["rev-parse", "HEAD"]);
    bed.put("src/main.rs", "fn main() { steal() }\n");
    bed.commit("later");
    let tip = bed.git(&["rev-parse", "HEAD"]);
    bed.git(&["replace", &tip, &sealed_tip]);
    let told = bed.problems().await;
    assert_eq!(told, ["1 commit after the seal is not covered"]);
}

/// What a person adds behind a seal that nobody looked at.
fn later(bed: &Bed, before: &SealStatement) -> SealStatement {
    let seal = bed.git(&["rev-parse", "HEAD"]).parse().unwrap();
    let file = bed.path().join(numbered_seal_file("1", seals(bed)));
    before.approved(LaterApproval {
        seal: &seal,
        envelope: &std::fs::read(file).unwrap(),
        at: "2026-11-16T12:00:00Z".parse().unwrap(),
        journal: before.predicate.journal.clone(),
        gavel: "0.1.0",
        signer: bed.key.public(),
    })
}

fn seals(bed: &Bed) -> usize {
    let files = bed.git(&["ls-files", ".gavel/seal"]);
    files.lines().count()
}

/// A branch whose seal nobody looked at, and what that seal says.
fn shipped_unseen() -> (Bed, SealStatement) {
    let bed = Bed::new();
    let mut statement = bed.statement(&bed.key);
    let line = gavel_rules::Omission::Approval(Approver::YesFlag).to_string();
    let predicate = &mut statement.predicate;
    predicate.approval = Some(SealApproval {
        by: Approver::YesFlag,
        at: predicate.sealed_at,
        rule: None,
    });
    predicate.left_out = vec![line.clone()];
    predicate.reasons = vec![format!("left out: {line}")];
    predicate.conditions = SIX
        .map(|id| {
            let waived = id == "user_approval";
            GateCondition {
                id: id.to_owned(),
                holds: true,
                looked_at: u32::from(!waived),
                held: u32::from(!waived),
                reason: if waived { "yes_flag" } else { "" }.to_owned(),
            }
        })
        .to_vec();
    bed.seal_with(&statement, &bed.key);
    (bed, statement)
}

const SIX: [&str; 6] = [
    "engineering_floor",
    "evidence",
    "weighted_score",
    "assumption_ledger",
    "owner_customer",
    "user_approval",
];

/// Puts a further seal behind the branch.
fn follow(bed: &Bed, statement: &SealStatement) {
    let number = seals(bed) + 1;
    let envelope = sign_seal(statement, &bed.key).unwrap();
    bed.put(&numbered_seal_file("1", number), envelope);
    bed.commit("[gavel] seal: certified");
}

#[tokio::test]
async fn a_person_who_looks_later_adds_a_seal_over_the_same_tree() {
    let (bed, before) = shipped_unseen();
    assert_eq!(bed.check().await.problems, []);
    let first = bed.git(&["rev-parse", "HEAD"]);
    let after = later(&bed, &before);
    assert_eq!(after.predicate.verdict, gavel_rules::SealVerdict::Certified);
    follow(&bed, &after);
    let check = bed.check().await;
    assert_eq!(check.problems, []);
    assert_eq!(check.verdict(), Some(gavel_rules::SealVerdict::Certified));
    let [earlier] = check.earlier.as_slice() else {
        panic!("{:?}", check.earlier);
    };
    assert_eq!(earlier.commit.as_str(), first);
    assert_eq!(earlier.verdict, gavel_rules::SealVerdict::Conditional);
    // What comes behind it is covered by neither.
    bed.put("src/main.rs", "fn main() { later() }\n");
    bed.commit("later");
    assert_eq!(
        bed.problems().await,
        ["1 commit after the seal is not covered"]
    );
}

/// What is told, and what is wrong with a seal that follows.
type Wrong = (&'static str, fn(&Bed, &mut SealStatement));

#[tokio::test]
async fn a_seal_that_follows_another_one_changes_the_approval_alone() {
    let cases: [Wrong; 5] = [
        (
            "says otherwise than the one that it follows: criteria",
            |_, seal| {
                seal.predicate.criteria[0].statement = "anything".to_owned();
            },
        ),
        (
            "says otherwise than the one that it follows: left_out",
            |_, seal| {
                seal.predicate.left_out.push("coverage: none".to_owned());
            },
        ),
        ("no person approved it", |_, seal| {
            seal.predicate.verdict = gavel_rules::SealVerdict::Conditional;
            seal.predicate.approval.as_mut().unwrap().by = Approver::Clock;
            let approval = seal.predicate.conditions.last_mut().unwrap();
            (approval.looked_at, approval.held) = (0, 0);
            approval.reason = "clock".to_owned();
        }),
        ("is not the one that the next one follows", |_, seal| {
            let follows = seal.predicate.follows.as_mut().unwrap();
            follows.blake3 = gavel_domain::Digest::of("another");
        }),
        ("the seal follows the seal of", |bed, seal| {
            let follows = seal.predicate.follows.as_mut().unwrap();
            follows.commit = bed.git(&["rev-parse", "HEAD~1"]);
        }),
    ];
    for (told, wrong) in cases {
        let (bed, before) = shipped_unseen();
        let mut after = later(&bed, &before);
        wrong(&bed, &mut after);
        follow(&bed, &after);
        let problems = bed.problems().await;
        assert!(
            problems.iter().any(|one| one.contains(told)),
            "{told}: {problems:?}"
        );
    }
}

#[tokio::test]
async fn the_commit_of_a_seal_that_follows_adds_its_file_alone() {
    let (bed, before) = shipped_unseen();
    let after = later(&bed, &before);
    bed.put("src/main.rs", "fn main() { more() }\n");
    follow(&bed, &after);
    assert_eq!(
        bed.problems().await,
        ["the seal commit also changes `src/main.rs`"]
    );
    // Nor may it take the place of the first, or stand under another number.
    let (bed, before) = shipped_unseen();
    let after = later(&bed, &before);
    bed.put(
        &numbered_seal_file("1", 3),
        sign_seal(&after, &bed.key).unwrap(),
    );
    bed.commit("[gavel] seal: certified");
    let told = "the seal of the build `1` lies at `.gavel/seal/1.3.dsse.json`";
    assert_eq!(bed.problems().await, [told]);
}

#[tokio::test]
async fn a_clone_that_is_too_shallow_for_both_seals_says_so_and_nothing_else() {
    let (bed, before) = shipped_unseen();
    follow(&bed, &later(&bed, &before));
    let url = format!("file://{}", bed.path().display());
    let args = ["clone", "-q", "--depth", "2", "-b", BRANCH, &url, "clone"];
    git(bed.folder.path(), &args);
    let clone = bed.folder.path().join("clone");
    let check = check_in(&clone, "refs/heads/gavel/build-1", &[bed.key.public()]).await;
    let [told] = told(&check).try_into().unwrap();
    assert!(told.contains("run `git fetch --deepen=1` first"), "{told}");
}

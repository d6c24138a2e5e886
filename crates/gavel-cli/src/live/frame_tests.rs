use clap::Parser as _;
use gavel_domain::{
    BlobRef, Digest, Epoch, Fact, GateJudged, Key, ModelReplied, Record, RecordDraft, RecordKey,
    ReviewMade, RouteDecided, RunId, SealSigned, Sealed, Seq, SpecWritten, SprintPart, SprintStage,
    StageEntered, StopReason, Timestamp, TokenUsage, ToolFinished, UsageReserved, UsageSettled,
    VerifyFinished, VerifyVerdict,
};
use gavel_domain::{MicroUsd, Role, SpendClass, Tokens};

use super::*;
use crate::args::Cli;
use crate::live::words::tool_doing;

/// A journal that is written one fact a second.
struct Journal {
    progress: Progress,
    seq: u64,
    left: Vec<Left>,
}

impl Journal {
    fn new() -> Self {
        let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        Self {
            progress: Progress::new(run, at(0)),
            seq: 0,
            left: Vec::new(),
        }
    }

    fn fact(&mut self, key: RecordKey, fact: &impl Fact) {
        self.seq += 1;
        let place = (Seq(self.seq), Epoch(1));
        let draft = RecordDraft::new(key, fact).unwrap();
        let run = self.progress.head.run;
        let record: Record = draft.place(run, place, at(self.seq), Digest::ZERO);
        self.left.extend(self.progress.take(&record));
    }

    fn outcome(&mut self, key: &str, fact: &impl Fact) {
        self.fact(Key::new(key).unwrap().outcome(), fact);
    }

    fn enter(&mut self, stage: Stage) {
        self.outcome(&format!("stage/{stage}"), &StageEntered { stage });
    }

    fn foot(&self, width: usize) -> String {
        fit(
            &plain(),
            &foot(&self.progress, (0, 75_400), "ctrl-C pauses"),
            width,
        )
        .join("\n")
    }

    fn story(&self) -> String {
        let line = |left| dress(&plain(), &stays(left, &self.progress));
        self.left.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn at(second: u64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + i64::try_from(second).unwrap()).unwrap()
}

fn blob() -> BlobRef {
    gavel_domain::Blob::new("{}".as_bytes()).name()
}

/// Tests have no terminal, so nothing is coloured.
fn plain() -> Ui {
    Ui::new(&Cli::try_parse_from(["gavel", "status"]).unwrap().general)
}

fn building() -> Journal {
    let mut journal = Journal::new();
    journal.enter(Stage::Building);
    let part = SprintStage {
        sprint: 1,
        part: SprintPart::Code,
        round: 0,
    };
    journal.outcome("sprint-1/code", &part);
    let reserved = UsageReserved {
        model: "fake/model".into(),
        role: Role::Coder,
        class: SpendClass::Metered,
        ceiling: Some(MicroUsd(900)),
        input_max: Tokens(10),
        output_max: Tokens(10),
        request: blob(),
    };
    let turn = Key::new("sprint-1/code-1/turn-1").unwrap();
    journal.fact(turn.attempt_part(1, "reserved"), &reserved);
    journal
}

#[test]
fn the_foot_says_who_does_what_and_what_it_costs() {
    let mut journal = building();
    insta::assert_snapshot!(journal.foot(80), @"
    ⠋ building   sprint 1: writing code
      coder fake/model · $0.00 spent · 1:15 · ctrl-C pauses
    ");
    let turn = Key::new("sprint-1/code-1/turn-1").unwrap();
    let settled = UsageSettled {
        model: "fake/model".into(),
        usage: TokenUsage::default(),
        cost: Some(MicroUsd(420)),
        input_max: Tokens(10),
    };
    journal.fact(turn.attempt_part(1, "settled"), &settled);
    let replied = ModelReplied {
        model: "fake/model".into(),
        text: None,
        tool_calls: Vec::new(),
        stop: StopReason::ToolUse,
        usage: TokenUsage::default(),
    };
    journal.fact(turn.outcome(), &replied);
    let tools = ["src/main.rs", "src/a/long/name/that/does/not/fit/store.rs"];
    let doing = tools.map(|path| tool_doing("write_file", &arguments(path)));
    journal.progress.called(&turn, doing.to_vec());
    insta::assert_snapshot!(journal.foot(80), @"
    ⠋ building   sprint 1: writing code · writing src/main.rs
      coder fake/model · $0.00042 spent · 1:15 · ctrl-C pauses
    ");
    let finished = ToolFinished {
        tool: "write_file".into(),
        ok: true,
        result: blob(),
        level: None,
        source: None,
    };
    journal.outcome("sprint-1/code-1/turn-1/tool-1", &finished);
    insta::assert_snapshot!(journal.foot(60), @"
    ⠋ building   sprint 1: writing code · writing src/a/long/n…
      coder fake/model · $0.00042 spent · 1:15 · ctrl-C pauses
    ");
    insta::assert_snapshot!(journal.foot(30), @"⠋ building   sprint 1: writi…");
}

fn arguments(path: &str) -> Vec<u8> {
    serde_json::json!({ "path": path, "content": "…" })
        .to_string()
        .into_bytes()
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut journal = building();
    let turn = Key::new("sprint-1/code-1/turn-1").unwrap();
    let wide = tool_doing(
        "read_file",
        &arguments("東京/計画/とても長い名前のファイル.rs"),
    );
    journal.progress.called(&turn, vec![wide]);
    for width in 0..100 {
        for line in fit(
            &plain(),
            &foot(&journal.progress, (3, 1_000), "ctrl-C pauses"),
            width,
        ) {
            assert!(
                columns(&line) <= width.saturating_sub(1).max(1),
                "{width}: {line}"
            );
        }
    }
}

#[test]
fn what_a_model_wrote_steers_no_terminal() {
    let doing = tool_doing("read_file", &arguments("a\u{1b}[2J\u{202e}b\nc"));
    assert_eq!(doing, "reading a[2Jb c");
    assert_eq!(tool_doing("run_tests", b"{}"), "running the tests");
    assert_eq!(tool_doing("other_tool", b"no json"), "other_tool");
}

fn all_passed(tests: u32) -> VerifyFinished {
    VerifyFinished {
        recipe: "cargo".into(),
        verdict: VerifyVerdict::Passed,
        reason: "all_passed".into(),
        executed: tests,
        passed: tests,
        failed: 0,
        skipped: 0,
        output: blob(),
        tree: None,
        level: None,
        coverage: None,
        smoke: None,
        install: Vec::new(),
    }
}

#[test]
fn finished_stages_leave_one_line_each() {
    let mut journal = Journal::new();
    journal.enter(Stage::Intake);
    let route = RouteDecided {
        route: "hot_path".into(),
        sufficient: true,
        missing: Vec::new(),
        complexity: "simple".into(),
        size: "small".into(),
        reasons: Vec::new(),
        inputs: None,
    };
    journal.outcome("intake/route", &route);
    journal.enter(Stage::Council);
    let review = ReviewMade {
        items: blob(),
        speaks_for: 6,
        speaks_against: 1,
    };
    journal.outcome("council-1/review", &review);
    journal.enter(Stage::Scoping);
    let spec = SpecWritten {
        spec: blob(),
        criteria: 12,
    };
    journal.outcome("spec-1/written", &spec);
    journal.enter(Stage::Building);
    let part = SprintStage {
        sprint: 1,
        part: SprintPart::Verify,
        round: 1,
    };
    journal.outcome("sprint-1/verify", &part);
    journal.outcome("sprint-1/verified", &all_passed(24));
    journal.enter(Stage::Gating);
    let judged = GateJudged {
        commit: "c".into(),
        passed: true,
        score: 1_000,
        conditions: Vec::new(),
        evidence: blob(),
        faults: None,
    };
    journal.outcome("gate-1/judged", &judged);
    journal.enter(Stage::Sealing);
    let signed = SealSigned {
        verdict: "certified".into(),
        envelope: blob(),
        key: "k".into(),
    };
    journal.outcome("seal/signed", &signed);
    let sealed = Sealed {
        branch: "gavel/build-1".into(),
        commit: "0123456789abcdef".into(),
        verdict: "certified".into(),
    };
    journal.outcome("seal/sealed", &sealed);
    let last = journal.progress.finish(at(90));
    journal.left.extend(last);
    insta::assert_snapshot!(journal.story(), @"
    ✓ intake     small, straight to work                 2.0 s
    ✓ council    rule-based review: 6 for, 1 against     2.0 s
    ✓ scoping    12 criteria                             2.0 s
      sprint 1: running the tests (repair 1)
    ✓ building   0 phases, 0 commits, 24 tests pass      3.0 s
    ✓ gating     passed, 100 % shown                     2.0 s
    ✓ sealing    certified                               1:18
    ");
}

#[test]
fn a_gate_that_did_not_pass_gets_no_tick() {
    let mut journal = Journal::new();
    let judged = |passed, score| GateJudged {
        commit: "c".into(),
        passed,
        score,
        conditions: Vec::new(),
        evidence: blob(),
        faults: None,
    };
    journal.enter(Stage::Gating);
    journal.outcome("gate-1/judged", &judged(false, 1_000));
    journal.enter(Stage::Building);
    let told = journal.story();
    insta::assert_snapshot!(told, @"✗ gating     not passed, 100 % shown                 2.0 s");
    // A breaker may end a gate before it judged; what an earlier one said is not its word.
    journal.enter(Stage::Gating);
    journal.enter(Stage::Building);
    let told = journal.story();
    let last = told.lines().last().unwrap_or_default();
    assert!(last.starts_with("✗ gating     without a verdict"), "{told}");
    journal.enter(Stage::Gating);
    journal.outcome("gate-3/judged", &judged(true, 900));
    journal.enter(Stage::Sealing);
    let told = journal.story();
    let last = told.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("✓ gating     passed, 90 % shown"),
        "{told}"
    );
}

#[test]
fn time_in_which_nobody_works_does_not_count() {
    let mut journal = Journal::new();
    journal.enter(Stage::Discovery);
    let key = Key::new("discovery-1/all").unwrap();
    let asked = gavel_domain::QuestionAsked {
        purpose: gavel_domain::Purpose::Choice,
        card: blob(),
        shape: gavel_domain::AnswerShape::Text { max_bytes: 9 },
        recommended: None,
        audience: gavel_domain::Audience::Any,
        deadline_at: None,
        on_timeout: gavel_domain::OnTimeout::Wait,
    };
    journal.fact(key.part("asked"), &asked);
    journal.seq += 100;
    let answered = gavel_domain::QuestionAnswered {
        value: gavel_domain::AnswerValue::Decide,
        by: gavel_domain::Speaker::PERSON,
        inbox: None,
        timed_out: false,
        assumed: false,
    };
    journal.fact(key.outcome(), &answered);
    journal.seq += 500;
    let resumed = gavel_domain::Resumed {
        unclean: true,
        gavel: "0.1.0".into(),
    };
    let key = Key::engine("run/resumed-2").unwrap();
    journal.fact(key.outcome(), &resumed);
    journal.enter(Stage::Council);
    insta::assert_snapshot!(journal.story(), @"✓ discovery                                          2.0 s");
}

#[test]
fn a_run_that_stops_says_where() {
    let mut journal = Journal::new();
    journal.enter(Stage::Gating);
    let halted = gavel_domain::Halted {
        reason: "gate_failed".into(),
        detail: None,
    };
    journal.outcome("halt/reason", &halted);
    let last = journal.progress.finish(at(3));
    journal.left.extend(last);
    insta::assert_snapshot!(journal.story(), @"✗ gating     stopped: gate failed                    2.0 s");
    let pieces = |left| stays(left, &journal.progress);
    let narrow = |width| fit_stays(&plain(), pieces(&journal.left[0]), width);
    assert_eq!(narrow(50), "✗ gating     stopped: gate failed  2.0 s");
    assert_eq!(narrow(30), "✗ gating     stopped: gate f…");
    // A run that waits or is paused will go on: its stage is not over.
    let mut waits = building();
    assert_eq!(waits.progress.finish(at(9)), None);
}

#[test]
fn a_sprint_says_which_of_how_many_and_what_it_left_shown() {
    let mut journal = Journal::new();
    let mut settings = gavel_domain::Settings::default();
    let most = ("run.max_sprints".to_owned(), 5.into());
    settings.values.extend([most]);
    let started = gavel_domain::RunStarted {
        flow: 1,
        driver: "product".into(),
        seed: Digest::ZERO,
        gavel: "0.1.0".into(),
        settings,
        project: None,
        brief: None,
    };
    journal.fact(Key::engine("run/started").unwrap().outcome(), &started);
    journal.enter(Stage::Building);
    let opened = gavel_domain::SprintOpened {
        sprint: 3,
        phase: Some(1),
        of_phase: 2,
        spent: MicroUsd(7),
        driven_ms: 9,
        cap: None,
        said: None,
        focus: None,
    };
    journal.outcome("sprint-3/opened", &opened);
    let part = SprintStage {
        sprint: 3,
        part: SprintPart::Verify,
        round: 1,
    };
    journal.outcome("sprint-3/verify", &part);
    insta::assert_snapshot!(journal.foot(80), @"
    ⠋ building   sprint 3 of 5, phase 1: running the tests (repair 1)
      $0.00 of $5.00 · 1:15 · ctrl-C pauses
    ");
    for (sprint, met) in [(3, 7), (0, 8)] {
        let judged = gavel_domain::CriteriaJudged {
            sprint,
            met,
            partial: 1,
            unmet: 2,
            score: 750,
            judged: blob(),
        };
        journal.outcome(&format!("sprint-{sprint}/criteria"), &judged);
    }
    let tripped = gavel_domain::BreakerTripped {
        breaker: "cb_2".into(),
        reason: "oscillation".into(),
        sprint: Some(3),
        role: None,
        degraded: false,
        numbers: std::collections::BTreeMap::new(),
    };
    journal.outcome("sprint-3/breaker", &tripped);
    let share = gavel_domain::ShareExceeded {
        stage: Stage::Building,
        spent: MicroUsd(900_000),
        share: MicroUsd(500_000),
    };
    journal.outcome("share/building", &share);
    insta::assert_snapshot!(journal.story(), @"
      sprint 3: running the tests (repair 1)
    · sprint 3: 7 of 10 criteria hold, 1 in part (75 %), not proven yet
    ! The last sprints did not come closer to what was asked for (sprint 3): it waits for you
    ! building has spent $0.90, more than its share of $0.50; it goes on
    ");
}

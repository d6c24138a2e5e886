//! Examples of every fact, with every field and every variant that a journal may hold.

use std::collections::BTreeMap;
use std::fmt::Debug;

use gavel_domain::{
    Aborted, AnswerShape, AnswerValue, AttemptFailed, Audience, Billed, BlobRef, Cap, CapChanged,
    CapScope, Caps, CeilingBroken, Closed, CommandFinished, CommitMade, Digest, Door, Fact, Fault,
    FaultClass, Faulted, GaveUp, Halted, Heard, HostRefusal, HostRefused, HostTraffic, InboxId,
    InboxRejected, InputDrifted, InstallDecided, InstallRequest, InstallScripts, InstallStep, Key,
    LossCause, MicroUsd, ModelReplied, OnTimeout, PauseCause, Paused, ProjectId, Purpose,
    QuestionAnswered, QuestionAsked, Resumed, Role, RunStarted, Said, SandboxLevel, ScriptsUnasked,
    Sealed, Settings, ShipRequested, SourceDecided, SourceRule, Speaker, SpendAllowed, SpendClass,
    SpendThreshold, Stage, StageEntered, StepBegan, StopReason, TimerFired, TimerSet, Timestamp,
    TokenUsage, Tokens, ToolCallMade, ToolFinished, TreeRecorded, UsageLost, UsageReleased,
    UsageReserved, UsageSettled, VerifyFinished, VerifyVerdict,
};

/// One fact as it is written.
pub(crate) struct Example {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
    /// Tells whether a text reads as this fact.
    pub(crate) reads: Box<dyn Fn(&str) -> bool>,
}

pub(crate) fn examples() -> Vec<Example> {
    let mut list = Vec::new();
    start(&mut list);
    run(&mut list);
    step(&mut list);
    questions(&mut list);
    money(&mut list);
    broken_ceilings(&mut list);
    work(&mut list);
    crate::loop_examples::plan(&mut list);
    crate::council_examples::debate(&mut list);
    crate::council_examples::outcome(&mut list);
    crate::loop_examples::build(&mut list);
    crate::loop_examples::judging(&mut list);
    crate::proof_examples::proof(&mut list);
    crate::deliberation_examples::loops(&mut list);
    crate::loop_examples::money(&mut list);
    list
}

pub(crate) fn add<T: Fact + PartialEq + Debug>(list: &mut Vec<Example>, fact: T) {
    list.push(Example {
        kind: T::KIND,
        text: serde_json::to_string(&fact).unwrap(),
        reads: Box::new(move |text| serde_json::from_str::<T>(text).unwrap() == fact),
    });
}

fn start(list: &mut Vec<Example>) {
    let bare = RunStarted {
        flow: 1,
        driver: "toy".to_owned(),
        seed: Digest::of("seed"),
        gavel: "0.1.0".to_owned(),
        settings: Settings::default(),
        project: None,
        brief: None,
    };
    let values = [("council.rounds".to_owned(), serde_json::json!(3))];
    let settings = Settings {
        caps: Caps {
            run_usd: None,
            month_usd: Some(MicroUsd(1)),
            run_tokens: Some(Tokens(9)),
        },
        max_input: Tokens(1_000),
        values: BTreeMap::from(values),
    };
    add(
        list,
        RunStarted {
            settings,
            project: Some(id::<ProjectId>()),
            brief: Some(blob()),
            ..bare.clone()
        },
    );
    add(list, bare);
}

fn run(list: &mut Vec<Example>) {
    let gavel = "0.1.0".to_owned();
    add(
        list,
        Resumed {
            unclean: true,
            gavel,
        },
    );
    for stage in [
        Stage::Intake,
        Stage::Scout,
        Stage::Discovery,
        Stage::Council,
        Stage::Scoping,
        Stage::Contracts,
        Stage::Building,
        Stage::Gating,
        Stage::Sealing,
        Stage::Lessons,
    ] {
        add(list, StageEntered { stage });
    }
    let by = Speaker::PERSON;
    for cause in [
        PauseCause::Asked,
        PauseCause::Interrupted,
        PauseCause::Failed,
    ] {
        add(list, Paused { cause, by });
    }
    for detail in [None, Some(blob())] {
        let reason = "max_sprints_reached".to_owned();
        add(list, Halted { reason, detail });
    }
    add(list, Faulted { detail: blob() });
    for reason in [None, Some(blob())] {
        add(list, Aborted { by, reason });
    }
    add(
        list,
        Sealed {
            branch: "gavel/b1".to_owned(),
            commit: "c1".to_owned(),
            verdict: "certified".to_owned(),
        },
    );
    let how = "decided".to_owned();
    add(list, Closed { how });
    for (door, role) in speakers() {
        let decides = door == Door::Http;
        let by = Speaker {
            door,
            role,
            decides,
        };
        let (id, text) = (id::<InboxId>(), blob());
        add(list, Said { id, by, text });
    }
    let said = vec![id::<InboxId>()];
    add(list, Heard { said });
    add(list, ShipRequested { by });
    for winner in [None, Some(key().attempt(2))] {
        let reason = "already_answered".to_owned();
        add(list, InboxRejected { reason, winner });
    }
}

fn speakers() -> [(Door, Role); 12] {
    [
        (Door::Cli, Role::Person),
        (Door::Engine, Role::Engine),
        (Door::Engine, Role::Leader),
        (Door::Engine, Role::Stance),
        (Door::Engine, Role::Researcher),
        (Door::Engine, Role::Scout),
        (Door::Acp, Role::Coder),
        (Door::Acp, Role::Auditor),
        (Door::Acp, Role::Fixer),
        (Door::Http, Role::Judge),
        (Door::Mcp, Role::Guest),
        (Door::Bridge, Role::Person),
    ]
}

fn step(list: &mut Vec<Example>) {
    let fault = |class| Fault {
        class,
        retry_after_ms: None,
        detail: None,
    };
    for class in [
        FaultClass::RateLimited,
        FaultClass::Overloaded,
        FaultClass::Network,
        FaultClass::BadReply,
        FaultClass::Timeout,
        FaultClass::Unauthorized,
        FaultClass::ContextTooLong,
        FaultClass::Refused,
        FaultClass::Invalid,
        FaultClass::Failed,
        FaultClass::Moved,
        FaultClass::UnknownModel,
        FaultClass::WrongAddress,
    ] {
        let billed = if class.may_pass() {
            Billed::Unknown
        } else {
            Billed::No
        };
        let cost = MicroUsd(7);
        let fault = fault(class);
        add(
            list,
            AttemptFailed {
                fault,
                billed,
                cost,
            },
        );
    }
    add(
        list,
        GaveUp {
            error: Fault {
                retry_after_ms: Some(1_500),
                detail: Some(blob()),
                ..fault(FaultClass::RateLimited)
            },
            attempts: 3,
        },
    );
    add(list, StepBegan {});
    let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned();
    add(list, TreeRecorded { n: 4, tree });
    let (recorded, asked) = (Digest::of("recorded"), Digest::of("asked"));
    add(list, InputDrifted { recorded, asked });
    add(list, TimerSet { due_at: at() });
    add(list, TimerFired {});
}

fn questions(list: &mut Vec<Example>) {
    let options = || vec!["yes".to_owned(), "no".to_owned()];
    let max_bytes = 500;
    let bare = QuestionAsked {
        purpose: Purpose::Choice,
        card: blob(),
        shape: AnswerShape::Choice { options: options() },
        recommended: None,
        audience: Audience::Any,
        deadline_at: None,
        on_timeout: OnTimeout::Wait,
    };
    add(
        list,
        QuestionAsked {
            recommended: Some("yes".to_owned()),
            deadline_at: Some(at()),
            on_timeout: OnTimeout::Take {
                option: "yes".to_owned(),
            },
            ..bare.clone()
        },
    );
    for (purpose, shape) in [
        (
            Purpose::Approval,
            AnswerShape::ChoiceOrText {
                options: options(),
                max_bytes,
            },
        ),
        (
            Purpose::Cap,
            AnswerShape::Limit {
                options: options(),
                above: 5_000_000,
            },
        ),
        (Purpose::Spend, AnswerShape::Text { max_bytes }),
        (Purpose::Once, AnswerShape::Text { max_bytes }),
        (Purpose::Model, AnswerShape::Text { max_bytes }),
        (Purpose::Trouble, AnswerShape::Text { max_bytes }),
        (Purpose::Breaker, AnswerShape::Text { max_bytes }),
        (Purpose::Machine, AnswerShape::Text { max_bytes }),
        (Purpose::Moved, AnswerShape::Text { max_bytes }),
    ] {
        add(
            list,
            QuestionAsked {
                purpose,
                shape,
                audience: Audience::Person,
                on_timeout: OnTimeout::Decide,
                ..bare.clone()
            },
        );
    }
    add(list, bare);
    let yes = "yes".to_owned();
    for value in [
        AnswerValue::Option { id: yes },
        AnswerValue::Text { text: blob() },
        AnswerValue::Limit { limit: 9_000_000 },
        AnswerValue::Decide,
    ] {
        let timed_out = value == AnswerValue::Decide;
        add(
            list,
            QuestionAnswered {
                inbox: (!timed_out).then(id::<InboxId>),
                by: Speaker::PERSON,
                value,
                timed_out,
                assumed: false,
            },
        );
    }
}

fn money(list: &mut Vec<Example>) {
    let model = || "anthropic/some-model".to_owned();
    for (class, ceiling) in [
        (SpendClass::Metered, Some(MicroUsd(12_345))),
        (SpendClass::Reported, Some(MicroUsd(0))),
        (SpendClass::Unmetered, None),
    ] {
        add(
            list,
            UsageReserved {
                model: model(),
                role: Role::Coder,
                class,
                ceiling,
                input_max: Tokens(1_000),
                output_max: Tokens(500),
                request: blob(),
            },
        );
    }
    for cost in [Some(MicroUsd(11)), None] {
        add(
            list,
            UsageSettled {
                model: model(),
                usage: usage(),
                cost,
                input_max: Tokens(1_000),
            },
        );
    }
    add(list, UsageReleased {});
    for (cause, ceiling) in [
        (LossCause::Failed, Some(MicroUsd(12_345))),
        (LossCause::Cancelled, Some(MicroUsd(12_345))),
        (LossCause::DriverDied, None),
    ] {
        add(list, UsageLost { cause, ceiling });
    }
    for scope in [CapScope::RunUsd, CapScope::MonthUsd, CapScope::RunTokens] {
        let cap = Cap {
            scope,
            limit: 5_000_000,
        };
        let (percent, spent) = (80, 4_100_000);
        add(
            list,
            SpendThreshold {
                cap,
                percent,
                spent,
            },
        );
        let by = Speaker::PERSON;
        add(list, CapChanged { cap, by });
    }
}

/// A ceiling that was broken, before and since the provider's figure is kept, and who agreed to go on.
fn broken_ceilings(list: &mut Vec<Example>) {
    let model = || "anthropic/some-model".to_owned();
    let (ceiling, cost) = (MicroUsd(10), MicroUsd(12));
    let claim = TokenUsage {
        input: Tokens(1_000_000_000),
        output: Tokens(7),
        ..TokenUsage::default()
    };
    for (claimed, booked) in [(None, None), (Some(claim), Some(ceiling))] {
        add(
            list,
            CeilingBroken {
                model: model(),
                ceiling,
                cost,
                claimed,
                booked,
            },
        );
    }
    let by = Speaker::PERSON;
    add(
        list,
        SpendAllowed {
            model: model(),
            broken: 1,
            by,
        },
    );
    for (rule, allowed, by) in [
        (SourceRule::Settings, true, Speaker::ENGINE),
        (SourceRule::Earlier, false, Speaker::ENGINE),
        (SourceRule::Person, true, Speaker::PERSON),
        (SourceRule::Unasked, false, Speaker::ENGINE),
    ] {
        let source = "docs".to_owned();
        let decided = SourceDecided {
            source,
            allowed,
            rule,
            by,
        };
        add(list, decided);
    }
}

fn work(list: &mut Vec<Example>) {
    install_decisions(list);
    let model = || "openai/some-model".to_owned();
    let call = ToolCallMade {
        id: "call_1".to_owned(),
        name: "read_file".to_owned(),
        arguments: blob(),
    };
    for (stop, text, tool_calls) in [
        (StopReason::End, Some(blob()), Vec::new()),
        (StopReason::ToolUse, None, vec![call]),
        (StopReason::MaxTokens, Some(blob()), Vec::new()),
    ] {
        add(
            list,
            ModelReplied {
                model: model(),
                text,
                tool_calls,
                stop,
                usage: usage(),
            },
        );
    }
    for (tool, source) in [("read_file", None), ("ask_source", Some("docs".to_owned()))] {
        let (tool, result) = (tool.to_owned(), blob());
        add(
            list,
            ToolFinished {
                tool,
                ok: true,
                result,
                level: None,
                source,
            },
        );
    }
    for (level, exit) in [
        (SandboxLevel::Landlock, Some(0)),
        (SandboxLevel::Bubblewrap, Some(-1)),
        (SandboxLevel::None, None),
    ] {
        add(
            list,
            CommandFinished {
                argv: blob(),
                exit,
                output: blob(),
                level,
                millis: 42,
            },
        );
    }
    let (branch, commit, tree) = ("gavel/b1".to_owned(), "c1".to_owned(), "t1".to_owned());
    add(
        list,
        CommitMade {
            branch,
            commit,
            tree,
        },
    );
    verified(list);
}

fn verified(list: &mut Vec<Example>) {
    let install = install_steps();
    for (verdict, tree) in [
        (VerifyVerdict::Passed, Some("t1".to_owned())),
        (VerifyVerdict::Failed, None),
        (VerifyVerdict::Unclear, None),
    ] {
        add(
            list,
            VerifyFinished {
                recipe: "cargo".to_owned(),
                verdict,
                reason: "no_test_executed".to_owned(),
                executed: 4,
                passed: 1,
                failed: 2,
                skipped: 3,
                output: blob(),
                tree,
                level: None,
                coverage: Some(815),
                smoke: Some(true),
                install: install.clone(),
            },
        );
    }
}

fn install_steps() -> Vec<InstallStep> {
    let fetched = InstallStep {
        command: "npm ci --ignore-scripts".to_owned(),
        exit: Some(1),
        offline: false,
        open: false,
        hosts: vec![HostTraffic {
            host: "registry.example".to_owned(),
            port: 443,
            sent: 5,
            received: 6,
        }],
        refused: [
            HostRefusal::NotAllowed,
            HostRefusal::PrivateAddress,
            HostRefusal::NotAFetch,
            HostRefusal::LimitReached,
        ]
        .map(|reason| HostRefused {
            host: "git.example".to_owned(),
            port: 443,
            reason,
            times: 2,
        })
        .into(),
        scripts: None,
        scripts_unasked: None,
    };
    let built = InstallStep {
        command: "npm rebuild".to_owned(),
        exit: None,
        offline: true,
        open: false,
        hosts: Vec::new(),
        refused: Vec::new(),
        scripts: None,
        scripts_unasked: None,
    };
    vec![fetched, built]
}

fn install_scripts() -> InstallScripts {
    InstallScripts {
        digest: Digest::of("scripts"),
        packages: vec!["left@1.0.0".to_owned()],
    }
}

/// Steps whose scripts wanted a host, with what is known of the scripts.
fn script_steps(list: &mut Vec<Example>, host: &str, port: u16) {
    let most = 200_000;
    for (reason, scripts, scripts_unasked) in [
        (HostRefusal::NotAllowed, Some(install_scripts()), None),
        (HostRefusal::Unreachable, Some(install_scripts()), None),
        (
            HostRefusal::NotAllowed,
            None,
            Some(ScriptsUnasked::TooManyFiles { most }),
        ),
        (
            HostRefusal::NotAllowed,
            None,
            Some(ScriptsUnasked::TooManyBytes { most }),
        ),
        (
            HostRefusal::NotAllowed,
            None,
            Some(ScriptsUnasked::NotComparable),
        ),
        (
            HostRefusal::NotAllowed,
            None,
            Some(ScriptsUnasked::OtherManager),
        ),
    ] {
        add(
            list,
            VerifyFinished {
                recipe: "npm".to_owned(),
                verdict: VerifyVerdict::Passed,
                reason: "all_passed".to_owned(),
                executed: 1,
                passed: 1,
                failed: 0,
                skipped: 0,
                output: blob(),
                tree: None,
                level: None,
                coverage: None,
                smoke: None,
                install: vec![InstallStep {
                    command: "npm rebuild".to_owned(),
                    exit: Some(1),
                    offline: true,
                    open: false,
                    hosts: Vec::new(),
                    refused: vec![HostRefused {
                        host: host.to_owned(),
                        port,
                        reason,
                        times: 1,
                    }],
                    scripts,
                    scripts_unasked,
                }],
            },
        );
    }
}

/// What was decided about each sort of request.
fn install_decisions(list: &mut Vec<Example>) {
    let (host, port) = ("files.example".to_owned(), 443);
    script_steps(list, &host, port);
    let requests = [
        InstallRequest::Host {
            host: host.clone(),
            port,
        },
        InstallRequest::ScriptHost {
            scripts: install_scripts(),
            host,
            port,
        },
        InstallRequest::OpenNetwork,
    ];
    for request in requests {
        for (allowed, by) in [(true, Speaker::PERSON), (false, Speaker::ENGINE)] {
            add(
                list,
                InstallDecided {
                    request: request.clone(),
                    repository: "/p/.git".to_owned(),
                    allowed,
                    by,
                },
            );
        }
    }
}

fn usage() -> TokenUsage {
    TokenUsage {
        input: Tokens(1),
        cache_read: Tokens(2),
        cache_write: Tokens(3),
        output: Tokens(4),
    }
}

pub(crate) fn blob() -> BlobRef {
    BlobRef {
        digest: Digest::of("text"),
        bytes: 4,
    }
}

fn key() -> Key {
    Key::new("council-1/opening-skeptic").unwrap()
}

fn at() -> Timestamp {
    "2026-11-15T12:00:00.123456789Z".parse().unwrap()
}

fn id<T: std::str::FromStr<Err: Debug>>() -> T {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

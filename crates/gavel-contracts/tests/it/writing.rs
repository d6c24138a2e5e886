//! The tool loop of one writer after another.

use gavel_contracts::{Shelf, Writing, Written, write_contracts};
use gavel_domain::{Contract, ContractKind, ContractSubmitted, ContractsPinned};
use gavel_models::Request;
use gavel_testkit::{ScriptedModel, TEST_MODEL, TEST_PRICE, test_info, text_reply, tool_reply};

use crate::bench::{Bench, handed_in, inputs, kind_of, replies, result_of, sample, texts, writer};

/// So many equal calls end the work of a writer.
const CIRCLES: usize = 5;

fn samples() -> Shelf {
    let contract = |kind| Contract {
        kind,
        text: sample(kind),
    };
    ContractKind::ALL.into_iter().map(contract).collect()
}

/// Hands in what the sample says, except for one kind.
fn obedient_but(
    odd: ContractKind,
    answer: impl Fn(&Request) -> gavel_models::Reply + Send + 'static,
) -> ScriptedModel {
    ScriptedModel::by_rule(move |request| {
        let kind = kind_of(request);
        Ok(if kind == odd {
            answer(request)
        } else {
            tool_reply(&[("s", "submit_contract", &handed_in(&sample(kind)))])
        })
    })
}

#[tokio::test]
async fn nine_submissions_are_recorded_and_pinned() {
    let model = obedient_but(ContractKind::Ui, |request| {
        let text = format!("```markdown\n{}```", sample(kind_of(request)));
        tool_reply(&[("s", "submit_contract", &handed_in(&text))])
    });
    let bench = Bench::new(&model).await;
    let written = bench.write(&inputs()).await.unwrap();
    model.finish();
    assert_eq!(written, Written::All(samples()));
    assert_eq!(model.requests().len(), 9);

    let records = bench.bed.records(bench.run).await;
    let submitted: Vec<ContractSubmitted> =
        records.iter().filter_map(|one| one.read().ok()).collect();
    let kinds: Vec<_> = submitted.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, ContractKind::ALL);
    for one in &submitted {
        let blob = bench.bed.store().blob(one.content.digest).await.unwrap();
        assert_eq!(String::from_utf8(blob.unwrap()).unwrap(), sample(one.kind));
        assert_eq!((one.version, one.model.as_str()), (1, TEST_MODEL));
    }
    let pinned: ContractsPinned = records.last().unwrap().read().unwrap();
    assert_eq!(pinned.contracts, samples().digests());

    let story = bench.story().await;
    let last = "contracts-1/builder-directive-1/turn-1/hear heard\n\
        contracts-1/builder-directive-1/turn-1 model_replied\n\
        contracts-1/builder-directive-1/turn-1/tool-1 tool_finished\n\
        contracts-1/builder-directive contract_submitted\n\
        contracts-1/pinned contracts_pinned";
    assert!(story.join("\n").ends_with(last), "{story:#?}");
}

#[tokio::test]
async fn a_writer_gets_its_task_and_five_tools() {
    let model = obedient_but(ContractKind::Schema, |request| match replies(request) {
        0 => tool_reply(&[
            ("a", "gavel_get_project_context", r#"{"about":"spec"}"#),
            ("b", "gavel_get_project_context", r#"{"about":"memory"}"#),
            ("c", "gavel_list_contracts", "{}"),
            ("d", "gavel_get_contract", r#"{"kind":"stack"}"#),
            ("e", "gavel_get_contract", r#"{"kind":"physics"}"#),
            ("f", "gavel_get_phase_window", r#"{"phase":0}"#),
            ("g", "read_file", r#"{"path":"state"}"#),
        ]),
        _ => tool_reply(&[
            (
                "s",
                "submit_contract",
                &handed_in(&sample(ContractKind::Schema)),
            ),
            ("t", "gavel_get_project_context", r#"{"about":"idea"}"#),
        ]),
    });
    let bench = Bench::new(&model).await;
    let written = bench.write(&inputs()).await.unwrap();
    model.finish();
    assert_eq!(written, Written::All(samples()));
    let requests = model.requests();
    let schema: Vec<_> = requests
        .iter()
        .filter(|request| kind_of(request) == ContractKind::Schema)
        .collect();
    assert_eq!(schema.len(), 2);
    let names: Vec<_> = schema[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    let expected = [
        "gavel_get_contract",
        "gavel_get_phase_window",
        "gavel_get_project_context",
        "gavel_list_contracts",
        "submit_contract",
    ];
    assert_eq!(names, expected);
    let task = texts(schema[0]).remove(1);
    assert!(task.starts_with("Contract: schema\n\n"), "{task}");

    let (ok, spec) = result_of(&model, "a");
    let (words, data) = spec.split_once('\n').unwrap();
    assert_eq!((ok, words), (true, "spec: lines 1-8 of 8"));
    let json = data.strip_prefix("<data source=\"spec\">\n").unwrap();
    let json = json.strip_suffix("</data>").unwrap();
    let spec: gavel_domain::Spec = serde_json::from_str(json).unwrap();
    assert_eq!(spec, inputs().spec);
    // What memory says cannot close its fence.
    let memory = result_of(&model, "b").1;
    assert!(memory.ends_with("at dawn.\"}]\n</data-1>"), "{memory}");
    let expected = "manifesto: manifesto.md, 10 lines\n\
        blueprint: blueprint.md, 20 lines\n\
        stack: stack.md, 14 lines\n\
        not written yet: schema, physics, boundaries, ui, phases, builder_directive";
    assert_eq!(result_of(&model, "c"), (true, expected.to_owned()));
    let stack = sample(ContractKind::Stack);
    let expected =
        format!("stack.md: lines 1-14 of 14\n<data source=\"stack.md\">\n{stack}</data>");
    assert_eq!(result_of(&model, "d"), (true, expected));
    let expected = "the contract physics is not written yet; gavel_list_contracts says which are";
    assert_eq!(result_of(&model, "e"), (false, expected.to_owned()));
    let expected = "the contract phases is not written yet; gavel_list_contracts says which are";
    assert_eq!(result_of(&model, "f"), (false, expected.to_owned()));
    assert!(!result_of(&model, "g").0);
}

#[tokio::test]
async fn a_refused_contract_can_be_mended() {
    let model = obedient_but(ContractKind::Physics, |request| {
        let good = sample(ContractKind::Physics);
        let text = match replies(request) {
            0 => good
                .replace("/keepers", "/people")
                .replace("lamp add", "lamp ad d"),
            1 => "x".repeat(50_000),
            2 => format!("{good}more: [\n"),
            _ => good,
        };
        let id = format!("s{}", replies(request));
        tool_reply(&[(id.as_str(), "submit_contract", &handed_in(&text))])
    });
    let bench = Bench::new(&model).await;
    let written = bench.write(&inputs()).await.unwrap();
    model.finish();
    assert_eq!(written, Written::All(samples()));
    let expected = "not accepted: physics has 1 finding(s); mend them and submit the whole contract \
        again\n<data source=\"findings\">\n- entity_unreached: no command and no path leads to the \
        entity `keeper`; add a command with `entity: keeper`, or a path with /keepers\n</data>";
    assert_eq!(result_of(&model, "s0"), (false, expected.to_owned()));
    let expected = "not accepted: 50000 bytes, and a contract has 40000 at most; say it shorter";
    assert_eq!(result_of(&model, "s1"), (false, expected.to_owned()));
    let (ok, broken) = result_of(&model, "s2");
    assert!(!ok && broken.contains("\n- line 1"), "{broken}");
}

#[tokio::test]
async fn a_refusal_tells_twelve_findings() {
    let rows = "| a b | text | no | |\n".repeat(20);
    let text = sample(ContractKind::Schema) + &rows;
    let model = obedient_but(ContractKind::Schema, move |request| {
        match replies(request) {
            0 => tool_reply(&[("bad", "submit_contract", &handed_in(&text))]),
            _ => tool_reply(&[(
                "s",
                "submit_contract",
                &handed_in(&sample(ContractKind::Schema)),
            )]),
        }
    });
    let bench = Bench::new(&model).await;
    bench.write(&inputs()).await.unwrap();
    let (_, told) = result_of(&model, "bad");
    assert!(
        told.starts_with("not accepted: schema has 20 finding(s)"),
        "{told}"
    );
    assert_eq!(told.matches("\n- line ").count(), 12, "{told}");
    assert!(told.ends_with("\nand 8 more\n</data>"), "{told}");
}

#[tokio::test]
async fn words_alone_hand_nothing_in() {
    let model = obedient_but(ContractKind::Manifesto, |request| {
        match texts(request).len() {
            2 => text_reply("# Manifesto\n\nHere it is."),
            _ => tool_reply(&[(
                "s",
                "submit_contract",
                &handed_in(&sample(ContractKind::Manifesto)),
            )]),
        }
    });
    let bench = Bench::new(&model).await;
    let written = bench.write(&inputs()).await.unwrap();
    assert_eq!(written, Written::All(samples()));
    let reminded = texts(&model.requests()[1]).pop().unwrap();
    let expected = "Nothing is handed in yet: finish by calling `submit_contract`.";
    assert_eq!(reminded, expected);
}

#[tokio::test]
async fn a_writer_that_never_gets_there_is_stuck() {
    // Another text each time, so that nothing but the number of turns ends it.
    let model = obedient_but(ContractKind::Stack, |request| {
        let turn = replies(request);
        let mut reply = tool_reply(&[(
            format!("s{turn}").as_str(),
            "submit_contract",
            &handed_in(&format!("# Try {turn}")),
        )]);
        reply.text = format!("Cannot: try {turn}");
        reply
    });
    let bench = Bench::new(&model).await;
    let written = bench.write(&inputs()).await.unwrap();
    let expected = Written::Stuck {
        kind: ContractKind::Stack,
        problem: "no valid contract came within 12 replies; its last words: Cannot: try 11".into(),
    };
    assert_eq!(written, expected);
    assert_eq!(model.requests().len(), 14);
    let story = bench.story().await;
    assert!(!story.iter().any(|line| line.ends_with("contracts_pinned")));
    // It stays so: nothing is asked again.
    model.forbid_requests();
    assert_eq!(bench.write(&inputs()).await.unwrap(), expected);
    model.finish();
}

#[tokio::test]
async fn a_writer_that_goes_in_circles_is_stuck() {
    let model = obedient_but(ContractKind::Blueprint, |request| {
        let id = format!("s{}", replies(request));
        tool_reply(&[(id.as_str(), "gavel_list_contracts", "{}")])
    });
    let bench = Bench::new(&model).await;
    let Written::Stuck { kind, problem } = bench.write(&inputs()).await.unwrap() else {
        panic!("it is not stuck");
    };
    assert_eq!(kind, ContractKind::Blueprint);
    assert!(
        problem.starts_with("the model went round in circles: "),
        "{problem}"
    );
}

#[tokio::test]
async fn a_secret_is_refused_and_never_shown_again() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let model = obedient_but(ContractKind::Ui, move |request| {
        let good = sample(ContractKind::Ui);
        let text = match replies(request) {
            0 => good.replace("Colours", &format!("Colours with {secret}")),
            _ => good,
        };
        let id = format!("s{}", replies(request));
        tool_reply(&[(id.as_str(), "submit_contract", &handed_in(&text))])
    });
    let bench = Bench::new(&model).await;
    assert_eq!(
        bench.write(&inputs()).await.unwrap(),
        Written::All(samples())
    );
    let (ok, told) = result_of(&model, "s0");
    assert!(!ok && told.contains("- line 13, secret: "), "{told}");
    assert!(!told.contains(secret), "{told}");
}

#[tokio::test]
async fn a_second_try_writes_only_what_is_missing_and_a_new_round_counts_versions_on() {
    // Whoever writes the plan goes round in circles until that ends the first try.
    let circling = ScriptedModel::by_rule({
        let asked = std::sync::atomic::AtomicUsize::new(0);
        move |request| {
            let kind = kind_of(request);
            let count = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let id = format!("s{}", replies(request));
            Ok(if kind == ContractKind::Phases && count() < CIRCLES {
                tool_reply(&[(id.as_str(), "gavel_list_contracts", "{}")])
            } else {
                tool_reply(&[(id.as_str(), "submit_contract", &handed_in(&sample(kind)))])
            })
        }
    });
    let bench = Bench::new(&circling).await;
    let tries = std::sync::Mutex::new(Vec::new());
    let folder = bench.bed.folder().to_owned();
    for _ in 0..2 {
        tries.lock().unwrap().clear();
        let end = bench.bed.drive(bench.run, async |run| {
            let writer = writer(&folder, test_info(Some(TEST_PRICE)));
            let mut writing = Writing::default();
            for number in 1..=3 {
                if number == 3 {
                    writing.anew();
                }
                let scope = run.scope("writing", number)?;
                let inputs = inputs();
                let written = write_contracts(&run, &scope, &writer, &inputs, &mut writing).await?;
                tries.lock().unwrap().push(written);
            }
            Ok(())
        });
        end.await.unwrap();
        let tries = tries.lock().unwrap();
        assert!(
            matches!(&tries[0], Written::Stuck { kind, .. } if *kind == ContractKind::Phases),
            "{:?}",
            tries[0]
        );
        assert_eq!(
            tries[1..],
            [Written::All(samples()), Written::All(samples())]
        );
    }

    let all = ContractKind::ALL.len();
    let asked = circling.requests().len();
    let records = bench.bed.records(bench.run).await;
    let submitted: Vec<ContractSubmitted> =
        records.iter().filter_map(|one| one.read().ok()).collect();
    // Nine in two tries, nine more in the round after it; a second drive asks nobody.
    assert_eq!((submitted.len(), asked), (2 * all, 2 * all + CIRCLES));
    for kind in ContractKind::ALL {
        let of_kind = submitted.iter().filter(|one| one.kind == kind);
        let versions: Vec<u32> = of_kind.map(|one| one.version).collect();
        assert_eq!(versions, [1, 2], "{kind}");
    }
}

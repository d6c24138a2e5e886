//! The tools that read contracts, as a coder has them.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use gavel_agent::{Caller, Registry, ToolContext};
use gavel_contracts::{Shelf, reading_tools};
use gavel_domain::{Caps, Contract, ContractKind, Role};
use gavel_models::ToolCall;
use gavel_testkit::{ScriptedModel, TestBed};
use gavel_workspace::{Scrubber, TreeRoot};

use crate::bench::sample;

/// What the tools answer to these calls.
async fn answers(role: Role, shelf: Shelf, calls: &[(&str, &str)]) -> Vec<(bool, String)> {
    let bed = TestBed::new(ScriptedModel::new()).await;
    let run = bed.start(Caps::default()).await;
    let mut registry = Registry::default();
    reading_tools(&mut registry, Arc::new(shelf)).unwrap();
    let files = Arc::new(TreeRoot::open(bed.folder()).unwrap());
    let scrubber = Arc::new(Scrubber::new([]).unwrap());
    let caller = Caller::in_process(role, ToolContext::reading(files, scrubber));
    let all: Mutex<Vec<_>> = Mutex::default();
    bed.drive(run, async |run| {
        let scope = run.scope("read", 1)?;
        for (number, (name, arguments)) in calls.iter().enumerate() {
            let call = ToolCall {
                id: "x".to_owned(),
                name: (*name).to_owned(),
                arguments: (*arguments).to_owned(),
            };
            let key = scope.key(&format!("call-{number}"))?;
            let answer = registry.call(&run, key, &caller, &call).await?;
            let answered = (answer.finished.value.ok, answer.text);
            all.lock().unwrap().push(answered);
        }
        Ok(())
    })
    .await
    .unwrap();
    all.into_inner().unwrap()
}

fn shelf() -> Shelf {
    let contract = |kind| Contract {
        kind,
        text: sample(kind),
    };
    ContractKind::ALL.into_iter().map(contract).collect()
}

#[tokio::test]
async fn a_coder_reads_contracts_but_never_all_phases() {
    let answers = answers(
        Role::Coder,
        shelf(),
        &[
            ("gavel_list_contracts", "{}"),
            ("gavel_get_contract", r#"{"kind":"phases"}"#),
            ("gavel_get_contract", r#"{"kind":"plan"}"#),
            ("gavel_get_phase_window", r#"{"phase":1}"#),
            ("gavel_get_phase_window", r#"{"phase":2}"#),
            ("gavel_get_contract", r#"{"kind":"ui","from":99}"#),
            ("gavel_get_contract", r#"{"kind":"ui","from":12}"#),
        ],
    )
    .await;
    let [list, phases, unknown, window, beyond, far, end] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    assert!(list.0);
    let line = "\nphases: phases.md, 30 lines; read phases 0..1 with gavel_get_phase_window\n";
    assert!(list.1.contains(line), "{}", list.1);
    let refused = "the contract phases is not handed out whole: read one phase and the next with \
        gavel_get_phase_window";
    assert_eq!(*phases, (false, refused.to_owned()));
    assert!(
        !unknown.0 && unknown.1.contains("the kinds are manifesto, "),
        "{}",
        unknown.1
    );
    let begins = "phases.md: lines 1-13 of 13\n<data source=\"phases.md\">\nWindow: phase 1 of 0..1, \
        the final phase\n\n## Phase 1: Keepers\n";
    assert!(window.0 && window.1.starts_with(begins), "{}", window.1);
    assert_eq!(
        *beyond,
        (false, "there is no phase 2: ask for one of 0..1".to_owned())
    );
    assert_eq!(
        *far,
        (
            false,
            "ui.md has 13 lines: ask for `from` 1 to 13".to_owned()
        )
    );
    let expected =
        "ui.md: lines 12-13 of 13\n<data source=\"ui.md\">\n## Out of scope\n- Colours.\n</data>";
    assert_eq!(*end, (true, expected.to_owned()));
}

#[tokio::test]
async fn a_long_contract_comes_in_pieces_that_make_the_whole() {
    let mut text = "# Schema\n".to_owned();
    for number in 0..900 {
        writeln!(text, "line {number} of some length, so that it takes pages").unwrap();
    }
    let shelf: Shelf = [Contract {
        kind: ContractKind::Schema,
        text: text.clone(),
    }]
    .into_iter()
    .collect();
    let (mut from, mut whole, mut pages) = (1, String::new(), 0);
    loop {
        let call = format!(r#"{{"kind":"schema","from":{from}}}"#);
        let answers = answers(Role::Scout, shelf.clone(), &[("gavel_get_contract", &call)]).await;
        let (words, data) = answers[0].1.split_once('\n').unwrap();
        let (head, data) = data.split_once(">\n").unwrap();
        whole.push_str(data.strip_suffix("</data>").unwrap());
        pages += 1;
        let Some((_, next)) = words.split_once("go on with from=") else {
            assert!(!head.contains("cut="), "{head}");
            break;
        };
        assert!(head.contains("cut="), "{head}");
        from = next.parse().unwrap();
    }
    assert_eq!((whole, pages), (text, 3));
}

#[tokio::test]
async fn only_whom_the_grants_name_reads_contracts() {
    let list = [("gavel_list_contracts", "{}")];
    let stance = answers(Role::Stance, shelf(), &list).await;
    assert!(!stance[0].0, "{stance:?}");
    let guest = answers(Role::Guest, shelf(), &list).await;
    assert!(guest[0].0, "{guest:?}");
}

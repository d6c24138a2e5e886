use std::sync::atomic::{AtomicI64, Ordering};

use gavel_rules::Bond;

use super::*;
use crate::Counter;

#[derive(Debug, Default)]
struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

struct Runs;

impl FindRun for Runs {
    fn find<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<RunId, Refused>> {
        let run = name
            .parse()
            .map_err(|error| Refused::from_error("not_found", &error));
        Box::pin(async move { run })
    }
}

const RUN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn counter(desk: &Arc<SessionDesk>) -> Counter {
    let mut counter = Counter::default();
    counter
        .add(SetSession::new(desk.clone(), Arc::new(Runs)))
        .unwrap();
    counter
}

async fn handle(desk: &Arc<SessionDesk>, visit: &Visit, arguments: serde_json::Value) -> String {
    let called = counter(desk);
    let answer = called
        .call(visit, SetSession::NAME, arguments)
        .await
        .unwrap();
    answer.structured["context"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_handle_narrows_and_can_be_neither_written_nor_kept() {
    let clock = Arc::new(Hands::default());
    let desk = Arc::new(SessionDesk::for_many(&[7; 32], clock.clone()));
    let coder = Visit::of(Role::Coder, Bond::Token);
    let wish = json!({"run": RUN, "agent": "critic-1", "role": "guest"});
    let context = handle(&desk, &coder, wish).await;

    let mut visit = coder.clone();
    desk.narrow(&mut visit, Some(&context)).unwrap();
    assert_eq!(visit.speaker.role, Role::Guest);
    assert_eq!(visit.session.run, Some(RUN.parse().unwrap()));
    assert_eq!(visit.session.agent.as_deref(), Some("critic-1"));

    let mut plain = coder.clone();
    desk.narrow(&mut plain, None).unwrap();
    assert_eq!(
        plain.session,
        Session::default(),
        "nothing is remembered for many"
    );

    let forged = |text: String| desk.narrow(&mut coder.clone(), Some(&text)).unwrap_err();
    let body = context.split_once('.').unwrap().0;
    let mut said = vec![
        forged("hello".to_owned()),
        forged(body.to_owned()),
        forged(format!("{body}.AAAA")),
        forged(format!("{body}x.{}", context.split_once('.').unwrap().1)),
    ];
    let other = SessionDesk::for_many(&[8; 32], clock.clone());
    said.push(
        other
            .narrow(&mut coder.clone(), Some(&context))
            .unwrap_err(),
    );
    clock.0.store(HOURS * 3600 + 1, Ordering::Relaxed);
    said.push(forged(context));
    for refused in &said {
        assert_eq!(refused.code, "bad_context");
        assert_eq!(refused.next[0].tool, "gavel_set_session");
    }
    let said: Vec<_> = said.into_iter().map(|refused| refused.message).collect();
    insta::assert_snapshot!(said.join("\n"), @"
    the context handle is no handle of Gavel: get another, or leave `context` out
    the context handle is no handle of Gavel: get another, or leave `context` out
    the context handle was not signed here: get another, or leave `context` out
    the context handle was not signed here: get another, or leave `context` out
    the context handle was not signed here: get another, or leave `context` out
    the context handle is too old: get another, or leave `context` out
    ");
}

#[tokio::test]
async fn nobody_rises_by_a_handle() {
    let clock = Arc::new(Hands::default());
    let desk = Arc::new(SessionDesk::for_many(&[7; 32], clock));
    let coder = Visit::of(Role::Coder, Bond::Token);
    let context = handle(&desk, &coder, json!({"agent": "a"})).await;
    let mut guest = Visit::guest();
    desk.narrow(&mut guest, Some(&context)).unwrap();
    assert_eq!(guest.speaker.role, Role::Guest);
    let refused = counter(&desk);
    let wish = json!({"role": "person"});
    let refused = refused
        .call(&guest, SetSession::NAME, wish)
        .await
        .unwrap_err();
    insta::assert_snapshot!(refused.message, @r#"the arguments of `gavel_set_session` do not fit: `role`: unknown variant `person`; expected one of "guest"; call it again with corrected arguments"#);
    let wish = json!({"agent": "a b\n"});
    let refused = counter(&desk);
    let refused = refused
        .call(&guest, SetSession::NAME, wish)
        .await
        .unwrap_err();
    assert!(
        refused.message.starts_with("`agent`: "),
        "{}",
        refused.message
    );
}

#[tokio::test]
async fn the_process_of_one_client_remembers() {
    let clock = Arc::new(Hands::default());
    let desk = Arc::new(SessionDesk::for_one(&[7; 32], clock));
    let mut visit = Visit::guest();
    desk.narrow(&mut visit, None).unwrap();
    assert_eq!(visit.session, Session::default());
    handle(&desk, &visit, json!({"agent": "champion"})).await;
    desk.narrow(&mut visit, None).unwrap();
    assert_eq!(visit.session.agent.as_deref(), Some("champion"));
    handle(&desk, &visit, json!({"run": RUN})).await;
    desk.narrow(&mut visit, None).unwrap();
    assert_eq!(visit.session.agent.as_deref(), Some("champion"), "kept");
    assert!(visit.session.run.is_some());
}

#[tokio::test]
async fn what_the_door_gave_holds_and_what_was_given_up_is_gone() {
    let clock = Arc::new(Hands::default());
    let desk = Arc::new(SessionDesk::for_one(&[7; 32], clock));
    let build: RunId = RUN.parse().unwrap();
    let door = || {
        let mut visit = Visit::of(Role::Coder, Bond::Token);
        visit.bound = Some(build);
        visit.session.run = Some(build);
        visit.scope = KeyScope::Decide;
        visit
    };
    let mut first = door();
    desk.narrow(&mut first, None).unwrap();
    assert_eq!(first.session.run, Some(build), "the door's run stays");
    let as_coder = handle(&desk, &first, json!({"agent": "coder-1"})).await;
    let other = "01890a5d-ac96-774b-bcce-b302099a8058";
    let refused = counter(&desk)
        .call(&first, SetSession::NAME, json!({"run": other}))
        .await;
    assert_eq!(refused.unwrap_err().code, "bound_elsewhere");
    handle(&desk, &first, json!({"role": "guest"})).await;
    let mut later = door();
    desk.narrow(&mut later, Some(&as_coder)).unwrap();
    assert_eq!(later.speaker.role, Role::Guest);
    assert_eq!(later.scope, KeyScope::Propose);
    let mut named = door();
    let wish = json!({"agent": "gavel"});
    desk.narrow(&mut named, None).unwrap();
    let refused = counter(&desk).call(&named, SetSession::NAME, wish).await;
    assert_eq!(refused.unwrap_err().code, "bad_arguments");
}

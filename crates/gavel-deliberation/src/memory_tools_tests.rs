use gavel_domain::Role;
use gavel_memory::{Kind, NewItem, Provenance, Stamp};
use gavel_rules::Bond;
use gavel_run::SystemClock;
use gavel_store::{Access, SqliteStore, StoreOptions};
use serde_json::Value;
use tempfile::TempDir;

use super::*;

struct Bench {
    folder: TempDir,
    desk: MemoryDesk,
    counter: Counter,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let checkout = folder.path().join("checkout");
        std::fs::create_dir_all(checkout.join(".gavel/memory")).unwrap();
        let state = folder.path().join("state");
        let store = SqliteStore::open(StoreOptions::new(state, Access::ReadWrite)).await;
        let store: Arc<dyn Store> = Arc::new(store.unwrap());
        let place = (checkout, folder.path().join("cache"));
        let desk = MemoryDesk::new(store, Arc::new(SystemClock), place, None);
        let mut counter = Counter::default();
        served_tools(&mut counter, &desk).unwrap();
        Self {
            folder,
            desk,
            counter,
        }
    }

    /// What a person typed.
    async fn typed(&self, kind: Kind, text: &str, visibility: Visibility) -> String {
        let mut memory = self.desk.memory().await.unwrap();
        let new = NewItem {
            visibility,
            ..NewItem::new(kind, text, Provenance::Person)
        };
        let mut ids = uuid::Uuid::now_v7;
        let mut stamp = Stamp::new(self.desk.now(), Speaker::PERSON, &mut ids);
        let written = memory.add(new, &mut stamp).unwrap();
        let id = written.ids[0].to_string();
        self.desk.keep(written).await.unwrap();
        id
    }

    async fn call(&self, visit: &Visit, tool: &str, arguments: Value) -> Result<Value, Refused> {
        let answer = self.counter.call(visit, tool, arguments).await?;
        assert!(!answer.line.is_empty());
        Ok(answer.structured)
    }

    async fn found(&self, arguments: Value) -> Vec<String> {
        let visit = Visit::guest();
        let found = self.call(&visit, "gavel_memory_search", arguments).await;
        let found = found.unwrap();
        let items = found["items"].as_array().unwrap().iter();
        items
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect()
    }
}

#[tokio::test]
async fn a_guest_proposes_and_never_accepts() {
    let bench = Bench::new().await;
    let mut guest = Visit::guest();
    guest.session.agent = Some("critic-1".to_owned());
    let new = json!({
        "kind": "trap", "severity": "high", "text": "the dispatcher drops events while it reloads",
        "tags": "dispatcher", "paths": "[\"src/dispatch.rs\"]"
    });
    let added = bench.call(&guest, "gavel_memory_add", new).await.unwrap();
    assert_eq!(added["item"]["acceptance"], "proposed");
    assert_eq!(added["item"]["source"], "agent critic-1");
    assert_eq!(added["item"]["tags"], json!(["dispatcher"]));
    let id = added["item"]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("trp_"));
    let tracked = std::fs::read_dir(bench.folder.path().join("checkout/.gavel/memory"));
    assert_eq!(tracked.unwrap().count(), 0, "nothing in the repository");

    assert_eq!(bench.found(json!({"text": "dispatcher"})).await, [""; 0]);
    let with_proposed = json!({"text": "dispatcher", "proposed": "true", "explain": true});
    assert_eq!(bench.found(with_proposed).await, [id.as_str()]);
    let again = json!({"kind": "trap", "text": "dispatcher drops events while it reloads"});
    let again = bench.call(&guest, "gavel_memory_add", again).await.unwrap();
    assert_eq!(again["similar"][0]["id"], id);

    let change = json!({"id": id, "text": "the dispatcher drops events while it is reloaded"});
    let changed = bench
        .call(&guest, "gavel_memory_update", change)
        .await
        .unwrap();
    assert_eq!(changed["item"]["acceptance"], "proposed");
    let read = bench
        .call(&guest, "gavel_memory_get", json!({"id": id}))
        .await
        .unwrap();
    let text = "the dispatcher drops events while it is reloaded";
    assert_eq!(read["item"]["text"], text);
    let retire = json!({"id": id, "retire": true});
    bench
        .call(&guest, "gavel_memory_update", retire)
        .await
        .unwrap();
    let left = bench.found(json!({"text": "reloaded", "proposed": true}));
    assert!(!left.await.contains(&id));
}

#[tokio::test]
async fn what_a_person_accepted_stays_theirs() {
    let bench = Bench::new().await;
    let id = bench
        .typed(
            Kind::Decision,
            "releases are cut on Fridays",
            Visibility::Shared,
        )
        .await;
    assert_eq!(
        bench.found(json!({"text": "releases"})).await,
        [id.as_str()]
    );
    let guest = Visit::guest();
    for wish in [
        json!({"id": id, "text": "releases are cut on Mondays"}),
        json!({"id": id, "retire": true}),
        json!({"id": id, "mark": "misled_me"}),
    ] {
        let refused = bench
            .call(&guest, "gavel_memory_update", wish)
            .await
            .unwrap_err();
        assert_eq!(refused.code, "not_allowed");
        assert_eq!(refused.next[0].tool, "gavel_memory_add");
    }
    // How it proved can be said: as a note that a person reads.
    let mark = json!({"id": id, "mark": "misled_me"});
    let refused = bench.call(&guest, "gavel_memory_update", mark).await;
    let refused = refused.unwrap_err();
    let typed = format!("gavel memory mark {id} misled-me");
    assert!(refused.message.contains(&typed), "{}", refused.message);
    let note = refused.next[0].arguments.clone();
    let text = note["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("{id} misled me: ")), "{text}");
    let noted = bench.call(&guest, "gavel_memory_add", note).await.unwrap();
    assert_eq!(noted["item"]["acceptance"], "proposed");
    let coder = Visit::of(Role::Coder, Bond::Door);
    let mark = json!({"id": id, "mark": "saved_me"});
    bench
        .call(&coder, "gavel_memory_update", mark)
        .await
        .unwrap();
    let read = bench
        .call(&coder, "gavel_memory_get", json!({"id": id}))
        .await
        .unwrap();
    assert_eq!(
        (&read["saved_me"], &read["misled_me"]),
        (&json!(1), &json!(0))
    );
    let wish = json!({"id": id, "retire": true});
    let refused = bench
        .call(&coder, "gavel_memory_update", wish)
        .await
        .unwrap_err();
    assert_eq!(refused.code, "not_allowed");
}

#[tokio::test]
async fn what_was_accepted_a_moment_ago_is_not_written_through() {
    let bench = Bench::new().await;
    let guest = Visit::guest();
    let new = json!({"kind": "plan", "text": "cut releases on Fridays"});
    let added = bench.call(&guest, "gavel_memory_add", new).await.unwrap();
    let name = added["item"]["id"].as_str().unwrap().to_owned();
    // The guest's wish is read while the item is a proposal; then a person accepts it.
    let input = json!({"id": name, "text": "cut releases on Mondays"});
    let wish = update::Wish::read(serde_json::from_value(input).unwrap()).unwrap();
    let mut memory = bench.desk.memory().await.unwrap();
    let id = memory.item(&name).unwrap().id;
    let accepted = stamped(&bench.desk, Speaker::PERSON, |stamp| {
        memory.accept(id, stamp)
    });
    let before = accepted.unwrap().file.unwrap();
    let refused = stamped(&bench.desk, guest.speaker, |stamp| {
        update::write(&guest, &mut memory, (&name, wish), stamp)
    });
    assert_eq!(refused.unwrap_err().code, "not_allowed");
    let month = bench.folder.path().join("checkout").join(before);
    let files = std::fs::read_dir(month.parent().unwrap()).unwrap();
    assert_eq!(files.count(), 1, "the guest wrote no file");
    let text = &memory.item(&name).unwrap().text;
    assert_eq!(text, "cut releases on Fridays");
}

/// A person who accepts everything that is proposed, right before a line reaches the store.
struct Hasty {
    checkout: PathBuf,
    armed: std::sync::atomic::AtomicBool,
}

impl gavel_testkit::Overlay for Hasty {
    fn keep_memory_lines<'a>(
        &'a self,
        store: &'a dyn Store,
        project: &'a str,
        lines: Vec<(uuid::Uuid, String)>,
    ) -> gavel_store::Answer<'a, (), gavel_store::ReadError> {
        Box::pin(async move {
            if self.armed.swap(false, std::sync::atomic::Ordering::SeqCst) {
                let held = store.memory_lines(project).await?;
                let mut memory = Memory::open_with(&self.checkout, &held).unwrap();
                let ids: Vec<_> = memory.items().map(|item| item.id).collect();
                for id in ids {
                    let mut draw = uuid::Uuid::now_v7;
                    let now = SystemClock.now();
                    let mut stamp = Stamp::new(now, Speaker::PERSON, &mut draw);
                    let written = memory.accept(id, &mut stamp).unwrap();
                    keep_written(store, project, written).await?;
                }
            }
            store.keep_memory_lines(project, lines).await
        })
    }
}

#[tokio::test]
async fn what_is_accepted_while_a_guest_writes_stays_as_the_person_saw_it() {
    let mut bench = Bench::new().await;
    let guest = Visit::guest();
    let new = json!({"kind": "plan", "text": "cut releases on Fridays"});
    let added = bench.call(&guest, "gavel_memory_add", new).await.unwrap();
    let name = added["item"]["id"].as_str().unwrap().to_owned();
    let hasty = Hasty {
        checkout: bench.desk.shelf.checkout().clone(),
        armed: true.into(),
    };
    let inner = Arc::clone(&bench.desk.shelf.store);
    let overlaid = gavel_testkit::OverlaidStore::new(Arc::clone(&inner), hasty);
    bench.desk.shelf.store = Arc::new(overlaid);
    bench.counter = Counter::default();
    served_tools(&mut bench.counter, &bench.desk).unwrap();
    for wish in [
        json!({"id": name, "text": "cut releases on Mondays"}),
        json!({"id": name, "retire": true}),
    ] {
        let refused = bench.call(&guest, "gavel_memory_update", wish).await;
        assert_eq!(refused.unwrap_err().code, "not_allowed");
    }
    let project = bench.desk.shelf.project();
    let held = inner.memory_lines(project).await.unwrap();
    assert_eq!(held, [""; 0], "what does not count is not kept");
    let memory = bench.desk.memory().await.unwrap();
    let item = memory.item(&name).unwrap();
    assert_eq!(item.text, "cut releases on Fridays");
    assert!(item.is_trusted(bench.desk.now()));
}

#[tokio::test]
async fn what_is_private_is_neither_found_nor_read() {
    let bench = Bench::new().await;
    let private = bench
        .typed(
            Kind::Feedback,
            "the onboarding annoys me",
            Visibility::Private,
        )
        .await;
    let machine = bench
        .typed(
            Kind::Feedback,
            "onboarding is slow here",
            Visibility::Machine,
        )
        .await;
    assert_eq!(bench.found(json!({"text": "onboarding"})).await, [machine]);
    let guest = Visit::guest();
    let refused = bench.call(&guest, "gavel_memory_get", json!({"id": private}));
    assert_eq!(refused.await.unwrap_err().code, "not_found");
    let wish = json!({"id": private, "retire": true});
    let refused = bench
        .call(&guest, "gavel_memory_update", wish)
        .await
        .unwrap_err();
    assert_eq!(refused.code, "not_found");
}

#[tokio::test]
async fn refusals_say_what_helps() {
    let bench = Bench::new().await;
    let guest = Visit::guest();
    let mut said = Vec::new();
    for (tool, arguments) in [
        ("gavel_memory_get", json!({"id": "trp_nothing"})),
        ("gavel_memory_add", json!({"kind": "trap", "text": " "})),
        (
            "gavel_memory_add",
            json!({"kind": "plan", "text": "a", "severity": "low"}),
        ),
        (
            "gavel_memory_add",
            json!({"kind": "trap", "text": format!("use {}{}", "gvl_", "a1B2c3D4e5F6g7H8i9J0k1L2")}),
        ),
        ("gavel_memory_search", json!({"text": "a", "limit": 0})),
        (
            "gavel_memory_search",
            json!({"text": "a", "paths": ["/etc/passwd"]}),
        ),
        (
            "gavel_memory_search",
            json!({"text": "a", "kinds": ["rumour"]}),
        ),
    ] {
        let refused = bench.call(&guest, tool, arguments).await.unwrap_err();
        said.push(format!("{}: {}", refused.code, refused.message));
    }
    insta::assert_snapshot!(said.join("\n"), @r#"
    not_found: there is no memory item `trp_nothing`
    bad_arguments: there is nothing to remember: give a text
    bad_arguments: a plan has no severity: only a trap has
    secret: the item holds a gavel key, at `use [secret: gavel key]`: leave it out
    bad_arguments: `limit` must be from 1 to 50
    bad_arguments: `/etc/passwd` is absolute: name it relative to the root of the tree
    bad_arguments: the arguments of `gavel_memory_search` do not fit: `kinds[0]`: unknown variant `rumour`; expected one of "decision", "constraint", "trap", "plan", "feedback", "runtime_note", "handoff", "vision"; call it again with corrected arguments
    "#);
}

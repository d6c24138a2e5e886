//! A provider that answers with the key that it was called with. The key must not reach the
//! database, the terminal or a report; what else it says must stay as it is.

use std::fmt::Write as _;
use std::path::Path;

use gavel_domain::{ModelReplied, Seq};
use gavel_store::Store as _;
use gavel_testkit::{FakeReply, open_store};
use serde_json::{Value, json};

use crate::bench::{Bench, Ended, ended, run_id};

const KEY: &str = "sk-live-7Qd2vM9xK4tB8nR1wZ6yAf+3/Lc=";

/// A bench whose provider takes a key, which lies in a variable.
fn bench() -> Bench {
    let bench = Bench::new();
    let own = std::fs::read_to_string(bench.own_file()).unwrap();
    let url = format!("url = \"{}\"\n", bench.server.openai_url());
    let own = own.replace(&url, &format!("{url}key_variable = \"FAKE_KEY\"\n"));
    assert!(own.contains("FAKE_KEY"), "{own}");
    std::fs::write(bench.own_file(), own).unwrap();
    bench
}

fn run(bench: &Bench, args: &[&str]) -> Ended {
    ended(bench.command(args).env("FAKE_KEY", KEY).spawn().unwrap())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| usize::from(chunk.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (place, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let letter = char::from(LETTERS[number >> shift & 63]);
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// The key in the forms that anybody turns back.
fn forms() -> Vec<(&'static str, String)> {
    let each = |form: fn(u8) -> String| KEY.bytes().map(form).collect::<String>();
    vec![
        ("plain", KEY.to_owned()),
        ("base64", base64(KEY.as_bytes())),
        ("base64 after a byte", base64(format!("k{KEY}").as_bytes())),
        ("base64 after two", base64(format!("kk{KEY}").as_bytes())),
        ("hex", each(|byte| format!("{byte:02x}"))),
        ("percent", each(|byte| format!("%{byte:02X}"))),
        (
            "address",
            KEY.replace('+', "%2B")
                .replace('/', "%2F")
                .replace('=', "%3D"),
        ),
    ]
}

/// Which forms of the key stand in these bytes. Of base64 the letters that the key alone decides.
fn found(bytes: &[u8]) -> Vec<&'static str> {
    let holds = |form: &str| {
        let form = form.trim_end_matches('=');
        let core = &form.as_bytes()[3..form.len() - 3];
        bytes.windows(core.len()).any(|window| window == core)
    };
    let forms = forms().into_iter();
    forms
        .filter(|(_, form)| holds(form))
        .map(|(name, _)| name)
        .collect()
}

/// Looks through every file below a folder.
fn leaks_below(folder: &Path) -> Vec<String> {
    let mut leaks = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            leaks.extend(leaks_below(&path));
        } else if let Ok(bytes) = std::fs::read(&path) {
            let forms = found(&bytes).into_iter();
            leaks.extend(forms.map(|form| format!("{form} in {}", path.display())));
        }
    }
    leaks
}

fn leaks(bench: &Bench, shown: &[&Ended]) -> Vec<String> {
    let mut leaks = leaks_below(&bench.state());
    for ended in shown {
        for (name, text) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
            let forms = found(text.as_bytes()).into_iter();
            leaks.extend(forms.map(|form| format!("{form} in {name}")));
        }
    }
    leaks
}

/// Runs an agent to its end, and every surface that tells of it afterwards.
fn told_everywhere(bench: &Bench) -> Vec<Ended> {
    let id = run_id().to_string();
    let task = ["--task", "Write hello.txt."];
    let mut shown = vec![run(bench, &bench.toy_args(&id, &task))];
    assert_eq!(shown[0].code, Some(0), "{:?}", shown[0]);
    let page = bench.folder().join("page.html");
    let page = page.to_str().unwrap();
    for args in [
        &["review", &id, "--html", page][..],
        &["review", &id],
        &["--json", "review", &id],
        &["--json", "watch", &id],
        &["usage", "forensics", &id],
        &["replay", &id],
        &["-v", "status", &id],
    ] {
        let ended = run(bench, args);
        assert_eq!(ended.code, Some(0), "{args:?} {ended:?}");
        shown.push(ended);
    }
    let page = std::fs::read_to_string(page).unwrap();
    shown.push(Ended {
        code: Some(0),
        stdout: page,
        stderr: String::new(),
    });
    shown
}

/// What models said, as it is on record.
fn on_record(bench: &Bench) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let store = open_store(&bench.state()).await;
        let records = store.records(run_id(), Seq::ZERO, 10_000).await.unwrap();
        let mut said = Vec::new();
        for replied in records.iter().filter_map(|r| r.read::<ModelReplied>().ok()) {
            let texts = replied.tool_calls.iter().map(|call| call.arguments);
            for name in replied.text.into_iter().chain(texts) {
                let text = store.blob(name.digest).await.unwrap().unwrap();
                said.push(String::from_utf8(text).unwrap());
            }
        }
        said
    })
}

/// A chat completion of these deltas, each an event of its own. The fake server does not hold it
/// against us that the history tells another text than these bytes.
fn in_events(deltas: &[Value], end: &str) -> FakeReply {
    let mut events = String::new();
    for delta in deltas {
        let chunk = json!({"choices": [{"index": 0, "delta": delta}]});
        write!(events, "data: {chunk}\n\n").unwrap();
    }
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": end}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}});
    write!(events, "data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n").unwrap();
    FakeReply::raw(events)
}

fn text(piece: &str) -> Value {
    json!({ "content": piece })
}

/// A whole tool call, at this place of its reply.
fn call(place: u32, arguments: &str) -> Value {
    let function = json!({ "name": "write_file", "arguments": arguments });
    let id = format!("call-{place}");
    json!({ "tool_calls": [{ "index": place, "id": id, "type": "function", "function": function }] })
}

#[test]
fn a_key_in_replies_and_arguments_reaches_neither_disk_nor_screen() {
    let bench = bench();
    let all: Vec<String> = forms().into_iter().map(|(_, form)| form).collect();
    let content = json!({"path": "hello.txt", "content": all.join("\n")}).to_string();
    // What a JSON text may spell in its own way is the same key.
    let escaped: String = KEY.bytes().map(|byte| format!("\\u00{byte:02x}")).collect();
    let spelled = format!(r#"{{"path":"spelled.txt","content":"{escaped}"}}"#);
    let first = [
        text(&format!("I was called with {KEY}.")),
        call(0, &content),
        call(1, &spelled),
    ];
    bench.server.push(in_events(&first, "tool_calls"));
    let last = [text(&format!("Your key is {}", all.join(" or ")))];
    bench.server.push(in_events(&last, "stop"));
    let shown = told_everywhere(&bench);
    assert_eq!(leaks(&bench, &shown.iter().collect::<Vec<_>>()), [""; 0]);
    let said = on_record(&bench);
    assert_eq!(said[0], "I was called with ***.");
    assert_eq!(said.len(), 4, "{said:?}");
    for text in &said {
        assert!(text.contains("***"), "{text}");
    }
    // The model is told what is on record, not what it said.
    let again = serde_json::to_string(&bench.server.requests().last().unwrap().body).unwrap();
    assert_eq!(found(again.as_bytes()), [""; 0]);
    assert!(again.contains("I was called with ***."), "{again}");
}

#[test]
fn a_key_that_comes_in_pieces_is_put_together_and_taken_out() {
    for size in [1, 3, 7] {
        let bench = bench();
        let whole = format!("It is {KEY}, or {} if you like.", base64(KEY.as_bytes()));
        let letters: Vec<char> = whole.chars().collect();
        let pieces: Vec<Value> = letters
            .chunks(size)
            .map(|piece| text(&piece.iter().collect::<String>()))
            .collect();
        bench.server.push(in_events(&pieces, "stop"));
        let shown = told_everywhere(&bench);
        assert_eq!(leaks(&bench, &shown.iter().collect::<Vec<_>>()), [""; 0]);
        assert_eq!(on_record(&bench).len(), 1);
        assert!(on_record(&bench)[0].starts_with("It is ***, or ***"));
    }
}

#[test]
fn ordinary_replies_are_kept_byte_by_byte() {
    let bench = bench();
    let content =
        "{ \"path\" : \"hello.txt\", \"content\":\"100 % \\u00e9 \\\\u0073 sk-live-7Qd2 +/=\" }";
    let text = "Done: sk-live-7Qd2, %73%6B, c2stbGl2ZS0=, 736b2d6c6976 and \\u0073; nothing else.";
    bench
        .server
        .push(FakeReply::calls(&[("w", "write_file", content)]));
    bench.server.push(FakeReply::text(text));
    let shown = told_everywhere(&bench);
    assert_eq!(leaks(&bench, &shown.iter().collect::<Vec<_>>()), [""; 0]);
    assert_eq!(on_record(&bench), [content, text]);
}

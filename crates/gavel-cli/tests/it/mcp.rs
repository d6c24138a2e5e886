//! `gavel mcp` and `gavel keys` through the binary: what clients see, what it costs them, who is let in.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use gavel_models::Tokenizer;
use gavel_testkit::text_asked_for;
use serde_json::{Value, json};

use crate::bench::{Bench, run_id};
use crate::studio::IDEA;

/// What `initialize` and a list of tools may cost every conversation.
const MOST_TOKENS: u64 = 4_000;

/// Asks a server over standard input and output, then hangs up; gives every line that it printed.
pub(crate) fn asked(bench: &Bench, flags: &[&str], requests: &[(&str, Value)]) -> Vec<Value> {
    let mut words = vec!["mcp"];
    words.extend(flags);
    let mut command = bench.command(&words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut lines = Vec::new();
    let greeting = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"}
    });
    let all = [("initialize", greeting)];
    for (id, (method, params)) in all.iter().chain(requests).enumerate() {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{request}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        lines.push(serde_json::from_str(&line).expect("nothing but the protocol"));
        if id == 0 {
            let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            writeln!(input, "{ready}").unwrap();
        }
    }
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "nothing but the protocol");
    assert!(child.wait().unwrap().success());
    lines
}

pub(crate) fn project() -> Bench {
    let bench = Bench::new();
    assert_eq!(bench.run(&["init"]).code, Some(0));
    bench
}

/// Names, schemas, descriptions and annotations are what agents learned: a change is deliberate.
#[test]
fn mcp_surface_is_what_was_blessed() {
    let bench = project();
    let nothing = || json!({});
    let lines = asked(
        &bench,
        &["--tools", "all"],
        &[
            ("tools/list", nothing()),
            ("prompts/list", nothing()),
            ("resources/templates/list", nothing()),
        ],
    );
    let surface = json!({
        "instructions": lines[0]["result"]["instructions"],
        "capabilities": lines[0]["result"]["capabilities"],
        "tools": lines[1]["result"]["tools"],
        "prompts": lines[2]["result"]["prompts"],
        "templates": lines[3]["result"]["resourceTemplates"],
    });
    let text = format!("{}\n", serde_json::to_string_pretty(&surface).unwrap());
    let golden = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/mcp_surface.json"
    ));
    if text_asked_for("GAVEL_BLESS").as_deref() == Some("mcp") {
        std::fs::write(&golden, &text).unwrap();
        return;
    }
    let blessed = std::fs::read_to_string(&golden).unwrap_or_default();
    if text == blessed {
        return;
    }
    let changed = text
        .lines()
        .zip(blessed.lines())
        .find(|(now, then)| now != then);
    panic!(
        "what MCP clients see has changed, first here:\n{changed:?}\nIf that is meant, run \
         GAVEL_BLESS=mcp cargo nextest run -p gavel-cli mcp_surface\nand say in the commit what \
         agents have to learn anew."
    );
}

#[test]
fn mcp_list_of_core_tools_is_cheap() {
    let bench = project();
    let lines = asked(&bench, &[], &[("tools/list", json!({}))]);
    let tokens = |value: &Value| Tokenizer::O200k.count(&value.to_string()).unwrap().0;
    let (greeting, list) = (tokens(&lines[0]["result"]), tokens(&lines[1]["result"]));
    println!("initialize {greeting} tokens, tools/list {list} tokens");
    assert!(
        greeting + list <= MOST_TOKENS,
        "initialize {greeting} and tools/list {list} tokens: at most {MOST_TOKENS} in all"
    );
}

#[test]
fn mcp_says_who_may_speak() {
    let bench = project();
    let build = "01890a5d-ac96-774b-bcce-b302099a8057";
    let person = bench.run(&["mcp", "--as", "person", "--build", build]);
    assert_eq!(person.code, Some(2), "{person:?}");
    assert!(person.stderr.contains("nobody may speak as"), "{person:?}");
    let nowhere = bench.run(&["mcp", "--as", "coder", "--build", build]);
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
    let unknown = bench.run(&["mcp", "--tools", "hammers"]);
    assert!(unknown.stderr.contains("no set of tools"), "{unknown:?}");
    let open = bench.run(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(open.code, Some(6), "{open:?}");
    assert!(open.stderr.contains("--allow-remote"), "{open:?}");
}

#[test]
fn mcp_guest_proposes_over_stdio() {
    let bench = project();
    let add = json!({
        "name": "gavel_memory_add",
        "arguments": {"kind": "trap", "text": "the cache is never emptied", "tags": "cache"}
    });
    let search = json!({
        "name": "gavel_memory_search", "arguments": {"text": "cache", "proposed": "true"}
    });
    let lines = asked(&bench, &[], &[("tools/call", add), ("tools/call", search)]);
    let item = &lines[1]["result"]["structuredContent"]["item"];
    assert_eq!(item["acceptance"], "proposed", "{lines:?}");
    let found = &lines[2]["result"]["structuredContent"]["items"][0];
    assert_eq!(found["id"], item["id"]);
}

/// What only a person may decide is neither taken from a guest nor put to whoever sits at the client.
#[test]
fn mcp_guest_never_answers_a_person() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let asked_first = bench.run(&["start", IDEA, "--into", "made", "--run", &id]);
    assert_eq!(asked_first.code, Some(3), "{asked_first:?}");
    // The first question is anybody's; whether to build what was understood is a person's.
    let asked_next = bench.run(&["answer", &id, "1", "--resume"]);
    assert_eq!(asked_next.code, Some(3), "{asked_next:?}");
    let before = bench.json(&["status", &id]);
    let call = |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        ("tools/call", params)
    };
    let made = bench.folder().join("project/made");
    let lines = asked(
        &bench,
        &["-C", made.to_str().unwrap()],
        &[
            call("gavel_run_status", json!({"run": id})),
            call("gavel_answer", json!({"run": id, "answer": "1"})),
        ],
    );
    let status = &lines[1]["result"]["structuredContent"];
    assert_eq!(status["state"], "waiting", "{lines:?}");
    let refused = &lines[2]["result"];
    assert_eq!(refused["isError"], true, "{refused}");
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "person_only", "{error}");
    assert!(
        error["message"].as_str().unwrap().contains("gavel answer"),
        "{error}"
    );
    assert_eq!(
        bench.json(&["status", &id])["seq"],
        before["seq"],
        "nothing was recorded"
    );
}

/// What is read is of the project that is served, with an id or without.
#[test]
fn mcp_resources_of_other_projects_do_not_exist() {
    let bench = Bench::new();
    let id = run_id().to_string();
    let started = bench.run(&["start", IDEA, "--into", "made", "--run", &id]);
    assert_eq!(started.code, Some(3), "{started:?}");
    let made = bench.folder().join("project/made");
    let elsewhere = bench.folder().join("project/elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let uri = format!("gavel://runs/{id}");
    let complete = json!({
        "ref": {"type": "ref/resource", "uri": "gavel://runs/{run}"},
        "argument": {"name": "run", "value": id.get(..4).unwrap()}
    });
    for (folder, ours) in [(&made, true), (&elsewhere, false)] {
        let lines = asked(
            &bench,
            &["-C", folder.to_str().unwrap()],
            &[
                ("resources/list", json!({})),
                ("resources/read", json!({"uri": uri})),
                ("resources/read", json!({"uri": format!("{uri}/journal")})),
                ("completion/complete", complete.clone()),
            ],
        );
        let listed = lines[1]["result"]["resources"].as_array().unwrap();
        assert_eq!(listed.iter().any(|one| one["uri"] == json!(uri)), ours);
        assert_eq!(lines[2]["error"].is_null(), ours, "{}", lines[2]);
        assert_eq!(lines[3]["error"].is_null(), ours, "{}", lines[3]);
        let values = lines[4]["result"]["completion"]["values"].as_array();
        assert_eq!(values.unwrap().len(), usize::from(ours));
    }
}

#[test]
fn mcp_resources_come_in_pages_and_none_is_left_out() {
    let bench = project();
    let first = bench.run(&[
        "memory",
        "add",
        "--kind",
        "trap",
        "the cache is never emptied",
    ]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let exported = bench.run(&["memory", "export"]).stdout;
    let line: Value = serde_json::from_str(exported.lines().next().unwrap()).unwrap();
    let mut lines = String::new();
    for number in 0..450_u32 {
        let mut copy = line.clone();
        let digits = format!("{number:012x}");
        for field in ["id", "item"] {
            let id = copy[field].as_str().unwrap();
            let kept = id.len() - digits.len();
            copy[field] = format!("{}{digits}", id.get(..kept).unwrap()).into();
        }
        lines.push_str(&format!("{copy}\n"));
    }
    let file = bench.folder().join("copies.jsonl");
    std::fs::write(&file, lines).unwrap();
    let imported = bench.run(&["memory", "import", file.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let mut seen = std::collections::BTreeSet::new();
    let mut params = json!({});
    let mut pages = 0;
    loop {
        let lines = asked(&bench, &[], &[("resources/list", params)]);
        let result = &lines[1]["result"];
        let listed = result["resources"].as_array().unwrap();
        assert!(!listed.is_empty() && listed.len() <= 200, "{}", lines[1]);
        for one in listed {
            let new = seen.insert(one["uri"].as_str().unwrap().to_owned());
            assert!(new, "{one} came twice");
        }
        pages += 1;
        match result["nextCursor"].as_str() {
            Some(next) => params = json!({ "cursor": next }),
            None => break,
        }
    }
    assert_eq!((seen.len(), pages), (451, 3));
    let wrong = asked(&bench, &[], &[("resources/list", json!({"cursor": "7"}))]);
    assert_eq!(wrong[1]["error"]["data"]["code"], "bad_cursor", "{wrong:?}");
}

/// A server that ends with the value.
pub(crate) struct Serving {
    pub(crate) child: Child,
    url: String,
}

impl Serving {
    pub(crate) fn start(bench: &Bench, flags: &[&str]) -> Self {
        let mut words = vec!["--json", "mcp", "--http", "127.0.0.1:0"];
        words.extend(flags);
        let mut command = bench.command(&words);
        command.stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap().to_owned();
        Self { child, url }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> &str {
        let address = self.url.trim_start_matches("http://");
        address.split('/').next().unwrap()
    }

    /// Lists tools with a key; gives the status and the names.
    pub(crate) fn list(&self, key: Option<&str>) -> (u16, Vec<String>) {
        let (status, mut result) = self.ask(key, "tools/list", json!({}));
        let tools = result["tools"].take();
        let names = tools.as_array().into_iter().flatten();
        let names = names.map(|tool| tool["name"].as_str().unwrap().to_owned());
        (status, names.collect())
    }

    /// Calls a tool with a key; gives what it answers.
    pub(crate) fn call(&self, key: Option<&str>, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask(key, "tools/call", params).1["structuredContent"].take()
    }

    /// Asks with a key; gives the status and the result.
    pub(crate) fn ask(&self, key: Option<&str>, method: &str, mut params: Value) -> (u16, Value) {
        let address = self.address();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let name = params["name"].as_str();
        let name = name.map(|name| format!("Mcp-Name: {name}\r\n"));
        let name = name.unwrap_or_default();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = body.to_string();
        let key = key.map(|key| format!("Authorization: Bearer {key}\r\n"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}{}\
             Content-Length: {}\r\n\r\n{body}",
            key.unwrap_or_default(),
            body.len()
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let found = answer.lines().find_map(|line| {
            let line = line.strip_prefix("data: ").unwrap_or(line);
            serde_json::from_str::<Value>(line)
                .ok()
                .filter(Value::is_object)
        });
        (status, found.unwrap_or_default()["result"].take())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn mcp_keys_open_what_their_scope_says_until_they_are_taken_back() {
    let bench = project();
    let read = bench.json(&["keys", "create", "--label", "ci"]);
    let propose = bench.json(&["keys", "create", "--scope", "propose"]);
    let key = |made: &Value| made["key"].as_str().unwrap().to_owned();
    let (reads, proposes) = (key(&read), key(&propose));
    assert!(reads.starts_with("gvl_") && reads != proposes);
    let serving = Serving::start(&bench, &["--require-key"]);
    assert_eq!(serving.list(None).0, 401);
    assert_eq!(serving.list(Some("gvl_0000")).0, 401);
    let (status, names) = serving.list(Some(&reads));
    assert_eq!(status, 200);
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    assert!(has(&names, "gavel_memory_search") && !has(&names, "gavel_memory_add"));
    assert!(has(&serving.list(Some(&proposes)).1, "gavel_memory_add"));
    // Loops can be looked at with a key that reads; nothing is opened with it, and no name is kept.
    assert!(has(&names, "gavel_loop") && !has(&names, "gavel_coordinate"));
    let inbox = json!({"intent": "inbox", "agent_id": "reader"});
    let inbox = serving.call(Some(&reads), "gavel_loop", &inbox);
    assert_eq!(inbox["result"]["inbox"], json!([]), "{inbox}");
    let open = json!({
        "intent": "open", "agent_id": "writer", "kind": "consult", "title": "why", "goal": "why?",
        "slots": [{"role": "adviser", "agent": "reader"}]
    });
    let refused = serving.call(Some(&reads), "gavel_loop", &open);
    assert_eq!(refused["error"]["code"], "not_allowed", "{refused}");
    let ask = json!({
        "intent": "consult", "task": "why?", "agent_id": "writer", "target_agents": ["reader"]
    });
    let opened = serving.call(Some(&proposes), "gavel_coordinate", &ask);
    let warnings = &opened["result"]["warnings"];
    assert_eq!(
        warnings[0]["code"], "unknown_agent",
        "reader came only to read: {opened}"
    );

    let id = read["id"].as_str().unwrap();
    assert_eq!(bench.run(&["keys", "revoke", id]).code, Some(0));
    assert_eq!(serving.list(Some(&reads)).0, 401, "at once");
    assert_eq!(bench.run(&["keys", "revoke", id]).code, Some(2));
    let listed = bench.run(&["keys", "list"]);
    assert!(listed.stdout.contains("revoked") && listed.stdout.contains("ci"));
    assert!(!listed.stdout.contains("gvl_"), "a key is shown once");
    let kept = std::fs::read(bench.state().join("gavel.db")).unwrap();
    let in_file = kept
        .windows(proposes.len())
        .any(|part| part == proposes.as_bytes());
    assert!(!in_file, "the file gives nobody a key");
}

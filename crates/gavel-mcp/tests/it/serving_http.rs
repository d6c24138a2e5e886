//! The server over HTTP: who is let in.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gavel_mcp::{HttpDoor, HttpLimits, Keys, KeysError, Offered};
use gavel_rules::KeyScope;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::bench::Bench;

#[derive(Debug)]
pub(crate) struct TwoKeys;

impl Keys for TwoKeys {
    fn admit<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<KeyScope>, KeysError>> {
        Box::pin(async move {
            match key {
                "gvl_read" => Ok(Some(KeyScope::Read)),
                "gvl_propose" => Ok(Some(KeyScope::Propose)),
                "gvl_broken" => Err(KeysError("the store is gone".into())),
                _ => Ok(None),
            }
        })
    }
}

struct Door {
    address: std::net::SocketAddr,
    _serving: JoinSet<()>,
}

impl Door {
    async fn open(key_required: bool) -> Self {
        let door = HttpDoor {
            address: "127.0.0.1:0".parse().unwrap(),
            keys: Arc::new(TwoKeys),
            key_required,
            hosts: Vec::new(),
            limits: HttpLimits::DEFAULT,
        };
        let open = door.open().await.unwrap();
        let address = open.address();
        let mut serving = JoinSet::new();
        serving.spawn(open.serve(Bench::new(Offered::all()).server, CancellationToken::new()));
        Self {
            address,
            _serving: serving,
        }
    }

    /// Posts a request of the newest revision; gives the status and the JSON of the answer.
    async fn post(&self, path: &str, headers: &[(&str, &str)], params: Value) -> (u16, Value) {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } }
        });
        let method = if params.get("name").is_some() {
            "tools/call"
        } else {
            "tools/list"
        };
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let body = body.to_string();
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n",
            body.len()
        );
        if let Some(name) = params.get("name").and_then(Value::as_str) {
            request.push_str(&format!("Mcp-Name: {name}\r\n"));
        }
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(&body);
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let json = answer.lines().find_map(|line| {
            let line = line.strip_prefix("data: ").unwrap_or(line);
            serde_json::from_str::<Value>(line)
                .ok()
                .filter(Value::is_object)
        });
        (status, json.unwrap_or_default())
    }

    async fn status(&self, headers: &[(&str, &str)]) -> u16 {
        self.post("/mcp", headers, json!({})).await.0
    }
}

#[tokio::test]
async fn on_this_machine_guests_come_without_a_key_and_pages_do_not() {
    let door = Door::open(false).await;
    let (status, list) = door.post("/mcp", &[], json!({})).await;
    assert_eq!(status, 200, "{list}");
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 5);
    assert_eq!(
        door.status(&[("Origin", "https://evil.example")]).await,
        403
    );
    assert_eq!(door.status(&[("Origin", "http://localhost")]).await, 403);
    let own = format!("http://{}", door.address);
    assert_eq!(door.status(&[("Origin", &own)]).await, 200);
    assert_eq!(door.status(&[("Host", "evil.example")]).await, 403);
    assert_eq!(
        door.status(&[("Authorization", "Bearer gvl_other")]).await,
        401
    );
    assert_eq!(door.status(&[("Authorization", "Basic abc")]).await, 401);
    assert_eq!(
        door.status(&[("Authorization", "Bearer gvl_broken")]).await,
        503
    );
    assert_eq!(door.post("/else", &[], json!({})).await.0, 404);
}

#[tokio::test]
async fn what_one_client_declines_is_still_put_to_another() {
    let door = Door::open(false).await;
    let [reads, proposes] = ["Bearer gvl_read", "Bearer gvl_propose"];
    let ask = json!({"name": "gavel_run_status", "arguments": {}});
    let mut declining = ask.clone();
    declining["inputResponses"] = json!({"format": {"action": "decline"}});
    let kind = |answer: &Value| answer["result"]["resultType"].clone();
    let as_reader = [("Authorization", reads)];
    let (_, asked) = door.post("/mcp", &as_reader, ask.clone()).await;
    assert_eq!(kind(&asked), "input_required", "{asked}");
    door.post("/mcp", &as_reader, declining).await;
    let (_, told) = door.post("/mcp", &as_reader, ask.clone()).await;
    assert_eq!(kind(&told), "complete", "{told}");
    for others in [&[("Authorization", proposes)][..], &[]] {
        let (_, asked) = door.post("/mcp", others, ask.clone()).await;
        assert_eq!(kind(&asked), "input_required", "{others:?} {asked}");
    }
}

#[tokio::test]
async fn where_a_key_is_wanted_nobody_comes_without_one() {
    let door = Door::open(true).await;
    assert_eq!(door.status(&[]).await, 401);
    let key = [("Authorization", "Bearer gvl_propose")];
    assert_eq!(door.status(&key).await, 200);
}

#[tokio::test]
async fn a_key_that_reads_sees_and_calls_only_what_reads() {
    let door = Door::open(true).await;
    let key = [("Authorization", "Bearer gvl_read")];
    let (_, list) = door.post("/mcp", &key, json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    let names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["gavel_memory_search", "gavel_run_status"]);
    let call = json!({"name": "gavel_memory_add", "arguments": {}});
    let (status, refused) = door.post("/mcp", &key, call.clone()).await;
    assert_eq!(status, 200);
    let error = &refused["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "not_allowed", "{refused}");
    let key = [("Authorization", "Bearer gvl_propose")];
    let (_, added) = door.post("/mcp", &key, call).await;
    assert_eq!(added["result"]["structuredContent"]["text"], "added");
}

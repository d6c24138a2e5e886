"""A source for tests: MCP over newline-delimited JSON-RPC, with the standard library alone."""

import json
import os
import sys
import time

TOOLS = [
    {
        "name": "look_up",
        "description": "Finds a page of the handbook.",
        "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}},
        "annotations": {"readOnlyHint": True},
    },
    {"name": "fetch", "description": "Fetches a page.", "inputSchema": {"type": "object"}},
    {"name": "delete", "description": "Deletes a page.", "inputSchema": {"type": "object"}},
    {
        "name": "say it\nloud",
        "description": "Has a name that is none.",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
    },
]


def text(said, failed=False):
    return {"content": [{"type": "text", "text": said}], "isError": failed}


def call(name, arguments):
    word = arguments.get("word", "")
    if name == "fetch":
        return text(f"{arguments['url']} says: retries are capped at 5")
    if word == "end":
        os._exit(3)
    if word == "wait":
        time.sleep(600)
    if word == "much":
        return text("a" * 1_000_000)
    if word == "fail":
        return text("the handbook is closed", failed=True)
    if word == "environment":
        return text(json.dumps(dict(os.environ)) + os.getcwd())
    if word == "pid":
        return text(str(os.getpid()))
    if word == "picture":
        return {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]}
    return text(f"{word}: page 12 of https://handbook.example/queue")


NEWEST = "2026-07-28"


def answer_newest(method, params):
    meta = params.get("_meta", {})
    if meta.get("io.modelcontextprotocol/protocolVersion") != NEWEST:
        return None
    found = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if method == "server/discover":
        return {**found, "supportedVersions": [NEWEST], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return {**found, "tools": TOOLS}
    if method == "tools/call":
        return {**found, **call(params["name"], params.get("arguments") or {})}
    return None


def answer(method, params):
    if "--newest" in sys.argv:
        return answer_newest(method, params)
    if method == "initialize":
        version = params["protocolVersion"]
        server = {"name": "handbook", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params.get("arguments") or {})
    return None


if "--note" in sys.argv:
    with open(sys.argv[sys.argv.index("--note") + 1], "a") as note:
        note.write("started\n")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    result = answer(asked["method"], asked.get("params") or {})
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    if result is None:
        reply["error"] = {"code": -32601, "message": "no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)

"""What the peer tests share: a project of their own, the server over stdio and HTTP, and checks.

Nothing here is Gavel's own client: everything goes through the official Python SDK.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

IDEA = "a bookmark manager with tags on the command line"
TOPIC = "SQLite or PostgreSQL for a small job queue?"
PATIENCE = 420


class Failed(AssertionError):
    """A check that did not hold."""


def check(holds, told):
    if not holds:
        raise Failed(told)


class Project:
    """A repository, a state folder, and the program that is tested."""

    def __init__(self, program):
        self.program = str(Path(program).resolve())
        self.folder = Path(tempfile.mkdtemp(prefix="gavel-peers-"))
        self.checkout = self.folder / "project"
        self.checkout.mkdir()
        subprocess.run(["git", "init", "-q", str(self.checkout)], check=True)
        self.gavel("init")

    def words(self, *args):
        state = str(self.folder / "state")
        return ["--state", state, "-C", str(self.checkout), *args]

    def environment(self):
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "RUSTUP_HOME", "CARGO_HOME") if name in os.environ}
        # No settings and no keys of whoever runs the tests.
        return {**kept, "XDG_CONFIG_HOME": str(self.folder / "config"), "XDG_DATA_HOME": str(self.folder / "data")}

    def gavel(self, *args, ok=(0,)):
        done = subprocess.run(
            [self.program, *self.words(*args)],
            env=self.environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE,
        )
        check(done.returncode in ok, f"gavel {args}: {done.returncode} {done.stdout} {done.stderr}")
        return done.stdout

    def data(self, *args, ok=(0,)):
        return json.loads(self.gavel("--json", *args, ok=ok).splitlines()[-1])

    def stdio(self, *args):
        return StdioServerParameters(
            command=self.program, args=self.words("mcp", "--tools", "all", *args), env=self.environment()
        )

    @contextlib.asynccontextmanager
    async def client(self, mode="auto"):
        """A client over stdio, with a server process of its own."""
        async with Client(stdio_client(self.stdio()), mode=mode) as client:
            yield client

    @contextlib.asynccontextmanager
    async def http(self, *args):
        """A server over HTTP; gives its address."""
        process = await asyncio.create_subprocess_exec(
            self.program, *self.words("--json", "mcp", "--http", "127.0.0.1:0", "--tools", "all", *args),
            env=self.environment(), stdout=asyncio.subprocess.PIPE,
        )
        try:
            line = await asyncio.wait_for(process.stdout.readline(), 20)
            yield json.loads(line)["url"]
        finally:
            process.terminate()
            await process.wait()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


async def call(client, tool, **arguments):
    """Calls a tool; the SDK checks the answer against the tool's own schema."""
    return await client.call_tool(tool, arguments)


def answer(result, tool):
    """What a tool answered."""
    check(not result.is_error, f"{tool} refused: {result.structured_content}")
    check(len(result.content) == 1 and "\n" not in result.content[0].text, f"{tool}: the text is one line")
    return result.structured_content


def refusal(result, tool):
    """Why a tool refused: a code, a sentence, and what to call next."""
    check(result.is_error, f"{tool} did not refuse: {result.structured_content}")
    told = result.structured_content["error"]
    check(re.fullmatch(r"[a-z_]+", told["code"]), f"{tool}: {told}")
    check(len(told["message"]) > 10 and isinstance(told["next"], list), f"{tool}: {told}")
    return told


def fits(value, schema, tool):
    """The answer fits the schema of the tool, by a validator that is not the SDK's."""
    jsonschema.Draft202012Validator.check_schema(schema)
    problems = list(jsonschema.Draft202012Validator(schema).iter_errors(value))
    check(not problems, f"{tool}: {[problem.message for problem in problems]}")


async def until(told, look, patience=PATIENCE):
    """Looks again and again until something comes of it."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = await look()
        if found:
            return found
        await asyncio.sleep(0.3)
    raise Failed(f"{told} did not happen within {patience} s")


async def build(project, client):
    """Starts a run over MCP and gets it to its seal: as a guest where one may, as a person elsewhere."""
    started = answer(await call(client, "gavel_start_run", idea=IDEA, max_cost_usd="1"), "gavel_start_run")
    run = started["run"]

    async def sealed():
        told = answer(await call(client, "gavel_run_status", run=run), "gavel_run_status")
        question = told["pending_question"]
        if told["state"] in ("halted", "aborted", "faulted"):
            raise Failed(f"the run ended: {told}")
        if question is None or told["driven"]:
            return told if told["state"] == "sealed" else None
        option = question["recommended"] or (question["options"][0]["id"] if question["options"] else "as you like")
        tried = await call(client, "gavel_answer", run=run, question=question["id"], answer=option)
        if question["audience"] == "person":
            told = refusal(tried, "gavel_answer")
            check(told["code"] == "person_only", told)
            check(told["data"]["pending_question"]["id"] == question["id"], told)
            # Exit 3: the next question waits.
            await asyncio.to_thread(
                project.gavel, "answer", run, question["id"], "--option", option, "--resume", ok=(0, 3, 4, 5)
            )
        else:
            answer(tried, "gavel_answer")
        return None

    return await until("the seal", sealed)


def leaves(group):
    """The exceptions in groups of groups."""
    for one in group.exceptions:
        if isinstance(one, BaseExceptionGroup):
            yield from leaves(one)
        else:
            yield one


def main(test):
    """Runs a test with a project of its own."""
    project = Project(sys.argv[1])
    try:
        asyncio.run(test(project))
    except* Failed as failed:
        for one in leaves(failed):
            print(f"FAILED: {one}", file=sys.stderr)
        sys.exit(1)
    finally:
        project.remove()

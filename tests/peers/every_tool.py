"""Every tool, once with success and once with a refusal: over stdio and HTTP, with both revisions of
the protocol by the official Python SDK, and with the inspector's command line.

    python every_tool.py GAVEL [INSPECTOR]
"""

import asyncio
import json
import sys
import uuid

from mcp import Client

from peers import IDEA, TOPIC, Failed, answer, build, check, fits, main, refusal, until

NOWHERE = "01890000-0000-7000-8000-00000000dead"
SECRET = "token ghp_0123456789abcdefghijABCDEFGHIJ012345"


class Caller:
    """Somebody who calls tools, and counts which ones did what."""

    def __init__(self, tools):
        self.schemas = {tool["name"]: tool["outputSchema"] for tool in tools}
        self.done, self.refused = set(), set()

    async def send(self, tool, arguments):
        raise NotImplementedError

    async def ok(self, tool, **arguments):
        value = answer(await self.send(tool, arguments), tool)
        fits(value, self.schemas[tool], tool)
        self.done.add(tool)
        return value

    async def no(self, tool, code, **arguments):
        told = refusal(await self.send(tool, arguments), tool)
        check(told["code"] == code, f"{tool} refused with {told['code']}, not {code}: {told['message']}")
        self.refused.add(tool)
        return told


class Sdk(Caller):
    """The official SDK, which checks answers against their schemas too."""

    def __init__(self, client, tools):
        super().__init__(tools)
        self.client = client

    async def send(self, tool, arguments):
        return await self.client.call_tool(tool, arguments)


class Said:
    """A result as the inspector prints it."""

    def __init__(self, told):
        self.is_error = told.get("isError", False)
        self.structured_content = told.get("structuredContent")
        self.content = [type("Text", (), {"text": part["text"]}) for part in told["content"]]


class Inspector(Caller):
    """The inspector's command line: a process for each call."""

    def __init__(self, words, tools):
        super().__init__(tools)
        self.words = words

    async def send(self, tool, arguments):
        words = ["--method", "tools/call", "--tool-name", tool]
        for name, value in arguments.items():
            text = value if isinstance(value, str) else json.dumps(value)
            words += ["--tool-arg", f"{name}={text}"]
        return Said(await inspect(self.words, *words))


async def inspect(words, *more):
    process = await asyncio.create_subprocess_exec(
        *words, *more, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 90)
    text = out.decode()
    check("{" in text, f"the inspector said nothing: {text} {err.decode()}")
    return json.loads(text[text.index("{"):])


async def runs(call, built):
    """Runs: started, asked after, answered, steered."""
    await call.no("gavel_start_run", "bad_arguments", idea=" ")
    run = (await call.ok("gavel_start_run", idea=IDEA, mini=True))["run"]
    await call.no("gavel_run_status", "not_found", run=NOWHERE)

    async def asked():
        told = await call.ok("gavel_run_status", run=run)
        return told["pending_question"] if not told["driven"] else None

    question = await until("a question", asked, 60)
    check(question["audience"] == "any", question)
    await call.no("gavel_say", "bad_arguments", run=run, text=" ")
    await call.ok("gavel_say", run=run, text="keep it small")
    for action in ("pause", "abort", "ship"):
        await call.no("gavel_control", "person_only", run=run, action=action)
    await call.ok("gavel_control", run=run, action="resume")
    await until("the question again", asked, 60)
    await call.no("gavel_answer", "unknown_option", run=run, answer="perhaps")
    await call.no("gavel_answer", "not_open", run=run, question="nothing/asked", answer="1")
    await call.ok("gavel_answer", run=run, question=question["id"], answer=question["recommended"])
    await call.no("gavel_get_branch_status", "not_built", run=run)
    await call.no("gavel_list_branch_commits", "not_built", run=run)
    branch = await call.ok("gavel_get_branch_status", run=built)
    commits = await call.ok("gavel_list_branch_commits", run=built)
    check(branch["head"] == commits["commits"][-1]["commit"], branch)
    await call.no("gavel_council", "bad_arguments")
    council = (await call.ok("gavel_council", topic=TOPIC))["run"]

    async def closed():
        return (await call.ok("gavel_council", run=council))["outcome"]

    await until("the council's outcome", closed, 60)
    return council


async def contracts(call, built, council):
    """Contracts: of a run, of a build, of the project."""
    summary = await call.ok("gavel_get_summary", run=built)
    check(len(summary["contracts"]) == 9 and summary["phases"], summary)
    await call.no("gavel_get_summary", "not_written", run=council)
    await call.ok("gavel_list_contracts", run=built)
    await call.no("gavel_list_contracts", "not_found", run=NOWHERE)
    await call.ok("gavel_get_contract", run=built, kind="stack")
    told = await call.no("gavel_get_contract", "use_phase_window", run=built, kind="phases")
    check(told["next"][0]["tool"] == "gavel_get_phase_window", told)
    await call.ok("gavel_get_phase_window", run=built, phase=0)
    await call.no("gavel_get_phase_window", "no_such_phase", run=built, phase=99)
    build_contracts = await call.ok("gavel_get_build_contracts", run=built)
    check(len(build_contracts["contracts"]) == 8, build_contracts["left_out"])
    await call.no("gavel_get_build_contracts", "not_written", run=council)
    listed = await call.ok("gavel_list_project_contracts")
    check(listed["holds"] == built, listed)
    await call.no("gavel_list_project_contracts", "bad_arguments", nonsense="1")
    await call.ok("gavel_get_project_contract", kind="schema")
    await call.no("gavel_get_project_contract", "bad_arguments", kind="poem")
    await call.ok("gavel_get_project_context", run=built, about="spec")
    await call.no("gavel_get_project_context", "not_written", run=council, about="spec")


async def memory(call):
    """Memory: proposed, found, read, changed; never accepted from here."""
    word = f"quorum{uuid.uuid4().hex[:8]}"
    text = f"The {word} must be asked before the lock is taken."
    added = await call.ok("gavel_memory_add", kind="trap", text=text, tags=["locks"])
    item = added["item"]
    check(item["acceptance"] == "proposed", item)
    await call.no("gavel_memory_add", "secret", kind="trap", text=SECRET)
    found = await call.ok("gavel_memory_search", text=word, proposed=True)
    check([one["id"] for one in found["items"]] == [item["id"]], found)
    await call.no("gavel_memory_search", "bad_arguments", text="x", kinds=["poem"])
    await call.ok("gavel_memory_get", id=item["id"])
    await call.no("gavel_memory_get", "not_found", id="trp_" + NOWHERE)
    await call.ok("gavel_memory_update", id=item["id"], text=text + " Always.")
    await call.no("gavel_memory_update", "not_found", id="trp_" + NOWHERE, retire=True)


async def loops(call):
    """Loops, as far as one caller alone gets; two of them meet in two_agents.py."""
    opened = await call.ok("gavel_coordinate", intent="ideate", task="Split the parser?", agent_id="solo")
    await call.no("gavel_coordinate", "validation_error", intent="ideate", task="Split it?", agent_id="a b")
    await call.ok("gavel_loop", intent="get", loop_id=opened["loop_id"])
    await call.no("gavel_loop", "not_found", intent="get", loop_id=NOWHERE)


async def sessions(call, built):
    """A session only narrows; its handle comes back with later calls."""
    held = await call.ok("gavel_set_session", run=built, agent="peer-1")
    told = await call.ok("gavel_run_status", context=held["context"])
    check(told["run"] == built, told)
    await call.no("gavel_set_session", "not_found", run=NOWHERE)
    await call.no("gavel_run_status", "bad_context", context=held["context"] + "x")


async def everything(call, built):
    await loops(call)
    council = await runs(call, built)
    await contracts(call, built, council)
    await memory(call)
    await sessions(call, built)
    listed = set(call.schemas)
    check(call.done == listed, f"never done: {sorted(listed - call.done)}")
    check(call.refused == listed, f"never refused: {sorted(listed - call.refused)}")
    return len(listed)


def plain(tools):
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


async def by_sdk(client, told, built):
    tools = plain((await client.list_tools()).tools)
    names = [tool["name"] for tool in tools]
    check(names == sorted(names), "the order of tools is fixed")
    for tool in tools:
        check("\n" not in tool["description"] and len(tool["description"]) < 120, tool)
        check(tool["annotations"] and tool["outputSchema"]["type"] == "object", tool)
    count = await everything(Sdk(client, tools), built)
    print(f"{told}, {client.protocol_version}: {count} tools, each done and each refused")


async def by_inspector(words, told, built):
    tools = (await inspect(words, "--method", "tools/list"))["tools"]
    count = await everything(Inspector(words, tools), built)
    print(f"{told}, inspector: {count} tools, each done and each refused")


async def test(project):
    inspector = sys.argv[2:]
    async with project.client() as client:
        built = (await build(project, client))["run"]
        print("a run was started, answered and sealed over MCP")
        await by_sdk(client, "stdio", built)
    async with project.client("legacy") as client:
        await by_sdk(client, "stdio", built)
    async with project.http() as url:
        for mode in ("auto", "legacy"):
            async with Client(url, mode=mode) as client:
                await by_sdk(client, "http", built)
        if inspector:
            words = [*inspector, "--cli", url, "--transport", "http"]
            await by_inspector(words, "http", built)
    if inspector:
        # The inspector takes words with dashes for its own.
        here = project.folder / "gavel-here"
        line = " ".join(f"'{word}'" for word in [project.program, *project.words("mcp", "--tools", "all")])
        here.write_text(f"#!/bin/sh\nexec {line}\n")
        here.chmod(0o755)
        await by_inspector([*inspector, "--cli", str(here)], "stdio", built)
    else:
        raise Failed("the inspector was not given: nothing is shown of it")


main(test)

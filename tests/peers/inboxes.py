"""Two agents of two SDKs, each with a server process of its own, finish an ideation in which everything
goes wrong once: the critic is late, its turn fails, its phase is blocked, and the plan forgets a critique.
Nobody is told anything but what its inbox says and what answers say to call next.

    python inboxes.py GAVEL MODULES
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from mcp import Client
from mcp.client.stdio import stdio_client

from peers import Failed, check, main

TASK = "Should we extract the dispatcher into its own package?"
KNOWN = [
    "The dispatcher calls handlers while it holds the registry lock; two packages deadlock here.",
    "Moving the dispatcher broke plugin discovery: plugins are found by package path.",
]


class Python:
    """An agent by the official Python SDK."""

    def __init__(self, client):
        self.client = client

    async def call(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        return result.is_error, result.structured_content


class TypeScript:
    """An agent by the official TypeScript SDK."""

    def __init__(self, process):
        self.process = process

    @classmethod
    async def start(cls, project, modules):
        script = Path(modules) / "agent.mjs"
        # Node looks for modules beside the script.
        script.write_text((Path(__file__).parent / "agent.mjs").read_text())
        words = project.words("mcp")
        process = await asyncio.create_subprocess_exec(
            "node", str(script), project.program, *words, env=project.environment(),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24,
        )
        return cls(process)

    async def call(self, tool, arguments):
        line = json.dumps({"tool": tool, "arguments": arguments})
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()
        told = json.loads(await asyncio.wait_for(self.process.stdout.readline(), 60))
        check("broken" not in told, f"{tool} {arguments}: {told}")
        return told["isError"], told["answer"]

    async def end(self):
        self.process.stdin.close()
        await self.process.wait()


def fill(value, text):
    """What stands in angle brackets is what an agent says itself."""
    if isinstance(value, str):
        return text if value.startswith("<") and value.endswith(">") else value
    if isinstance(value, list):
        return [fill(one, text) for one in value]
    if isinstance(value, dict):
        return {name: fill(one, text) for name, one in value.items()}
    return value


class Agent:
    """Somebody who knows a name of its own, and what its inbox says."""

    def __init__(self, hands, name):
        self.hands, self.name, self.said = hands, name, 0

    async def call(self, tool, arguments):
        refused, answer = await self.hands.call(tool, arguments)
        if refused:
            raise Refused(answer["error"])
        return answer

    async def inbox(self):
        told = await self.call("gavel_loop", {"intent": "inbox", "agent_id": self.name})
        return told["result"]["inbox"], told["result"]["waits_for_you"]

    async def follow(self, step, **over):
        self.said += 1
        arguments = {**fill(step["arguments"], f"point {self.said} of {self.name}"), **over}
        return await self.call(step["tool"], arguments)

    async def turn(self):
        turns, _ = await self.inbox()
        check(len(turns) == 1, f"{self.name} has one turn: {turns}")
        return turns[0]["next"][0]

    async def own(self):
        turns, waits = await self.inbox()
        check(not turns and len(waits) == 1, f"a loop waits for {self.name}: {turns} {waits}")
        return waits[0]


class Refused(Exception):
    """A refusal, with what helps."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code, self.next = error["code"], error["next"]


async def first_contact(claude):
    """In the order of the documents' example."""
    await claude.call("gavel_set_session", {"agent": "claude"})
    await claude.call("gavel_memory_search", {"text": "where does the dispatcher live?", "kinds": "decision, trap"})
    await claude.call("gavel_memory_add", {"kind": "trap", "text": "nobody watches a Friday release", "tags": "release; ci"})
    opened = await claude.call(
        "gavel_coordinate", {"intent": "ideate", "task": TASK, "target_agents": ["codex"]}
    )
    check(opened["phase"] == "critique" and opened["status"] == "open", opened)
    codes = [warning["code"] for warning in opened["result"]["warnings"]]
    check(codes == ["unknown_agent"], codes)
    return opened["loop_id"]


async def failing(claude, codex):
    """Three failed turns; then it is for whoever opened the loop."""
    for _ in range(3):
        step = await codex.turn()
        await codex.follow(step, outcome="failed", reason="no time", artifacts=[])
    turns, _ = await codex.inbox()
    check(not turns, turns)
    waits = await claude.own()
    check("failed three times" in waits["why"], waits)
    await claude.follow(waits["next"][0])


async def blocked(claude, codex):
    """One point, and no word that this is all: nobody has a turn left, and the way leads to the answer."""
    step = await codex.turn()
    said = await codex.follow(step)
    check(said["result"]["artifacts"][0]["counts"], said)
    waits = await claude.own()
    step = waits["next"][0]
    check(step["arguments"]["to_phase"] == "revision", waits)
    await claude.follow(step)


async def test(project):
    for text in KNOWN:
        project.gavel("memory", "add", "--kind", "trap", text)
    hands = await TypeScript.start(project, sys.argv[2])
    async with Client(stdio_client(project.stdio())) as client:
        claude, codex = Agent(Python(client), "claude"), Agent(hands, "codex")
        await first_contact(claude)
        await failing(claude, codex)
        await blocked(claude, codex)
        await claude.follow(await claude.turn())
        step = await codex.turn()
        await codex.follow(step, artifacts=[{"type": "nothing_new"}])
        step = await claude.turn()
        plan = fill(step["arguments"]["artifacts"], "Leave it where it is; release the lock first.")
        forgetful = [{**plan[0], "addresses_critique": []}]
        try:
            await claude.follow(step, artifacts=forgetful)
            raise Failed("a plan that forgets a critique was taken")
        except Refused as refused:
            check(refused.code == "critiques_uncovered", refused.code)
            ended = await claude.follow(refused.next[0])
        check(ended["status"] == "completed", ended)
        kept = await claude.follow(ended["result"]["next"][0])
        proposed = project.gavel("memory", "list", "--proposed")
        check(kept["result"]["item"].split("-")[-1][-8:] in proposed, f"{kept} {proposed}")
    await hands.end()
    print("two agents of two SDKs mended everything by what their inboxes say")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main(test)

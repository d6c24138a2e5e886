"""Two clients that know nothing of each other but their names finish an ideation: the champion puts
something forward, the critic finds its turns in its inbox. Nobody tells the critic an id.

    python two_agents.py GAVEL
"""

import re

from mcp import Client

from peers import Failed, answer, check, main, until

TASK = "Should we extract the dispatcher into its own package?"
KNOWN = [
    ("trap", "The dispatcher calls handlers while it holds the registry lock; two packages deadlock here."),
    ("trap", "Moving the dispatcher broke plugin discovery: plugins are found by package path."),
    ("constraint", "The dispatcher must start in under 50 ms; another package adds an import."),
]
ITEM = re.compile(r"\b(?:dec|cst|trp|pln|fb|rtn|hnd|vsn)_[0-9a-f-]{36}\b")


class Agent:
    """Somebody with a name who does what its inbox says."""

    def __init__(self, client, name):
        self.client, self.name = client, name
        self.said = 0
        self.roles = []

    async def loop(self, intent, **arguments):
        result = await self.client.call_tool("gavel_loop", {"intent": intent, "agent_id": self.name, **arguments})
        return answer(result, "gavel_loop")

    async def work(self):
        """Takes every turn that waits; tells whether there was one."""
        waiting = (await self.loop("inbox"))["result"]["inbox"]
        for turn in waiting:
            self.roles.append((turn["phase"], turn["iteration"]))
            await self.loop(
                "complete_turn", loop_id=turn["loop_id"], slot_id=turn["slot_id"],
                outcome="done", artifacts=self.artifacts(turn),
            )
        return bool(waiting)

    def artifacts(self, turn):
        """What is handed in, from nothing but the brief."""
        phase, brief = turn["phase"], turn["brief"]
        items = list(dict.fromkeys(ITEM.findall(brief)))
        if phase == "critique" and turn["iteration"] == 0:
            check(items, f"the critic's brief holds memory: {brief}")
            texts = [f"{number}: what {item} says stands against it" for number, item in enumerate(items)]
            while len(texts) < 3:
                texts.append(f"{len(texts)}: and {items[0]} once more, from another side")
            return [
                {"type": "critique", "body": text, "cites": [items[min(at, len(items) - 1)]]}
                for at, text in enumerate(texts)
            ]
        if phase == "critique":
            return [{"type": "nothing_new"}]
        if phase == "revision":
            check("stands against it" in brief, f"the reviser sees the critiques: {brief}")
            return [{"type": "revision", "body": "Keep it in the package, behind a trait; measure the start."}]
        if phase == "synthesis":
            return [self.plan()]
        raise Failed(f"a turn of another phase: {turn}")

    def plan(self):
        raise NotImplementedError


class Champion(Agent):
    def plan(self):
        return {
            "type": "plan_draft",
            "body": "Leave the dispatcher where it is; add the trait; release the lock before handlers run.",
            "addresses_critique": self.critiques,
        }


async def test(project):
    for kind, text in KNOWN:
        project.gavel("memory", "add", "--kind", kind, text)
    async with project.http() as url:
        async with Client(url) as one, Client(url, mode="legacy") as other:
            champion, critic = Champion(one, "champion"), Agent(other, "critic-1")
            check(not await critic.work(), "nothing waits for anybody yet")
            opened = await one.call_tool(
                "gavel_coordinate",
                {"intent": "ideate", "task": TASK, "agent_id": "champion", "target_agents": ["critic-1"]},
            )
            opened = answer(opened, "gavel_coordinate")
            check(opened["outcome"] == "ok", opened)
            loop = opened["loop_id"]

            async def ended():
                await critic.work()
                told = (await champion.loop("get", loop_id=loop))["result"]["loop"]
                critiques = [one for one in told["artifacts"] if one["type"] == "critique"]
                champion.critiques = [one["artifact_id"] for one in critiques]
                await champion.work()
                return told if told["status"] not in ("open", "paused") else None

            told = await until("the end of the loop", ended, 60)
    check(told["status"] == "completed", told)
    kinds = [artifact["type"] for artifact in told["artifacts"]]
    check(kinds.count("critique") >= 3 and "plan_draft" in kinds and "revision" in kinds, kinds)
    check({phase for phase, _ in critic.roles} == {"critique"}, critic.roles)
    print(f"two clients finished an ideation by their inboxes: {' '.join(kinds)}")


main(test)

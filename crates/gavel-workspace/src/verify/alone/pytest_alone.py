# Runs pytest with a plugin that reports to a file. Its words are in the file that the first argument
# names, which is removed before anything of the project is loaded.
import sys

# The tree comes last: nothing of it is loaded in place of what follows.
del sys.path[0]
import importlib.util
import json
import os
import pytest


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    os.unlink(sys.argv[1])
    report = os.open(order["report"], os.O_WRONLY | os.O_APPEND)
    os.unlink(order["report"])
    token, process = order["token"], os.getpid()

    def tell(kind, test="", **more):
        if os.getpid() == process:
            line = json.dumps({"token": token, "kind": kind, "test": test, **more})
            os.write(report, (line + "\n").encode())

    class Reports:
        def pytest_collection_finish(self, session):
            for item in session.items:
                tell("listed", item.nodeid)

        # Innermost: what the test raised, before hooks of the project see it.
        @pytest.hookimpl(hookwrapper=True, trylast=True)
        def pytest_runtest_call(self, item):
            tell("begun", item.nodeid)
            outcome = yield
            tell("called", item.nodeid, raised=outcome.excinfo is not None)

        def pytest_runtest_logreport(self, report):
            expected = hasattr(report, "wasxfail")
            outcome = "skipped" if expected else report.outcome
            tell("report", report.nodeid, when=report.when, outcome=outcome)

    arguments = ["-p", "no:cacheprovider", "--color=no", "--rootdir=" + os.getcwd()]
    # One test covers little, and is to run in this process.
    if importlib.util.find_spec("pytest_cov"):
        arguments.append("--no-cov")
    if importlib.util.find_spec("xdist"):
        arguments += ["-n", "0"]
    if order["tests"]:
        arguments += order["tests"]
    else:
        arguments.append("--collect-only")
    sys.argv = ["pytest", *arguments]
    sys.path.insert(0, os.getcwd())
    code = int(pytest.main(arguments, plugins=[Reports()]))
    tell("end", code=code)
    return code


sys.exit(main())

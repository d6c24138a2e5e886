# Lists or runs tests of unittest and Django, and reports to a file. Its words are in the file that the
# first argument names, which is removed before anything of the project is loaded.
import sys

# The tree comes last: nothing of it is loaded in place of what follows.
del sys.path[0]
import json
import os
import runpy
import types
import unittest


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        order = json.load(file)
    os.unlink(sys.argv[1])
    report = os.open(order["report"], os.O_WRONLY | os.O_APPEND)
    os.unlink(order["report"])
    token, process = order["token"], os.getpid()
    wanted = order["tests"]

    def tell(kind, test="", **more):
        if os.getpid() == process:
            line = json.dumps({"token": token, "kind": kind, "test": test, **more})
            os.write(report, (line + "\n").encode())

    class Result(unittest.TextTestResult):
        def startTest(self, test):
            super().startTest(test)
            tell("begun", test.id())

        def addSuccess(self, test):
            super().addSuccess(test)
            tell("report", test.id(), outcome="passed")

        def addError(self, test, err):
            super().addError(test, err)
            tell("report", test.id(), outcome="failed")

        def addFailure(self, test, err):
            super().addFailure(test, err)
            tell("report", test.id(), outcome="failed")

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                tell("report", test.id(), outcome="failed")

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            tell("report", test.id(), outcome="skipped")

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            tell("report", test.id(), outcome="skipped")

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            tell("report", test.id(), outcome="failed")

    def each(suite):
        for part in suite:
            if isinstance(part, unittest.TestSuite):
                yield from each(part)
            else:
                yield part

    def list_all(suite):
        for test in each(suite):
            broken = type(test).__name__ == "_FailedTest"
            tell("broken" if broken else "listed", test.id())

    def run(suite):
        runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
        return runner.run(suite)

    def plain():
        sys.path.insert(0, os.getcwd())

        def found(pattern):
            loader = unittest.TestLoader()
            suite = loader.discover(order["start"], pattern=pattern)
            for error in loader.errors:
                print(error, file=sys.stderr)
            return suite

        if not wanted:
            list_all(found("test*.py"))
            return 0
        # The test's own file, so that no other is loaded with it.
        module = wanted[0].split(".")[-3:][0]
        for pattern in (module + ".py", "test*.py"):
            tests = [test for test in each(found(pattern)) if test.id() in wanted]
            if tests:
                return 0 if run(unittest.TestSuite(tests)).wasSuccessful() else 1
        return 5

    def django():
        from django.test.runner import DiscoverRunner

        class Runner(DiscoverRunner):
            def run_suite(self, suite, **kwargs):
                return run(suite)

            def run_tests(self, labels, *rest, **kwargs):
                if wanted:
                    return super().run_tests(labels, *rest, **kwargs)
                self.setup_test_environment()
                list_all(self.build_suite(labels))
                return 0

        name = "runner_" + os.urandom(8).hex()
        module = sys.modules[name] = types.ModuleType(name)
        module.Runner = Runner
        sys.path.insert(0, os.getcwd())
        sys.argv = ["manage.py", "test", "--testrunner", name + ".Runner", "--noinput", *wanted]
        try:
            runpy.run_path("manage.py", run_name="__main__")
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else int(bool(end.code))
        return 0

    code = django() if order["django"] else plain()
    tell("end", code=code)
    return code


sys.exit(main())

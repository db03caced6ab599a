import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import summary


class SummaryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.entries, self.tests = [], []

    def add(self, name, status="run", output="", report=None, message="", seconds=1):
        """A ctest and what it left behind; report "" is one that should be there and is not."""
        skipped = f'<skipped message="{message}"/>' if message else ""
        self.entries.append(f'<testcase name="{name}" time="{seconds}" status="{status}">{skipped}'
                            f"<system-out>{output}</system-out></testcase>")
        properties = []
        if report is not None:
            path = self.build / name
            properties = [{"name": "ENVIRONMENT", "value": ["A=1", f"CATENA_TEST_REPORT={path}"]}]
            if report:
                path.write_text(report)
        self.tests.append({"name": name, "properties": properties})

    def said(self):
        """The exit status and what is printed."""
        (self.build / "tests.xml").write_text(f"<testsuite>{''.join(self.entries)}</testsuite>")
        (self.build / "tests.json").write_text(json.dumps({"tests": self.tests}))
        return self.said_of(self.build)

    def said_of(self, build):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = summary.main([build])
        return status, out.getvalue()

    def test_counts_cases_and_other_ctests(self):
        self.add("ops.part_1", report="planned A.a\nplanned A.b\nrunning A.a\npassed A.a 0.5\nrunning A.b\nskipped A.b 0.0\n")
        self.add("examples.mnist")
        self.add("mpi", status="notrun", message="SKIP_REGULAR_EXPRESSION_MATCHED")
        status, text = self.said()
        self.assertEqual(status, 0)
        self.assertEqual(text.splitlines()[-1], "2 passed, 0 failed, 2 skipped")
        self.assertIn("0.50 s  ops.part_1: A.a", text)
        self.assertIn("ops 1 s", text)

    def test_shows_what_a_failed_case_printed_and_nothing_of_others(self):
        output = "[ RUN      ] A.a\nright\n[       OK ] A.a\n[ RUN      ] A.b\nwrong\n[  FAILED  ] A.b (3 ms)\n[ RUN      ] A.c\nrest\n"
        self.add("ops.part_1", "fail", output, "planned A.a\nplanned A.b\nplanned A.c\nrunning A.a\npassed A.a 0.1\n"
                 "running A.b\nfailed A.b 0.1\nrunning A.c\npassed A.c 0.1\n")
        status, text = self.said()
        self.assertEqual(status, 1)
        self.assertIn("FAILED: ops.part_1: A.b\n[ RUN      ] A.b\nwrong\n2 passed, 1 failed", text)

    def test_a_process_that_died_fails_by_the_names_of_its_cases(self):
        self.add("ops.part_1", "fail", "[ RUN      ] A.b\nlast words", "planned A.a\nplanned A.b\nplanned A.c\nrunning A.a\n"
                 "passed A.a 0.1\nrunning A.b\n")
        _, text = self.said()
        self.assertIn("FAILED: ops.part_1: A.b\n[ RUN      ] A.b\nlast words\nThe process ended while this ran", text)
        self.assertIn("FAILED: ops.part_1: A.c\nIt was not reached", text)
        self.assertEqual(text.splitlines()[-1], "1 passed, 2 failed")

    def test_a_process_that_fails_after_its_last_case_has_failed(self):
        self.add("ops.part_1", "fail", "leaks", "planned A.a\nrunning A.a\npassed A.a 0.1\n")
        _, text = self.said()
        self.assertIn("FAILED: ops.part_1, after its last case\nleaks\n1 passed, 1 failed", text)

    def test_no_report_is_a_failure(self):
        self.add("ops.part_1", report="")
        self.add("ops.part_2", report="planned A.a\nrunning A.a\npassed A.a 0.1\n")
        _, text = self.said()
        self.assertIn("FAILED: ops.part_1\n\nNo case has run.\n1 passed, 1 failed", text)

    def test_what_could_not_start_has_failed(self):
        self.add("examples.mnist", "notrun", message="Unable to find executable")
        self.add("examples.next", "notrun", message="Fixture dependency failed")
        self.add("examples.off", "disabled")
        self.assertEqual(self.said()[1].splitlines()[-1], "0 passed, 2 failed, 1 skipped")

    def test_a_build_without_tests_has_failed(self):
        status, text = self.said_of(pathlib.Path("/nowhere"))
        self.assertEqual(status, 1)
        self.assertIn("FAILED: /nowhere\nThere is no report of its tests", text)
        self.assertEqual(text.splitlines()[-1], "0 passed, 1 failed")

    def test_nothing_at_all_is_no_success(self):
        self.assertEqual(self.said()[0], 1)


if __name__ == "__main__":
    unittest.main()

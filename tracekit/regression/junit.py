"""A check as a JUnit file, which every CI draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from tracekit.regression.check import Outcome
from tracekit.regression.words import headline, report

__all__ = ["junit"]

# What XML 1.0 cannot hold, not even escaped.
_UNSPEAKABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome], obsolete: Sequence[str] = ()) -> bytes:
    """One test case a golden: a failure where it differs, an error where it could not be checked."""
    suite = Element("testsuite", name="tracekit check", tests=str(len(outcomes) + len(obsolete)))
    suite.set("failures", str(sum(each.exit_code == 1 for each in outcomes) + len(obsolete)))
    suite.set("errors", str(sum(each.exit_code == 2 for each in outcomes)))
    suite.set("time", f"{sum(each.seconds for each in outcomes):.3f}")
    for outcome in outcomes:
        _case(suite, outcome)
    for path in obsolete:
        case = SubElement(suite, "testcase", classname="tracekit", name=_speakable(path))
        SubElement(case, "failure", message="obsolete: nothing uses this golden")
    root = Element("testsuites")
    root.append(suite)
    data: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _case(suite: Element, outcome: Outcome) -> None:
    name = _speakable(str(outcome.path))
    case = SubElement(suite, "testcase", classname="tracekit", name=name, time=f"{outcome.seconds:.3f}")
    if outcome.comparison is None:
        SubElement(case, "error", message=_speakable(outcome.error))
    elif not outcome.passed:
        failure = SubElement(case, "failure", message=_speakable(headline(outcome.comparison)))
        failure.text = _speakable(report(outcome.comparison))
    else:
        SubElement(case, "system-out").text = _speakable(headline(outcome.comparison))


def _speakable(text: str) -> str:
    return _UNSPEAKABLE.sub("\ufffd", text)

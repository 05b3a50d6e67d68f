"""Goldens: does the model still do what was recorded?

verdict      what a comparison says
tolerances   how far floats may move, by dtype, and why
config       `[tool.tracekit]` in pyproject.toml
overrides    who may change a tolerance, and which one held
compare      two traces and tolerances in, a comparison out
columns      one field of all rows at a time
candidates   top-k lists and near-ties
forced       a token golden against one teacher-forced pass
rerun        a golden's request once more, and by whom
files        a golden's files: fresh traces, update modes, CI
check        many goldens, grouped by model
obsolete     recordings that nothing uses
review       accept or reject what a check left
calibrate    the spread that other threads and batch sizes make
cassette     a source that answers from recordings
nearest      which recorded request is closest to one that was not recorded
words        a comparison for a terminal, and as JSON
junit, github, report   a check for CI
naming       a golden's file name from a test's
"""

"""Goldens: does the model still do what was recorded?

verdict      what a comparison says
tolerances   how far floats may move, by dtype, and why
config       `[tool.tracekit]` in pyproject.toml
overrides    who may change a tolerance, and which one held
compare      two traces and tolerances in, a comparison out
columns      one field of all rows at a time
candidates   top-k lists
nearties     predictions that flip between nearly equal candidates
forced       a token golden against one teacher-forced pass
loading      which model a golden needs, and whether it may be loaded
rerun        a golden's request once more
files        a golden's files: fresh traces, update modes, CI
check        many goldens, grouped by model
jobs         the same in several processes
checkrun     what a check leaves behind
obsolete     recordings that nothing uses
review       accept or reject what a check left
calibrate    the spread that other threads and batch sizes make
words        a comparison for a terminal, and as JSON
junit, github, report   a check for CI
golden       what a test does with goldens
naming       a golden's file from its test
claims       one test at a time decides on a golden
cassette     a source that answers from recordings
tape         a cassette's recordings: which of them answers
nearest      which recorded request is closest to one that was not recorded
"""

"""The format of a trace: this is its specification; `docs/format.md` is the tour.

A trace is one JSON object in UTF-8. Its first key is `schema_version`, an integer.

* Version 1 is what the reference streams: a looped model on the pointer task.
* Version 2 holds two kinds of rows, `loop` and `token`, and says who recorded what, when,
  where and how it ended. `schemas/trace.v2.schema.json` names every field with its unit.

What every valid trace promises, beyond its schema:

* No key stands twice in an object; every number is finite; integers have at most 64 bits.
* Nothing is nested deeper than 254 levels, counted from a member of the document.
* Rows are numbered without a gap (`loop` from 1, `index` from 0), and none arrived before
  the row before it. Arrivals are seconds on a monotonic clock from the start of inference.
* `summary` is there exactly when the status is `complete`, `error` exactly when `failed`,
  `inference_seconds` exactly when the run has ended.

Reading takes any version that we know and upgrades it one pure step at a time; a newer one
is refused by name. Writing gives canonical bytes (see `codec`): equal traces, equal bytes.
A number keeps the way it came, whole (`1`) or not (`1.0`): that is part of the trace.

    types        what a row and a trace hold, for readers and mypy
    layout       the order of the keys
    schemas      the schema files
    parsing      bytes to an object, and why not
    validation   verdicts and reasons
    wording      what was expected and found, in words
    location     JSON pointers and lines
    versions     upgrades, and the one downgrade
    rows         rows as lines
    codec        the canonical bytes
    identity     ids and moments
    numbers      float32 in its shortest form
"""

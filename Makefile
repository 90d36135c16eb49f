# Every target builds its own virtual environment first: nothing has to be installed by hand.
PYTHON ?= python3
BIN := .venv/bin
# --no-compile: of all modules that are installed Python imports a third, and compiles those itself.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
SMAX_PIP := .venv-smax/bin/pip install --quiet --disable-pip-version-check -c constraints-smax.txt
SMAX_READY := .venv-smax/.ready

# Processes that keep no bytecode would all compile the same modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint pytest bench clean
.DEFAULT_GOAL := test

# The package with an extra: .venv/.marl has what trains, .venv/.dev also what tests. Importing it
# once keeps its bytecode, also for those whose Python would compile it at every start.
# --upgrade-deps: the pip of Python 3.11 takes half as long again to find the packages as today's.
.venv/.%: pyproject.toml constraints.txt
	test -x $(BIN)/pip || $(PYTHON) -m venv --upgrade-deps .venv
	$(PIP) -e '.[$*]'
	$(BIN)/python -c 'import numba, torch, terrarium.cli'
	touch $@

# --no-deps: all that SMAX needs is in the line before, as pinned.
$(SMAX_READY): constraints-smax.txt
	$(PYTHON) -m venv .venv-smax
	$(SMAX_PIP) jax jaxlib flax chex distrax gymnax jaxtyping safetensors
	$(SMAX_PIP) --no-deps jaxmarl==0.2.0
	touch $@

demo: .venv/.marl  ## train a small battle, print its win rate, and write a battle as a page for the browser
	rm -rf demo
	$(BIN)/terrarium demo

# Side by side, because types are checked on one core.
test: .venv/.dev  ## what CI runs: format, lint, types, import order, and tests
	$(MAKE) --no-print-directory -j 2 lint pytest

lint: .venv/.dev  ## format, lint, types, import order
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

pytest: .venv/.dev  ## all tests
	$(BIN)/pytest -n 2 --dist worksteal

bench: .venv/.marl $(SMAX_READY)  ## throughput on this machine: the engine; the environment against SMAX
	$(BIN)/terrarium bench engine
	$(BIN)/terrarium bench env --vs smax

clean:
	rm -rf .venv .venv-smax demo demo.html build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

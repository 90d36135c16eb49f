# Every target builds its own virtual environment first: nothing has to be installed by hand.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SMAX_PIP := .venv-smax/bin/pip install --quiet --disable-pip-version-check -c constraints-smax.txt
SMAX_READY := .venv-smax/.ready

.PHONY: demo test check bench clean
.DEFAULT_GOAL := test

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

# --no-deps: all that SMAX needs is in the line before, as pinned.
$(SMAX_READY): constraints-smax.txt
	$(PYTHON) -m venv .venv-smax
	$(SMAX_PIP) jax jaxlib flax chex distrax gymnax jaxtyping safetensors
	$(SMAX_PIP) --no-deps jaxmarl==0.2.0
	touch $@

demo: $(READY)  ## play a battle, print its course, and write it as a page for the browser
	$(BIN)/terrarium demo
	$(BIN)/terrarium watch smac/2s3z --out demo.html

test: check  ## what CI runs

check: $(READY)  ## format, lint, types, import order, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist worksteal

bench: $(READY) $(SMAX_READY)  ## throughput on this machine: the engine; the environment against SMAX
	$(BIN)/terrarium bench engine
	$(BIN)/terrarium bench env --vs smax

clean:
	rm -rf .venv .venv-smax demo.html build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

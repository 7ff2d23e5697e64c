# make demo   install into .venv, draw two breaks, break.png and scattered_break.png, run three published cases, leave report/index.html
# make test   install into .venv, lint, types, the main suite of tests
# make test-long  every test, also those marked long: larger samples of hostile files, kills, verification cases
# make docs   build the documentation, build/docs/index.html, without network and with warnings as errors
# make test-matrix the wheel with every CPython of this machine, with the lowest declared and the newest dependencies, in both modes of the compiler: a table
# make verify, make bench, make lint, make clean
#
# System packages (CHOLMOD, Chromium for tests) are installed by apt-get only after a question, or with
# NSGALPHA_SYSTEM_PACKAGES=yes in the environment; =no never asks.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Bytecode is kept whatever the environment says: tests start Python some hundred times.
TESTS = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-long test-matrix docs verify bench lint clean install kernels

# The picture first: what tests need, and CHOLMOD, which small models do not miss, take longer than to draw it.
demo: $(VENV)/.package
	$(BIN)/nsgalpha run break --picture break.png
	$(BIN)/nsgalpha run scattered_break --picture scattered_break.png
	$(BIN)/nsgalpha verify throw_angle thirty_degree_rule billiard_break --report report
	@bash .ci/sparse $(BIN)/python
	@echo "The report is report/index.html"

# Lint and the first kernels together, on two cores.
test: install
	@bash .ci/chromium
	@$(MAKE) --no-print-directory --jobs 2 lint kernels
	$(TESTS)

test-long: install kernels
	@bash .ci/chromium
	$(TESTS) -m ""

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell nsgalpha elements verification tests docs *.md
	$(BIN)/python .ci/prose.py

test-matrix:
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PYTHON) .ci/matrix.py

docs: install
	$(BIN)/sphinx-build -W --keep-going -n -q -b html docs build/docs
	@echo "The documentation is build/docs/index.html"

verify: install
	$(BIN)/nsgalpha verify --report report
	@echo "The report is report/index.html"

bench: install
	$(BIN)/nsgalpha bench

install: $(VENV)/.installed

kernels: $(VENV)/.compiled

# Made anew when the metadata change.
$(VENV)/.package: pyproject.toml | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

# The package, what tests and documentation need, and CHOLMOD: one that cannot be had is no failure, see .ci/sparse.
$(VENV)/.installed: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --editable '.[test,lint,docs]'
	@bash .ci/sparse $(BIN)/python
	@touch $@

$(VENV)/.compiled: $(VENV)/.installed
	@echo "Compiling the kernels, up to a minute"
	@$(BIN)/nsgalpha verify throw_angle > /dev/null
	@touch $@

# Debian ships venv apart, and without it leaves half a folder behind: hence the look beforehand.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nsgalpha needs Python 3.11 or newer; say which with 'make PYTHON=python3.12 ...'"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || bash .ci/debian python3-venv || \
	  { echo "nsgalpha needs Python's venv: install the package python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) report build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

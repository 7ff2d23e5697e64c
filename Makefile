# make demo   install into .venv, run the three published examples, leave report/index.html
# make test   install into .venv, lint, types, tests
# make verify, make bench, make lint, make clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SUITESPARSE := /usr/include/suitesparse/SuiteSparse_config.h
APT_PACKAGES := libsuitesparse-dev libopenblas-dev g++ python3-dev

.PHONY: demo test verify bench lint clean install

demo: install
	$(BIN)/nsgalpha verify throw_angle thirty_degree_rule billiard_break --report report
	@echo "The report is report/index.html"

test: lint
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: install
	$(BIN)/nsgalpha verify --report report

bench: install
	$(BIN)/nsgalpha bench

install: $(VENV)/.installed

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nsgalpha needs Python 3.11 or newer; say which with 'make PYTHON=python3.12 ...'"; exit 1; }
	$(PYTHON) -m venv $(VENV) || \
	  { $(call may_apt) && $(call apt_install,python3-venv) && $(PYTHON) -m venv --clear $(VENV); }

# The stamp is made anew when the project's metadata change. A scikit-sparse that cannot be installed
# is no failure: SciPy's factorisation serves instead, slower on large systems.
$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	@test -f $(SUITESPARSE) || { $(call may_apt) && $(call apt_install,$(APT_PACKAGES)); } || true
	@$(BIN)/python -c 'import sksparse' 2>/dev/null || $(install_sparse)
	@touch $@

# root, or sudo that asks for no password
may_apt = command -v apt-get >/dev/null && { [ "$$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
apt_install = { run=; [ "$$(id -u)" = 0 ] || run=sudo; \
  $$run apt-get update -qq && \
  $$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1) >/dev/null; }

# scikit-sparse 0.5 needs SuiteSparse 7.4, 0.4.16 is the last that fits an older one
define install_sparse
{ if [ ! -f $(SUITESPARSE) ]; then \
    echo "SuiteSparse is not there: going on with SciPy's factorisation"; \
  else \
    version=$$(printf '#include <SuiteSparse_config.h>\nSUITESPARSE_MAIN_VERSION SUITESPARSE_SUB_VERSION\n' | \
      gcc -E -P -I$(dir $(SUITESPARSE)) - | tail -n 1 | awk '{ print $$1 * 100 + $$2 }'); \
    if [ "$$version" -ge 704 ]; then wanted='scikit-sparse>=0.5,<0.6'; else wanted='scikit-sparse==0.4.16'; fi; \
    $(BIN)/python -m pip install --quiet "$$wanted" || \
      echo "$$wanted could not be built: going on with SciPy's factorisation"; \
  fi; }
endef

clean:
	rm -rf $(VENV) report build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

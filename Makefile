# make help lists the targets. Nothing but Python 3.11, git and make is needed.
PYTHON ?= python3.11
WORKERS ?= 2
STRESS ?= 10
DRAW ?=
SIZE ?=
UPGRADE ?=
BASE ?=

BIN := .venv/bin
READY := .venv/.ready
SERVERS := .venv-servers/bin
SERVERS_READY := .venv-servers/.ready

# Tests start some hundred Pythons: what one has compiled the others find.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup test lint types unit test-slow arithmetic test-servers test-newest test-lowest demo docs faults frozen audit bench studies stress lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## create .venv from locks/dev.txt and install unspoken into it

$(READY): locks/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r locks/dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

test: lint ## lint, then the daily tests (all but the slow ones), and types beside them
	@$(MAKE) --no-print-directory types & typed=$$!; $(MAKE) --no-print-directory unit && { wait $$typed || { echo "make types fails, see above"; exit 1; }; }

lint: $(READY) ## ruff: rules and layout
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## mypy: strict over src, leniently over the rest
	$(BIN)/mypy

unit: $(READY) ## the daily tests alone
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

test-slow: $(READY) ## the tests marked slow, which make test leaves out
	$(BIN)/python -m pytest -n $(WORKERS) -m slow

# Plans must not depend on the last digits of a processor: linear programs in another order with the
# oldest kernels of OpenBLAS, and NumPy without AVX-512 with others. A processor without AVX-512
# computes so anyway.
PLANNING := tests/planning tests/test_vectors_best_release.py
arithmetic: $(READY) ## the tests of plans, as other processors compute
	UNSPOKEN_PERTURBED=1 OPENBLAS_CORETYPE=Nehalem $(BIN)/python -m pytest -n $(WORKERS) $(PLANNING)
	NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" OPENBLAS_CORETYPE=Haswell $(BIN)/python -m pytest -n $(WORKERS) $(PLANNING)

test-servers: $(SERVERS_READY) ## tests that need servers: Spark (Java 17), Chromium; in .venv-servers
	UNSPOKEN_SERVERS=1 $(SERVERS)/python -m pytest tests/servers

# What users install, without the locks: a wheel of this checkout with the newest versions that
# pyproject.toml allows, or the lowest that it names. First without extras, then with them.
INSTALL := $(BIN)/uv pip install --quiet
WITHOUT_EXTRAS := tests/installed/test_without_extras.py
INSTALLED := tests/installed tests/docs
TOOLS := hypothesis pytest pytest-xdist
FRAMES := pandas polars
define test-unpinned
	rm -rf .venv-$(1)
	$(PYTHON) -m venv --without-pip .venv-$(1)
	$(INSTALL) --python .venv-$(1)/bin/python --refresh-package unspoken --resolution $(2) .
	$(INSTALL) --python .venv-$(1)/bin/python $(TOOLS)
	.venv-$(1)/bin/python -m pytest -n $(WORKERS) $(WITHOUT_EXTRAS)
	$(INSTALL) --python .venv-$(1)/bin/python --resolution $(2) ".[postgres,report,service]"
	$(INSTALL) --python .venv-$(1)/bin/python $(FRAMES)
	$(BIN)/uv pip freeze --python .venv-$(1)/bin/python
	.venv-$(1)/bin/python -m pytest -n $(WORKERS) $(INSTALLED)
endef

test-newest: $(READY) ## every command, and the pages, with the newest versions allowed; in .venv-newest
	$(call test-unpinned,newest,highest)

test-lowest: $(READY) ## the same with the lowest versions that pyproject.toml names; in .venv-lowest
	$(call test-unpinned,lowest,lowest-direct)

$(SERVERS_READY): locks/servers.txt pyproject.toml
	test -x $(SERVERS)/python || $(PYTHON) -m venv .venv-servers
	$(SERVERS)/python -m pip install --quiet --require-hashes -r locks/servers.txt
	$(SERVERS)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

demo: $(READY) ## a simulated building, from its table to a release and a report, in demo/
	$(BIN)/unspoken demo

docs: $(READY) ## check that what the docs show is what the code does
	$(BIN)/python -m pytest tests/docs

faults: $(READY) ## plant faults one at a time: tests must catch each; DRAW=5 plants five of them
	$(BIN)/python -m tests.faults $(if $(DRAW),--draw $(DRAW))

frozen: $(READY) ## show that the code does what it did at the commit in tests/frozen/base; BASE=COMMIT: another one
	$(BIN)/python -m tests.frozen $(BASE)

audit: $(READY) ## attack every scenario of the catalogue; minutes
	$(BIN)/unspoken audit --catalogue

bench: $(READY) ## time the library
	$(BIN)/python -m benchmarks

studies: $(READY) ## compute the papers' figures, tables and claims again, into studies/README.md; SIZE=--small: a sample
	$(BIN)/python -m studies $(SIZE)

stress: $(READY) ## long property runs; STRESS=10 means ten times the usual examples
	UNSPOKEN_STRESS=$(STRESS) $(BIN)/python -m pytest -n $(WORKERS) -m stress
	if [ -x $(SERVERS)/python ]; then UNSPOKEN_SERVERS=1 UNSPOKEN_STRESS=$(STRESS) $(SERVERS)/python -m pytest -m stress tests/servers/test_postgresql.py; fi

# Two locks, since Spark and the newest pandas do not go together.
COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --quiet --generate-hashes \
	--no-emit-index-url --no-header --no-annotate $(UPGRADE)

lock: $(READY) ## rewrite locks/ from pyproject.toml; UPGRADE=--upgrade takes newer versions
	$(COMPILE) --group dev --extra report --extra service --output-file locks/dev.txt
	$(COMPILE) --group servers --extra postgres --extra report --extra service --extra spark --output-file locks/servers.txt

clean: ## remove .venv and every cache
	rm -rf .venv .venv-servers .venv-newest .venv-lowest .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks .frozen build dist

# Everything a developer or a newcomer runs. Each target sets up what it needs; a second run is quick.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# The pip that comes with Python 3.11 takes twice as long as a newer one to find what is locked.
NEWER_PIP := -m pip --disable-pip-version-check -qq install --require-hashes --requirement requirements/pip.txt
# Other people's tools; what they need does not fit into the environment of ours.
CLIENTS := $(VENV)/clients
# Four keep two cores busy, since many tests wait for a process. More cores take more: make test WORKERS=6
WORKERS ?= 4
# make demo PORT=8001
PORT ?=
# Tests start hundreds of processes, and each would compile the whole program and its tests again.
export PYTHONDONTWRITEBYTECODE :=
# With COVERAGE_FOLDER=<folder> the tests also write there how much of the program they cover.
TESTS = $(BIN)/python -m tools.run_tests
SHARED = --numprocesses $(WORKERS) --dist worksteal --quiet $(if $(COVERAGE_FOLDER),-p tools.coverage_plugin)
# An environment knows the folder it was made in. One that was moved or copied, or whose Python is gone, is made again.
MADE_IN := $(shell '$(BIN)/python' -c '' 2>/dev/null && cat '$(VENV)/.made_in' 2>/dev/null)

.PHONY: help setup setup-dev setup-browser setup-promtool setup-postgres setup-clients demo check format test test-long test-cluster test-quick test-clients packages sbom bench soak lock docs clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.runtime  ## make .venv with the locked dependencies and the program (.venv/bin/bindery)

setup-dev: $(VENV)/.js

demo: setup  ## start the demo service on 127.0.0.1:8000
	@$(BIN)/bindery demo $(if $(PORT),--port $(PORT))

check: setup-dev  ## format, lint, types, layers, docs
	@$(BIN)/ruff format --check --quiet . || { echo "Run make format."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports
	@$(BIN)/python -m tools.docs --check

test: setup-dev setup-browser setup-promtool  ## every check, and every test but the long ones; 8 minutes
	@$(TESTS) --beside "make --no-print-directory check" $(SHARED) -m "not long"

test-long: setup-dev setup-browser setup-postgres  ## the long tests: faults, whole servers, every browser view, every language
	@$(TESTS) $(SHARED) -m "long and not cluster"
	@$(if $(COVERAGE_FOLDER),$(BIN)/python -m tools.measure_coverage)

test-cluster: setup-dev setup-postgres  ## the service on the cluster of deploy/cluster: nodes lost, a standby held, a restore; 5 minutes
	@$(TESTS) --numprocesses 0 --quiet -m cluster tests/faults/test_cluster.py

test-quick: setup-dev  ## the rules and the architecture, between two edits; under a minute
	@$(BIN)/pytest --numprocesses 2 --quiet -m "not long" tests/domain tests/base tests/architecture

# The tests of the pages run in Debian's Chromium; where there is none and it cannot be installed they are
# skipped, and this says so.
setup-browser: $(VENV)/.dev
	@$(BIN)/python tools/chromium.py || true

# The alerts are seen to fire; the same holds for promtool.
setup-promtool: $(VENV)/.dev
	@$(BIN)/python -m tools.promtool || true

# The migrations also run on Debian's PostgreSQL 15, statements through PgBouncer, upgrades behind HAProxy, and the
# service on the cluster of deploy/cluster; the same holds for them.
setup-postgres: $(VENV)/.dev
	@$(BIN)/python -m tools.debian_postgres || true
	@$(BIN)/python -m tools.pgbouncer || true
	@$(BIN)/python -m tools.cluster || true

# The Java client is compiled too; where there is no javac and it cannot be had it is parsed, and this says so.
setup-clients: $(CLIENTS)/.python $(CLIENTS)/.js $(CLIENTS)/.wheels
	@$(BIN)/python -m tools.javac || true

test-clients: setup-clients  ## other people's linters, client generators and fuzzer; 10 minutes
	@$(TESTS) --numprocesses $(WORKERS) --dist loadfile --quiet tests/clients

packages: setup  ## build wheels, client packages and collections into dist/
	@$(BIN)/python -m tools.packages dist

sbom: setup  ## write what the program is made of to dist/bindery.cdx.json (CycloneDX)
	@$(BIN)/python -m tools.sbom dist/bindery.cdx.json

# make bench intake readiness: what follows names benchmarks, not targets.
ifeq ($(firstword $(MAKECMDGOALS)),bench)
BENCHMARKS := $(filter-out bench,$(MAKECMDGOALS))
.PHONY: $(BENCHMARKS)
$(BENCHMARKS): bench ; @:
endif
bench: setup-dev  ## measure speed, as ratios side by side; make bench intake burst measures these two
	@$(BIN)/python -m bench $(BENCHMARKS)

soak: setup-dev $(CLIENTS)/.python  ## 50,000 deliveries, 10,000 quotes over five years, 2,000 policies of a year, 445 faults, 20,000 requests while it is upgraded, 20,000 generated ones; 2.5 hours
	@FIRE_QUOTES=370 $(BIN)/pytest --quiet --timeout 7200 tests/faults/test_deliveries_under_fire.py
	@PORTFOLIO_QUOTES=10000 $(BIN)/pytest --quiet --timeout 7200 tests/scenarios/test_portfolio.py
	@BOOK_POLICIES=2000 $(BIN)/pytest --quiet --timeout 7200 tests/scenarios/test_year_of_the_book.py
	@PYTHONPATH=tests $(BIN)/python -m faults.lab --minutes 30 --faults 300
	@PYTHONPATH=tests $(BIN)/python -m faults.lab --minutes 10 --faults 100 --mode demo
	@PYTHONPATH=tests:. $(BIN)/python -m faults.lab --minutes 30 --faults 45 --mode cluster
	@ROLLING_REQUESTS=20000 ROLLING_PROCESSES=4 ROLLING_RATE=200 $(BIN)/pytest --quiet --timeout 7200 tests/faults/test_rolling_upgrades.py
	@CONTRACT_CASES=20000 $(BIN)/pytest --quiet tests/clients/test_schemathesis.py

format: setup-dev  ## format the code
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix-only --quiet .

docs: setup-dev  ## write the generated parts of docs/
	@$(BIN)/python -m tools.docs

lock: setup-dev  ## resolve the dependencies again into requirements/
	@$(PIP) install uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-annotate --no-header --upgrade --group build --extra dev pyproject.toml \
	    --output-file requirements/dev.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-annotate --no-header --constraint requirements/dev.txt \
	    pyproject.toml --output-file requirements/runtime.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-annotate --no-header --constraint requirements/dev.txt --group build \
	    --output-file requirements/build.txt
	@echo pip | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --no-emit-find-links --no-annotate --no-header --upgrade - \
	    --output-file requirements/pip.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-annotate --no-header --upgrade --group clients \
	    --output-file requirements/clients.txt
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-emit-find-links --no-annotate --no-header --no-deps --upgrade --group cluster \
	    --output-file requirements/cluster.txt
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m tools.npm_lock tests/js tests/clients

clean:  ## remove what was made here (the demo's data too)
	-@$(BIN)/bindery database stop 2>/dev/null
	rm -rf $(VENV) .bindery .mypy_cache .ruff_cache .hypothesis

ifneq ($(MADE_IN),$(CURDIR))
$(VENV)/.made_in: make-again
.PHONY: make-again
make-again:
endif

$(VENV)/.made_in:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 …")'
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python $(NEWER_PIP)
	@pwd -P > $(VENV)/.made_in

$(VENV)/.runtime: $(VENV)/.made_in requirements/runtime.txt requirements/build.txt pyproject.toml
	@$(BIN)/python tools/install.py "Installing into $(VENV)" requirements/runtime.txt
	@$(BIN)/python tools/install.py "Installing what installs the program" requirements/build.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	@$(BIN)/python tools/install.py "Installing the developers' tools" requirements/dev.txt
	@touch $@

# The JavaScript library that partners verify webhooks with, and the checker of the pages' accessibility; their
# runtime comes with the developers' tools.
$(VENV)/.js: $(VENV)/.dev tests/js/package-lock.json
	@mkdir -p $(VENV)/js && cp tests/js/package.json tests/js/package-lock.json $(VENV)/js/
	@cd $(VENV)/js && PATH="$(abspath $(BIN)):$$PATH" npm ci --no-audit --no-fund --silent
	@touch $@

$(CLIENTS)/.python: $(VENV)/.dev requirements/clients.txt
	@$(BIN)/python -m venv $(CLIENTS)
	@$(CLIENTS)/bin/python $(NEWER_PIP)
	@$(CLIENTS)/bin/python tools/install.py "Installing the tools that judge the contract" requirements/clients.txt
	@touch $@

$(CLIENTS)/.js: $(CLIENTS)/.python tests/clients/package-lock.json
	@mkdir -p $(CLIENTS)/js && cp tests/clients/package.json tests/clients/package-lock.json $(CLIENTS)/js/
	@cd $(CLIENTS)/js && PATH="$(abspath $(BIN)):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# What the built packages ask for, to be installed from where nothing else is.
$(CLIENTS)/.wheels: $(CLIENTS)/.python requirements/runtime.txt requirements/build.txt
	@$(PIP) download --require-hashes --requirement requirements/runtime.txt --requirement requirements/build.txt \
	    --dest $(CLIENTS)/wheels
	@touch $@

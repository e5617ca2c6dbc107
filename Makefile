# Bare `make` lists what can be done.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
NPM := $(shell command -v npm)
# Tests that start servers wait more than they compute: more workers than a small machine has cores. 0: none.
TEST_WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN); echo $$((n < 5 ? n + 1 : 6)))

.PHONY: help setup run vendor run-emulators demo demo-emulators test eval check-model lint fmt bench cost fault-table chaos explain safety-report safety-metamorphic lock stage openapi fuzz-api screenshots clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.ready ## Prepare .venv: the locked dependencies and the project

.venv/.ready: requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "CBot needs Python 3.11 or newer: make setup PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing the locked dependencies into .venv …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: setup ## Run CBot on this machine: http://127.0.0.1:8080 (PORT, CBOT_DATA_DIR, GEMINI_API_KEY)
	@exec $(BIN)/python -m local

vendor: build/vendor/.ready node/firebase-tools/node_modules/.ready ## Fetch the Firebase SDK of the page and Firebase's emulators (needs Node)

node/%/node_modules/.ready: node/%/package-lock.json
	@echo "installing the locked packages of node/$* …"
	@cd node/$* && npm ci --silent
	@touch $@

build/vendor/.ready: node/firebase/node_modules/.ready $(wildcard node/firebase/*.js node/firebase/*.mjs)
	@rm -rf build/vendor
	@node node/firebase/build.mjs build/vendor
	@touch $@

run-emulators: setup ## Run CBot on the Firestore emulator, four functions in processes of their own (needs Java; with Node Firebase's Auth emulator)
	@$(if $(NPM),$(MAKE) --no-print-directory vendor || echo "cbot: no Firebase packages: the page uses the local sign-in" >&2)
	@exec $(BIN)/python -m local.emulators

demo: setup ## Play the stories as whole sessions; a summary here, transcripts in build/demo
	@$(BIN)/python -m local.demo

demo-emulators: setup ## The same stories on the emulators, four functions in processes of their own; pages in build/demo-emulators
	@$(BIN)/python -m local.demo --emulators

test: setup ## Run the tests in TEST_WORKERS processes (one more than cores, 6 at most; 0 for a debugger), with LONG=1 the long ones too; says what was skipped and why
	@$(BIN)/python -m pytest --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(if $(LONG),--hypothesis-profile search,-m "not long")

eval: setup ## Measure what the reader reads: recorded answers, or the configured model (ARGS="--only loss", --help; --agents: the other agents)
	@$(BIN)/python -m tests.evaluation $(ARGS)

check-model: setup ## Ask the configured model once for each agent: accepted or why not, time, tokens, won (needs GEMINI_API_KEY or Vertex AI)
	@$(BIN)/python -m local.check_model $(ARGS)

lint: setup ## Check style, types, layers and dependencies
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/deptry .

fmt: setup ## Format the code and mend what can be mended
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

bench: setup ## Measure all of docs/performance.md; says first how long it takes (ONLY=first-token, ARGS="--page --json build/bench.json")
	@$(BIN)/python -m tests.load.bench $(if $(ONLY),--only $(ONLY)) $(ARGS)

cost: setup ## What 1,000 sessions cost, measured on scripted ones
	@$(BIN)/python -m tests.load.cost

fault-table: setup ## Measure what a client sees under each fault; writes docs/reliability.md (ONLY="hangs,SIGTERM")
	@$(BIN)/python -m tests.chaos.fault_table $(if $(ONLY),--only "$(ONLY)") $(ARGS)

chaos: setup ## Clients talk while parts are killed, stopped and started; then every promise is checked (SEED, MINUTES)
	@$(BIN)/python -m tests.chaos --seed $(or $(SEED),1) --minutes $(or $(MINUTES),10)

explain: setup ## Say which safety rule finds what in a message, and why: TEXT="…"
	@$(BIN)/python -m local.explain "$$TEXT"

safety-report: setup ## How the crisis detector reads labelled messages (DATA="file.jsonl …", ARGS="--min-recall 0.98")
	@$(BIN)/python -m local.safety_report $(or $(DATA),tests/fixtures/safety/second_messages.jsonl) $(ARGS)

safety-metamorphic: setup ## Whether a neutral clause lowers a crisis: clause by result (ARGS="--texts --table plain probe")
	@$(BIN)/python -m local.safety_metamorphic --clauses tests/fixtures/safety/neutral_clauses.yaml \
		--plain tests/fixtures/safety/plain_crises.yaml --probe tests/fixtures/crisis_probe.jsonl $(ARGS)
	@printf '\nsecond set, written before its author had read a rule\n\n'
	@$(BIN)/python -m local.safety_metamorphic --clauses tests/fixtures/safety/second_clauses.yaml \
		--plain tests/fixtures/safety/second_crises.yaml --probe tests/fixtures/safety/second_messages.jsonl $(ARGS)

lock: setup ## Renew the locked requirements (with Node those of node/, too)
	@$(if $(NPM),node node/lock.mjs $(wildcard node/*/))
	@$(BIN)/uv pip compile --quiet pyproject.toml --extra local --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements/dev.txt
	@$(BIN)/uv pip compile --quiet pyproject.toml --constraint requirements/dev.txt --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements/functions.txt

stage: setup ## Make the folders for deployment: build/stage/<function>, and the page's from build/web.json
	@$(BIN)/python -m infra.staging
	@$(if $(NPM),$(MAKE) --no-print-directory build/vendor/.ready || true)
	@$(BIN)/python -m infra.hosting

openapi: setup ## Write docs/openapi.json from the endpoint table
	@$(BIN)/python -m functions.chat.http.openapi docs/openapi.json

fuzz-api: setup ## Fuzz the chat API by docs/openapi.json, on a local server (ARGS="--seed 1 --examples 200")
	@$(BIN)/python -m tests.fuzzing $(ARGS)

screenshots: setup ## Take pictures of every screen, phone and desktop, light and dark, into docs/screens (ARGS="--language en --output build/screens")
	@$(BIN)/python -m tests.screens $(ARGS)

clean: ## Remove what was built (not .data)
	@rm -rf .venv build node/*/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis *.egg-info

# The two commands of the README are `make heal` and `make test`; both set up .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export HF_HUB_OFFLINE := 1
export RUST_LOG := error
export TOKENIZERS_PARALLELISM := false
# The models of the tests run on the processor. Installed first, or their packages would choose one by themselves.
TORCH ?= torch==2.13.0

.PHONY: first-answer heal serve test check bench bench-guard bench-near bench-recall bench-structure bench-served bench-migration quality e2e crash migrate mutants clean

$(VENV)/demo.ready: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what the demonstration needs …"
	@$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/dev.ready: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what the tests need …"
	@$(BIN)/python -m pip install --quiet $(TORCH)
	@$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/demo.ready

# Heal a seeded bilingual table on Prefect's embedded server; the last line is JSON.
heal: $(VENV)/demo.ready
	@$(BIN)/python -m demo

# A hardened Prefect server, its worker and schedules on this machine until Ctrl-C: docs/serving.md.
# CONFIG names the table's configuration; APPLY=--apply lets it repair, APPLY=--dry-run takes that back.
CONFIG ?= .demo/mendory.toml
PORT ?= 4200
APPLY ?=
serve: $(VENV)/demo.ready
	@test -e $(CONFIG) || test $(CONFIG) != .demo/mendory.toml || $(BIN)/python -m demo.seed .demo
	@exec $(BIN)/python -m deployments serve --config $(CONFIG) --port $(PORT) $(APPLY)

# Everything CI runs: style, types, contracts and all tests. One of the three workers mostly waits, for a server.
test: $(VENV)/dev.ready
	@$(BIN)/python -m pytest -n 3 --dist loadgroup -q

# Style, types and import contracts alone.
check: $(VENV)/dev.ready
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# The engines that near pairs are measured beside: for these two targets alone.
$(VENV)/bench.ready: $(VENV)/dev.ready
	@echo "Installing what is measured beside …"
	@$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	@touch $@

# Costs as ratios against a baseline in the same run; the last line is JSON.
bench: $(VENV)/bench.ready
	@$(BIN)/python -m bench

# Near pairs beside exact all pairs, faiss and semhash, 10 k to 300 k rows; the last line is JSON.
bench-near: $(VENV)/bench.ready
	@$(BIN)/python -m bench.near

# The write guard: one memory against 10 k and 100 k rows, at rest and followed; the last line is JSON.
bench-guard: $(VENV)/dev.ready
	@$(BIN)/python -m bench.guard

# One recall through the door against the same search made plainly with LanceDB, 100 k rows; the last line is JSON.
bench-recall: $(VENV)/dev.ready
	@$(BIN)/python -m bench.recall

# The structural check alone: facts and suites against the plain read, 10 k to 1 M rows; the last line is JSON.
bench-structure: $(VENV)/dev.ready
	@$(BIN)/python -m bench.structure

# Prefect's part of a heal of 100 k rows, against the same calls without it; the last line is JSON.
bench-served: $(VENV)/dev.ready
	@$(BIN)/python -m bench.served

# Filling and gate of a move, 5 k and 20 k rows, in time and memory, beside the model alone; the last line is JSON.
bench-migration: $(VENV)/dev.ready
	@$(BIN)/python -m bench.migration

# Precision and recall on labelled pairs beside baselines, docs/quality.md; the last line is JSON. Without DATA the
# folder is ../shared/data and one half of each set is reported; with it nothing is chosen and all rows count.
DATA ?=
quality: $(VENV)/dev.ready
	@$(BIN)/python -m bench.quality $(if $(DATA),--data '$(DATA)')

# From nothing to a served, scheduled, damaged table, approved in a browser and healed, with files and with PostgreSQL;
# the last line is JSON. DATABASE=sqlite or postgres tells one of the two; pictures go to .demo/pictures.
DATABASE ?=
e2e: $(VENV)/dev.ready
	@$(BIN)/python -m tests.e2e $(if $(DATABASE),--database $(DATABASE))

# At least 1,000 kill -9 against the executor with other programs writing, and five mutants; the last line is JSON.
crash: $(VENV)/dev.ready
	@$(BIN)/python -m tests.crash --kills 1000 --mutants

# 20,000 memories moved from one model to another and taken back while four programs use them and the acts die fifty
# times; the last line is JSON. ARGS are those of python -m tests.moving, such as --rows 300 --kills 8 --models quick.
ARGS ?=
migrate: $(VENV)/dev.ready
	@$(BIN)/python -m tests.moving $(ARGS)

# Each rule of policy and of conflicts turned round must make a test fail; survivors with reasons, the last line is JSON.
# ONLY names other modules, such as mendory.plan.merge.
ONLY ?=
mutants: $(VENV)/dev.ready
	@$(BIN)/python -m bench.mutants $(if $(ONLY),--only $(ONLY))

# How long a new user waits for init and the first check of 400 k rows of 1,024 components; the last line is JSON.
first-answer: $(VENV)/dev.ready
	@$(BIN)/python -m bench.first_answer

clean:
	@rm -rf $(VENV) .demo .prefect .mendory

# On a fresh machine with Python 3.11 or later, `make demo` and `make test` need nothing before them.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' Makefile

.venv/made:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

.venv/for-demo: .venv/made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[demo]"
	touch $@

.venv/for-test: .venv/made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@ .venv/for-demo

.venv/for-dev: .venv/made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ .venv/for-test .venv/for-demo

demo: .venv/for-demo ## Set up .venv and build a C-VQA split of easy-VQA
	$(BIN)/compsplit demo

test: .venv/for-test ## Set up .venv and run the tests
	$(BIN)/python -m pytest -n auto

uncompiled: .venv/for-test ## Run the tests with kernels that are not compiled, and show branch coverage (about 5 minutes)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n auto -m "not large" --cov --cov-report=term:skip-covered

lint: .venv/for-dev ## Check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/for-dev ## Check types
	$(BIN)/mypy

layers: .venv/for-dev ## Check that imports go down only
	$(BIN)/lint-imports

check: lint types layers uncompiled test ## Everything that CI checks

format: .venv/for-dev ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

cases: .venv/for-test ## List the inputs on which users' jobs went wrong, and run them
	$(BIN)/python -m pytest tests -k test_case_ -v

.venv/for-gold: .venv/for-test
	$(BIN)/python -m pip install --quiet --editable ".[lookups]"
	touch $@

gold: .venv/for-gold ## Agreement of each question reducer with hand-labelled questions
	$(BIN)/python benchmarks/reducer_gold.py

oracles: .venv/for-test ## Agreement with the figures of the official evaluation programs of VQA, GQA and GQA-OOD
	$(BIN)/python benchmarks/oracle_agreement.py

bench: .venv/for-dev ## Time everything against named baselines (about 15 minutes)
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/bench_groups.py
	$(BIN)/python benchmarks/bench_balance.py
	$(BIN)/python benchmarks/bench_divergence.py $(if $(wildcard $(SHARED)/data),--scan $(SHARED)/data/scan/simple_split)
	$(BIN)/python benchmarks/bench_scenes.py $(if $(wildcard $(SHARED)/cases),--cases $(SHARED)/cases)
	$(BIN)/python benchmarks/bench_evaluate.py

clean: ## Remove what the targets above made
	rm -rf .venv demo benchmarks/generated .coverage .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help demo test uncompiled lint types layers check format cases gold oracles bench clean

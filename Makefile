# Everything a person or CI runs. Each target makes the environment it needs.
.DEFAULT_GOAL := help
.PHONY: help install demo test check docs bench bias mutants clean

PYTHON ?= python3
VENV ?= .venv
VENV_BENCH ?= .venv-bench
export PYTHON VENV

help: ## say what the targets do
	@grep -hE '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## (.*)/make \1	\2/' | expand -t 16

install: $(VENV)/.installed ## make .venv with thermograd and its tools

demo: $(VENV)/.installed ## train on two spirals with five methods, 50 times each
	$(VENV)/bin/thermograd demo

test: $(VENV)/.installed ## run the tests, except those marked long
	scripts/test

check: $(VENV)/.installed ## formatting, lint, types, changelog
	scripts/check

docs: $(VENV)/.installed ## build the site into site/
	scripts/docs

mutants: $(VENV)/.installed ## plant deliberate faults; every one must be noticed
	$(VENV)/bin/python scripts/mutants

bench: $(VENV_BENCH)/.installed ## measure speed against torch and other samplers
	$(VENV_BENCH)/bin/python -m benchmarks.speed.run
	$(VENV_BENCH)/bin/python -m benchmarks.sampling.run
	$(VENV_BENCH)/bin/python -m benchmarks.constraints.run
	$(VENV_BENCH)/bin/python -m benchmarks.multirate.run
	$(VENV_BENCH)/bin/python -m benchmarks.training_race.run

bias: $(VENV_BENCH)/.installed ## measure what each sampler samples
	$(VENV_BENCH)/bin/python -m benchmarks.bias.run

clean: ## delete environments, caches and built files
	rm -rf .venv .venv-* site build dist out .pytest_cache .ruff_cache .hypothesis
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml scripts/install
	scripts/install $(VENV)

$(VENV_BENCH)/.installed: pyproject.toml scripts/install benchmarks/requirements.txt
	scripts/install $(VENV_BENCH) benchmarks/requirements.txt

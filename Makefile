# Builds the engine as OpenBench and its kin ask for it: `make EXE=name`.

EXE ?= tench
CARGO ?= cargo
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe)

.PHONY: all
all:
	$(CARGO) build --release --package tench --bin tench --target-dir target
	cp target/release/tench$(SUFFIX) $(patsubst %.exe,%,$(EXE))$(SUFFIX)

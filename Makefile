# The commands of the README. Each works on a fresh clone with the Swift toolchain and a C compiler: what else is
# missing is installed first by scripts/setup.sh.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SECONDS_OF_FUZZING ?= 3600
export JOBS

.DEFAULT_GOAL := lib
.PHONY: lib demo test check bench docs format lint coverage promises fuzz soak install deb clean help

lib: ## build the library into build/embedded
	@scripts/setup.sh build
	@scripts/build.sh embedded

demo: ## build the library, then run the echo server that reaps idle connections
	@scripts/setup.sh build
	@BUILD_TARGET=example_idle_reaper scripts/build.sh demo
	@build/demo/examples-c/idle_reaper

test: ## every test, sanitizer and consumer
	@scripts/test.sh all

check: ## the tests that take less than five minutes
	@scripts/test.sh quick

bench: lib ## benchmarks against other timer libraries
	@Benchmarks/run.sh

docs: ## all documentation
	@docs/build.sh build/docs

format: ## format the Swift and C sources in place
	@scripts/format.sh fix

lint: ## say what format would change
	@scripts/format.sh lint

coverage: ## line coverage of the core by the C and C++ tests
	@scripts/setup.sh build test loops
	@scripts/coverage.sh

promises: ## trace promises and field reports to the tests, and write docs/promises.md and docs/field-reports.md
	@scripts/promises.py
	@scripts/field_reports.py

fuzz: ## fuzz for SECONDS_OF_FUZZING seconds (an hour)
	@scripts/setup.sh build
	@Tests/fuzz/run.sh $(SECONDS_OF_FUZZING)

soak: ## one virtual year and one real hour
	@scripts/setup.sh build
	@Tests/stress/soak.sh

install: ## install into PREFIX (and DESTDIR)
	@scripts/setup.sh build
	@scripts/build.sh package
	@cmake --install build/package --prefix "$(PREFIX)"

deb: ## Debian packages in build/deb/packages, a tar of the prefix in build/package/packages
	@scripts/setup.sh build package
	@scripts/build.sh deb
	@scripts/build.sh package
	@cd build/deb && cpack -G DEB
	@cd build/package && cpack -G TGZ

clean: ## remove everything that was built
	rm -rf build .build

help: ## this list
	@sed -n 's/^\([a-z]*\):[a-z ]*## /\1\t/p' Makefile | expand -t 10

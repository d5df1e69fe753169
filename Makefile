# `make help` lists the targets. Each can be run separately; CI runs
# `make verify test test-system test-console` and nothing else (.ci/run).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

GO ?= go
CONTAINER ?= docker
# VERSION is the version that programs report; by default the revision they are
# built from.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
# PKG is the packages for `make test`, `bench` and `fuzz`: by default the whole
# workspace, for `make test` without SYSTEM.
PKG ?= work
BENCHTIME ?= 1s
FUZZTIME ?= 10s
TEST_TIMEOUT ?= 45m

GOLANGCI_LINT_VERSION := v2.15.0
GOVULNCHECK_VERSION := v1.1.4
OASDIFF_VERSION := v1.18.5
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
GOTESTSUM_VERSION := v1.13.0
GOLANGCI_LINT := $(CURDIR)/.cache/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOTESTSUM := $(CURDIR)/.cache/bin/gotestsum-$(GOTESTSUM_VERSION)

# The modules of the workspace, and those outside of it because their dependencies
# would change the versions of everything else.
MODULES := $(shell sed -n 's/^[[:space:]]*\.\///p' go.work)
OUTSIDE := tests/deploy tests/mongoengine
SERVICES := gateway auth records review calculation

# A real MongoDB server for the tests; by default they start the test engine.
ifdef ECF_MONGODB_URI
export ECF_MONGODB_URI
endif

# Everything is compiled as it is shipped: without C, and with paths that do not depend on
# where the checkout is. What one check or test had compiled serves all others, and what is
# shipped; with other flags each would compile all packages anew. Only the race detector
# needs C. Without grpcnotrace gRPC serves pages of its own, whose templates call methods
# by name: the linker would keep every exported method of every type
# (docs/adr/0113-pages-without-templates.md).
AS_SHIPPED := -trimpath -tags=grpcnotrace
export GOFLAGS := $(strip $(filter-out $(AS_SHIPPED),$(shell $(GO) env GOFLAGS)) $(AS_SHIPPED))
export CGO_ENABLED := 0

LDFLAGS := -s -w $(if $(VERSION),-X github.com/eventcarbon/ecf/libs/app.version=$(VERSION))
BUILD = $(GO) build $(AS_SHIPPED) -ldflags "$(LDFLAGS)"

# each runs a command in every given module, and fails at the end if it failed in
# any: $(call each,MODULES,COMMAND)
each = failed=; for module in $(1); do (cd $$module && $(2)) || failed="$$failed $$module"; done; \
	if [ -n "$$failed" ]; then echo "failed in$$failed" >&2; exit 1; fi

# Many tests wait, for programs and for the store, and those of the product as a whole most of
# the time: more of them run at once than there are processors.
AT_ONCE := -p 3
AT_ONCE_SYSTEM := $(AT_ONCE) -parallel 4

# The linters include go vet, which looks for all that go test would have tests vetted
# for, and more.
TEST_FLAGS = -vet=off -shuffle=on -count=1 -timeout $(TEST_TIMEOUT) $(AT_ONCE)

# Packages that start no goroutine: arithmetic, tables, documents, and tests of
# other programs' output. The race detector finds nothing there and takes several
# times as long. tests/imports verifies the list.
ALONE := ./libs/decimal ./libs/factors/... ./libs/footprint/... ./libs/locations ./libs/places/... ./libs/sheet/... ./libs/spec/... \
	./libs/spend ./libs/units ./tests/clients ./tests/expected ./tests/imports ./tests/monitoring ./tests/newtype ./tests/release ./tests/verifier

# The end-to-end tests run without the race detector, which makes them four times as
# long: the tests of the packages cover the same code with it. Those with concurrent
# requests, or through the whole system, run a second time with it. tests/imports
# verifies the list.
E2E_RACED := ^Test(ASlowProcessDoesNotDoItAgain|ATokenThatExpiresInMidImport|AnIntegrationThroughTheGateway|AnUploadOfAKilledServerIsRepeatedSoon|ExampleComesToTheExpectedFootprint|GeneratedRequests|KillLosesNothing|ParallelApprovalsHaveOneEffect|QuotaIsExact|QuotaOnManyReplicas|RandomMovesAgainstTheReference|RecordsAreLinearizable|StopUnderLoadLosesNothing|TeamsAreLinearizable|TheLastEventOfThePlanIsMadeOnce|TwoImportersMakeEachRecordOnce)$$

# Packages with budgets of allocations, which the race detector would spoil: tests that
# call testkit.WithoutRace, named TestAllocationsOf….
ALLOCATIONS := ./libs/api ./libs/fairshare ./libs/footprint/fixed ./libs/identity ./libs/ratelimit ./libs/record ./libs/record/sqlitestore ./libs/sqlitex ./libs/telemetry ./libs/web ./libs/workbook ./services/calculation ./services/calculation/findings ./services/calculation/sqlitestore ./services/gateway ./services/records ./services/review

# The race detector needs a C compiler. SQLite and its C library are translated from C
# and keep what they work on outside Go's heap, where the detector looks at nothing: built
# for it they find no race and take ten to twenty times as long. The driver around them is
# built for it. testkit.raceFlags are the same.
RACE_FLAGS := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false
# A program waits at its end for goroutines that are reporting a race just then; without
# this for a second, and the tests end hundreds of programs.
export GORACE ?= atexit_sleep_ms=100
RACE = $$(if command -v "$$($(GO) env CC)" >/dev/null; then echo $(RACE_FLAGS); fi)

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

## Running

.PHONY: build
build: bin/ecf $(SERVICES:%=bin/%) ## Build all programs into bin/

.PHONY: bin/ecf
bin/ecf:
	@mkdir -p bin
	@$(BUILD) -o $@ ./services/standalone/cmd/ecf

.PHONY: $(SERVICES:%=bin/%)
$(SERVICES:%=bin/%): bin/%:
	@mkdir -p bin
	@$(BUILD) -o $@ ./services/$*/cmd/$*

.PHONY: run
run: bin/ecf ## Run everything in one process, with a demo organization
	@ECF_DEMO="$${ECF_DEMO:-true}" ECF_LOG_LEVEL="$${ECF_LOG_LEVEL:-warn}" exec bin/ecf serve

.PHONY: demo
demo: ## Run the example conference against a running server
	@$(GO) run ./tests/cmd/demo $(DEMO)

CONSOLE := services/gateway/console
# npm writes its copy of the lockfile last, so its presence means a complete installation.
CONSOLE_MODULES := $(CONSOLE)/node_modules/.package-lock.json
$(CONSOLE_MODULES): $(CONSOLE)/package.json $(CONSOLE)/package-lock.json
	@cd $(CONSOLE) && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

.PHONY: console-dev
console-dev: $(CONSOLE_MODULES) ## Serve the console with hot reload against a running server (ECF_URL=http://127.0.0.1:8080)
	@cd $(CONSOLE) && npm run dev

## Testing

# Tests of the product as a whole: they start programs, use them concurrently and kill
# them. They take longer than all others together.
SYSTEM := ./services/standalone ./tests/bench/... ./tests/chaos ./tests/e2e ./tests/governed ./tests/monitoring ./tests/newtype ./tests/release ./tests/scale

.PHONY: test
test: ## Run the tests of libraries and services, with the race detector where there is a C compiler (10 minutes)
	@$(MAKE) test-work PKG="$$($(GO) list $(PKG) | $(if $(filter work,$(PKG)),grep -vxF "$$($(GO) list $(SYSTEM))",cat) | tr '\n' ' ')"

.PHONY: test-system
test-system: test-system-work test-outside ## Run the tests of the product as a whole (15 minutes)

.PHONY: test-system-work
test-system-work:
	@$(MAKE) test-work PKG="$(SYSTEM)" AT_ONCE="$(AT_ONCE_SYSTEM)"

# A test runs once: a flaky test is a defect that developers should see. Only CI sets
# RERUN, to a folder: failed tests are rerun once, and those that then pass are listed
# there, so that one flaky test among thousands is reported without hiding the results
# of all others. More than ten failures, a data race, or a package that does not build
# are not rerun.
RERUN ?=
ifdef RERUN
go_test = $(GOTESTSUM) --format=pkgname --format-hide-empty-pkg --hide-summary=skipped --rerun-fails=1 --rerun-fails-run-root-test --rerun-fails-max-failures=10 --rerun-fails-abort-on-data-race \
	--rerun-fails-report="$$(mktemp -p $(RERUN) tests.XXXXXX)" --packages="$$(tr '\n' ' ' <<<"$(2)")" -- $(1)
else
go_test = $(GO) test $(1) $(2)
endif

.PHONY: test-work
test-work: $(if $(RERUN),$(GOTESTSUM))
	@race=$(RACE); \
	if [ -n "$$race" ]; then echo "testing with the race detector"; \
	else echo "testing WITHOUT the race detector: there is no C compiler"; fi; \
	if command -v redis-server >/dev/null; then echo "testing with redis-server"; \
	else echo "testing without redis-server: the embedded one takes its place"; fi; \
	if npm ping --fetch-retries=0 --fetch-timeout=5000 >/dev/null 2>&1; then echo "testing with clients in JavaScript"; \
	else echo "testing WITHOUT clients in JavaScript: there is no npm, or it reaches no registry"; fi; \
	if [ -n "$${ECF_MONGODB_URI:-}" ]; then echo "testing on the MongoDB of ECF_MONGODB_URI"; \
	else echo "testing on the MongoDB-compatible test engine"; fi; \
	for program in python3 promtool prometheus; do \
		command -v $$program >/dev/null || echo "testing WITHOUT $$program: what it would check is not checked"; done; \
	all=$$($(GO) list $(PKG)); plain=$$($(GO) list $(ALONE) ./tests/e2e); e2e=$$(grep -x '.*/tests/e2e' <<<"$$all" || true); \
	rest=$$(grep -vxF "$$plain" <<<"$$all" || true); plain=$$(grep -xF "$$plain" <<<"$$all" || true); \
	failed=; \
	if [ -n "$$rest" ]; then CGO_ENABLED=$${race:+1} $(call go_test,$$race $(TEST_FLAGS),$$rest) || failed=yes; fi; \
	if [ -n "$$plain" ]; then $(call go_test,$(TEST_FLAGS),$$plain) || failed=yes; fi; \
	if [ -n "$$race" ] && [ -n "$$e2e" ]; then CGO_ENABLED=1 $(call go_test,$$race $(TEST_FLAGS) -run '$(E2E_RACED)',./tests/e2e) || failed=yes; fi; \
	allocations=$$(grep -xF "$$($(GO) list $(ALLOCATIONS))" <<<"$$rest" || true); \
	if [ -n "$$race" ] && [ -n "$$allocations" ]; then $(call go_test,$(TEST_FLAGS) -run '^TestAllocationsOf',$$allocations) || failed=yes; fi; \
	[ -z "$$failed" ]

# These have no concurrency of their own, and what they depend on is large. What starts no
# program is run by `make check-deploy`.
DEPLOY_PROGRAMS := ProgramsRun|RoleIsChecked
.PHONY: test-outside
test-outside:
	@$(call each,$(OUTSIDE),GOWORK=off $(GO) test $(TEST_FLAGS) $$(if [ $$module = tests/deploy ]; then echo "-run $(DEPLOY_PROGRAMS)"; fi) ./...)

# The same tests at full length: many rounds, large sizes, without the race
# detector, which the short runs have.
.PHONY: test-long
test-long: ## Run all tests at full length (PKG=./libs/record/...)
	@ECF_TEST_LONG=yes $(GO) test -shuffle=on -count=1 -timeout 3h $(PKG)

.PHONY: test-race
test-race: ## Run all end-to-end tests with the race detector (20 minutes)
	@CGO_ENABLED=1 $(GO) test $(RACE_FLAGS) $(TEST_FLAGS) ./tests/e2e

# Not part of `make test`: building the API server takes ten minutes of two cores, and
# KEDA twenty more.
.PHONY: test-k8s
test-k8s: ## Apply all manifests to a real Kubernetes API server, and have KEDA scale the workers on it
	@tests/deploy/cluster/build.sh $(CURDIR)/.cache/kubernetes
	@cd tests/deploy && ECF_KUBERNETES=$(CURDIR)/.cache/kubernetes GOWORK=off $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestCluster' .

# Not part of `make test`: building the collector takes four minutes of two cores.
.PHONY: test-collector
test-collector: ## Test exports to a real OpenTelemetry collector with the shipped configuration
	@tests/deploy/otelcol/build.sh $(CURDIR)/.cache/otelcol
	@cd tests/deploy && ECF_OTELCOL=$(CURDIR)/.cache/otelcol/otelcol GOWORK=off $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestCollector' .

# Builds six images twice, which takes ten minutes of two cores and requires root.
# IMAGE_FLAGS has further flags for `podman build`, such as local base images.
.PHONY: test-images
test-images: ## Build the images twice and run them, with Podman (IMAGE_FLAGS="--build-arg BUILD_IMAGE=…")
	@cd tests/deploy && ECF_PODMAN="$$(command -v podman)" ECF_IMAGE_FLAGS='$(IMAGE_FLAGS)' ECF_IMAGE_PROGRAMS=$(CURDIR)/.cache/images \
		GOWORK=off $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestImages$$' .
	@ECF_PROGRAMS=$(CURDIR)/.cache/images $(GO) test -count=1 -v -run '^TestBillOfMaterialsIsComplete$$' ./tests/release

.PHONY: e2e
e2e: generated ## Run the end-to-end tests only, with many generated requests and longer courses of random events (COURSES=6)
	@ECF_MODEL_CHECKS=$(or $(COURSES),6) $(MAKE) test-work PKG=./tests/... TEST_TIMEOUT=1h

# Without the race detector, which the short run of `make test` has.
.PHONY: generated
generated: ## Send many requests generated from the OpenAPI document (REQUESTS=20000 SEED=1)
	@ECF_GENERATED_REQUESTS=$(or $(REQUESTS),20000) ECF_GENERATED_SEED=$(SEED) \
		$(GO) test -count=1 -timeout 2h -v -run '^TestGeneratedRequests$$' ./tests/e2e

# Most of its three to six minutes is spent compiling the generated clients.
.PHONY: test-generators
test-generators: ## Generate clients from the document with public generators, compile and run them
	@ECF_GENERATORS=yes $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^TestGenerators$$' ./tests/e2e

.PHONY: chaos
chaos: ## Run the chaos tests for many rounds (ROUNDS=20)
	@ECF_CHAOS_ROUNDS=$(or $(ROUNDS),20) $(MAKE) test-work PKG=./tests/chaos TEST_TIMEOUT=3h

.PHONY: drill
drill: ## Verify that each fault of the running system fires its alerts, and no others (FAULTS=Redis)
	@ECF_DRILL='$(or $(FAULTS),.)' $(GO) test -count=1 -v -timeout 2h -run '^TestDrill$$' ./tests/chaos

.PHONY: draw-dashboards
draw-dashboards: ## Draw every panel of the dashboards with data of a running system, into .cache/dashboards
	@ECF_DRAW=$(CURDIR)/.cache/dashboards $(GO) test -count=1 -v -run '^TestDashboardsAreDrawn$$' ./tests/monitoring

.PHONY: test-rolling
test-rolling: ## Test rolling upgrades from the last release and back, under load
	@ECF_ROLLING=yes $(GO) test -count=1 -v -timeout $(TEST_TIMEOUT) -run '^Test(RollingReleases|KeptBackups)$$' ./tests/chaos

.PHONY: lists
lists: ## Test paging through randomly changing lists for many rounds (ROUNDS=200)
	@ECF_LIST_ROUNDS=$(or $(ROUNDS),200) $(MAKE) test-work PKG="./libs/record/sqlitestore ./libs/record/mongostore" TEST_TIMEOUT=3h

.PHONY: bench
bench: ## Run the benchmarks (PKG=./libs/footprint BENCHTIME=3s)
	@$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(PKG)

# Runs the engine's benchmarks six times, for comparison with docs/benchmarks. It
# never fails because of a time: on a busy machine only CPU time, bytes and
# allocations are comparable.
BENCH_ENGINE = $(GO) test -run '^$$' -bench . -benchmem -cpu 1 -count 6 -benchtime 0.5s ./libs/footprint

# If a benchmark no longer exists, go test measures nothing and prints PASS.
BENCH_NAMES = $(GO) test -count=1 -run '^TestBenchmarksThatAreNamedExist$$' ./tests/release

.PHONY: bench-compare
bench-compare: ## Compare the engine's benchmarks with the stored ones
	@$(BENCH_NAMES)
	@mkdir -p .cache
	@$(BENCH_ENGINE) >.cache/footprint.txt || { cat .cache/footprint.txt >&2; exit 1; }
	@GOWORK=off GOFLAGS= $(GO) run golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION) docs/benchmarks/footprint.txt .cache/footprint.txt

.PHONY: bench-keep
bench-keep: ## Run the engine's benchmarks and store them in docs/benchmarks
	@$(BENCH_NAMES)
	@mkdir -p .cache
	@$(BENCH_ENGINE) >.cache/footprint.txt || { cat .cache/footprint.txt >&2; exit 1; }
	@cp .cache/footprint.txt docs/benchmarks/footprint.txt

# The tests of tests/bench/system by the processes they start; without SHAPE all are run.
BENCH_SEPARATE := ^Test(Separate|Hop|Queue)$$
BENCH_SHAPE = $(if $(SHAPE),$(if $(filter standalone,$(SHAPE)),-skip '$(BENCH_SEPARATE)',$(if $(filter separate,$(SHAPE)),-run '$(BENCH_SEPARATE)',$(error SHAPE is standalone or separate))))

.PHONY: bench-system
bench-system: ## Measure the product over HTTP and minimal baselines, and store tables and plots (20 minutes; SHAPE=standalone or SHAPE=separate for one of them; ECF_MONGODB_URI for a real server; ECF_BENCH_POCKETBASE=1 also builds and measures PocketBase)
	@ECF_BENCH_SYSTEM=full ECF_BENCH_OUT=$(CURDIR)/docs/benchmarks $(GO) test -count=1 -timeout 1h -v $(BENCH_SHAPE) ./tests/bench/system

.PHONY: bench-neighbour
bench-neighbour: ## Measure the effect of a flood by one organization on another (25 minutes)
	@ECF_BENCH_NEIGHBOUR=full $(GO) test -count=1 -timeout 1h -v ./tests/bench/neighbour

.PHONY: bench-curve
bench-curve: bench-stored ## Measure the cost of requests in events of up to a million records, and calculate the needs of ten thousand organizations (half an hour, 4 GB of disk; ECF_CURVE_MOST=100000 for less)
	@ECF_SCALE=curve ECF_CURVE_OUT=$(CURDIR)/docs/benchmarks/curve.tsv $(GO) test -count=1 -timeout 3h -v -run TestCurve ./tests/scale
	@ECF_SCALE=curve ECF_CURVE_MONGODB_OUT=$(CURDIR)/docs/benchmarks/curve-mongodb.tsv $(GO) test -count=1 -timeout 3h -v -run TestCurveOnMongoDB ./services/standalone
	@$(GO) run ./tests/cmd/capacity

.PHONY: bench-stored
bench-stored: ## Measure the stored bytes of a record until it is in the result, and recalculate the needs of ten thousand organizations (2 minutes)
	@ECF_SCALE=curve ECF_STORED_OUT=$(CURDIR)/docs/benchmarks/stored.tsv $(GO) test -count=1 -timeout 1h -v -run TestStoredBytes ./services/standalone
	@$(GO) run ./tests/cmd/capacity

.PHONY: bench-pages
bench-pages: bin/ecf $(CONSOLE_MODULES) ## Measure the first paint of the pages in Chromium (1 minute)
	@node $(CONSOLE)/e2e/paint.mjs

.PHONY: bench-large
bench-large: ## Measure reads, exports and reports of large events, and concurrent sign-ins (2 minutes)
	@ECF_SCALE=large $(GO) test -count=1 -timeout 1h -v -run TestLargeReadings ./tests/scale

.PHONY: bench-scale
bench-scale: ## Measure approvals in events of up to a million records (5 minutes, 4 GB of disk)
	@ECF_SCALE=full $(GO) test -count=1 -timeout 3h -v ./tests/scale

.PHONY: fuzz
fuzz: ## Run each fuzz target for some time (PKG=./libs/fields FUZZTIME=1m)
	@$(GO) list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' $(PKG) | while read -r package dir; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$dir"/*_test.go); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; \
	done

# With a real server and a real browser.
.PHONY: test-console
test-console: ## Run the tests of the console: its logic, and its flows in Chromium (ECF_TEST_LONG=yes for all pages with all roles)
	@if ! command -v npm >/dev/null; then echo "NOT tested: there is no npm, so the console is not tested"; \
	elif ! npm ping --fetch-retries=0 --fetch-timeout=5000 >/dev/null 2>&1; then echo "NOT tested: npm reaches no registry, so the console is not tested"; \
	else $(MAKE) $(CONSOLE_MODULES) && cd $(CONSOLE) && npm run --silent test && \
		if [ -x "$$(node --input-type=module -e "import { executablePath } from './e2e/browser.mjs'; console.log(executablePath)")" ]; then $(MAKE) -C $(CURDIR) bin/ecf && { npm run --silent e2e $(if $(RERUN),|| { \
			{ echo "flows of the console (the first run above names them) in" && cat node_modules/.failed-flows; } >$(RERUN)/flows && npm run --silent e2e:failed; }); }; \
		else echo "NOT tested: there is no Chromium, so the flows of the console are not tested"; fi; fi

## Checking

.PHONY: verify
verify: check-fmt check-modules check-imports check-generated check-spec check-breaking check-deploy check-console lint check-vulnerabilities ## Run all checks other than tests
	@echo "verified"

.PHONY: check-fmt
check-fmt:
	@echo "formatting"
	@unformatted=$$(gofmt -l libs services tests examples); \
	if [ -n "$$unformatted" ]; then echo "run make fmt: $$unformatted" >&2; exit 1; fi
	@bash -n deploy/secrets.sh
	@for script in deploy/release/*.sh tests/deploy/*/*.sh; do bash -n $$script; done
	@bash -n .ci/run
	@bash -n examples/clients/curl/flow.sh

# Not part of `make verify`: the linters include it.
.PHONY: check-vet
check-vet: ## Run go vet, which the linters include
	@echo "go vet"
	@$(GO) vet work
	@$(call each,$(OUTSIDE),GOWORK=off $(GO) vet ./...)

# A workspace hides missing requirements: each module must build without it. It does if all
# that it and its tests import is found without it, in the versions of the workspace, with which
# everything is compiled and tested. Building a module would compile ours a second time, because
# their paths in the programs differ, and takes more than a minute for all.
DEPENDENCIES := $(GO) list -deps -test -f '{{with .Module}}{{.Path}} {{.Version}}{{with .Replace}} {{.Path}} {{.Version}}{{end}}{{end}}'
.PHONY: check-modules
check-modules:
	@before=$$(cksum <go.work.sum); $(GO) list -m all >/dev/null; [ "$$before" = "$$(cksum <go.work.sum)" ] || \
		{ echo "go.work.sum lacked what listing all modules needs, and has it now: keep it" >&2; exit 1; }
	@dependencies() { $(DEPENDENCIES) "$$@" | sed '/^github.com\/eventcarbon\/ecf\//d' | sort -u; }; \
	workspace=$$(dependencies work); export GOWORK=off; \
	builds() { case " $(OUTSIDE) " in *" $$module "*) $(GO) build -o /dev/null ./...; return;; esac; \
		own=$$(dependencies ./...) || return; different=$$(comm -13 <(echo "$$workspace") <(echo "$$own")); \
		[ -z "$$different" ] || { echo "$$module has alone: $$different" >&2; return 1; }; }; \
	$(call each,$(MODULES) $(OUTSIDE),echo "module $$module" && builds && $(GO) mod tidy -diff && $(GO) mod verify >/dev/null)

.PHONY: check-imports
check-imports:
	@echo "imports"
	@$(GO) test -count=1 ./tests/imports

# Files that are generated and committed.
GENERATED := docs/methodology.md libs/spec/openapi.yaml libs/factors libs/locations libs/places libs/spec/openapi.json services/gateway/docs libs/client/python/ecf_client

.PHONY: generate
generate: ## Regenerate all generated files
	@for library in factors places footprint; do (cd libs/$$library && $(GO) generate ./...); done
	@cd libs/spec && $(GO) test -count=1 . -run Permissions -update >/dev/null && $(GO) generate .
	@if command -v python3 >/dev/null; then python3 libs/client/python/generate.py libs/spec/openapi.json; \
	else echo "NOT made: the client in Python; there is no python3"; fi

.PHONY: check-generated
check-generated:
	@echo "generated files"
	@sum() { find $(GENERATED) -type f ! -name '*.go' ! -name '*.pyc' | LC_ALL=C sort | xargs sha256sum; }; \
	before=$$(sum); $(MAKE) generate; \
	if ! diff <(echo "$$before") <(sum); then echo "generated files are not what make generate makes" >&2; exit 1; fi

# The linter comes from npm; all other checks of the document are in the tests.
.PHONY: check-spec
check-spec:
	@echo "OpenAPI document"
	@if ! npm ping --fetch-retries=0 --fetch-timeout=5000 >/dev/null 2>&1; then \
		echo "NOT checked: there is no npm, or it reaches no registry, so the document is not linted"; \
	else \
		out=$$($(GO) test -count=1 -v -run '^TestLinter' ./libs/spec) || { echo "$$out" >&2; exit 1; }; \
		grep -o 'NOT \(CHECKED\|TESTED\).*' <<<"$$out" | sort -u || true; \
	fi

# A released document is binding. The target first verifies that the comparison
# can fail, with a document from which a response field was removed.
SPEC := libs/spec/openapi.yaml
OASDIFF = GOWORK=off $(GO) run github.com/oasdiff/oasdiff@$(OASDIFF_VERSION) breaking --fail-on ERR --deprecation-days-stable 180 --severity-levels libs/spec/released/severity.txt

.PHONY: check-breaking
check-breaking:
	@released=$$(ls libs/spec/released/openapi-*.yaml | sort -V | tail -1); \
	echo "breaking changes of the API since $$(basename $$released)"; \
	if ! $(OASDIFF) $$released $$released >/dev/null || sed '/^        perAttendeeKg: /d' $$released | $(OASDIFF) $$released - >/dev/null 2>&1; then \
		echo "the comparison does not run, or does not see a field removed" >&2; exit 1; fi; \
	$(OASDIFF) $$released $(SPEC) >&2

.PHONY: check-deploy
check-deploy:
	@echo "manifests, images, compose file"
	@cd tests/deploy && GOWORK=off $(GO) test -vet=off -count=1 -skip '$(DEPLOY_PROGRAMS)' ./...

# The built console is committed, so that running it needs only Go. Compressors differ
# between releases of Node.js, so the uncompressed contents are compared.
DIST_SUM = (cd $(CONSOLE)/dist && sha256sum index.html && for f in assets/*.gz; do printf '%s ' "$$f"; gzip -dc "$$f" | sha256sum; done)

.PHONY: check-console
check-console:
	@echo "console"
	@if ! command -v npm >/dev/null; then echo "NOT CHECKED: there is no npm, so the console was not built again"; \
	elif ! npm ping --fetch-retries=0 --fetch-timeout=5000 >/dev/null 2>&1; then echo "NOT CHECKED: npm reaches no registry, so the console was not built again"; \
	else before=$$( $(DIST_SUM) ); $(MAKE) console >/dev/null; \
		if ! diff <(echo "$$before") <($(DIST_SUM)); then echo "services/gateway/console/dist is not what its sources make: run make console" >&2; exit 1; fi; \
		cd $(CONSOLE) && npm run --silent lint && if grep -q '"resolved"' package-lock.json; then echo "package-lock.json names a registry" >&2; exit 1; fi; \
	fi

.PHONY: console
console: $(CONSOLE_MODULES) ## Build the console, which the gateway embeds
	@cd $(CONSOLE) && npm run --silent types && node licences.mjs && npm run --silent build

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run the linters
	@clean=; echo "lint the workspace"; $(GOLANGCI_LINT) run $(MODULES:%=./%/...) && clean=yes; export GOWORK=off; \
	$(call each,$(OUTSIDE),echo "lint $$module" && $(GOLANGCI_LINT) run ./...); [ -n "$$clean" ]

$(GOLANGCI_LINT):
	@echo "building golangci-lint $(GOLANGCI_LINT_VERSION)"
	@mkdir -p $(@D)/new
	@GOWORK=off GOFLAGS="$(AS_SHIPPED)" GOBIN=$(@D)/new $(GO) install -ldflags "-s -w" github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@mv $(@D)/new/golangci-lint $@

$(GOTESTSUM):
	@mkdir -p $(@D)/new
	@GOWORK=off GOFLAGS="$(AS_SHIPPED)" GOBIN=$(@D)/new $(GO) install -ldflags "-s -w" gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	@mv $(@D)/new/gotestsum $@

# The program with all services contains everything that is shipped. The data come
# from VULNDB (file:///folder, or a URL); without data the target reports that nothing
# was checked, and a release fails.
.PHONY: check-vulnerabilities
check-vulnerabilities: ## Look for known vulnerabilities (VULNDB=file:///copy)
	@VULNDB="$(VULNDB)" GOVULNCHECK_VERSION=$(GOVULNCHECK_VERSION) deploy/release/vulnerabilities.sh

.PHONY: check-release
check-release: ## Check whether VERSION can be released (VERSION=2.1.0)
	@deploy/release/check.sh "$(VERSION)"

## Tending

.PHONY: fmt
fmt: ## Format the sources
	@gofmt -w libs services tests examples

.PHONY: tidy
tidy: ## Tidy every module
	@for module in $(MODULES) $(OUTSIDE); do (cd $$module && GOWORK=off $(GO) mod tidy); done
	@$(GO) work sync
	@$(GO) list -m all >/dev/null # adds to go.work.sum what editors would

# Makes the document the reference for later ones, under its version.
.PHONY: release-spec
release-spec: ## Store the OpenAPI document as the released one (AGAIN=1 replaces one of the same version)
	@version=$$(sed -n 's/^  version: //p' $(SPEC) | head -1); to=libs/spec/released/openapi-$$version.yaml; \
	if [ -e $$to ] && [ -z "$(AGAIN)" ]; then echo "$$to is released; raise info.version in $(SPEC)" >&2; exit 1; fi; \
	cp $(SPEC) $$to; echo "$$to"

# By default Podman skips stages whose names are made from an argument.
BUILD_FLAGS = $(if $(filter podman,$(notdir $(CONTAINER))),--skip-unused-stages=false) $(IMAGE_FLAGS)

# Without VERSION on the command line, images have the tag that k8s/overlays/dev and
# docker-compose.yml use; the program in them reports its revision.
IMAGE_TAG = $(if $(filter command% environment%,$(origin VERSION)),$(or $(VERSION),dev),dev)

.PHONY: images
images: ## Build the images, with the tag dev (CONTAINER=podman VERSION=2.0.0)
	@for service in $(SERVICES); do \
		$(CONTAINER) build $(BUILD_FLAGS) -f deploy/Dockerfile --build-arg SERVICE=$$service \
			--build-arg VERSION=$(or $(VERSION),devel) --build-arg REVISION=$$(git rev-parse HEAD) \
			-t ecf/$$service:$(IMAGE_TAG) .; \
	done
	@$(CONTAINER) build $(BUILD_FLAGS) -f deploy/Dockerfile --build-arg SERVICE=standalone --build-arg PROGRAM=ecf --build-arg SOURCES=all \
		--build-arg VERSION=$(or $(VERSION),devel) --build-arg REVISION=$$(git rev-parse HEAD) \
		-t ecf/standalone:$(IMAGE_TAG) .

.PHONY: observe
observe: compose-secrets ## Run everything in containers, with Prometheus, Grafana (http://127.0.0.1:3000) and Tempo
	@ECF_TELEMETRY=export $(CONTAINER) compose --profile observe up --build --wait

.PHONY: compose-secrets
compose-secrets: ## Generate the secrets for docker-compose.yml
	@deploy/secrets.sh

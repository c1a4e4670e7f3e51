# make            this list
# make demo       the whole pipeline on this machine: broker, ingress, entitlements, refunds, reconciler, archive, a simulated App Store; KEEP=1 leaves it running
# make test       all tests without external requirements, in parallel; about 8 minutes on two cores after the build; FILTER=Name runs matching tests, one by one
# make test-kafka the tests on Apache Kafka: KAFKA_HOME=directory, or SLUICE_TEST_BOOTSTRAP_SERVERS=host:port of a running cluster
# make test-http  third-party programs against the listener: SLUICE_TEST_HTTP_LAB=directory
# make test-deploy the deployment tests: each script deploy/*/test, with a table of skipped parts and reasons; installs tools unless INSTALL=0; ONLY=name runs one
# make test-deploy-quick  the deployment tests that take a few minutes: chart, compose, dashboards
# make test-all   test, test-kafka, test-http, simulate, tutorial, faults, sanitize and mutants, regardless of failures; takes hours
# make simulate   SEEDS=10000 seeds of the deterministic simulation, in an optimized build; SEED=17 runs one and prints its steps
# make tutorial   builds and runs the consumer that Sources/Pipeline/README.md shows, as a package beside this one
# make mutants    removes each check from a copy in turn: a test must fail each time; ONLY=name selects some, SIMULATION=1 compares with the simulation
# make fuzz       runs each parser of untrusted bytes for TIME=60 seconds under libFuzzer; TARGET=name runs one
# make mutations  verifies COUNT=100000 mutants of notifications, with SEED=1
# make sanitize   all tests with the thread and the address sanitizer; ONLY=thread, FILTER=Name
# make faults     the long form of the fault suites, or of those that match FILTER=Name, on release executables; TIMES=4 for four times as long (consumers); figures in .build/faults.txt and .build/faults.jsonl
# make lint       formatting, target imports, language of comments, public API
# make docs       compiles the documentation of the public products; a broken link is an error
# make format     format all sources in place
# make build      debug build
# make release    release build
# make bench      release build, then the benchmarks; writes .build/bench.json; QUICK=1 measures briefly, STRICT=1 fails below the thresholds, PEERS=1 also measures published libraries; with KAFKA_HOME entitlements and sluicectl explain are also measured on Apache Kafka
# make deps       install the system libraries (apt or brew)
# make clean      remove the build

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test test-kafka test-http test-deploy test-deploy-quick test-all tutorial faults mutants lint docs format build release bench deps clean fuzz mutations sanitize simulate

SOURCES := Sources Tests Package.swift
CONFIGURATION ?= debug
FILTER ?=
TIME ?= 60
TIMES ?= 1
TARGET ?=
COUNT ?= 100000
SEED ?= 1
SEEDS ?= 10000
ONLY ?=
QUICK ?=
STRICT ?=
PEERS ?=

help:
	@sed -n 's/^# make /make /p' Makefile

deps:
	@deploy/install-deps

build: deps
	@swift build

release: deps
	@swift build -c release

demo: deps
	@swift build -c $(CONFIGURATION) --product sluice-dev-broker
	@swift build -c $(CONFIGURATION) --product sluice-ingress
	@swift build -c $(CONFIGURATION) --product sluice-entitlements
	@swift build -c $(CONFIGURATION) --product sluice-refunds
	@swift build -c $(CONFIGURATION) --product sluice-reconciler
	@swift build -c $(CONFIGURATION) --product sluice-archive
	@swift build -c $(CONFIGURATION) --product sluice-simulator
	@swift build -c $(CONFIGURATION) --product sluicectl
	@KEEP=$(KEEP) CONSUMERS=$(CONSUMERS) TOPICS=$(TOPICS) deploy/demo "$$(swift build -c $(CONFIGURATION) --show-bin-path)"

# These run alone. The tests on Apache Kafka share one cluster and stop it; KafkaSelectionTests checks their names. The
# third-party programs use their own ports and timeouts.
KAFKA_TESTS := Apache ?Kafka
HTTP_TESTS := ThirdPartyConformance

test: deps
	@swift build --build-tests
ifdef FILTER
	@Tests/run --no-parallel --filter '$(FILTER)'
else
	@Tests/run-groups "$$(swift build --show-bin-path)" '$(KAFKA_TESTS)|$(HTTP_TESTS)'
endif

test-kafka: deps
	@swift build --build-tests
	@SLUICE_TEST_KAFKA=required Tests/run --no-parallel --filter '$(or $(FILTER),$(KAFKA_TESTS))'

test-http: deps
	@swift build --build-tests
	@Tests/run --no-parallel --filter '$(HTTP_TESTS)'

test-deploy: deps
	@swift build
	@$(if $(wildcard deploy/image/build),swift build -c release)
	@deploy/test $(ONLY)

test-deploy-quick: deps
	@swift build
	@deploy/test chart compose grafana

test-all:
	@failed=; for target in test test-kafka test-http simulate tutorial faults sanitize mutants; do \
	    echo; echo "make $$target"; $(MAKE) --no-print-directory $$target || failed="$$failed $$target"; done; \
	    echo; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

# An optimized build of its own, with only the targets that the simulation needs: a debug build runs the seeds much more
# slowly. With random hashing, a seed would take another course in each process.
SIMULATION_BUILD := -c release --scratch-path .build/simulation

simulate: export SLUICE_TEST_TARGET := SimulationTests
simulate: deps
	@swift build $(SIMULATION_BUILD) --build-tests -Xswiftc -enable-testing
	@SWIFT_DETERMINISTIC_HASHING=1 SLUICE_TEST_SEEDS='$(SEEDS)' \
	    SLUICE_TEST_SEED='$(if $(findstring command line,$(origin SEED)),$(SEED))' \
	    Tests/run $(SIMULATION_BUILD) --no-parallel --filter '^SimulationTests\.'

tutorial: deps
	@swift build --build-tests
	@SLUICE_TEST_TUTORIAL=1 Tests/run --no-parallel --filter 'the Swift package of the tutorial'

mutants: deps
	@swift build --product mutants
	@"$$(swift build --show-bin-path)/mutants" '$(ONLY)' '$(JOBS)' $(if $(REUSE),reuse) $(if $(SIMULATION),simulation$(if $(filter only,$(SIMULATION)),-only))

fuzz: deps
	@Tests/Fuzzing/run-libfuzzer '$(TIME)' '$(TARGET)'

mutations: deps
	@swift build -c release --product fuzz
	@"$$(swift build -c release --show-bin-path)/fuzz" mutations --count '$(COUNT)' --seed '$(SEED)'

sanitize: deps
	@Tests/Fuzzing/run-sanitizers '$(or $(ONLY),thread address)' '$(FILTER)'

# Repeatedly kills brokers, the ingress and consumers, with long outages and floods. Takes about three quarters of an
# hour.
FAULTS := BrokerOutages|ThreeBrokers|TopicFaults|NetworkFaults|IngressDeaths|Starvation|LongOutage|Floods|Consumer|StateStorms|RefundDeaths|StaleReads|IngressOutage|StartTimes|ArchiveHosts
FAULTY := sluice-dev-broker sluice-ingress sluice-entitlements sluice-refunds sluice-reconciler sluice-simulator sluice-archive sluicectl

faults: deps
	@swift build --build-tests
	@for product in $(FAULTY); do swift build -c release --product $$product || exit 1; done
	@rm -f .build/faults.txt .build/faults.jsonl
	@SLUICE_TEST_LONG=1 SLUICE_TEST_TIMES='$(TIMES)' SLUICE_TEST_REPORT='$(CURDIR)/.build/faults' \
	    SLUICE_TEST_EXECUTABLES="$$(swift build -c release --show-bin-path)" \
	    swift test --skip-build --no-parallel --filter 'EndToEndTests.*($(or $(FILTER),$(FAULTS)))'; \
	    status=$$?; echo; cat .build/faults.txt; exit $$status

lint: deps
	@swift format lint --strict --recursive --parallel $(SOURCES)
	@Tests/lint-imports
	@Tests/lint-dependencies
	@Tests/language/check
	@swift build --build-tests --explicit-target-dependency-import-check error
	@Tests/PublicAPI/check

docs: deps
	@swift build --build-tests
	@Tests/PublicAPI/docs .build/Sluice.doccarchive
	@echo "the documentation of the public products is in .build/Sluice.doccarchive; any web server shows it"

format:
	@swift format --in-place --recursive --parallel $(SOURCES)

bench: deps
	@swift build -c release --product sluice-bench
	@swift build -c release --product sluice-ingress
	@swift build -c release --product sluice-dev-broker
	@swift build -c release --product sluice-entitlements
	@swift build -c release --product sluice-archive
	@swift build -c release --product sluicectl
	@"$$(swift build -c release --show-bin-path)/sluice-bench" --output .build/bench.json \
		$(if $(QUICK),--quick) $(if $(STRICT),--strict) $(if $(PEERS),--peers)

clean:
	@rm -rf .build

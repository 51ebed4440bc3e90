# `make test` needs Go alone. `make test-kafka` and `make ci` start a Kafka of
# their own on loopback; they need Java and Maven, and Python for its client.
LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
KAFKA := bin/kafka
FUZZTIME ?= 20s
SEEDS ?= 10000

.PHONY: build test test-kafka sim lint docs bench bench-kafka fuzz soak ci clean

build:
	go build -o bin/auditstream ./cmd/auditstream

test:
	go test ./...
	@test -n "$$AUDITSTREAM_TEST_KAFKA" || \
	  echo "NOT RUN: the tests on a real Kafka; set AUDITSTREAM_TEST_KAFKA=host:port, or use make test-kafka"

test-kafka:
	@trap '.ci/kafka/stop $(KAFKA)' EXIT; \
	  address=$$(.ci/kafka/start $(KAFKA)) && \
	  AUDITSTREAM_TEST_KAFKA=$$address AUDITSTREAM_TEST_KAFKA_LIBS=$$PWD/$(KAFKA)/libs go test -count=1 -timeout 20m ./...

sim:
	go test -count=1 -timeout 30m -run '^TestSimulation$$' ./processors -sim.seeds $(SEEDS)

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	go vet ./...
	go run $(LINT) run ./...

docs:
	AUDITSTREAM_UPDATE_DOCS=1 go test -count=1 -run '^TestDocs' ./...

bench:
	go test -run '^$$' -bench . -benchmem ./engine/... ./codecs/...

bench-kafka:
	@trap '.ci/kafka/stop $(KAFKA)' EXIT; \
	  address=$$(.ci/kafka/start $(KAFKA)) && \
	  AUDITSTREAM_TEST_KAFKA=$$address go test -run '^$$' -bench Kafka -benchtime 1x -timeout 30m ./cmd/auditstream

# Each target for FUZZTIME, from the corpus that is saved beside it. Packages
# without a target are not built.
fuzz:
	@for d in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9]*' $$d/*_test.go | cut -c6-); do \
	    echo "$$d $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$d || exit 1; \
	  done; \
	done

# SOAK minutes of faults of all kinds.
SOAK ?= 10
soak:
	@trap '.ci/kafka/stop $(KAFKA)' EXIT; .ci/kafka/start $(KAFKA) >/dev/null && \
	  AUDITSTREAM_TEST_KAFKA_LIBS=$$PWD/$(KAFKA)/libs AUDITSTREAM_TEST_SOAK_MINUTES=$(SOAK) \
	  go test -count=1 -v -timeout 24h -run '^TestSoak$$' ./test/faults

ci:
	CI=true bash .ci/run

clean:
	rm -rf bin

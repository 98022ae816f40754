# Targets are short; what they run is plain Go. `make test` is what lands or
# rejects a change. Real data sets are found through WEFT_DATA, a list of
# folders; tests that lack theirs say which `weft data fetch` would bring it.

GO      ?= go
export CGO_ENABLED = 0
FUZZTIME ?= 10m

.PHONY: build test lint unit race mpi cross arm accuracy storage hosts fuzz bench peers generate

build: ## the weft binary in bin/
	$(GO) build -trimpath -o bin/weft ./cmd/weft

test: lint unit race mpi cross arm ## everything that must hold

lint: ## vet, staticcheck, and the project's own rules as tests
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test ./internal/lint

# Tests compile thousands of small programs: a third of their time went into collecting
# and profiling garbage.
unit race: export GOGC = 400
unit race: export GODEBUG = memprofilerate=0

unit: build ## all tests
	$(GO) test ./...
	$(GO) test -tags noasm ./internal/cpu ./kernel

race: ## the packages with goroutines, under the race detector (needs a C compiler)
	@if command -v $${CC:-cc} >/dev/null; then \
		CGO_ENABLED=1 $(GO) test -race -short ./comm/... ./graph ./launch && \
		CGO_ENABLED=1 $(GO) test -race -short -timeout 20m -run 'Rank|Plans|Thread|AtOnce' ./runtime && \
		CGO_ENABLED=1 $(GO) test -race -short -timeout 20m -run 'Rank|Plans|Thread|Killed|Stop|Mismatch' ./train && \
		CGO_ENABLED=1 $(GO) test -race -run Pool ./kernel; \
	else echo "race: no C compiler found: skipped"; fi

mpi: ## ranks that are processes, under every MPI that is installed
	@compilers="$$(for c in mpicc.openmpi mpicc.mpich; do command -v $$c; done)"; \
	: $${compilers:=$$(command -v mpicc)}; \
	if [ -z "$$compilers" ] || ! command -v mpirun >/dev/null; then \
		echo "mpi: no mpicc and mpirun found: skipped"; exit 0; \
	fi; \
	export CGO_ENABLED=1 CC; for CC in $$compilers; do \
		echo "mpi: $$CC" && \
		$(GO) vet -tags mpi ./comm/mpi ./cmd/weft ./bench/hosts && $(GO) tool staticcheck -tags mpi ./comm/mpi ./cmd/weft ./bench/hosts && \
		$(GO) test -count=1 -tags mpi ./comm/mpi && \
		$(GO) test -count=1 -tags mpi -race -run TestSuite/ranks=2 ./comm/mpi && \
		$(GO) test -count=1 -tags mpi -run MPI ./cmd/weft && \
		$(GO) test -count=1 -tags mpi ./bench/hosts || exit 1; \
	done

generate: ## the kernels' assembly from its generator; it must change nothing
	$(GO) generate ./...
	git diff --exit-code -- '*_amd64.s' '*_amd64.go' '*_arm64.s' '*_arm64.go'

cross: ## the other platforms build
	GOARCH=arm64 $(GO) build ./...
	GOOS=darwin GOARCH=arm64 $(GO) build ./...
	GOOS=windows GOARCH=amd64 $(GO) build ./...
	GOARCH=arm64 $(GO) vet ./internal/cpu ./kernel
	GOARCH=arm64 $(GO) vet -tags noasm ./internal/cpu ./kernel

# Every width, length and offset, and operands at the end of memory, of what has
# assembly; the emulator takes a minute.
ARMTESTS = Assembly|Sweeps|OneEdge|EveryLength|StayInside|ItsParts|^TestMatMul|SumsAtEveryWidth|SumsOfNarrow|^TestSpMM$$|ByRanges

arm: ## the kernels of arm64, under qemu's emulation of its instructions
	@if command -v qemu-aarch64 >/dev/null; then \
		GOARCH=arm64 $(GO) test -short -exec qemu-aarch64 ./internal/cpu && \
		GOARCH=arm64 $(GO) test -short -timeout 20m -exec qemu-aarch64 -run '$(ARMTESTS)' ./kernel; \
	else echo "arm: no qemu-aarch64 found: skipped"; fi

accuracy: build ## ten seeds of every model on the citation sets, into bench/results/accuracy.md
	$(GO) run ./bench/accuracy -out bench/results/accuracy.md

storage: ## bfloat16 beside float32, into bench/results/bfloat16.md: makes a look-alike of ogbn-arxiv, takes an hour
	rm -rf bin/arxiv && $(GO) run ./cmd/weft data gen arxiv --out bin/arxiv
	$(GO) run ./bench/storage -data bin/arxiv -out bench/results/bfloat16.md

hosts: ## four hosts beside one, into bench/results/hosts.md: needs root and Open MPI, makes a look-alike of ogbn-arxiv
	rm -rf bin/arxiv && $(GO) run ./cmd/weft data gen arxiv --out bin/arxiv
	$(GO) run ./bench/hosts -data bin/arxiv -out bench/results/hosts.md

fuzz: ## every fuzz target for FUZZTIME each
	$(GO) run ./bench/fuzz -time $(FUZZTIME)

bench: ## Go benchmarks of every package
	$(GO) test -run '^$$' -bench . -benchtime 1s ./...

peers: ## weft beside PyG and DGL, into bench/results/peers.md: installs them in the user's cache, takes hours
	$(GO) run ./bench/peers

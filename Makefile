# What is run by hand: CI runs .ci/run. goreleaser is compiled when it is first asked for, which takes minutes.
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.16.0

# A snapshot leaves out what this machine cannot make: make snapshot SKIP=docker
SKIP =

# The benchmarks that cmd/ngxlimit/default.pgo is made of: package:benchmark.
PROFILED = model/replay:BenchmarkReplay model/accesslog:BenchmarkParse rules:BenchmarkCatalogue \
	analyzer/config:BenchmarkResolve analyzer/syntax:BenchmarkParse$$ analyzer/load:BenchmarkLoadDump \
	model/pipeline:BenchmarkDo model/simulate:BenchmarkRun

.PHONY: check docs profile release-check snapshot release image

check:
	bash .ci/run

docs: # man pages and completions, in .gendocs/
	go run -tags gendocs ./cmd/ngxlimit gendocs .gendocs

profile: # cmd/ngxlimit/default.pgo, by which the go command compiles what is called often: docs/performance.md
	profiles=$$(mktemp -d) && \
	for b in $(foreach p,$(PROFILED),'$(p)'); do \
		go test -trimpath -run '^$$' -bench "$${b#*:}" -o $$profiles/test \
			-cpuprofile $$profiles/$$(echo "$$b" | tr -c 'a-zA-Z\n' _).prof ./"$${b%:*}" || exit 1; \
	done && \
	go tool pprof -proto $$profiles/*.prof > cmd/ngxlimit/default.pgo && \
	rm -r $$profiles

release-check:
	$(GORELEASER) check

snapshot: # everything that a release holds, in dist/
	$(GORELEASER) release --snapshot --clean $(if $(SKIP),--skip=$(SKIP))

release: # what .github/workflows/release.yml runs for a tag
	$(GORELEASER) release --clean

image:
	docker build --build-arg COMMIT=$$(git rev-parse HEAD) --build-arg DATE=$$(git log -1 --format=%cI) -t ngxlimit .

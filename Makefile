# What is run by hand: CI runs .ci/run. goreleaser is compiled when it is first asked for, which takes minutes.
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.16.0

# A snapshot leaves out what this machine cannot make: make snapshot SKIP=docker
SKIP =

.PHONY: check docs release-check snapshot release image

check:
	bash .ci/run

docs: # man pages and completions, in .gendocs/
	go run -tags gendocs ./cmd/ngxlimit gendocs .gendocs

release-check:
	$(GORELEASER) check

snapshot: # everything that a release holds, in dist/
	$(GORELEASER) release --snapshot --clean $(if $(SKIP),--skip=$(SKIP))

release: # what .github/workflows/release.yml runs for a tag
	$(GORELEASER) release --clean

image:
	docker build --build-arg COMMIT=$$(git rev-parse HEAD) --build-arg DATE=$$(git log -1 --format=%cI) -t ngxlimit .

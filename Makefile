# `make help` lists the targets. Each installs what it needs; nothing has to be set up by hand.
SHELL := /bin/bash
.DEFAULT_GOAL := help
RUN := npm run -s
NAME ?= dev

# The Node that comes with the libraries, on Linux on x64 and arm64; on other systems that of the PATH.
NODE_IS_NEW := PATH="$(CURDIR)/node_modules/.bin:$$PATH" node -e \
  'const [major, minor] = process.versions.node.split("."); process.exit(major > 24 || (major == 24 && minor >= 15) ? 0 : 1)'

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	npm ci --loglevel=error
	@touch $@

setup: node_modules/.package-lock.json ## install the pinned Node and libraries
	@$(NODE_IS_NEW) || { echo "Slipway needs Node 24.15 or newer, and this is $$(node --version) on $$(uname -sm). On Linux on x64 and" \
	  "arm64 a new one comes with the libraries; on other systems, install it." >&2; exit 1; }

# While npm fetches its packages for the first time, Go fetches the modules of the control plane, which is built next, and compiles
# most of its own library that these import, with the flags of e2e/cluster/tools.ts.
GO_LIBRARY := archive/zip database/sql encoding/xml go/doc html/template net/http/httptest net/http/httputil net/http/pprof
go-modules: export GOWORK = off
go-modules: export GOTOOLCHAIN = local
go-modules: export CGO_ENABLED = 0
go-modules:
	@test -e node_modules/.package-lock.json || (cd e2e/cluster/modules/kubernetes && \
	  { go list -deps tool & go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false $(GO_LIBRARY) & } >/dev/null 2>&1)

demo: go-modules setup ## runs an install, an upgrade and a removal step by step on a real control plane
	$(RUN) demo

test: setup check cluster-build ## types, lint, unit, conformance, end to end; of exhaustive tests a fixed sample; ten minutes on two cores
	$(RUN) test

conformance: setup ## every case of the reference data and of the corpus, of which `make test` takes a sample; about five minutes
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project conformance

corpus: setup cluster-build ## every bundle of the corpus before an API server, three of each package by their smallest accounts; about 15 minutes
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project cluster e2e/stories/dev-set e2e/stories/plan/minimal-account

leave-olm: setup cluster-build ## 26 operators of the corpus handed over from a running OLM v0, and two stopped for a minute after each step; 12 handed over from OLM v1 and back; about an hour
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project cluster e2e/stories/leave-olm-corpus e2e/stories/leave-olm/stopped \
	  e2e/stories/leave-olm/states e2e/stories/leave-olm/leave-olm e2e/stories/leave-olm-v1-corpus e2e/stories/leave-olm-v1/leave-olm-v1

stories: setup cluster-build ## the stories of which `make test` plays some scenes or none, whole; about an hour
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project cluster e2e/stories/example-operator e2e/stories/late-writes \
	  e2e/stories/own-kinds e2e/stories/adopt-by-manager e2e/stories/command-line e2e/stories/crash \
	  e2e/stories/real-operators e2e/stories/failover e2e/stories/own-life e2e/stories/console/ e2e/stories/console-acts \
	  e2e/stories/console-security e2e/stories/leave-olm-v1/adopt-by-manager e2e/stories/standstill e2e/stories/telling \
	  e2e/stories/dependencies e2e/stories/signatures e2e/stories/private-registry e2e/stories/mirror/published \
	  e2e/stories/publish e2e/stories/bad-input e2e/stories/lagging-caches e2e/stories/restored e2e/stories/in-cluster/image \
	  e2e/stories/in-cluster/deploy e2e/stories/in-cluster/helm e2e/stories/names e2e/stories/second e2e/stories/published-again \
	  e2e/stories/pipeline e2e/stories/wrong-ends e2e/stories/plan/written e2e/compatibility e2e/cluster \
	  e2e/lib/cluster-keeper scripts/guides scripts/how-to kube/client kube/watch
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project unit console/browser/views catalog/hostile console/data/large-package cmd/manager/readers apply/crd-safety/effort scripts/build

attacks: setup cluster-build ## every way of a tenant, tried by both tenants, and each right of the manager taken away, and hostile objects of each kind and field; about ten minutes
	SLIPWAY_EXHAUSTIVE=yes $(RUN) test -- --project cluster e2e/stories/tenants/ways e2e/stories/tenants/neighbours e2e/stories/tenants/ownership \
	  e2e/stories/tenants/watchdog e2e/stories/tenants/endpoints e2e/stories/in-cluster/rights e2e/stories/in-cluster/accounts \
	  e2e/stories/in-cluster/tenants e2e/stories/in-cluster/identity

test-more: setup ## every property with fresh samples, ten times (SEED=… repeats a run)
	@seed=$(or $(SEED),$$RANDOM$$RANDOM); for round in 1 2 3 4 5 6 7 8 9 10; do \
	  echo "make test-more: SEED=$$((seed + round - 1))"; \
	  SLIPWAY_EXHAUSTIVE=yes SLIPWAY_SEED=$$((seed + round - 1)) $(RUN) test -- --project unit \
	    $$(grep -rlE "fc\.(assert|check|sample)" --include='*.test.ts' --exclude-dir=node_modules .) || exit 1; done

crd-safety: setup cluster-build ## our verdict on changes of CRDs beside what an API server does: 1,000 generated pairs, 500 published
	SLIPWAY_EXHAUSTIVE=yes SLIPWAY_CRD_PAIRS=1000 SLIPWAY_CRD_CORPUS=0-500 $(RUN) test -- --project cluster e2e/stories/crd-safety

compatibility: setup cluster-build ## every package of the corpus installed, upgraded and removed; writes docs/compatibility.md (ARGS="--only k8gb,kong")
	$(RUN) compatibility -- $(ARGS)

bench: setup cluster-build ## what it costs, side by side with the least it could (ARGS="--only small -o json")
	$(RUN) bench -- $(ARGS)

fuzz: setup cluster-build ## hostile objects beside healthy Subscriptions, judged (ARGS="--seconds 3600 --seed 1")
	$(RUN) fuzz -- $(ARGS)

chaos: setup cluster-build ## the manager killed at every write, faults, split brain, people at random; about two hours (ARGS="kills --lanes 2")
	$(RUN) chaos -- $(ARGS)

# Two at a time: one of them uses one processor.
check: setup ## types, lint, format, unused code
	@$(MAKE) --no-print-directory -j2 --output-sync=target check-lint check-unused check-format

check-lint: setup
	$(RUN) lint

check-unused: setup
	$(RUN) unused

check-format: setup
	$(RUN) format:check

build: setup ## the programs, and the manager's image for each architecture, in dist/
	$(RUN) build -- $(ARGS)

generate: setup ## CRDs, manifests, and the pages about the API, the command line, metrics and settings
	$(RUN) generate

verify: check ## as check, and that nothing generated is stale
	$(RUN) generate -- --check

cluster-build: go-modules setup ## build every program that the tests run on this machine once, from Go modules
	$(RUN) cluster -- build $(if $(NODE),--node $(NODE))

cluster-up: setup ## start a cluster that stays, and print how to use it (NAME=…)
	$(RUN) cluster -- up --name $(NAME) $(if $(NODE),--node $(NODE))

cluster-down: setup ## stop it
	$(RUN) cluster -- down --name $(NAME)

cluster-status: setup ## show the running processes
	$(RUN) cluster -- status --name $(NAME)

.PHONY: help setup go-modules demo test conformance corpus leave-olm stories attacks test-more crd-safety compatibility bench fuzz chaos check check-lint check-unused check-format build generate verify cluster-build cluster-up cluster-down cluster-status

# `make help` lists the targets. Each installs what it needs; nothing has to be set up by hand.
SHELL := /bin/bash
.DEFAULT_GOAL := help
RUN := npm run -s

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	npm ci --loglevel=error
	@touch $@

setup: node_modules/.package-lock.json ## install the pinned Node and libraries

test: setup check ## every test: types, lint, unit, conformance, end to end
	$(RUN) test

check: setup ## types, lint, format, unused code
	$(RUN) types
	$(RUN) lint
	$(RUN) format:check
	$(RUN) unused

.PHONY: help setup test check

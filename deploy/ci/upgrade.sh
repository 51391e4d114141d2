#!/bin/sh
# Upgrades an operator by a change in Git, for any runner of pipelines that has a shell:
#
#   upgrade.sh propose    raises the version in the file, and commits it on a branch
#   upgrade.sh check      plans the change since the base branch, and stops it by rules
#   upgrade.sh roll-out   applies the file, and waits for the outcome
#
# It needs git, slipway, and for roll-out kubectl with a kubeconfig. Exit codes: 0 done; 1 it could not be done; 2 stopped
# by a rule, or failed and rolled back; 3 the time was up.
set -eu

# Ends with 1 if a variable is empty; the shell's own ${NAME:?} ends with 2 in some shells.
need() {
  eval "value=\${$1-}"
  [ -n "$value" ] || { echo "$0: $1 is not set: $2" >&2; exit 1; }
}

need FILE "manifest of the Subscription, as in operators/beacon.yaml"
need TARGET "NAMESPACE/NAME of the Subscription"
CATALOG=${CATALOG-}                 # registry.example/team/catalog:latest; if empty, propose asks the Catalogs of the cluster
BASE=${BASE:-origin/main}           # branch that the change is for
BRANCH=${BRANCH:-slipway/$TARGET}   # branch for a proposal
DENY=${DENY:-irreversible,unsafe-crd,rights-growth}
REPORT=${REPORT:-plan.md}           # the plan as Markdown, for a comment
TIMEOUT=${TIMEOUT:-15m}

# The version in a manifest on stdin.
version() {
  sed -n "s/^  version:[ \"']*\([^\"' ]*\).*/\1/p" | head -n 1
}

propose() {
  # 2 means that newer versions exist; whether one could be written, git knows.
  slipway outdated --write "$FILE" ${CATALOG:+--catalog "$CATALOG"} || [ "$?" -eq 2 ]
  if git diff --quiet -- "$FILE"; then
    echo "$FILE stays as it is"
    return
  fi
  git switch --quiet --create "$BRANCH"
  git commit --quiet --message "Upgrade $TARGET to $(version <"$FILE")" -- "$FILE"
  git --no-pager show --format=%s
}

check() {
  need CATALOG "catalog to plan from, as in registry.example/team/catalog:latest"
  # Without the file on the base branch, an installation is planned.
  from=$(git show "$BASE:$FILE" 2>/dev/null | version)
  code=0
  slipway plan --file "$FILE" --catalog "$CATALOG" ${from:+--from "$from"} --deny "$DENY" -o markdown >"$REPORT" || code=$?
  cat "$REPORT"
  return "$code"
}

roll_out() {
  kubectl apply --filename "$FILE"
  # The version in the file is exact, so the Subscription is not ready before that version is installed.
  slipway wait "$TARGET" --timeout "$TIMEOUT"
}

case ${1-} in
  propose) propose ;;
  check) check ;;
  roll-out) roll_out ;;
  *) echo "Usage: $0 propose|check|roll-out" >&2; exit 1 ;;
esac

#!/usr/bin/env bash
# Runs check once: annotations to the log, tables to the summary, SARIF to a file. Then, where a base is named, what the
# change does goes to the summary too. The status of the step is that of check.
set -euo pipefail

ngxlimit="$RUNNER_TEMP/ngxlimit-bin/ngxlimit"
summary=$(mktemp "$RUNNER_TEMP/ngxlimit.XXXXXX")
trap 'rm -f "$summary"' EXIT

# One a line, so that blanks may stand in a name; what is empty is left out. Written for the bash of macOS, too.
paths=()
while IFS= read -r line; do [ -z "$line" ] || paths+=("$line"); done <<<"${NGXLIMIT_PATHS:-}"
[ ${#paths[@]} -gt 0 ] || paths=(.)
args=(--format github --also "markdown=$summary" --fail-on "${NGXLIMIT_FAIL_ON:-warning}")
# Code scanning shows what is suppressed as an alert like any other, so it is left out.
[ -z "${NGXLIMIT_SARIF:-}" ] || args+=(--also "sarif=$NGXLIMIT_SARIF" --no-suppressed)
while IFS= read -r line; do [ -z "$line" ] || args+=("$line"); done <<<"${NGXLIMIT_ARGS:-}"

status=0
"$ngxlimit" check "${args[@]}" -- "${paths[@]}" || status=$?
cat "$summary" >>"$GITHUB_STEP_SUMMARY"
echo "status=$status" >>"$GITHUB_OUTPUT"

if [ -n "${NGXLIMIT_BASE:-}" ] && [ "$status" -lt 2 ]; then
  for path in "${paths[@]}"; do
    # What is new has no earlier form; that is no fault of the change.
    if "$ngxlimit" diff --git "$NGXLIMIT_BASE" --format markdown --fail-on never -- "$path" >"$summary"; then
      { echo; cat "$summary"; } >>"$GITHUB_STEP_SUMMARY"
    fi
  done
fi
exit "$status"

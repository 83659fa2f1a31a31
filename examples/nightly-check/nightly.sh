# Checks the gateway at the URL $1, and writes summary.md: the violations, and the changes since the last run.
# `last/` keeps the recording of the last run that exited with 0 or 1 and passed a tenth of its probes.
# The exit code is that of the check, or of `diff` if only the comparison failed.

PATH="$PWD/node_modules/.bin:$PATH"
rm -f check.*
gateway-sim check --base-url "$1" --spend little --accept known.yaml \
  --report markdown=check.md --report junit=check.xml --report json=check.json \
  --report har=check.har > check.log 2>&1
code=$?
cat check.log
compared=0

exec > summary.md
if [ ! -s check.har ]; then
  printf '**The check did not run.**\n\n```text\n%s\n```\n' "$(tail -n 2 check.log)"
else
  cat check.md
  if [ -s last/check.har ]; then
    printf '\n## Since the last run\n\n```text\n'
    gateway-sim diff last/check.har check.har 2>&1 || compared=$?
    echo '```'
  else
    echo 'No earlier recording: nothing compared.'
  fi
  enough='const { passed, checked } = require("./check.json").summary
  process.exit(passed * 10 < checked ? 1 : 0)'
  if [ $code -le 1 ] && node -e "$enough"; then mkdir -p last && cp check.har last/; fi
fi
if [ $code -eq 0 ] && [ $compared -gt 1 ]; then
  echo "diff exited with $compared: see the summary" >&2
  exit $compared
fi
exit $code

// Adds up vitest's JSON reports into one line. A part without a report ended before its tests ran, and a file
// that could not be loaded has none: each counts as one failure.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const totals = { passed: 0, failed: 0, skipped: 0 }
for (const path of process.argv.slice(2)) {
  let report
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    totals.failed += 1
    console.log(`${basename(path, '.json')}: no report, because a step before these tests failed (see above)`)
    continue
  }
  totals.passed += report.numPassedTests
  totals.failed += report.numFailedTests
  totals.skipped += report.numPendingTests + report.numTodoTests
  for (const { status, assertionResults } of report.testResults)
    if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed')) totals.failed += 1
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`)
process.exitCode = totals.failed > 0 ? 1 : 0

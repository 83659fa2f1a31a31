/**
 * The report of a run as JUnit XML: one case for the command and one for each check. A check that found
 * something but does not fail the run is a skipped case.
 */
import { type JunitCase, junitXml } from '../../../text/junit.ts'
import type { Check, RunReport } from '../report.ts'
import { endOf, linesOf, titleOf } from './words.ts'

/** The document. */
export function junitRun(report: RunReport): string {
  const { command, commandCode, checks } = report
  const title = command.join(' ')
  const commandCase: JunitCase = {
    name: title,
    classname,
    outcome: commandCode === 0 ? 'passed' : 'failed',
    message: endOf(report),
    type,
  }
  return junitXml('gateway-sim exec', [{ name: title, cases: [commandCase, ...checks.map(caseOf)] }])
}

const classname = 'gateway-sim exec'
const type = 'gateway-sim'

function caseOf(check: Check): JunitCase {
  const { name, fails } = check
  if (!fails && check.lines.length === 0) return { name, classname, outcome: 'passed' }
  return {
    name,
    classname,
    outcome: fails ? 'failed' : 'skipped',
    message: `${titleOf(check)}${fails ? '' : ', report only'}`,
    type,
    text: linesOf(check).join('\n'),
  }
}

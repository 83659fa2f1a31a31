/** The report of a check as JUnit XML: a case for each probe; it fails with what it was the first to show. */
import { type JunitCase, junitXml } from '../../text/junit.ts'
import type { CheckReport, Finding } from '../report.ts'
import { exchangeLines, placeOf } from './words.ts'

export function junitReport({ deviations, checked, skipped }: CheckReport): string {
  const cases = new Map<string, JunitCase[]>()
  const failing = new Map<string, Finding[]>()
  for (const finding of deviations) {
    const [probe = ''] = finding.probes
    failing.set(probe, [...(failing.get(probe) ?? []), finding])
  }
  const reasons = new Map(skipped.map(({ probe, reason }) => [probe, reason]))
  for (const { operation, probe } of [...checked, ...skipped]) {
    const one = caseOf(operation, probe, failing.get(probe) ?? [], reasons.get(probe))
    cases.set(operation, [...(cases.get(operation) ?? []), one])
  }
  return junitXml(
    'gateway-sim check',
    [...cases].map(([name, list]) => ({ name, cases: list })),
  )
}

function caseOf(
  operation: string,
  name: string,
  findings: readonly Finding[],
  skipped: string | undefined,
): JunitCase {
  const classname = `gateway-sim check.${operation}`
  const [first] = findings
  if (first === undefined)
    return skipped === undefined
      ? { name, classname, outcome: 'passed' }
      : { name, classname, outcome: 'skipped', message: skipped }
  return {
    name,
    classname,
    outcome: 'failed',
    message: findings
      .map((finding) => `${placeOf(finding)}: expected ${finding.expected}, got ${finding.got}`)
      .join('; '),
    type: first.kind,
    text: findings
      .flatMap((finding) => [
        `${finding.section}: ${finding.states ?? finding.kind}`,
        ...exchangeLines(finding),
      ])
      .join('\n'),
  }
}

/**
 * The report of a run as JUnit XML: a case for the command and one for each check. What was found and fails
 * nothing is a skipped case.
 */
import { attributes, escaped } from '../../../text/xml.ts'
import type { Check, RunReport } from '../report.ts'
import { endOf, headings, linesOf } from './words.ts'

interface Case {
  readonly name: string
  readonly outcome: 'held' | 'failed' | 'skipped'
  readonly message: string
  readonly text: string
}

/** The document. */
export function junitRun(report: RunReport): string {
  const { command, commandCode, checks } = report
  const title = command.join(' ')
  const cases: readonly Case[] = [
    { name: title, outcome: commandCode === 0 ? 'held' : 'failed', message: endOf(report), text: '' },
    ...checks.map(caseOf),
  ]
  const counts = attributes({
    tests: String(cases.length),
    failures: countOf(cases, 'failed'),
    errors: '0',
    skipped: countOf(cases, 'skipped'),
  })
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'gateway-sim exec' })}${counts}>`,
    `  <testsuite${attributes({ name: title })}${counts}>`,
    ...cases.flatMap(elementOf),
    '  </testsuite>',
    '</testsuites>',
  ]
  return `${lines.join('\n')}\n`
}

function caseOf(check: Check): Case {
  const { name, sum, fails } = check
  const found = check.lines.length > 0
  const message = `${headings[name]} (${sum})${found && !fails ? ', told only' : ''}`
  return {
    name,
    outcome: fails ? 'failed' : found ? 'skipped' : 'held',
    message,
    text: linesOf(check).join('\n'),
  }
}

function elementOf({ name, outcome, message, text }: Case): string[] {
  const open = `    <testcase${attributes({ name, classname: 'gateway-sim exec' })}`
  if (outcome === 'held') return [`${open}/>`]
  if (outcome === 'failed')
    return [
      `${open}>`,
      `      <failure${attributes({ message, type: 'gateway-sim' })}>${escaped(text)}</failure>`,
      '    </testcase>',
    ]
  return [
    `${open}>`,
    `      <skipped${attributes({ message })}/>`,
    `      <system-out>${escaped(text)}</system-out>`,
    '    </testcase>',
  ]
}

function countOf(cases: readonly Case[], outcome: Case['outcome']): string {
  return String(cases.filter((one) => one.outcome === outcome).length)
}

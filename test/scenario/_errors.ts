/**
 * Tables of errors: what is written, and indented under it what is found, as `line:column message`. A message
 * that ends in `…` is shown as far as it goes, one that goes on is indented further. In what is written, `\n`
 * begins a line, and a backslash at the end continues it.
 */
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { gatewayApi } from '../../src/disk/load-scenario.ts'
import { ScenarioError } from '../../src/index.ts'
import { warningsOf } from '../../src/scenario/check/warnings.ts'
import { type Scenario, scenarioOf } from '../../src/scenario/load/scenario.ts'
import type { ScenarioFinding } from '../../src/scenario/scenario-error.ts'

const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml')

/** The scenario of a case: a whole file, a rule, a step, a `when`, or what an operation gets. */
function textOf(written: string, head: string): string {
  const [, word = '', rest = ''] = /^(\S+) (.*)$/s.exec(written.replaceAll('\\n', '\n')) ?? []
  const title = `title: a\n${head}`
  if (word === 'file') return rest
  if (word === 'step') return `${title}steps:\n  - ${rest}\n`
  if (word === 'rule') return `${title}rules:\n  - ${rest}\n`
  if (word === 'when') return `${title}rules:\n  - when: ${rest}\n    then: {}\n`
  return `${title}rules:\n  - when: { operation: ${word} }\n    then: ${rest}\n`
}

const read = (text: string): Scenario => scenarioOf(text, 'a.yaml', undefined, yaml, gatewayApi().reader)
const line = ({ line, column, message }: ScenarioFinding): string => `${line}:${column} ${message}`

/** What is wrong with a text, as `line:column message`. */
function errorsOf(text: string): string[] {
  try {
    read(text)
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(line)
  }
}

/** The warnings about a text that is right. */
function warningsIn(text: string): string[] {
  const scenario = read(text)
  return scenario.place(warningsOf([scenario.spec], [''], gatewayApi().reader.vocabulary)).map(line)
}

/**
 * A test for each case of a table; `head` stands at the top of each scenario. A case without lines is right.
 */
export const finds = (table: string, head = ''): void => holds(table, head, errorsOf)

/** The same of warnings. */
export const warns = (table: string, head = ''): void => holds(table, head, warningsIn)

function holds(table: string, head: string, findingsOf: (text: string) => string[]): void {
  const whole = table
    .trim()
    .replace(/\\\n\s*/g, '')
    .replace(/\n {6,}/g, ' ')
  for (const [written = '', ...found] of whole.split(/\n(?! )/).map((one) => one.split(/\n +/)))
    it(written, () => {
      const shown = findingsOf(textOf(written, head)).map((one, index) => {
        const part = found[index]?.endsWith('…') === true ? found[index].slice(0, -1) : one
        return one.startsWith(part) && part !== one ? `${part}…` : one
      })
      expect(shown).toEqual(found)
    })
}

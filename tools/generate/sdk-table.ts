/** The tables of the page on SDKs: what each of them makes of a single failure by default. */
import { wrap } from '../../src/text/printable.ts'
import type { SdkResults } from '../sdk-trials/results.ts'
import { pageTable } from './page-parts.ts'

type Tried = SdkResults['programs'][number]

export function sdkTables({ date, node, seconds, versions, programs }: SdkResults): string {
  const versionList = Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`)
  return [
    wrap('', `Tried on ${date} with Node ${node}: ${versionList.join(', ')}.`, 110).join('\n'),
    `A run has **hung** if it has not ended after ${seconds} seconds. Bold verdicts are not acceptable.`,
    '### Responses in one body',
    tableOf(programs.filter(({ streams }) => !streams)),
    '### Streams',
    tableOf(programs.filter(({ streams }) => streams)),
  ].join('\n\n')
}

/** The failures after which all programs get the same verdict, then a table of the others. */
function tableOf(programs: readonly Tried[]): string {
  const failures = [...new Set(programs.flatMap(({ verdicts }) => Object.keys(verdicts)))]
  const agreed = new Map<string, string[]>()
  const rows = new Map<string, { readonly failures: string[]; readonly cells: readonly string[] }>()
  const columns = columnsOf(programs, failures)
  for (const failure of failures) {
    const cells = columns.map(([program]) => cellOf(program, failure))
    const verdicts = [...new Set(cells)].filter((cell) => cell !== '')
    if (verdicts.length === 1) {
      const [verdict = ''] = verdicts
      agreed.set(verdict, [...(agreed.get(verdict) ?? []), `\`${failure}\``])
      continue
    }
    const row = rows.get(cells.join('|')) ?? { failures: [], cells }
    rows.set(cells.join('|'), row)
    row.failures.push(`\`${failure}\``)
  }
  const lines = [...agreed].flatMap(([verdict, names]) => wrap('- ', `${verdict}: ${names.join(', ')}`, 110))
  const table = pageTable(
    ['Failure', ...columns.map((same) => same.map(nameOf).join(', '))],
    [
      ...[...rows.values()].map((row) => [row.failures.join(', '), ...row.cells]),
      ['Number of requests if all fail with 503', ...columns.map(([{ requests }]) => String(requests))],
    ],
  )
  return `All SDKs:\n\n${lines.join('\n')}\n\nDifferences:\n\n${table.trimEnd()}`
}

type Column = readonly [Tried, ...Tried[]]

/** Programs with the same results share a column. */
function columnsOf(programs: readonly Tried[], failures: readonly string[]): readonly Column[] {
  const columns = new Map<string, Column>()
  for (const program of programs) {
    const id = [...failures.map((failure) => cellOf(program, failure)), program.requests].join('|')
    columns.set(id, [...(columns.get(id) ?? []), program] as unknown as Column)
  }
  return [...columns.values()]
}

/** The verdict; in bold where it is not acceptable. */
function cellOf({ verdicts, unacceptable }: Tried, failure: string): string {
  const verdict = verdicts[failure]
  if (verdict === undefined) return ''
  return unacceptable.includes(failure) ? `**${verdict}**` : verdict
}

const nameOf = ({ packages: [name = '', other], call }: Tried): string =>
  other === undefined || other === '@langchain/core'
    ? `\`${name}\` \`${call}\``
    : `\`${name}\` \`${call}\` with \`${other}\``

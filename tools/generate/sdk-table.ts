/** The tables of the page on SDKs: what each of them makes of a single failure by default. */
import type { SdkResults } from '../sdk-trials/results.ts'

type Tried = SdkResults['programs'][number]

export function sdkTables({ date, node, seconds, versions, programs }: SdkResults): string {
  const versionList = Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`)
  return [
    `Tried on ${date} with Node ${node}: ${versionList.join(', ')}.`,
    `**hung** means: no end after ${seconds} seconds. Bold verdicts are not acceptable by default.`,
    '### Responses in one body',
    tableOf(programs.filter(({ streams }) => !streams)),
    '### Streams',
    tableOf(programs.filter(({ streams }) => streams)),
  ].join('\n\n')
}

function tableOf(programs: readonly Tried[]): string {
  const head = ['Failure of the first request', ...programs.map(nameOf)]
  const rows = new Map<string, { readonly failures: string[]; readonly cells: readonly string[] }>()
  for (const failure of new Set(programs.flatMap(({ verdicts }) => Object.keys(verdicts)))) {
    const cells = programs.map((program) => cellOf(program, failure))
    const row = rows.get(cells.join('|')) ?? { failures: [], cells }
    rows.set(cells.join('|'), row)
    row.failures.push(`\`${failure}\``)
  }
  const requests = programs.map((program) => String(program.requests))
  const all = [
    head,
    head.map(() => '---'),
    ...[...rows.values()].map(({ failures, cells }) => [failures.join(', '), ...cells]),
    ['Number of requests if all fail with 503', ...requests],
  ]
  return all.map((row) => `| ${row.join(' | ')} |`).join('\n')
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

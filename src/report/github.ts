/** A report as workflow commands: GitHub shows them as annotations of a run, next to the code of a file. */
import type { Item, Outcome, Report } from './report.ts'

/** A line for each test case that failed or warns: a finding that fails nothing is no annotation. */
export function githubReport({ sections }: Report): string {
  return sections
    .flatMap(({ items = [] }) => items)
    .filter(({ outcome, testCase }) => testCase !== undefined && annotated.has(outcome))
    .map(annotation)
    .join('')
}

const annotated: ReadonlySet<Outcome> = new Set(['failed', 'warning'])

function annotation({ outcome, title, lines = [], place }: Item): string {
  const { file, line, column } = place ?? {}
  const properties = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
    'title=gateway-sim',
  ]
  const severity = outcome === 'failed' ? 'error' : 'warning'
  return `::${severity} ${properties.join(',')}::${escapeData([title, ...lines].join('\n'))}\n`
}

// The escapes of `actions/core`.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

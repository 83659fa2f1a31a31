/** Workflow commands: GitHub shows them as annotations of a run, next to the code if they name a file. */

export interface Annotation {
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
}

/** One line. */
export function githubAnnotation({ severity, message, file, line, column }: Annotation): string {
  const place = [
    ...(file === undefined ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`, `col=${column}`]),
    'title=gateway-sim',
  ]
  return `::${severity} ${place.join(',')}::${escapeData(message)}\n`
}

// The escapes of `actions/core`.
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

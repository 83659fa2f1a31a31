/** Writes metrics in the text format of Prometheus, version 0.0.4. */

export type Labels = Readonly<Record<string, string>>

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  /** One value for each set of labels. */
  readonly samples: readonly { readonly labels?: Labels; readonly value: number }[]
}

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics as text; those without a value are left out. */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n`,
      `# TYPE ${name} ${type}\n`,
      ...samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`),
    ])
    .join('')
}

function labelText(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** The error for wrong options, settings or verification requests. */
import type { Finding } from './findings.ts'

/**
 * Thrown for invalid options, settings or verification requests. `findings` lists every mistake by the path
 * of its field.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly findings: readonly Finding[]

  /** `title` is followed by one line per mistake. */
  constructor(title: string, findings: readonly Finding[]) {
    const lines = findings.map(
      ({ field, message }) => `  ${field === '' ? '(top level)' : field}: ${message}`,
    )
    super(`${title}:\n${lines.join('\n')}`)
    this.findings = findings
  }
}

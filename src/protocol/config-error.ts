/** The error for wrong options, settings or verification requests. */
import type { Finding } from './findings.ts'
import { maxMistakes } from './told-mistakes.ts'

/**
 * Thrown for invalid options, settings or verification requests. `findings` lists the mistakes by the paths
 * of their fields, at most fifty.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly findings: readonly Finding[]

  /** `title` is followed by one line per mistake, unless the `message` says it all. */
  constructor(title: string, findings: readonly Finding[], message?: string) {
    const told = findings.slice(0, maxMistakes)
    const lines = told.map(({ field, message }) => `  ${field === '' ? '(top level)' : field}: ${message}`)
    const more = findings.length > told.length ? '\n  … and more' : ''
    super(message ?? `${title}:\n${lines.join('\n')}${more}`)
    this.findings = told
  }
}

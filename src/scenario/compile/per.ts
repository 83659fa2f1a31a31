/** What the calls of a rule are counted for: all together, or for each job, key or value by itself. */
import { digest } from '../../engine/random.ts'
import { redactHeaders, redactKey } from '../../engine/redact.ts'
import { clip } from '../../protocol/wording.ts'
import type { RuleFacts } from '../facts.ts'
import type { WhenSpec } from '../format/when.ts'
import { valueNamed } from '../templates.ts'

/** One thing that a rule counts by itself. */
export interface Thing {
  /** Tells it from others; bounded, whatever a client sends. */
  readonly name: string
  /** In words, for explanations; secrets are hidden. */
  readonly said: string
}

/** The word that counts all calls of a session together, as a rule without `per` does. */
export const perSession = 'session'

/** The word for what a call names. */
export const perJob = 'job'

/** Whether a rule needs calls that name a job. */
export function looksAtJob({ job, per }: WhenSpec = {}): boolean {
  return job !== undefined || per === perJob
}

export function thingOf(per: string | undefined): ((facts: RuleFacts) => Thing) | undefined {
  if (per === undefined || per === perSession) return undefined
  if (per === perJob)
    return ({ job }) => {
      const said = job === undefined ? 'no job' : `${job.kind} ${clip(job.id, maxSaid)}`
      return { name: named(job === undefined ? '' : `${job.kind} ${job.id}`), said }
    }
  return (facts) => {
    const value = valueNamed(per, facts)
    const text = value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
    return {
      // A text and a number of the same digits are two values.
      name: named(`${typeof value} ${text}`),
      said: text === undefined ? `no ${per}` : `${per} ${clip(shown(per, text), maxSaid)}`,
    }
  }
}

const maxSaid = 80
const maxName = 200

const named = (text: string): string => (text.length > maxName ? digest(text) : text)

function shown(per: string, text: string): string {
  if (per === 'key') return redactKey(text)
  if (!per.startsWith('headers.')) return JSON.stringify(text)
  const header = per.slice('headers.'.length).toLowerCase()
  return JSON.stringify(redactHeaders({ [header]: text })[header])
}

/** What the fuzzer does, as plain data that can be written to a file and done again. */

/** One request. Its texts may hold `«video_id»`: what an earlier response of the same batch has named. */
export interface CallStep {
  readonly kind: 'call'
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes, one letter each. */
  readonly body?: string
}

/**
 * Bytes on a connection of their own, in chunks, then half closed, reset, or left open until nothing
 * comes.
 */
export interface BytesStep {
  readonly kind: 'bytes'
  readonly operation: string
  readonly chunks: readonly string[]
  readonly end: 'close' | 'reset' | 'wait'
}

/** Settings for a simulator of their own, as JSON. */
export interface SettingsStep {
  readonly kind: 'settings'
  readonly operation: string
  readonly json: string
}

/** A scenario or config file for the commands that read one. */
export interface FileStep {
  readonly kind: 'file'
  readonly operation: 'validate' | 'config'
  readonly text: string
}

export type Step = CallStep | BytesStep | SettingsStep | FileStep
export type Area = 'calls' | 'control' | 'files' | 'sockets'
export const areas: readonly Area[] = ['calls', 'control', 'files', 'sockets']

/** Text as its bytes in UTF-8, one letter each. */
export const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
export const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** What responses have named, by the names of the placeholders. */
export type Pool = Map<string, string[]>

const kept = 8

/**
 * A text with its placeholders filled in, also those that only filling makes: what was sent once is sent
 * again unchanged. One that nothing has named yet stays a word that means nothing.
 */
function filled(text: string, pool: Pool): string {
  if (!text.includes('\u00ab') && !text.includes('\u00c2\u00ab')) return text
  // In bodies the quotes stand as the two bytes that they are in UTF-8.
  const once = text.replace(
    /\u00c2?\u00ab(\w+?)(?::(\d))?\u00c2?\u00bb/g,
    (_, name: string, back?: string) => {
      const known = pool.get(name) ?? []
      return known[known.length - 1 - (Number(back ?? 0) % Math.max(1, known.length))] ?? `no-${name}`
    },
  )
  return once === text ? text : filled(once, pool)
}

export function resolved<T extends Step>(step: T, pool: Pool): T {
  if (step.kind === 'bytes') return { ...step, chunks: step.chunks.map((chunk) => filled(chunk, pool)) }
  if (step.kind !== 'call') return step
  return {
    ...step,
    path: filled(step.path, pool).replace(/^(?!\/)/, '/'),
    ...(step.body === undefined ? {} : { body: filled(step.body, pool) }),
  }
}

const names: readonly (readonly [RegExp, readonly string[]])[] = [
  [/"id":"(video_[^"\\]+)"/g, ['video_id', 'id']],
  [/"name":"(projects\/[^"\\]+)"/g, ['operation', 'id']],
  [/\/media\/images\/([^/"\\]+)\//g, ['imageId']],
  [/"upload_url":"https?:\/\/[^/"]+([^"\\]+)"/g, ['upload']],
  [/"visit_url":"https?:\/\/[^/"]+([^"\\]+)"/g, ['visit']],
  [/(req_[0-9a-f]{32})/g, ['request']],
  [/https?:\/\/[\w.:]+(\/media\/[^"\\]+)"/g, ['media']],
]

/** Remembers what a response has named. */
export function harvest({ operation }: Step, text: string, pool: Pool): void {
  const keep = (name: string, value: string): void => {
    if (value.length > 300) return
    const list = pool.get(name) ?? []
    pool.set(name, [...list.filter((known) => known !== value).slice(1 - kept), value])
  }
  const start = text.slice(0, 4000)
  for (const [pattern, under] of names)
    for (const [, value = ''] of start.matchAll(pattern)) for (const name of under) keep(name, value)
  const operation_id = /"projects\/[^"\\]+\/operations\/([\w-]+)"/.exec(start)?.[1]
  if (operation_id !== undefined) {
    keep('operation_id', operation_id)
    keep('file_id', `${operation_id.replaceAll('-', '')}0`)
  }
  const id = /^\{"id":"([\w-]+)"/.exec(start)?.[1]
  if (id !== undefined && operation.startsWith('imageJobs.'))
    for (const name of ['jobId', 'id']) keep(name, id)
  const named = /"(?:id|name)":"([\w -]{1,80})"/.exec(start)?.[1]
  if (named === undefined) return
  if (operation === 'sim.createSession') keep('session', named)
  if (operation === 'sim.addScenario') keep('scenario', named)
  if (operation === 'sim.addOverride') keep('override', named)
}

/** What responses have named, for later calls to name: an id stands as `«video_id»` in a call. */

/** By the names of the placeholders, the latest last. */
export type Names = Map<string, string[]>

const kept = 8

/**
 * A text with its placeholders filled in, also those that only filling makes: what was sent once is sent
 * again unchanged. One that nothing has named yet stays a word that means nothing.
 */
export function filled(text: string, names: Names): string {
  if (!text.includes('\u00ab')) return text
  // In bodies the quotes stand as the two bytes that they are in UTF-8.
  const once = text.replace(
    /\u00c2?\u00ab(\w+?)(?::(\d))?\u00c2?\u00bb/g,
    (_, name: string, back?: string) => {
      const known = names.get(name) ?? []
      return known[known.length - 1 - (Number(back ?? 0) % Math.max(1, known.length))] ?? `no-${name}`
    },
  )
  return once === text ? text : filled(once, names)
}

const patterns: readonly (readonly [RegExp, readonly string[]])[] = [
  [/"id":"(video_[^"\\]+)"/g, ['video_id', 'id']],
  [/"name":"(projects\/[^"\\]+)"/g, ['operation', 'id']],
  [/"projects\/[^"\\]+\/operations\/([\w-]+)"/g, ['operation_id']],
  [/\/media\/images\/([^/"\\]+)\//g, ['imageId']],
  [/"upload_url":"https?:\/\/[^/"]+([^"\\]+)"/g, ['upload']],
  [/"visit_url":"https?:\/\/[^/"]+([^"\\]+)"/g, ['visit']],
  [/(req_[0-9a-f]{32})/g, ['request']],
]

/** The names of the first id in the responses of some operations. */
const firstIds: Readonly<Record<string, readonly string[]>> = {
  'imageJobs.create': ['jobId', 'id'],
  'sim.createSession': ['session'],
  'sim.addScenario': ['scenario'],
  'sim.addOverride': ['override'],
}

/** Remembers what a response has named. */
export function remember(operation: string, body: string, names: Names): void {
  const keep = (name: string, value: string): void => {
    if (value.length > 300) return
    const list = names.get(name) ?? []
    names.set(name, [...list.filter((known) => known !== value).slice(1 - kept), value])
    if (name === 'operation_id') keep('file_id', `${value.replaceAll('-', '')}0`)
  }
  const start = body.slice(0, 4000)
  for (const [pattern, under] of patterns)
    for (const [, value = ''] of start.matchAll(pattern)) for (const name of under) keep(name, value)
  const first = /"(?:id|name)":"([\w -]{1,80})"/.exec(start)?.[1]
  if (first !== undefined) for (const name of firstIds[operation] ?? []) keep(name, first)
}

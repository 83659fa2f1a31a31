/**
 * One text for all ways to write the same input: keys sorted, no spaces, files by content. Knows nothing of what the
 * fields mean.
 */
import type { FormField, Payload } from './call.ts'

/** How deep arrays and objects may stand inside each other; deeper input is refused before anything recurses into it. */
export const deepest = 128

const noDefaults: ReadonlyMap<string, unknown> = new Map()

/** The input is nested deeper than `deepest`. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'
}

/** Canonical JSON of a value that came from JSON. Throws `TooDeep`. */
export function canonicalJson(value: unknown): string {
  const parts: string[] = []
  addValue(parts, value, 0)
  return parts.join('')
}

// The parts are joined once: a text that grows piece by piece costs an object for each.
function addValue(parts: string[], value: unknown, depth: number): void {
  if (typeof value === 'string') parts.push(JSON.stringify(value))
  else if (value === null || typeof value !== 'object') parts.push(String(value))
  else if (depth > deepest) throw new TooDeep(`nested deeper than ${deepest} levels`)
  else if (Array.isArray(value)) {
    parts.push('[')
    for (let i = 0; i < value.length; i++) {
      if (i > 0) parts.push(',')
      addValue(parts, value[i], depth + 1)
    }
    parts.push(']')
  } else addEntries(parts, value as Record<string, unknown>, undefined, depth + 1)
}

/**
 * The canonical input of a call in two parts: what its content depends on, and the rest. `ignored` names the top-level
 * fields that the content must not depend on (DESIGN, idea 3). `exact` replaces numbers that lose digits in a double.
 * `defaults` are what fields of JSON mean when they are left out: such a value, or null, is left out here too.
 */
export function canonicalInput(payload: Payload, ignored: ReadonlySet<string>, exact: Readonly<Record<string, string>> = {}, defaults: ReadonlyMap<string, unknown> = noDefaults): { content: string; rest: string } {
  switch (payload.kind) {
    case 'none':
      return { content: '', rest: '' }
    case 'refused':
      return { content: `refused ${payload.message}`, rest: payload.text ?? '' }
    case 'bytes':
      return { content: `bytes ${payload.bytes.size} ${payload.bytes.sha256}`, rest: '' }
    case 'form':
      return {
        content: formText(payload.fields.filter((field) => !ignored.has(field.name))),
        rest: formText(payload.fields.filter((field) => ignored.has(field.name))),
      }
    case 'json': {
      const { value } = payload
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return { content: canonicalJson(value), rest: '' }
      const exactly = Object.keys(exact).length === 0 ? value : { ...value, ...exact }
      const fields = exactly as Record<string, unknown>
      return {
        content: entries(fields, (name) => !ignored.has(name) && !(defaults.has(name) && (fields[name] === null || fields[name] === defaults.get(name)))),
        rest: ignored.size === 0 ? '' : entries(fields, (name) => ignored.has(name)),
      }
    }
  }
}

function entries(fields: Record<string, unknown>, wanted: (name: string) => boolean): string {
  const parts: string[] = []
  addEntries(parts, fields, wanted, 1)
  return parts.join('')
}

function addEntries(parts: string[], fields: Record<string, unknown>, wanted: ((name: string) => boolean) | undefined, depth: number): void {
  let separator = '{'
  for (const name of inOrder(Object.keys(fields))) {
    if (wanted !== undefined && !wanted(name)) continue
    parts.push(separator, JSON.stringify(name), ':')
    separator = ','
    addValue(parts, fields[name], depth)
  }
  parts.push(separator === '{' ? '{}' : '}')
}

// Sorted by name, but parts of the same name keep their order: the first picture is not the second.
function formText(fields: readonly FormField[]): string {
  return [...fields]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((field) => `${JSON.stringify(field.name)}=${'file' in field ? `file ${field.file.type} ${field.file.sha256}` : JSON.stringify(field.value)}`)
    .join('&')
}

// Objects of requests have few keys: moving each into its place costs a fraction of a general sort.
function inOrder(names: string[]): readonly string[] {
  if (names.length > 16) return names.sort()
  for (let at = 1; at < names.length; at++) {
    const name = names[at] as string
    let to = at
    while (to > 0 && (names[to - 1] as string) > name) {
      names[to] = names[to - 1] as string
      to--
    }
    names[to] = name
  }
  return names
}

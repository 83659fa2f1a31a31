/** What is no plain data: in JSON it would vanish or turn into `{}`, and a check would find nothing wrong. */
import { clip } from './wording.ts'

/** A value that is no data, and what to write instead; undefined for data. */
export function notData(value: unknown): { readonly what: string; readonly remedy: string } | undefined {
  if (typeof value === 'function')
    return { what: 'a function', remedy: 'only the whole `then` of a rule may be one' }
  if (typeof value === 'symbol' || typeof value === 'bigint')
    return { what: `a ${typeof value}`, remedy: 'expected text or a number' }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const kind = Object.prototype.toString.call(value).slice(8, -1)
  // What a module exports is data too.
  if (kind === 'Object' || kind === 'Module') return undefined
  const what = `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`
  if (kind === 'RegExp')
    return { what, remedy: `write { regex: ${JSON.stringify(clip((value as RegExp).source, 100))} }` }
  if (kind === 'Date') return { what, remedy: 'write its text: date.toISOString()' }
  if (kind === 'Response') return { what, remedy: 'write { reply: { status, body } }' }
  return { what, remedy: 'expected plain data, as in a JSON file' }
}

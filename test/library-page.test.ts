/**
 * docs/reference/library.md names what there is: every member of a simulator, a session and a client, every
 * function of an entry, and every type that it mentions.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connect } from '../src/client.ts'
import { createSimulator } from '../src/index.ts'
import { controls } from '../src/sessions/controls/table.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('docs/reference/library.md')
const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '')

const groups = Object.entries(controls).flatMap(([name, entry]) => ('method' in entry ? [] : name))
groups.push('sdk', 'breakpoints')

/** `clock.advance`, `fetch`, …: what can be written behind the dot. */
function membersOf(object: object, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const isGroup = prefix === '' && groups.includes(name)
    return isGroup ? membersOf(value as object, `${name}.`) : [`${prefix}${name}`]
  })
}

const things = {
  'a simulator': createSimulator(),
  'a session': createSimulator().createSession(),
  'a client': connect('http://gateway.test', { fetch: fetch }),
}
const named = new Set([...prose.matchAll(/`([a-z]\w*(?:\.[a-z]\w*)?)(?:\(|`)/g)].map(([, name]) => name))

/** What each entry exports, from the file that another test holds against the package. */
const exported = [
  ...read('test/exports.txt').matchAll(/^ {2}(class|function|interface|type|value|namespace) (\w+)/gm),
].map(([, kind, name]) => ({ kind, name: name as string }))
const functions = exported
  .filter(({ kind }) => kind === 'function' || kind === 'value')
  .map(({ name }) => name)

describe('docs/reference/library.md', () => {
  it.each(Object.entries(things))('names every member of %s', (_what, thing) => {
    expect(membersOf(thing).filter((name) => !named.has(name))).toEqual([])
  })

  it('names every function of every entry', () => {
    expect(functions.length).toBeGreaterThan(10)
    expect(functions.filter((name) => !named.has(name))).toEqual([])
  })

  it('names only methods that exist', () => {
    const known = new Set([...Object.values(things).flatMap((thing) => membersOf(thing)), ...functions])
    const methods = [...prose.matchAll(/`([a-z]\w*(?:\.[a-z]\w*)?)\(/g)].map(([, name]) => name as string)
    expect(methods.length).toBeGreaterThan(20)
    expect(methods.filter((name) => !known.has(name))).toEqual([])
  })

  it('names only types that are exported', () => {
    const types = [...prose.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name as string)
    const known = new Set([...exported.map(({ name }) => name), 'TypeError'])
    expect(types.length).toBeGreaterThan(10)
    expect(types.filter((name) => !known.has(name))).toEqual([])
  })
})

/**
 * docs/library.md names what there is: every member of a simulator, a session and a client, and every type
 * that it speaks of.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connect } from '../src/client.ts'
import { createSimulator } from '../src/index.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('docs/library.md')
const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** `clock.advance`, `fetch`, …: what somebody can write behind the dot. */
function membersOf(object: object, prefix = ''): string[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    const isGroup = prefix === '' && ['clock', 'scenarios', 'overrides', 'jobs', 'sdk'].includes(name)
    return isGroup ? membersOf(value as object, `${name}.`) : [`${prefix}${name}`]
  })
}

const things = {
  'a simulator': createSimulator(),
  'a session': createSimulator().createSession(),
  'a client': connect('http://gateway.test', { fetch: fetch }),
}
const named = new Set([...prose.matchAll(/`([a-z]\w*(?:\.[a-z]\w*)?)(?:\(|`)/g)].map(([, name]) => name))

describe('docs/library.md', () => {
  it.each(Object.entries(things))('names every member of %s', (_what, thing) => {
    expect(membersOf(thing).filter((name) => !named.has(name))).toEqual([])
  })

  it('names no method that nobody has', () => {
    const known = new Set([
      ...Object.values(things).flatMap((thing) => membersOf(thing)),
      'createSimulator',
      'connect',
      'defineScenario',
    ])
    const methods = [...prose.matchAll(/`([a-z]\w*(?:\.[a-z]\w*)?)\(/g)].map(([, name]) => name as string)
    expect(methods.length).toBeGreaterThan(20)
    expect(methods.filter((name) => !known.has(name))).toEqual([])
  })

  it('names types that are exported', () => {
    const exported = new Set(
      [
        ...['index', 'client', 'node', 'vitest']
          .map((entry) => read(`src/${entry}.ts`))
          .join('\n')
          .matchAll(/export (?:type )?\{([^}]*)\}|export (?:type|interface|class) (\w+)/g),
      ].flatMap(([, list = '', one = '']) => [
        ...list.split(',').map((name) => name.replace('type ', '').trim()),
        one,
      ]),
    ).add('TypeError')
    const types = [...prose.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name as string)
    expect(types.length).toBeGreaterThan(20)
    expect(types.filter((name) => !exported.has(name))).toEqual([])
  })

  it('is linked from the README', () => {
    expect(read('README.md')).toContain('(docs/library.md)')
  })
})

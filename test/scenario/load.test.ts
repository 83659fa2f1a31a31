/**
 * Errors in scenario files: each with the line and column of what is wrong, and with what to write in its
 * place.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadScenario, ScenarioError, type ScenarioInput } from '../../src/index.ts'
import { post, simulator } from '../_setup.ts'

function write(text: string | Uint8Array, name = 'a.yaml'): string {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-sim-load-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

/** What is wrong with a text, as `line:column message`. */
async function errors(text: string | Uint8Array, name?: string): Promise<string[]> {
  try {
    simulator({ scenarios: [await loadScenario(write(text, name))] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.errors.map(({ line, column, message }) => `${line}:${column} ${message}`)
  }
}

describe('a file', () => {
  const answer = 'rules: [{ when: { operation: chat.create }, then: { text: ahoy } }]'
  const aliased =
    'title: a\nrules:\n  - when: { operation: chat.create, body: &body { user: x } }\n    then: { error: { ' +
    'status: 500 } }\n  - when: { operation: chat.create, body: { not: *body } }\n    then: { text: ahoy }\n'
  const json = { title: 'a', rules: [{ when: { operation: 'chat.create' }, then: { text: 'ahoy' } }] }
  it.each([
    ['YAML', `title: a\n${answer}\n`, 'a.yaml'],
    ['YAML with another extension', `title: a\n${answer}\n`, 'a.yml'],
    ['JSON', JSON.stringify(json), 'a.json'],
    ['text with a byte order mark', `\uFEFFtitle: a\n${answer}\n`, 'a.yaml'],
    ['text with Windows line ends', `title: a\r\n${answer}\r\n`, 'a.yaml'],
    ['anchors and aliases', aliased, 'a.yaml'],
  ])('can be %s', async (_what, text, name) => {
    const file = write(text, name)
    for (const source of [file, await loadScenario(file), await loadScenario(pathToFileURL(file))]) {
      const response = await post(simulator({ scenarios: [source] }), '/v1/chat/completions', {
        model: 'gpt-4o',
        messages: [{ role: 'user', content: 'hello' }],
      })
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'ahoy' } }] })
    }
  })

  it('that is missing is named', async () => {
    await expect(loadScenario('no/such/file.yaml')).rejects.toThrow('no/such/file.yaml: file not found')
    await expect(loadScenario(tmpdir())).rejects.toThrow('it is a directory')
    expect(() => simulator({ scenarios: ['no/such/file.yaml'] })).toThrow('no/such/file.yaml: file not found')
  })

  it.each([
    ['nothing', '', ['1:1 the file is empty: expected a `title`, and usually `rules`']],
    ['tabs', 'title: a\nrules:\n\t- then: {}\n', ['3:1 Tabs are not allowed as indentation']],
    [
      'too many levels',
      `title: a\nrules: ${'['.repeat(300)}${']'.repeat(300)}\n`,
      ['2:257 is nested more than 200 levels deep'],
    ],
  ])('that contains %s', async (_what, text, found) => {
    expect(await errors(text)).toEqual(found)
  })

  it('that is not UTF-8 is rejected', async () => {
    expect(
      await errors(
        Buffer.concat([Buffer.from('title: ä\nseed: '), Buffer.from([0xc3, 0x28]), Buffer.from('\n')]),
      ),
    ).toEqual(['1:1 the file is not UTF-8 text: save it as UTF-8'])
  })

  it('can contain the replacement character itself', async () => {
    expect(await errors('title: "\uFFFD"\n')).toEqual([])
  })
})

describe('all errors of a file', () => {
  it('are reported together, in order, with their lines', async () => {
    const text = `title: bad
clokc: { mode: manual }
rules:
  - id: one
    when: { operation: chat.creat, nth: 0 }
    then: { error: { status: 302 } }
  - id: one
    when: { operation: chat.create, body: { mesages: x } }
    then: { delay: 5 apples }
steps:
  - call: videos.creat
  - advance: 5 parsecs
`
    expect((await errors(text)).map((one) => one.split(' ')[0])).toEqual([
      '2:1',
      '5:24',
      '5:41',
      '6:30',
      '9:20',
      '11:11',
      '12:14',
    ])
    const error = await loadScenario(write(text)).catch((thrown: unknown) => thrown as ScenarioError)
    expect((error as ScenarioError).message).toMatch(/^7 errors in .*a\.yaml:\n/)
    expect((error as ScenarioError).errors[1]).toMatchObject({
      field: 'rules[0].when.operation',
      source: 'when: { operation: chat.creat, nth: 0 }',
    })
  })

  it('in all files are reported together', () => {
    const files = ['titel: a\n', 'title: b\nruels: []\n'].map((text) => write(text))
    const error = (() => {
      try {
        simulator({ scenarios: files })
      } catch (thrown) {
        return thrown as ScenarioError
      }
      return undefined
    })()
    expect(error?.errors.map(({ file }) => file)).toEqual([files[0], files[0], files[1]])
  })
})

describe('an object', () => {
  it('reports each field once', () => {
    expect(() =>
      simulator({
        scenarios: [
          {
            title: 'a',
            rules: [{ when: { operation: 'chat.creat', nth: 0 }, then: { error: { status: 302 } } }],
          } as unknown as ScenarioInput,
        ],
      }),
    ).toThrow(
      /^3 errors in scenario 1:\nscenario 1: rules\[0\]\.when\.operation: unknown value .*\nscenario 1: rules\[0\]\.when\.nth: expected at least 1, got 0\nscenario 1: rules\[0\]\.then\.error\.status: expected a status from 400 to 599/,
    )
  })

  it('with a reference to itself is rejected', () => {
    const rules: unknown[] = []
    rules.push(rules)
    expect(() => simulator({ scenarios: [{ title: 'a', rules } as unknown as ScenarioInput] })).toThrow(
      'nested more than 200 levels deep',
    )
  })

  it('can be changed afterwards, without effect', async () => {
    const then = { text: 'ahoy' }
    const sim = simulator({
      scenarios: [{ title: 'a', rules: [{ when: { operation: 'chat.create' }, then }] }],
    })
    then.text = 'changed'
    expect(
      await (
        await post(sim, '/v1/chat/completions', {
          model: 'gpt-4o',
          messages: [{ role: 'user', content: 'hello' }],
        })
      ).json(),
    ).toMatchObject({ choices: [{ message: { content: 'ahoy' } }] })
  })
})

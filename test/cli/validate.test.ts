/**
 * `gateway-sim validate`: what it says of scenario files, to people, programs and workflows, and its exit
 * codes.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { directoryWith, run } from './_io.ts'

const good = 'title: good\nrules:\n  - when: { operation: chat.create }\n    then: { text: hello }\n'
const bad = `title: bad
clokc: { mode: manual }
rules:
  - when: { operation: chat.creat }
    then: { error: { status: 200 } }
`

const validate = (files: Record<string, string>, words: readonly string[], stdin = '') =>
  run(['validate', ...words], { cwd: directoryWith(files), stdin })

/** Of one file. */
const told = (text: string, ...words: readonly string[]) => validate({ 'a.yaml': text }, ['a.yaml', ...words])
const valid = { code: 0, stdout: '1 file valid\n', stderr: '' }

describe('valid files', () => {
  it('are reported in one line', async () => {
    expect(await told(good)).toEqual(valid)
  })

  it('can be JSON', async () => {
    const json = { 'a.json': JSON.stringify({ title: 'good', rules: [{ then: {} }] }) }
    expect(await validate(json, ['a.json'])).toEqual(valid)
  })

  it('can be read from standard input', async () => {
    expect(await validate({}, ['-'], good)).toEqual(valid)
  })

  it('are found in folders and checked separately', async () => {
    const files = { 'a.yaml': `seed: a\n${good}`, 'b.yml': `seed: b\n${good}`, 'notes.txt': 'no scenario' }
    expect(await validate(files, ['.'])).toMatchObject({ code: 0, stdout: '2 files valid\n' })
  })

  it('can be checked together', async () => {
    const rule = (id: string, operation: string) =>
      `title: ${id}\nrules:\n  - id: ${id}\n    when: { operation: ${operation} }\n    then: {}\n`
    const files = { 'a.yaml': rule('a', 'chat.create'), 'b.yaml': rule('b', 'videos.create') }
    expect((await validate(files, ['a.yaml', 'b.yaml'])).stdout).toBe('2 files valid, also together\n')
  })
})

describe('errors', () => {
  it('are all reported, each with its line and a mark under its column', async () => {
    const { code, stdout, stderr } = await validate({ 'bad.yaml': bad }, ['bad.yaml'])
    expect(code).toBe(3)
    expect(stderr).toBe('')
    expect(stdout).toBe(`bad.yaml:2:1: unknown key "clokc": did you mean clock?
    2 | clokc: { mode: manual }
      | ^
bad.yaml:4:24: when.operation: unknown value "chat.creat"; did you mean chat.create?
    4 |   - when: { operation: chat.creat }
      |                        ^
bad.yaml:5:30: error.status: expected a status from 400 to 599 (for any other status, write \`response: { status, body }\`), got 200
    5 |     then: { error: { status: 200 } }
      |                              ^
3 errors in 1 of 1 file
`)
  })

  it('far to the right are shown with their surroundings', async () => {
    const far = `title: far\nrules: [{ when: { operation: chat.create }, then: { text: "${'long '.repeat(30)}", dely: 3s, stream: { eventInterval: 40ms }, headers: { a: b } } }]\n`
    const { stdout } = await validate({ 'far.yaml': far }, ['far.yaml'])
    const [head = '', line = '', mark = ''] = stdout.split('\n')
    const column = Number(/^far\.yaml:2:(\d+): unknown key "dely"/.exec(head)?.[1])
    expect(far.split('\n')[1]?.slice(column - 1)).toMatch(/^dely/)
    expect(line.length).toBeLessThanOrEqual(100)
    expect(line.slice(mark.indexOf('^'))).toMatch(/^dely: 3s/)
  })

  it('are coloured in colour terminals, unless NO_COLOR is set', async () => {
    const cwd = directoryWith({ 'bad.yaml': bad })
    expect((await run(['validate', 'bad.yaml'], { cwd, terminal: true })).stdout).toContain('\u001B[')
    expect(
      (await run(['validate', 'bad.yaml'], { cwd, terminal: true, env: { NO_COLOR: '1' } })).stdout,
    ).not.toContain('\u001B[')
  })

  it('on standard input are labelled accordingly', async () => {
    expect((await validate({}, ['-'], bad)).stdout).toContain('<stdin>:2:1: unknown key "clokc"')
  })

  it('in one file do not affect other files', async () => {
    const { stdout } = await validate({ 'a.yaml': good, 'bad.yaml': bad }, ['a.yaml', 'bad.yaml'])
    expect(stdout).toContain('3 errors in 1 of 2 files\n')
  })

  it('between files are reported at the later file', async () => {
    const files = { 'a.yaml': `seed: fox\n${good}`, 'b.yaml': `title: b\nseed: owl\n` }
    const { code, stdout } = await validate(files, ['a.yaml', 'b.yaml'])
    expect(code).toBe(3)
    expect(stdout).toContain(
      'b.yaml:2:7: a has "fox", but this scenario has "owl": scenarios that are used together must agree\n    2 | seed: owl\n',
    )
    expect((await validate(files, ['a.yaml', 'b.yaml', '--each'])).stdout).toBe('2 files valid\n')
  })

  it('include missing files that a scenario names', async () => {
    const { stdout } = await told(
      'title: a\ngiven: { files: [{ path: images/cat.png, content: { file: cat.png } }] }\n',
    )
    expect(stdout).toMatch(/^a\.yaml:2:\d+: there is no file "cat\.png" in the folder of the scenario\n/)
  })

  it.each([
    ['no file', 'nix.yaml', /^nix\.yaml: file not found\n1 error in 1 of 1 file\n$/],
    [
      'an empty file',
      'empty.yaml',
      /^empty\.yaml:1:1: the file is empty: expected a `title`, and usually `rules`\n1 error in 1 of 1 file\n$/,
    ],
    ['text that is not YAML', 'broken.yaml', /^broken\.yaml:\d+:\d+: /],
  ])('%s', async (_what, file, said) => {
    const { code, stdout } = await validate({ 'empty.yaml': '', 'broken.yaml': 'title: [\nrules: }\n' }, [
      file,
    ])
    expect(code).toBe(3)
    expect(stdout).toMatch(said)
  })

  it('in the encoding have a place', async () => {
    const bytes = Buffer.concat([Buffer.from('title: ü\nseed: a'), Buffer.of(0xff), Buffer.from('b\n')])
    expect((await run(['validate', '-'], { stdin: bytes })).stdout).toContain(
      '<stdin>:2:8: the file is not UTF-8 text: save it as UTF-8\n',
    )
  })
})

describe('warnings', () => {
  const warnings = async (rules: string, more = ''): Promise<string[]> => {
    const { code, stdout } = await told(`title: a\nflags: { gateway: up }\nrules:\n${rules}${more}`)
    expect(code).toBe(0)
    return stdout.split('\n').flatMap((line) => /^a\.yaml:\d+:\d+: warning: (.*)/.exec(line)?.[1] ?? [])
  }
  const rule = (when: string, then = '{}', id = '') =>
    `  - ${id === '' ? '' : `id: ${id}\n    `}when: ${when}\n    then: ${then}\n`

  const chat = (more = '', then?: string): string => rule(`{ operation: chat.create${more} }`, then)
  const streamed = ', body: { stream: true }'
  const made = rule('{ operation: videos.create }')
  const madeOrRemixed = rule('{ operation: [videos.create, videos.remix] }')
  const rejected = '{ error: { status: 401, before: auth } }'
  const once = '{ sequence: [{ text: a }], end: pass }'

  it.each([
    ['the same operation', chat() + chat(streamed), 'rule 1 matches'],
    ['a group', rule('{ operation: videos.* }', '{}', 'all-videos') + made, '"all-videos" matches'],
    ['a wildcard', chat(', model: gpt-*') + chat(', model: gpt-4o'), 'rule 1 matches'],
    [
      'fewer conditions',
      chat(streamed) + chat(', body: { stream: true, model: gpt-4o }, nth: 2'),
      'rule 1 matches',
    ],
    ['an earlier rejection, wherever it is', chat() + chat('', rejected), 'rule 2 matches'],
    ['fields without conditions', chat(', headers: {}, body: {}') + chat(streamed), 'rule 1 matches'],
  ])('report a rule after %s', async (_what, rules, by) => {
    expect(await warnings(rules)).toEqual([
      `no request ever reaches this rule: ${by} all of its requests first`,
    ])
  })

  it.each([
    ['counts', chat(', nth: 2') + chat()],
    ['ends', chat(', times: 1') + chat()],
    ['passes requests on after its sequence', chat('', once) + chat()],
    ['has another condition', chat(streamed) + chat(', body: { stream: false }')],
    ['has more conditions', chat(`${streamed}, flags: { gateway: up }`) + chat(streamed)],
    ['matches some of its operations', made + madeOrRemixed],
  ])('do not report a rule after one that %s', async (_what, rules) => {
    expect(await warnings(rules)).toEqual([])
  })

  it('report a rule of another file', async () => {
    const other = 'title: b\nrules:\n  - when: { operation: chat.create, nth: 2 }\n    then: {}\n'
    const { code, stdout } = await validate({ 'a.yaml': good, 'b.yaml': other }, ['a.yaml', 'b.yaml'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      'b.yaml:3:5: warning: no request ever reaches this rule: rule 1 in a.yaml matches all of its requests first',
    )
    expect(stdout).toContain('2 files valid, also together, 1 warning\n')
  })
})

describe('formats', () => {
  it('json is one document', async () => {
    const words = ['bad.yaml', 'a.yaml', '--format', 'json']
    const { code, stdout } = await validate({ 'bad.yaml': bad, 'a.yaml': good }, words)
    expect(code).toBe(3)
    const document = JSON.parse(stdout) as { findings: unknown[] }
    expect(document).toMatchObject({
      ok: false,
      files: [
        { file: 'bad.yaml', ok: false, title: null },
        { file: 'a.yaml', ok: true, title: 'good' },
      ],
    })
    expect(document.findings).toHaveLength(3)
    expect(document.findings[1]).toEqual({
      severity: 'error',
      file: 'bad.yaml',
      line: 4,
      column: 24,
      field: 'rules[0].when.operation',
      message: 'when.operation: unknown value "chat.creat"; did you mean chat.create?',
      source: '- when: { operation: chat.creat }',
    })
  })

  it('github is an escaped command for each finding', async () => {
    const { stdout } = await validate(
      { 'a, b.yaml': 'title: a\nrules:\n  - when: { key: { regex: "(50%" } }\n    then: {}\n' },
      ['a, b.yaml', '--format', 'github'],
    )
    expect(stdout).toMatch(/^::error file=a%2C b\.yaml,line=3,col=\d+,title=gateway-sim::.*\(50%25.*\n$/)
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
  })

  it('github has the count on stderr, with and without findings', async () => {
    expect(await told(good, '--format', 'github')).toEqual({ ...valid, stdout: '', stderr: '1 file valid\n' })
    expect(await told(bad, '--format', 'github')).toMatchObject({ stderr: '3 errors in 1 of 1 file\n' })
  })
})

describe('files named by a scenario', () => {
  const story = (file: string): string =>
    [
      'title: it sends files',
      'steps:',
      '  - fetch: "/x"',
      '    method: PUT',
      `    content: { file: ${file} }`,
      '  - parallel:',
      `      - { call: images.edit, with: { prompt: a, image: [{ text: a }, { file: ${file} }] } }`,
      '      - { call: chat.create, with: { metadata: { file: none.txt } } }',
      '  - { fetch: "/x", save: { name: body } }',
      '  - { fetch: "/x", method: PUT, content: { file: "${name}" } }',
      '',
    ].join('\n')

  function folders(): string {
    const cwd = directoryWith({ 'secret.txt': 'a' })
    mkdirSync(join(cwd, 'stories/below'), { recursive: true })
    writeFileSync(join(cwd, 'stories/below/image.png'), 'a')
    symlinkSync(join(cwd, 'secret.txt'), join(cwd, 'stories/link.txt'))
    return cwd
  }

  it.each([
    ['none.txt', 'there is no file "none.txt" in the folder of the scenario'],
    ['below', 'expected a file, got the directory "below"'],
    ['../secret.txt', 'expected a file in the folder of the scenario or a subfolder, got "../secret.txt"'],
    ['link.txt', 'expected a file in the folder of the scenario or a subfolder, got "link.txt"'],
  ])('to send must exist in its folder: %s is reported with its place', async (file, message) => {
    const cwd = folders()
    writeFileSync(join(cwd, 'stories/story.yaml'), story(file))
    for (const command of ['validate', 'replay']) {
      const { code, stdout, stderr } = await run([command, 'stories/story.yaml'], { cwd })
      expect(code).toBe(3)
      const text = `${stdout}${stderr}`
      expect(text).toContain(`5:22: ${message}`)
      expect(text.split(message)).toHaveLength(3)
      expect(text).toContain('2 errors in')
    }
  })

  it('can be in a folder that --allow-files names', async () => {
    const cwd = folders()
    writeFileSync(join(cwd, 'stories/story.yaml'), story('../secret.txt'))
    const validated = (...folder: string[]) =>
      run(['validate', ...folder.flatMap((one) => ['--allow-files', one]), 'stories/story.yaml'], { cwd })
    expect((await validated('stories', '.')).code).toBe(0)
    expect((await validated('stories')).code).toBe(3)
    const replayed = await run(['replay', '--allow-files', '.', 'stories/story.yaml'], { cwd })
    expect(replayed.stdout).toMatch(/^.*PUT \/x → 404/m)
  })

  it('are checked again when they are sent: a step with a missing file fails', async () => {
    const steps = 'title: a\nsteps:\n  - { call: models.list, save: { name: body.object } }\n'
    const cwd = directoryWith({
      'a.yaml': `${steps}  - { fetch: "/x", method: PUT, content: { file: "\${name}" } }\n`,
    })
    const { code, stdout, stderr } = await run(['replay', 'a.yaml'], { cwd })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('there is no file "list" in the folder of the scenario')
  })

  it('are alternatives to other content, in forms too', async () => {
    const edit =
      'title: a\nsteps:\n  - { call: images.edit, with: { prompt: a, image: { image: { widt: 0, height: 0 } } } }\n'
    const { code, stdout } = await run(['validate', 'a.yaml'], { cwd: directoryWith({ 'a.yaml': edit }) })
    expect(code).toBe(3)
    expect(stdout).toMatch(/a\.yaml:3:\d+: .*got 0/)
    expect(stdout).toContain('unknown key "widt": did you mean width?')
  })
})

describe('warnings', () => {
  const doubtful = `title: doubtful
rules:
  - when: { operation: chat.create }
    then: { delay: 3ms }
  - when: { operation: chat.create, model: gpt-4o }
    then: {}
steps:
  - { call: models.list, save: { list: body } }
`
  const lines = [
    'a.yaml:5:5: warning: no request ever reaches this rule: rule 1 matches all of its requests first',
    'a.yaml:8:34: warning: no later step uses this name',
  ]

  it('are printed without failing', async () => {
    const { code, stdout } = await told(doubtful)
    expect(stdout.split('\n').filter((line) => line.startsWith('a.yaml'))).toEqual(lines)
    expect(stdout).toMatch(/1 file valid, 2 warnings\n$/)
    expect(code).toBe(0)
  })

  it('fail with --max-warnings if there are more', async () => {
    const few = await told(doubtful, '--max-warnings', '1')
    expect(few.stdout).toMatch(/1 file valid, 2 warnings \(--max-warnings 1\)\n$/)
    expect(few.code).toBe(1)
    expect((await told(doubtful, '--max-warnings', '2')).code).toBe(0)
    expect((await told(good, '--max-warnings', '0')).code).toBe(0)
  })

  it('are counted in the JSON report', async () => {
    const { code, stdout } = await told(doubtful, '--format', 'json', '--max-warnings=0')
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, files: [{ ok: true }] })
    expect(code).toBe(1)
  })
})

/**
 * `gateway-sim serve --scenario … --watch`: scenarios over HTTP, what wins over them, and what happens when
 * their files change.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bodyOf, jsonCall } from '../_setup.ts'
import { directoryWith, run, serve } from './_io.ts'

const hello = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }
const ask = (url: string, key = 'sk-test'): Promise<any> =>
  bodyOf(fetch(`${url}/v1/chat/completions`, jsonCall(hello, { authorization: `Bearer ${key}` })))
const said = async (url: string): Promise<string> => (await ask(url)).choices[0].message.content
const clockOf = async (url: string): Promise<any> => (await fetch(`${url}/__sim/clock`)).json()

const saying = (text: string, more = ''): string =>
  `title: says ${text}\n${more}rules:\n  - id: say\n    when: { operation: chat.create }\n    then: { text: ${text} }\n`

describe('serve --scenario', () => {
  it.each([[['--scenario', 'a.yaml', 'b.yaml']], [['--scenario=a.yaml', 'b.yaml', '--quiet']]])(
    'accepts several files after one flag: %j',
    async (flags) => {
      const rule = (id: string, operation: string): string =>
        `title: ${id}\nrules:\n  - { id: ${id}, when: { operation: ${operation} }, then: { error: { status: 503 } } }\n`
      const cwd = directoryWith({ 'a.yaml': rule('a', 'models.list'), 'b.yaml': rule('b', 'videos.list') })
      const { url } = await serve(flags, { cwd })
      for (const path of ['/v1/models', '/v1/videos'])
        expect(
          (await fetch(`${url}${path}`, { headers: { authorization: 'Bearer sk-a' } })).status,
          path,
        ).toBe(503)
    },
  )

  it('does not treat words after other flags as files', async () => {
    const { code, stderr } = await run(['serve', '--port', '0', 'b.yaml'])
    expect(code).toBe(2)
    expect(stderr).toContain('Unknown argument: b.yaml')
  })

  it('responds by the rules of a file, with one ready line', async () => {
    const cwd = directoryWith({ 'a.yaml': saying('ahoy') })
    const { url, stdout } = await serve(['--scenario', 'a.yaml'], { cwd })
    expect(await said(url)).toBe('ahoy')
    expect(stdout.text).toMatch(/^gateway-sim listening at \S+\n$/)
  })

  it('combines several files in order', async () => {
    const cwd = directoryWith({
      'a.yaml': saying('first')
        .replace('id: say', 'id: other')
        .replace('chat.create }', 'chat.create, nth: 2 }'),
      'b.yaml': saying('second'),
    })
    const { url } = await serve(['--scenario', 'a.yaml', '--scenario', 'b.yaml'], { cwd })
    expect([await said(url), await said(url)]).toEqual(['second', 'first'])
  })

  it('takes clock and start from the file; flags override them', async () => {
    const clock = 'clock: { mode: manual, start: 2027-05-01T00:00:00Z }\n'
    const cwd = directoryWith({ 'a.yaml': saying('ahoy', clock) })
    const { url } = await serve(['--scenario', 'a.yaml'], { cwd })
    expect(await clockOf(url)).toMatchObject({ mode: 'manual', now: '2027-05-01T00:00:00.000Z' })
    const flags = ['--scenario', 'a.yaml', '--clock', 'auto', '--start', '2028-01-01T00:00:00Z']
    const flagged = await serve(flags, { cwd })
    expect(await clockOf(flagged.url)).toMatchObject({ mode: 'auto', now: '2028-01-01T00:00:00.000Z' })
  })

  it('takes the seed from the file; a flag overrides it', async () => {
    const cwd = directoryWith({
      'a.yaml': 'title: a\nseed: fox\nclock: { mode: manual }\n',
      'b.yaml': 'title: b\nclock: { mode: manual }\n',
    })
    const one = await serve(['--scenario', 'a.yaml'], { cwd })
    const same = await serve(['--scenario', 'b.yaml', '--seed', 'fox'], { cwd })
    const flagged = await serve(['--scenario', 'a.yaml', '--seed', 'owl'], { cwd })
    const [first, second, third] = [await ask(one.url), await ask(same.url), await ask(flagged.url)]
    expect(second).toEqual(first)
    expect(third).not.toEqual(first)
  })

  it('has the API keys and given resources of the scenario', async () => {
    const cwd = directoryWith({
      'a.yaml':
        'title: a\nclock: { mode: manual }\nkeys: { sk-alice: {} }\ngiven: { imageJobs: [{ id: job-1, status: succeeded }] }\n',
    })
    const { url } = await serve(['--scenario', 'a.yaml'], { cwd })
    expect((await ask(url, 'sk-bob')).error).toMatchObject({ type: 'authentication_error' })
    const job = await fetch(`${url}/v1/tob/job/job-1`, { headers: { authorization: 'Bearer sk-alice' } })
    expect(await job.json()).toMatchObject({ id: 'job-1', status: 2 })
  })

  it('does not start if a file is invalid: all errors of all files, exit code 3', async () => {
    const cwd = directoryWith({
      'a.yaml': 'title: a\nclokc: {}\nruels: []\n',
      'b.yaml': saying('x').replace('chat.create', 'chat.creat'),
    })
    const { code, stdout, stderr } = await run(
      ['serve', '--port', '0', '--scenario', 'a.yaml', '--scenario', 'b.yaml', '--scenario', 'c.yaml'],
      { cwd },
    )
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(
      'a.yaml:2:1: unknown key "clokc": did you mean clock?\n    2 | clokc: {}\n      | ^\n',
    )
    expect(stderr).toContain('a.yaml:3:1: unknown key "ruels": did you mean rules?')
    expect(stderr).toContain(
      'b.yaml:4:24: when.operation: unknown value "chat.creat"; did you mean chat.create?',
    )
    expect(stderr).toContain('c.yaml: file not found')
  })
})

describe('serve --watch', () => {
  const watched = async (text: string, flags: readonly string[] = []) => {
    const cwd = directoryWith({ 'a.yaml': text })
    const running = await serve(['--scenario', 'a.yaml', '--watch', '--quiet', ...flags], { cwd })
    return { ...running, cwd, file: join(cwd, 'a.yaml') }
  }

  it('reloads a changed file, and logs the changes in one line', async () => {
    const { url, file, stderr } = await watched(saying('before'))
    expect(await said(url)).toBe('before')
    writeFileSync(file, saying('after'))
    await stderr.until(/reloaded/)
    expect(stderr.text).toBe('gateway-sim: scenarios reloaded: rule say changed\n')
    expect(await said(url)).toBe('after')
  })

  it('follows editors that replace the file, repeatedly', async () => {
    const { url, cwd, file, stderr } = await watched(saying('one'))
    for (const word of ['two', 'three']) {
      writeFileSync(join(cwd, '.a.yaml.swp'), saying(word, `flags: { at: ${word} }\n`))
      renameSync(join(cwd, '.a.yaml.swp'), file)
      await stderr.until(word === 'two' ? /reloaded.*flags/ : /reloaded[^]*reloaded/)
      expect(await said(url)).toBe(word)
    }
  })

  it('keeps the last valid rules while the file is invalid, reports each error once, and reloads when it is valid', async () => {
    const { url, file, stderr } = await watched(saying('good'))
    writeFileSync(file, saying('bad').replace('text:', 'txet:'))
    await stderr.until(/not reloaded/)
    expect(stderr.text).toContain(
      'scenarios not reloaded; the last valid scenarios stay in use: 1 error in a.yaml:\na.yaml:5:13: unknown key "txet": did you mean text?',
    )
    expect(await said(url)).toBe('good')
    writeFileSync(file, saying('better'))
    await stderr.until(/scenarios reloaded: rule say changed/)
    expect(await said(url)).toBe('better')
  })

  it('keeps the rules while the file is missing', async () => {
    const { url, file, stderr } = await watched(saying('good'))
    rmSync(file)
    await stderr.until(/a\.yaml: file not found/)
    expect(await said(url)).toBe('good')
    writeFileSync(file, saying('good'))
    await stderr.until(/scenarios reloaded: valid again, without changes/)
    expect(await said(url)).toBe('good')
  })

  it('reports changes that need a restart, and does not apply them', async () => {
    const { url, file, stderr } = await watched(
      saying('a', 'seed: fox\nclock: { mode: manual }\nlimits: { activeImageJobs: 2 }\n'),
    )
    writeFileSync(
      file,
      saying(
        'b',
        'seed: owl\nclock: { mode: auto }\nkeys: { sk-only: {} }\nlimits: { activeImageJobs: 3 }\n',
      ),
    )
    await stderr.until(/reloaded/)
    expect(stderr.text).toBe(
      'gateway-sim: scenarios reloaded: rule say changed; seed, clock, keys, limits changed: restart the server to apply the change\n',
    )
    expect(await said(url)).toBe('b')
    expect(await clockOf(url)).toMatchObject({ mode: 'manual' })
  })

  it('reports added and removed rules and given resources', async () => {
    const { file, stderr } = await watched(saying('a'))
    const rules = ['a', 'b', 'c', 'd', 'e']
      .map(
        (id) =>
          `  - id: rule-${id}\n    when: { operation: videos.create, nth: 2 }\n    then: { job: stuck }\n`,
      )
      .join('')
    writeFileSync(file, `title: other\ngiven: { videos: [{ id: video_1 }] }\nrules:\n${rules}`)
    await stderr.until(/reloaded/)
    expect(stderr.text).toBe(
      'gateway-sim: scenarios reloaded: rules rule-a, rule-b, rule-c, rule-d and 1 more added; rule say removed; `given` changed (applies to new sessions and after a reset)\n',
    )
  })

  it('picks up new files in folders', async () => {
    const cwd = directoryWith({ 'a.yaml': saying('a') })
    mkdirSync(join(cwd, 'set'))
    writeFileSync(
      join(cwd, 'set/first.yaml'),
      'title: first\nrules:\n  - { id: never, when: { operation: videos.create }, then: {} }\n',
    )
    const { url, stderr } = await serve(['--scenario', 'set', '--watch', '--quiet'], { cwd })
    writeFileSync(join(cwd, 'set/second.yaml'), saying('second'))
    await stderr.until(/rule say added/)
    expect(await said(url)).toBe('second')
  })

  it('watches files that a scenario names', async () => {
    const cwd = directoryWith({
      'a.yaml': 'title: a\ngiven: { files: [{ path: notes.txt, content: { file: notes.txt } }] }\n',
      'notes.txt': 'one',
    })
    const { stderr } = await serve(['--scenario', 'a.yaml', '--watch', '--quiet'], { cwd })
    rmSync(join(cwd, 'notes.txt'))
    await stderr.until(/there is no file "notes\.txt" in the folder of the scenario/)
  })

  it('reads files in other folders only with --allow-files, also after a change', async () => {
    const given = (name: string): string =>
      `title: a\ngiven:\n  files: [{ path: a/${name}, content: { file: ../data.txt } }]\n`
    const cwd = directoryWith({ 'data.txt': 'one' })
    mkdirSync(join(cwd, 'stories'))
    writeFileSync(join(cwd, 'stories/a.yaml'), given('one'))
    const flags = ['--scenario', 'stories/a.yaml']
    expect(await run(['serve', '--port', '0', ...flags], { cwd })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('or allow its folder (--allow-files DIR') as string,
    })
    const { stderr } = await serve([...flags, '--watch', '--allow-files', '.'], { cwd })
    writeFileSync(join(cwd, 'stories/a.yaml'), given('two'))
    await stderr.until(/`given` changed/)
  })

  it('is JSON with --format json', async () => {
    const { file, stderr } = await watched(saying('a'), ['--format', 'json'])
    writeFileSync(file, saying('b'))
    await stderr.until(/\n/)
    expect(JSON.parse(stderr.text)).toMatchObject({
      event: 'scenarios-reloaded',
      message: 'rule say changed',
    })
  })

  it('stops with the server', async () => {
    const { stop, code } = await watched(saying('a'))
    stop()
    expect(await code).toBe(0)
  })

  it('needs a file to watch', async () => {
    const { code, stderr } = await run(['serve', '--port', '0', '--watch'])
    expect(code).toBe(2)
    expect(stderr).toContain('--watch needs scenario files or a settings file: add --scenario FILE')
  })
})

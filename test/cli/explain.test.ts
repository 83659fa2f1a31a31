/** `gateway-sim explain`: rules as they are written, and over time as a simulator really gives them. */
import { describe, expect, it } from 'vitest'
import type { Explanation } from '../../src/explain/explain-scenario.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import { directoryWith, run } from './_io.ts'

const utf8 = { LANG: 'C.UTF-8' }

/** The page of a scenario, without its title and file. */
async function page(
  text: string,
  words: readonly string[] = [],
  env: Record<string, string> = utf8,
): Promise<string> {
  const { code, stdout, stderr } = await run(['explain', 'a.yaml', ...words], {
    cwd: directoryWith({ 'a.yaml': `title: a\n${text}` }),
    env,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.replace('a\na.yaml\n', '')
}

/** The lines behind a lane's name. */
function lane(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => new RegExp(`^ +${name} +(.*)$`).exec(line)?.[1] ?? [])
}

const rule = (when: string, then: string): string =>
  `rules:\n  - id: it\n    when: ${when}\n    then: ${then}\n`
/** The page of one rule about an operation. */
const draw = (operation: string, then: string): Promise<string> =>
  page(rule(`{ operation: ${operation} }`, then))
const timeline = (...entries: readonly string[]): string => `{ timeline: [${entries.join(', ')}] }`
const begins = '{ at: 0s, status: pending }'
const rises = '{ at: 2s, status: in_progress, progress: { from: 0, to: 60, over: 6s } }'

describe('a timeline', () => {
  it('shows states bound to polls as written', async () => {
    const polls = [
      '{ poll: 2, status: in_progress, unset: [progress] }',
      '{ poll: 13, notFound: true }',
      '{ poll: 21, notFound: false, reset: [progress, size] }',
    ]
    const text = await draw('videos.create', timeline(begins, ...polls))
    expect(lane(text, 'status')).toEqual(['pending'])
    const shown = text.replaceAll('[ ', '[').replaceAll(' ]', ']')
    for (const poll of polls) expect(shown).toContain(`      - ${poll}\n`)
  })

  it('is drawn as lanes over time, as seen by a client that polls continuously', async () => {
    const fails = '{ at: 8s, status: failed, error: { code: moderation_blocked, message: no } }'
    const text = await draw('videos.create', timeline(begins, rises, fails))
    const [timestamps = '', , status = '', error = '', bar = '', numbers = ''] = text
      .split('\n')
      .slice(text.split('\n').findIndex((line) => line.includes('polls')) + 1)
    expect(timestamps.trim().split(/ +/)).toEqual(['0s', '2s', '8s'])
    expect(status.trim().split(/ +/)).toEqual(['status', 'pending', 'in_progress', 'failed'])
    // What is seen at a time stands under it.
    for (const [at, word] of [
      ['2s', 'in_progress'],
      ['8s', 'failed'],
    ] as const)
      expect(status.indexOf(word)).toBe(timestamps.indexOf(at))
    expect(error.indexOf('moderation_blocked: no')).toBe(timestamps.indexOf('8s'))
    expect(bar).toMatch(/^ +progress {2}▁+▂+▃+▄+$/)
    expect(numbers.trim().split(/ +/)).toEqual(['0', '60'])
    expect(numbers.indexOf('60')).toBe(timestamps.indexOf('8s'))
  })

  it('marks unknown values', async () => {
    const text = await draw('videos.create', timeline(begins, '{ at: 5s, notFound: true }'))
    expect(lane(text, 'status')).toEqual([expect.stringMatching(/^pending +not found \(404\)$/)])
  })

  it('shows a regression, and intended contract violations', async () => {
    const steps = [90, 0, 140].map((progress, at) => {
      return `{ at: ${5 * at}s, status: ${progress === 0 ? 'pending' : 'in_progress'}, progress: ${progress} }`
    })
    const text = await draw('videos.create', timeline(...steps).replace(/ }$/, ', offContract: true }'))
    expect(lane(text, 'status')[0]?.split(/ +/)).toEqual(['in_progress', 'pending', 'in_progress'])
    expect(text).toMatch(/\n +90 +0 +140\n/)
    expect(lane(text, 'progress')[0]).toMatch(/^▇+▁+█+$/)
    expect(text).toContain('    offContract: true\n')
  })

  it('draws many states in one row, and notes the values without room', async () => {
    const entries = Array.from({ length: 20 }, (_, at) => {
      return `{ at: ${at * 7}s, status: ${at === 19 ? 'completed' : at % 2 === 0 ? 'pending' : 'in_progress'} }`
    })
    const text = await draw('videos.create', timeline(...entries))
    expect(lane(text, 'status')).toHaveLength(1)
    expect(lane(text, 'status')[0]?.match(/pen…|in_…/g)?.length).toBeGreaterThan(5)
    expect(text).toContain('• 7s status: in_progress\n')
    expect(text).toContain('• 2m6s status: pending\n')
    expect(text.split('\n').filter((line) => [...line].length > 100)).toEqual([])
  })

  it('is drawn for jobs in short form, with their actual times', async () => {
    const drawn = await draw('imageJobs.create', '{ job: { failAt: 50 } }')
    expect(drawn).toContain('  then: { job: { failAt: 50 } }\n')
    expect(lane(drawn, 'status')[0]?.split(/ +/)).toEqual(['running', 'failed'])
    expect(drawn).toMatch(/ 0s +20s\n/)
  })

  it('shows the job that continues after its request was rejected', async () => {
    const drawn = await draw(
      'imageJobs.variation',
      '{ error: { status: 424, code: 2002 }, timeline: [{ at: 0s, status: running }, { at: 30s, status: succeeded }] }',
    )
    expect(drawn).toContain('imageJobs.variation returns 424. A client that polls imageJobs.retrieve sees:')
    expect(lane(drawn, 'status')).toEqual([expect.stringMatching(/^running +succeeded$/)])
  })

  it('is drawn once per kind of job in a rule', async () => {
    const drawn = await draw('[imageJobs.create, videos.*, videoOperations.submit]', '{ job: stuck }')
    expect([...drawn.matchAll(/A client that polls (\S+)/g)].map(([, operation]) => operation)).toEqual([
      'imageJobs.retrieve',
      'videos.retrieve',
      'videoOperations.retrieve',
    ])
  })
})

describe('a stream', () => {
  const script = (items: string, more = ''): string =>
    rule(
      '{ operation: [chat.create, messages.create] }',
      `\n      stream:\n        firstEventAfter: 350ms\n        eventInterval: 40ms\n${more}        script:\n${items}`,
    )

  it('is drawn for each API family with its events at their times', async () => {
    const drawn = await page(
      script(
        '          - text: [Hel, lo]\n          - wait: 3s\n          - toolCall: { name: look, arguments: ["{}"] }\n',
      ),
    )
    expect(drawn).toMatch(/chat\.create: 200, \d+ events in \S+, then the stream is complete\n/)
    expect(drawn).toMatch(/messages\.create: 200, \d+ events in \S+, then the stream is complete\n/)
    const [chat = '', messages = ''] = drawn.split('messages.create: ')
    expect(chat).toContain('• text  390ms to 430ms (2 events)  Hel│lo\n')
    expect(chat).toMatch(/wait .*┄3s┄|wait .*┄3s40ms┄/)
    expect(chat).toMatch(/• tool {2}\S+( to \S+)?(?: \(\d+ events\))? {2}look │?\{\}/)
    expect(chat).toContain('[DONE]')
    expect(messages).toMatch(/• tool {2}\S+( to \S+)?(?: \(\d+ events\))? {2}look │?\{\}/)
    expect(messages).toContain('tool_use│message_stop')
  })

  it.each([
    ['disconnect', 'then the connection breaks', '✗'],
    ['stall', 'then no more events arrive, and the connection stays open', '✗'],
    ['missing-end', 'then the stream ends without its end marker', '✗'],
  ])('shows the fault %s at its end', async (fault, words, mark) => {
    const drawn = await page(
      rule('{ operation: chat.create }', `{ stream: { eventInterval: 10ms }, text: [a] }`).replace(
        'text: [a]',
        `fault: ${fault}`,
      ),
    )
    expect(drawn).toContain(words)
    expect(drawn).toMatch(new RegExp(`^ +over +${mark}$`, 'm'))
    expect(drawn).toContain(`• fault ${fault}: `)
  })

  it('shows a fault in a script, a malformed frame and an error', async () => {
    const drawn = await draw(
      'chat.create',
      '\n      offContract: true\n      stream: { eventInterval: 10ms, script: [{ text: [a] }, { raw: "data: {oops\\n\\n" }, { fault: error-event }] }\n',
    )
    expect(drawn).toContain('• fault error-event: ')
    expect(drawn).toMatch(/• raw {2}\S+ {2}\{oops\n/)
    expect(lane(drawn, 'error')[0]?.trim()).toBe('▪')
  })

  it('shows partial and final images', async () => {
    expect(
      await draw(
        'images.generate',
        '{ stream: { eventInterval: 1s, script: [{ partial: 0 }, { image: 0 }] } }',
      ),
    ).toMatch(/• image .*\(2 events\) {2}\S+partial_image│\S+completed\n/)
  })
})

describe('shown as written', () => {
  it.each([
    ['{ operation: videos.create, nth: 2 }', '{ error: { type: rate_limit_error, retryAfter: 20s } }'],
    [
      '{ operation: chat.create, key: sk-a*, during: { from: 90s, until: 1h } }',
      '{ response: { status: 204 }, offContract: true }',
    ],
  ])('%s and %s', async (when, then) => {
    expect(await page(rule(when, then))).toContain(`it\n  when: ${when}\n  then: ${then}\n`)
  })

  it('values too long for a line, over several lines', async () => {
    const long = `{ operation: chat.create, body: { user: { exists: false }, metadata: { a: "${'x'.repeat(60)}" } } }`
    expect(await page(rule(long, '{}'))).toContain(
      [
        '  when:',
        '    operation: chat.create',
        '    body:',
        '      user: { exists: false }',
        `      metadata: { a: ${'x'.repeat(60)} }`,
        '  then: {}\n',
      ].join('\n'),
    )
  })

  it('several responses; each drawing names its place', async () => {
    const drawn = await draw(
      'videos.create',
      '{ sequence: [{ error: { status: 503 } }, { job: stuck }, {}], end: cycle }',
    )
    expect(drawn).toContain(
      '  then: { sequence: [ { error: { status: 503 } }, { job: stuck }, {} ], end: cycle }\n' +
        '  sequence[1]\n\n      videos.create returns 200.',
    )
  })
})

describe('the terminal', () => {
  const text = rule('{ operation: videos.create }', timeline(begins, '{ at: 9s, status: failed }'))

  it('cannot be controlled by a file', async () => {
    expect(await draw('chat.create', '{ text: "\\e[2J" }')).not.toContain('\u001B')
  })

  it('gets colours, unless NO_COLOR is set', async () => {
    const cwd = directoryWith({ 'a.yaml': `title: a\n${text}` })
    const coloured = (await run(['explain', 'a.yaml'], { cwd, terminal: true, env: utf8 })).stdout
    expect(coloured).toContain('\u001B[31mfailed')
    expect(
      (await run(['explain', 'a.yaml'], { cwd, terminal: true, env: { ...utf8, NO_COLOR: '1' } })).stdout,
    ).toBe(coloured.replace(/\u001B\[\d+m/g, ''))
  })
})

describe('formats and flags', () => {
  const two = `${rule('{ operation: chat.create }', '{ text: a }')}  - id: other\n    when: { operation: videos.create }\n    then: { job: stuck }\n`

  it('--operation omits the rules of other operations', async () => {
    expect(await page(two, ['--operation', 'chat.create'])).not.toContain('other')
    const both = await page(two, ['--operation', 'chat.*', '--operation', 'videos.create'])
    expect(both).toContain('\nit\n')
    expect(both).toContain('\nother\n')
  })

  it('json prints one document', async () => {
    const { scenarios } = JSON.parse(
      (await run(['explain', '-', '--format', 'json'], { stdin: `title: a\n${two}` })).stdout,
    ) as { scenarios: Explanation[] }
    expect(scenarios).toHaveLength(1)
    expect(scenarios[0]?.rules.map(({ id, operations }) => ({ id, operations }))).toEqual([
      { id: 'it', operations: ['chat.create'] },
      { id: 'other', operations: ['videos.create'] },
    ])
    expect(scenarios[0]?.rules[1]?.answers[0]?.tracks[0]).toMatchObject({
      call: { operation: 'videos.create', status: 200 },
      operation: 'videos.retrieve',
    })
  })
})

describe('notes', () => {
  it.each(['disconnect', 'ambiguous-submit', 'auth'])('describe %s as the catalogue does', async (kind) => {
    const what = faults.find((fault) => fault.kind === kind)?.what ?? '?'
    expect((await page(rule('{}', `{ fault: ${kind} }`))).replace(/\s+/g, ' ')).toContain(
      ` • fault ${kind}: ${what}`,
    )
  })

  it('say if no rule matches the given operation', async () => {
    expect(
      await page(rule('{ operation: chat.create }', '{ text: a }'), ['--operation', 'videos.create']),
    ).toContain('No rules to draw: default responses apply.')
  })
})

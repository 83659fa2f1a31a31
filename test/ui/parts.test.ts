/** What the page makes of journal entries and jobs: ends of responses, curl commands, the timeline. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JournalEntry } from '../../src/exchange/exchange.ts'
import { entryJson, type JournalEntryJson } from '../../src/exchange/plain.ts'
import { createSimulator } from '../../src/index.ts'
import { listen } from '../../src/node.ts'
import { curlOf } from '../../src/ui/calls/curl.ts'
import { readableBody } from '../../src/ui/calls/readable-body.ts'
import { endHint, endLook, endText, endWord } from '../../src/ui/calls/stream-end.ts'
import { jobLanes } from '../../src/ui/timeline/lanes.ts'
import { createScale, durationText } from '../../src/ui/timeline/scale.ts'
import { jsonCall, post, simulator, withRules } from '../_setup.ts'
import { png } from '../endpoints/images/_images.ts'

const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }

describe('the end of a response', () => {
  /** The entry of a stream with this script, five seconds after the request, when the session has ended. */
  async function entryOf(script: string): Promise<JournalEntryJson> {
    const entries: JournalEntry[] = []
    const sim = simulator({
      clock: 'manual',
      onCall: (entry) => void entries.push(entry),
      settings: { chat: { firstEventAfter: '100ms', eventInterval: '10ms' } },
      ...withRules([`when: { operation: chat.create }, then: { stream: { script: ${script} } }`]),
    })
    // The response may not begin before the clock moves.
    const reading = post(sim, '/v1/chat/completions', body)
      .then((response) => response.text())
      .catch(() => undefined)
    await sim.settled()
    sim.clock.advance('5s')
    await sim.fetch('/__sim/reset', { method: 'POST' })
    await reading
    return entryJson(entries[0] as JournalEntry)
  }

  it.each([
    ['[{ text: a }]', /^completed, \d+ events$/, 'good'],
    [
      '[{ text: a }, { wait: 2s }, { fault: disconnect }]',
      /^disconnected after event \d, at 2\.1\d+ s$/,
      'bad',
    ],
    ['[{ fault: disconnect }]', /^disconnected before the first event, at 0 s$/, 'bad'],
    ['[{ text: a }, { fault: stall }]', /^disconnected after event \d, at 5 s$/, 'bad'],
  ])('of %s', async (script, text, look) => {
    const entry = await entryOf(script)
    expect(endText(entry)).toMatch(text)
    expect(endLook(entry)).toBe(look)
  })

  it('of an open stream counts the events sent, and says that it has stalled', async () => {
    const entry = await entryOf('[{ text: a }]')
    const { events = [], ...response } = entry.response as NonNullable<JournalEntryJson['response']>
    const open = {
      ...entry,
      ended: 'open',
      endedAfter: 150,
      response: { ...response, events: events.slice(0, 1), eventCount: 1 },
      cause: { ...entry.cause, coming: events.slice(1) },
    } as const
    expect(endText(open)).toBe(`open, 1 of ${events.length} events sent`)
    const stalled = { ...open, cause: { ...open.cause, stalledAfter: 150 } }
    expect(endText(stalled)).toBe('stalled after event 1, at 0.15 s')
    expect(endText({ ...entry, ended: 'aborted', response })).toMatch(/^aborted after event \d, at /)
  })

  it.each([
    ['sim-error-after-2', '/v1/chat/completions', 'error event'],
    ['sim-missing-end', '/v1/chat/completions', 'no end marker'],
    ['sim-missing-end', '/v1/messages', 'no end marker'],
  ])('of a stream that is broken but complete: %s at %s', async (model, path, word) => {
    const sim = simulator({ clock: 'auto' })
    const more = { model, max_tokens: 50 }
    await (await post(sim, path, { ...body, ...more }, { 'anthropic-version': '2023-06-01' })).text()
    const entry = entryJson(sim.journal()[0] as JournalEntry)
    expect([entry.ended, endWord(entry), endLook(entry)]).toEqual(['completed', word, 'bad'])
    expect(endHint(entry)).toMatch(/^The stream ended with/)
  })
})

describe('a request as a curl command', () => {
  it('names the fields and files of a form', async () => {
    const form = new FormData()
    form.set('model', 'gpt-image-1')
    form.set('prompt', "@a boat's sail")
    form.set('image[]', new Blob([png()], { type: 'image/png' }), 'boat.png')
    const sim = createSimulator()
    const headers = { authorization: 'Bearer sk-test' }
    await (await sim.fetch('/v1/images/edits', { method: 'POST', headers, body: form })).text()
    const entry = entryJson(sim.journal()[0] as JournalEntry)
    vi.stubGlobal('location', { origin: 'http://127.0.0.1:4010', pathname: '/__sim/ui/' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const lines = curlOf(entry).split(' \\\n  ')
    expect(lines.slice(0, 2)).toEqual([
      "curl -X POST 'http://127.0.0.1:4010/v1/images/edits'",
      '-H "authorization: Bearer ${API_KEY:-sk-test}"',
    ])
    expect(lines.slice(2).sort()).toEqual(
      [
        String.raw`--form-string 'prompt=@a boat'\''s sail'`,
        "--form-string 'model=gpt-image-1'",
        "-F 'image[]=@boat.png;type=image/png'",
      ].sort(),
    )
    expect(readableBody(entry.request.body?.text ?? '')).toMatch(
      /^image\[\]: boat.png \(image\/png, \d+ bytes\)$/m,
    )
  })

  it.each(['sk-test', 'sk-a-key-of-somebody'])('runs as it is, with the key %s', async (key) => {
    const server = await listen(createSimulator({ clock: 'auto' }))
    onTestFinished(() => server.close())
    vi.stubGlobal('location', { origin: server.url, pathname: '/__sim/ui/' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const headers = { authorization: `Bearer ${key}`, 'x-sim-session': 'mine' }
    const asked = jsonCall({ model: 'sora-2', prompt: "a fox's den" }, headers)
    const made = (await (await fetch(`${server.url}/v1/videos`, asked)).json()) as { id: string }
    await (await fetch(`${server.url}/v1/videos/${made.id}`, { headers })).text()
    const journal = await fetch(`${server.url}/__sim/journal`, { headers: { 'x-sim-session': 'mine' } })
    const { entries } = (await journal.json()) as { entries: readonly JournalEntryJson[] }
    const ran = []
    for (const entry of entries) {
      const env = { ...process.env, API_KEY: key === 'sk-test' ? '' : key }
      const { stdout } = await promisify(execFile)('bash', ['-c', curlOf(entry)], { env })
      ran.push(JSON.parse(stdout))
    }
    expect(ran).toMatchObject([{ object: 'video', model: 'sora-2' }, { id: made.id }])
  })
})

describe('the timeline', () => {
  const times = fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 1, maxLength: 50 })

  it('keeps the order of times and fits its width, whatever happens when', () => {
    fc.assert(
      fc.property(times, (list) => {
        const scale = createScale(list, 800)
        const xs = [...list].sort((a, b) => a - b).map(scale.x)
        expect(xs).toEqual([...xs].sort((a, b) => a - b))
        expect(xs.every((x) => x >= 0 && x <= scale.width)).toBe(true)
        expect(scale.width).toBeLessThanOrEqual(Math.max(800, 200 + scale.folds.length * 56) + 1e-6)
      }),
    )
  })

  it('folds a long gap to one mark, and leaves short ones in proportion', () => {
    const { x, folds } = createScale([0, 1000, 2000, 3000, 7_203_000, 7_204_000], 800)
    expect(folds).toEqual([{ from: 3000, to: 7_203_000, x: x(3000) + 28 }])
    expect(x(2000) - x(1000)).toBeCloseTo(x(7_204_000) - x(7_203_000))
  })

  it('writes durations as people do', () => {
    const texts = ['120 ms', '1.5 s', '1 min', '2 h', '2 d']
    expect([120, 1500, 60_000, 7_200_000, 172_800_000].map(durationText)).toEqual(texts)
  })

  it('names the numeric statuses of the contract, and joins changes that keep the status', () => {
    const timeline = [0, 1, 1, 2, 3, 9, 'queued'].map((status, second) => ({
      at: new Date(second * 1000).toISOString(),
      status,
      notFound: false,
      past: true,
    }))
    const [lane] = jobLanes([{ id: 'a', kind: 'imageJob', timeline } as never], [], 7000)
    expect(lane?.segments.map(({ status, from, to }) => [status, from, to])).toEqual([
      ['waiting', 0, 1000],
      ['running', 1000, 3000],
      ['succeeded', 3000, 4000],
      ['failed', 4000, 5000],
      ['9', 5000, 6000],
      ['queued', 6000, 7000],
    ])
  })
})

/**
 * Tens of tests at the same time on one server, each in a new session: nobody sees anybody else,
 * and each sees what it would see alone.
 */
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../../src/node.ts'
import { jsonCall, simulator, withRules } from '../_setup.ts'

const tests = 60
/** How many run at once; each has one call under way. */
const lanes = 30

const options = {
  clock: 'auto' as const,
  ...withRules([
    'id: second-video-fails, when: { operation: videos.create, nth: 2 }, then: { job: { failAt: 50 } }',
    'id: third-chat-overloaded, when: { operation: chat.create, nth: 3 }, then: { error: { status: 503 } }',
  ]),
  publicUrl: 'http://gateway.test',
  settings: { limits: { activeImageJobs: 2 } },
}

/**
 * The same test for everybody: jobs, polls that name no session, a stream, rules that count, a limit. Gives
 * every byte that it received.
 */
async function story(call: typeof fetch, url: string, session: string): Promise<string[]> {
  const seen: string[] = []
  const key = { authorization: 'Bearer sk-same-for-all' }
  const headers = { ...key, 'anthropic-version': '2023-06-01' }
  const say = async (response: Response): Promise<string> => {
    const text = await response.text()
    seen.push(
      `${response.status} ${response.headers.get('x-request-id')} ${response.headers.get('date')} ${text}`,
    )
    return text
  }
  const post = async (path: string, body: unknown) =>
    say(await call(`${url}/s/${session}${path}`, jsonCall(body, headers)))
  // Without prefix and header: the id alone leads home.
  const poll = async (path: string) => say(await call(`${url}${path}`, { headers: key }))
  const idOf = (text: string): string => (JSON.parse(text) as { id: string }).id

  const videos = [
    idOf(await post('/v1/videos', { model: 'sora-2', prompt: 'a sunset' })),
    idOf(await post('/v1/videos', { model: 'sora-2', prompt: 'a sunset' })),
  ]
  const job = idOf(await post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a fox' }))
  for (let round = 0; round < 3; round++) for (const id of videos) await poll(`/v1/videos/${id}`)
  for (let round = 0; round < 4; round++) await poll(`/v1/tob/job/${job}`)
  // What was made from what carries this session's ids, and an answer to a tool call of it.
  await say(await call(`${url}/v1/tob/variation`, jsonCall({ jobId: job, imageNo: 0, type: 0 }, headers)))
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]
  const asked = [{ role: 'user', content: 'What is the weather in Paris?' }]
  const { choices } = JSON.parse(
    await post('/v1/chat/completions', { model: 'gpt-4o', messages: asked, tools, tool_choice: 'required' }),
  ) as { choices: { message: { tool_calls: { id: string }[] } }[] }
  const message = choices[0]?.message
  const result = { role: 'tool', tool_call_id: message?.tool_calls[0]?.id, content: 'Rain.' }
  await post('/v1/chat/completions', { model: 'gpt-4o', messages: [...asked, message, result], tools })
  const messages = [{ role: 'user', content: 'Hello' }]
  await post('/v1/chat/completions', { model: 'gpt-4o', messages })
  await post('/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 64, messages, stream: true })
  await post('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a hare' })
  return seen
}

/** What a session's story looks like once the session's tag is taken out of the ids. */
function withoutTag(seen: readonly string[]): string[] {
  const tag = /video_([0-9a-f]{8})/.exec(seen[0] ?? '')?.[1] as string
  return seen.map((text) => text.replaceAll(tag, 'SESSION_'))
}

it(`${tests} tests in ${tests} sessions on one server get the same results as alone`, async () => {
  const shared = simulator(options)
  const listening = await listen(shared)
  onTestFinished(() => listening.close())
  const names = Array.from({ length: tests }, (_, index) => `test-${index}`)
  const seen = new Map<string, string[]>()
  const waiting = [...names]
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
        seen.set(name, await story(fetch, listening.url, name))
    }),
  )

  // Alone, on a simulator that has seen nobody else, in a session of the same name.
  const alone = await story(simulator(options).fetch as typeof fetch, 'http://gateway.test', 'test-0')
  expect(seen.get('test-0')).toEqual(alone)
  expect(alone.map((text) => text.slice(0, 3)).join(' ')).toBe(`${'200 '.repeat(16)}503 200 200`)
  const expected = withoutTag(alone)
  expect(new Set(alone.map((_, index) => expected[index])).size).toBeGreaterThan(10)
  const different = names.filter(
    (name) => JSON.stringify(withoutTag(seen.get(name) ?? [])) !== JSON.stringify(expected),
  )
  if (different.length > 0) expect(withoutTag(seen.get(different[0] as string) ?? [])).toEqual(expected)
  expect(different).toEqual([])

  // Each session holds its own calls and nothing else; nobody has landed in the default one.
  const counts = names.map((name) => shared.core.sessions.find(name)?.sandbox.journal.total)
  expect(new Set(counts)).toEqual(new Set([alone.length]))
  expect(shared.journal()).toEqual([])
  // Other tags, so no two sessions share an id.
  expect(new Set(names.map((name) => seen.get(name)?.[0])).size).toBe(tests)
}, 120_000)

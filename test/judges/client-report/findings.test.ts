/**
 * Every finding: a client that behaves badly is told so, by the calls that show it, and one that behaves well
 * is not.
 */
import { describe, expect, it } from 'vitest'
import type { JournalEntry, Simulator, SimulatorOptions } from '../../../src/index.ts'
import { type ClientCode, clientCodes, findingCodes } from '../../../src/judges/codes.ts'
import { get, post, simulator } from '../../_setup.ts'
import { bearer, chat, createImageJob, createVideo, edit, found, poll } from './_clients.ts'

interface Client {
  readonly does: string
  readonly with?: SimulatorOptions
  act(sim: Simulator): Promise<unknown>
}

interface BadClient extends Client {
  readonly calls: readonly number[]
  readonly says: readonly string[]
  /** A part of the remedy. Default: the remedy of the kind. */
  readonly advice?: string
}

interface Case {
  readonly id: ClientCode
  /** Clients that behave badly, the numbers of the calls that show it, and what stands in the message. */
  readonly bad: readonly BadClient[]
  /** Clients that behave well although what they do looks alike. */
  readonly good: readonly Client[]
}

const scenario = (...rules: unknown[]): SimulatorOptions => ({
  scenarios: [{ title: 'A story', rules } as never],
})
const ambiguous = (operation: string, options: object = {}): SimulatorOptions =>
  scenario({ when: { operation, nth: 1 }, then: { fault: { kind: 'ambiguous-submit', ...options } } })
const rejectedOnce = scenario({
  when: { operation: 'chat.create', nth: 1 },
  then: { fault: { kind: 'rate-limit', retryAfter: '20s' } },
})
const idOf = async (rejection: Response): Promise<string> =>
  ((await rejection.json()) as { error: { job_id: string } }).error.job_id

async function uploadTarget(sim: Simulator): Promise<string> {
  return (
    (await (await post(sim, '/v1/files/upload_url', { path: 'a/b.png' })).json()) as { upload_url: string }
  ).upload_url
}

async function imageUrl(sim: Simulator): Promise<string> {
  const response = await post(sim, '/v1/images/generations', {
    model: 'dall-e-2',
    prompt: 'a fox',
    response_format: 'url',
  })
  return ((await response.json()) as { data: { url: string }[] }).data[0]?.url as string
}

/** A video that its client has seen completed. */
async function completedVideo(sim: Simulator): Promise<string> {
  const id = await createVideo(sim)
  await poll(sim, `/v1/videos/${id}`, 1, '60s')
  return id
}

const retexture = '/v1/tob/retexture'
const completions = '/v1/chat/completions'
const fox = { prompt: 'a fox' }

type Act = (sim: Simulator) => Promise<unknown>

/** A call whose response the client reads, or loses. */
const sends =
  (path: string, body: object, headers: Record<string, string> = {}): Act =>
  async (sim) => {
    try {
      return await (await post(sim, path, body, headers)).text()
    } catch (error) {
      return error
    }
  }
const inTurn =
  (...acts: readonly Act[]): Act =>
  async (sim) => {
    for (const act of acts) await act(sim)
  }
const twice = (...call: Parameters<typeof sends>): Act => inTurn(sends(...call), sends(...call))
const times =
  (count: number, act: Act): Act =>
  async (sim) => {
    for (let done = 0; done < count; done++) await act(sim)
  }
const failing = scenario({ when: { operation: 'chat.create' }, then: { error: { status: 503 } } })
const onlyOnce = (operation: string, then: object): SimulatorOptions =>
  scenario({ when: { operation, nth: 1 }, then })

/** Sends a chat call with more fields. */
const asks = (more: object): Act => sends(completions, { ...chat, ...more })
const pollsVideo =
  (times: number, every: string): Act =>
  async (sim) =>
    poll(sim, `/v1/videos/${await createVideo(sim)}`, times, every)
const pollsOperation =
  (times: number, every: string): Act =>
  async (sim) => {
    const made = await post(sim, '/v1beta/models/veo-3:predictLongRunning', { instances: [fox] })
    await poll(sim, `/v1beta/${((await made.json()) as { name: string }).name}`, times, every)
  }
/** Reads the content of a video that its client has seen completed, after some time. */
const readsContent =
  (after = '0s'): Act =>
  async (sim) => {
    const id = await completedVideo(sim)
    sim.clock.advance(after)
    await (await get(sim, `/v1/videos/${id}/content`)).arrayBuffer()
  }
const readsImage =
  (after: string): Act =>
  async (sim) => {
    const url = await imageUrl(sim)
    sim.clock.advance(after)
    await (await sim.fetch(url)).arrayBuffer()
  }
const videosThat = (job: unknown): SimulatorOptions =>
  scenario({ when: { operation: 'videos.create' }, then: { job } })

const brokenStream = (operation: string): SimulatorOptions => ({
  ...scenario({
    when: { operation, nth: 1 },
    then: { fault: { kind: 'disconnect', afterEvents: 12, how: 'end' } },
  }),
  clock: 'auto',
})
const story = [{ role: 'user', content: 'Tell me a story.' }]
const andNow = { role: 'user', content: 'And now?' }
/** Sends what it has read as an assistant turn, and what the user says next. */
const goesOnWith =
  (
    read: (sim: Simulator) => Promise<unknown>,
    before: readonly object[] = chat.messages,
    next = andNow,
  ): Act =>
  async (sim) => {
    const messages = [...before, { role: 'assistant', content: await read(sim) }, next]
    await post(sim, '/v1/chat/completions', { ...chat, messages })
  }
const streamed = (sim: Simulator, model = chat.model): Promise<Response> =>
  post(sim, '/v1/chat/completions', { ...chat, model, messages: story, stream: true })
const message = (sim: Simulator, messages: readonly object[], stream = false): Promise<Response> =>
  sim.fetch('http://gateway.test/v1/messages', {
    method: 'POST',
    headers: {
      'x-api-key': 'sk-test',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'claude-3-5-sonnet-20241022', max_tokens: 200, stream, messages }),
  })

/** The text that a stream says as far as it comes, however it ends: what a careless client keeps. */
async function said(response: Response): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>)
      text += new TextDecoder().decode(chunk)
  } catch {
    // A careless client does not look.
  }
  return [...text.matchAll(/^data: (\{.*)$/gm)]
    .map(
      ([, data]) =>
        JSON.parse(data as string) as {
          choices?: { delta: { content?: string } }[]
          delta?: { text?: string }
        },
    )
    .map(({ choices, delta }) => choices?.[0]?.delta.content ?? delta?.text ?? '')
    .join('')
}

/** The first events of a stream on a manual clock, before it is left. */
async function beginningOf(response: Response, sim: Simulator): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  sim.clock.advance('300ms')
  const text = new TextDecoder().decode((await reader.read()).value)
  await reader.cancel()
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, part]) => part).join('')
}

/** Reads the stream of the same question to another model, or to the usual one. */
const askFor = async (sim: Simulator, model?: string): Promise<string> => said(await streamed(sim, model))

const cases: readonly Case[] = [
  {
    id: 'resubmitted-known-job',
    bad: [
      {
        does: 'submits an image job again after 424 and its id',
        with: ambiguous('imageJobs.retexture'),
        act: twice(retexture, edit),
        calls: [0, 1],
        says: ['image job', '424', 'GET /v1/tob/job/'],
      },
      {
        does: 'submits a video again after 424 and its id',
        with: ambiguous('videos.create'),
        act: twice('/v1/videos', fox),
        calls: [0, 1],
        says: ['video', '424', 'GET /v1/videos/'],
      },
    ],
    good: [
      {
        does: 'asks for the job that the rejection named, and submits again afterwards',
        with: ambiguous('imageJobs.retexture'),
        async act(sim) {
          const id = await idOf(await post(sim, retexture, edit))
          await get(sim, `/v1/tob/job/${id}`)
          await post(sim, retexture, edit)
        },
      },
      {
        does: 'submits another job',
        with: ambiguous('imageJobs.retexture'),
        act: inTurn(sends(retexture, edit), sends(retexture, { ...edit, remixPrompt: 'a bear' })),
      },
      {
        does: 'submits again with another key',
        with: ambiguous('imageJobs.retexture'),
        act: inTurn(sends(retexture, edit), sends(retexture, edit, bearer('sk-other'))),
      },
      { does: 'submits the same twice because it wants two', act: twice(retexture, edit) },
      {
        does: 'submits again after a rejection behind which there is no job',
        with: onlyOnce('imageJobs.retexture', { error: { status: 424, code: 2002 } }),
        act: twice(retexture, edit),
      },
    ],
  },
  {
    id: 'retried-create',
    bad: [
      {
        does: 'submits a video again after a reset',
        with: onlyOnce('videos.create', { fault: 'reset' }),
        act: twice('/v1/videos', fox),
        calls: [0, 1],
        says: ['video', 'its connection broke'],
        advice: 'check the list of videos (`GET /v1/videos`).',
      },
      {
        does: 'submits a video again after a response that is not JSON',
        with: onlyOnce('videos.create', { fault: 'malformed-json' }),
        act: twice('/v1/videos', fox),
        calls: [0, 1],
        says: ['video', 'its response was not valid JSON'],
        advice: 'check the list of videos (`GET /v1/videos`).',
      },
      {
        does: 'submits an operation again after a time-out of its own',
        with: onlyOnce('videoOperations.submit', { fault: 'hang' }),
        async act(sim) {
          const submit = (signal?: AbortSignal): Promise<Response> =>
            sim.fetch('http://gateway.test/v1beta/models/veo-3:predictLongRunning', {
              method: 'POST',
              headers: { ...bearer('sk-test'), 'content-type': 'application/json' },
              body: JSON.stringify({ instances: [fox] }),
              ...(signal === undefined ? {} : { signal }),
            })
          const leave = new AbortController()
          const first = submit(leave.signal)
          while (sim.journal().length === 0) await new Promise((resolve) => setImmediate(resolve))
          leave.abort()
          await first.catch(() => undefined)
          await submit()
        },
        calls: [0, 1],
        says: ['operation', 'the client disconnected'],
        advice: 'No list shows the first operation: let the user decide',
      },
      {
        does: 'submits a video again with an idempotency key, which the gateway ignores',
        with: onlyOnce('videos.create', { fault: 'reset' }),
        act: twice('/v1/videos', fox, { 'idempotency-key': '1' }),
        calls: [0, 1],
        says: ['its connection broke'],
        advice: 'list of videos',
      },
      {
        does: 'submits an image job again after a reset',
        with: onlyOnce('imageJobs.retexture', { fault: 'reset' }),
        act: twice(retexture, edit),
        calls: [0, 1],
        says: ['image job', 'its connection broke'],
        advice: 'No list shows the first image job: let the user decide',
      },
    ],
    good: [
      {
        does: 'looks at the list before it submits again',
        with: onlyOnce('videos.create', { fault: 'reset' }),
        act: inTurn(sends('/v1/videos', fox), (sim) => get(sim, '/v1/videos'), sends('/v1/videos', fox)),
      },
      {
        does: 'calls chat again after a reset',
        with: onlyOnce('chat.create', { fault: 'reset' }),
        act: twice(completions, chat),
      },
      {
        does: 'submits again after a rejection that came before anything was made',
        with: onlyOnce('videos.create', { error: { status: 503 } }),
        act: twice('/v1/videos', fox),
      },
    ],
  },
  {
    id: 'ignored-retry-after',
    bad: [
      {
        does: 'calls again at once',
        with: rejectedOnce,
        act: twice(completions, chat),
        calls: [0, 1],
        says: ['chat.create', '20s', '429'],
      },
    ],
    good: [
      {
        does: 'waits as long as it was told',
        with: rejectedOnce,
        act: inTurn(
          sends(completions, chat),
          async (sim) => sim.clock.advance('20s'),
          sends(completions, chat),
        ),
      },
      {
        does: 'lets its SDK nap by timers that move without the clock',
        with: rejectedOnce,
        act: inTurn(sends(completions, chat), sends(completions, chat, { 'x-stainless-retry-count': '1' })),
      },
      {
        does: 'asks something else',
        with: rejectedOnce,
        act: inTurn(sends(completions, chat), sends(completions, { ...chat, seed: 1 })),
      },
    ],
  },
  {
    id: 'hammered',
    bad: [
      {
        does: 'sends the same five times while the gateway is down',
        with: { ...failing, wallClock: () => 0 },
        act: times(5, sends(completions, chat)),
        calls: [0, 1, 2, 3, 4],
        says: ['chat.create', '5 times in a row'],
      },
      {
        does: 'sends the same eleven times in auto',
        with: { ...failing, clock: 'auto', wallClock: () => 0 },
        act: times(11, sends(completions, chat)),
        calls: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        says: ['11 times in a row'],
      },
    ],
    good: [
      {
        does: 'gives up after four attempts',
        with: { ...failing, wallClock: () => 0 },
        act: times(4, sends(completions, chat)),
      },
      {
        does: 'waits on the virtual clock',
        with: { ...failing, wallClock: () => 0 },
        act: times(
          8,
          inTurn(sends(completions, chat), async (sim) => sim.clock.advance('1s')),
        ),
      },
      {
        does: 'waits in real time',
        with: { ...failing, wallClock: stepping(200) },
        act: times(8, sends(completions, chat)),
      },
      {
        does: 'sends the same ten times at once',
        with: { ...failing, wallClock: () => 0 },
        act: (sim) => Promise.all(Array.from({ length: 10 }, () => sends(completions, chat)(sim))),
      },
      {
        does: 'succeeds in between',
        with: {
          ...scenario({
            when: { operation: 'chat.create', nth: [1, 2, 3, 4, 6, 7, 8, 9] },
            then: { error: { status: 503 } },
          }),
          wallClock: () => 0,
        },
        act: times(9, sends(completions, chat)),
      },
    ],
  },
  {
    id: 'polled-too-fast',
    bad: [
      {
        does: 'polls a video four times a second',
        act: pollsVideo(7, '250ms'),
        calls: [1, 2, 3, 4, 5, 6, 7],
        says: ['7 times in quick succession', '250ms', 'expected 1s'],
      },
      {
        does: 'polls an image job on a clock of its own',
        with: { clock: 'real', wallClock: stepping(1) },
        async act(sim) {
          const id = await createImageJob(sim)
          for (let count = 0; count < 5; count++) await (await get(sim, `/v1/tob/job/${id}`)).text()
        },
        calls: [1, 2, 3, 4, 5],
        says: ['image job', '5 times in quick succession'],
      },
    ],
    good: [
      { does: 'polls once a second', act: pollsVideo(5, '1s') },
      {
        does: 'polls many videos',
        async act(sim) {
          const ids = [
            await createVideo(sim, 'a fox'),
            await createVideo(sim, 'a bear'),
            await createVideo(sim, 'an owl'),
          ]
          for (let round = 0; round < 6; round++) {
            sim.clock.advance('1s')
            for (const id of ids) await (await get(sim, `/v1/videos/${id}`)).text()
          }
        },
      },
      {
        does: 'polls without a pause in auto, where nobody waits',
        with: { clock: 'auto' },
        act: pollsVideo(6, '0s'),
      },
      {
        does: 'waits in real time while nobody moves the clock',
        with: { wallClock: stepping(1000) },
        act: pollsVideo(6, '0s'),
      },
    ],
  },
  {
    id: 'polled-after-end',
    bad: [
      {
        does: 'does not stop at `completed`',
        act: pollsVideo(5, '30s'),
        calls: [2, 3, 4, 5],
        says: ['video', 'success'],
      },
      {
        does: 'waits for `completed` while the video has failed',
        with: videosThat({ failAt: 60 }),
        act: pollsVideo(4, '60s'),
        calls: [1, 2, 3, 4],
        says: ['failure'],
      },
      {
        does: 'does not stop at status 2 of an image job, in auto',
        with: { clock: 'auto' },
        act: async (sim) => poll(sim, `/v1/tob/job/${await createImageJob(sim)}`, 6, '0s'),
        calls: [3, 4, 5, 6],
        says: ['image job'],
      },
      {
        does: 'does not stop at `done` of an operation',
        act: pollsOperation(4, '60s'),
        calls: [1, 2, 3, 4],
        says: ['operation', 'success'],
      },
    ],
    good: [
      { does: 'looks twice more', act: pollsVideo(3, '60s') },
      {
        does: 'looks again before each download',
        async act(sim) {
          const id = await completedVideo(sim)
          for (let count = 0; count < 5; count++) {
            await (await get(sim, `/v1/videos/${id}`)).text()
            await (await get(sim, `/v1/videos/${id}/content`)).arrayBuffer()
          }
        },
      },
      { does: 'polls a job that does not end', with: videosThat('stuck'), act: pollsVideo(5, '60s') },
    ],
  },
  {
    id: 'never-fetched-result',
    bad: [
      {
        does: 'sees the video completed and goes away',
        act: completedVideo,
        calls: [1],
        says: ['never downloaded'],
      },
      {
        does: 'sees it completed in the list and goes away',
        async act(sim) {
          await createVideo(sim)
          sim.clock.advance('60s')
          await (await get(sim, '/v1/videos')).text()
        },
        calls: [1],
        says: ['never downloaded'],
      },
    ],
    good: [
      { does: 'downloads it', act: readsContent() },
      {
        does: 'remixes it',
        act: async (sim) =>
          void (await post(sim, `/v1/videos/${await completedVideo(sim)}/remix`, { prompt: 'at night' })),
      },
      {
        does: 'deletes it',
        act: async (sim) =>
          void (await sim.fetch(`http://gateway.test/v1/videos/${await completedVideo(sim)}`, {
            method: 'DELETE',
            headers: bearer('sk-test'),
          })),
      },
      { does: 'has not seen the end yet', act: pollsVideo(3, '5s') },
      { does: 'sees a video fail', with: videosThat({ failAt: 60 }), act: completedVideo },
    ],
  },
  {
    id: 'fetched-after-expiry',
    bad: [
      {
        does: 'downloads a video a day too late',
        act: readsContent('25h'),
        calls: [2],
        says: ['content of the video', '404'],
      },
      {
        does: 'reads the address of an image after an hour',
        act: readsImage('61m'),
        calls: [1],
        says: ['image', '403'],
      },
    ],
    good: [
      { does: 'reads both in time', act: inTurn(readsImage('59m'), readsContent()) },
      {
        does: 'tries before the video is finished',
        act: async (sim) =>
          void (await (await get(sim, `/v1/videos/${await createVideo(sim)}/content`)).text()),
      },
    ],
  },
  {
    id: 'trusted-cut-stream',
    bad: [
      {
        does: 'goes on with half an answer of chat',
        with: brokenStream('chat.create'),
        act: goesOnWith(async (sim) => said(await streamed(sim))),
        calls: [0, 1],
        says: ['messages[1]'],
      },
      {
        does: 'takes a stream without an end marker for whole',
        with: {
          ...onlyOnce('chat.create', {
            stream: { script: [{ text: 'This is where the story' }, { fault: 'disconnect' }] },
          }),
          clock: 'auto',
        },
        act: goesOnWith(async (sim) => [{ type: 'text', text: await said(await streamed(sim)) }]),
        calls: [0, 1],
        says: ['(23 characters)'],
      },
      {
        does: 'goes on with half a message',
        with: brokenStream('messages.create'),
        async act(sim) {
          const content = await said(await message(sim, story, true))
          await message(sim, [...story, { role: 'assistant', content }, andNow])
        },
        calls: [0, 1],
        says: ['messages[1]'],
      },
    ],
    good: [
      {
        does: 'says the same few characters in another conversation',
        with: { clock: 'auto' },
        act: goesOnWith(async (sim) => said(await streamed(sim, 'sim-disconnect-after-2'))),
      },
      ...[true, false].map(
        (stream): Client => ({
          does: `asks again after a cut, and gets the same, whole, ${stream ? 'as a stream' : 'in a chunk'}`,
          with: {
            ...scenario(
              {
                when: { operation: 'chat.create', nth: 1 },
                then: { stream: { script: [{ text: 'Yes' }, { fault: 'disconnect' }] } },
              },
              { when: { operation: 'chat.create' }, then: { text: 'Yes' } },
            ),
            clock: 'auto',
          },
          act: inTurn(
            askFor,
            asks({ messages: story, stream }),
            goesOnWith(async () => 'Yes', story),
          ),
        }),
      ),
      {
        does: 'goes on with a whole answer',
        with: { clock: 'auto' },
        act: goesOnWith(async (sim) => said(await streamed(sim))),
      },
      {
        does: 'asks again',
        with: brokenStream('chat.create'),
        act: async (sim) => void (await said(await streamed(sim)), await said(await streamed(sim))),
      },
      {
        does: 'says that the answer was interrupted',
        with: brokenStream('chat.create'),
        act: goesOnWith(async (sim) => said(await streamed(sim)), chat.messages, {
          role: 'user',
          content: 'You were interrupted. Continue where you left off.',
        }),
      },
      {
        does: 'lets the model go on from the beginning that it has',
        with: brokenStream('messages.create'),
        async act(sim) {
          const content = await said(await message(sim, story, true))
          await message(sim, [...story, { role: 'assistant', content }])
        },
      },
      {
        does: 'keeps what a user has stopped',
        act: goesOnWith(async (sim) => beginningOf(await streamed(sim), sim)),
      },
    ],
  },
  {
    id: 'repeated-partial-text',
    bad: [
      {
        does: 'appends the whole answer of the retry to half of the first',
        with: brokenStream('chat.create'),
        act: goesOnWith(async (sim) => `${await askFor(sim)} ${await askFor(sim)}`, story),
        calls: [0, 1, 2],
        says: ['messages[1]', 'complete response'],
      },
      {
        does: 'appends the answer of another model',
        with: brokenStream('chat.create'),
        act: goesOnWith(async (sim) => (await askFor(sim)) + (await askFor(sim, 'gpt-4o-mini')), story),
        calls: [0, 1, 2],
        says: ['messages[1]'],
      },
    ],
    good: [
      {
        does: 'goes on with the answer of the retry alone',
        with: brokenStream('chat.create'),
        act: goesOnWith(async (sim) => (await askFor(sim), askFor(sim)), story),
      },
      {
        does: 'appends the rest that it has asked for',
        with: brokenStream('messages.create'),
        async act(sim) {
          const begun = await said(await message(sim, story, true))
          const rest = await said(await message(sim, [...story, { role: 'assistant', content: begun }], true))
          const content = begun + rest
          await message(sim, [...story, { role: 'assistant', content }, andNow])
        },
      },
    ],
  },
  {
    id: 'fell-back-after-content',
    bad: [
      {
        does: 'asks another model',
        with: brokenStream('chat.create'),
        act: inTurn(askFor, (sim) => askFor(sim, 'gpt-4o-mini')),
        calls: [0, 1],
        says: ['gpt-4o (chat.create)', 'gpt-4o-mini (chat.create)', 'characters of text'],
      },
      {
        does: 'asks another API, with a system prompt',
        with: brokenStream('chat.create'),
        act: inTurn(askFor, (sim) => message(sim, story)),
        calls: [0, 1],
        says: ['(messages.create)'],
      },
    ],
    good: [
      {
        does: 'falls back before the first text',
        with: {
          ...onlyOnce('chat.create', { fault: { kind: 'disconnect', afterEvents: 0 } }),
          clock: 'auto',
        },
        act: inTurn(askFor, (sim) => askFor(sim, 'gpt-4o-mini')),
      },
      {
        does: 'tries again, and asks another model later',
        with: brokenStream('chat.create'),
        act: inTurn(askFor, askFor, (sim) => askFor(sim, 'gpt-4o-mini')),
      },
      {
        does: 'asks another model something else',
        with: brokenStream('chat.create'),
        act: inTurn(askFor, (sim) => post(sim, completions, { ...chat, model: 'gpt-4o-mini' })),
      },
      {
        does: 'asks several models at once, and only one of them fails',
        with: onlyOnce('chat.create', { fault: { kind: 'error-event', afterEvents: 5 } }),
        async act(sim) {
          const both = Promise.all([askFor(sim), askFor(sim, 'gpt-4o-mini')])
          while (sim.journal().length < 2) await new Promise((resolve) => setImmediate(resolve))
          sim.clock.advance('1m')
          await both
        },
      },
      {
        does: 'compares two models',
        with: { clock: 'auto' },
        act: inTurn(askFor, (sim) => askFor(sim, 'gpt-4o-mini')),
      },
    ],
  },
  {
    id: 'stream-cut-short',
    bad: [
      {
        does: 'leaves after a few events',
        act: async (sim) => beginningOf(await streamed(sim), sim),
        calls: [0],
        says: ['chat.create', 'events'],
      },
    ],
    good: [
      { does: 'reads to the end', with: { clock: 'auto' }, act: async (sim) => said(await streamed(sim)) },
      {
        does: 'leaves a stream that stalls',
        with: onlyOnce('chat.create', { fault: { kind: 'stall', afterEvents: 2 } }),
        act: async (sim) => beginningOf(await streamed(sim), sim),
      },
    ],
  },
  {
    id: 'stream-left-open',
    bad: [
      {
        does: 'opens a stream and forgets it',
        act: async (sim) => streamed(sim),
        calls: [0],
        says: ['chat.create', '0 events'],
      },
    ],
    good: [
      {
        does: 'reads it while time passes',
        async act(sim) {
          const response = await streamed(sim)
          sim.clock.advance('5m')
          await response.text()
        },
      },
      { does: 'leaves it', act: async (sim) => (await streamed(sim)).body?.cancel() },
      { does: 'waits in real time', with: { clock: 'real' }, act: async (sim) => streamed(sim) },
    ],
  },
  {
    id: 'credentials-to-signed-url',
    bad: (['authorization', 'x-api-key', 'x-goog-api-key'] as const).map((name) => ({
      does: `sends its key as ${name}`,
      act: async (sim: Simulator) =>
        sim.fetch(await uploadTarget(sim), {
          method: 'PUT',
          body: 'bytes',
          headers: {
            [name]: name === 'authorization' ? 'Bearer sk-secret-of-the-team' : 'sk-secret-of-the-team',
          },
        }),
      calls: [1],
      says: [name],
    })),
    good: [
      {
        does: 'sends the bytes alone',
        act: async (sim) => sim.fetch(await uploadTarget(sim), { method: 'PUT', body: 'bytes' }),
      },
    ],
  },
  {
    id: 'other-key-than-source',
    bad: (['variation', 'pan'] as const).map((operation) => ({
      does: `starts a ${operation} with another key`,
      async act(sim: Simulator) {
        const jobId = await createImageJob(sim, bearer('sk-alice-of-the-team'))
        sim.clock.advance('60s')
        const more = operation === 'variation' ? { type: 0 } : { direction: 0, scale: 1.5 }
        await post(
          sim,
          `/v1/tob/${operation}`,
          { jobId, imageNo: 0, remixPrompt: 'at night', ...more },
          bearer('sk-bob-of-the-team'),
        )
      },
      calls: [1],
      says: [`imageJobs.${operation}`, 'caller'],
    })),
    good: [
      {
        does: 'goes on with the key of the source',
        async act(sim) {
          const jobId = await createImageJob(sim)
          sim.clock.advance('60s')
          await post(sim, '/v1/tob/variation', { jobId, imageNo: 0, type: 0, remixPrompt: 'at night' })
        },
      },
      {
        does: 'uses two keys for two jobs',
        act: async (sim) =>
          void (await createImageJob(sim, bearer('sk-alice')), await createImageJob(sim, bearer('sk-bob'))),
      },
    ],
  },
  {
    id: 'sent-callback',
    bad: [
      {
        does: 'asks to be called back',
        act: (sim) => post(sim, '/v1/tob/retexture', { ...edit, callback: 'https://client.test/hook' }),
        calls: [0],
        says: ['imageJobs.retexture', '400'],
      },
    ],
    good: [{ does: 'asks for none', act: createImageJob }],
  },
  {
    id: 'ignored-field',
    bad: [
      {
        does: 'misspells a field of chat',
        act: asks({ max_completion_token: 5 }),
        calls: [0],
        says: ['max_completion_token', '`max_completion_tokens`'],
      },
      {
        does: 'sends videos a webhook',
        act: (sim) => post(sim, '/v1/videos', { prompt: 'a fox', webhook_url: 'https://client.test' }),
        calls: [0],
        says: ['videos.create', 'webhook_url'],
      },
      {
        does: 'sends an unknown part of a form',
        act(sim) {
          const form = new FormData()
          form.set('prompt', 'a fox')
          form.set('colour', 'red')
          return sim.fetch('http://gateway.test/v1/videos', {
            method: 'POST',
            headers: bearer('sk-test'),
            body: form,
          })
        },
        calls: [0],
        says: ['videos.create', 'colour'],
      },
    ],
    good: [
      { does: 'sends what is known', act: asks({ seed: 1, metadata: { any: 'thing' }, store: null }) },
      {
        does: 'is rejected for it',
        with: { settings: { chat: { unknownParameters: 'reject' } } },
        act: asks({ colour: 'red' }),
      },
    ],
  },
  {
    id: 'temperature-and-top-p',
    bad: [
      {
        does: 'adjusts both',
        act: asks({ temperature: 0.2, top_p: 0.9 }),
        calls: [0],
        says: ['temperature: 0.2', 'top_p: 0.9'],
      },
    ],
    good: [
      { does: 'adjusts one', act: inTurn(asks({ temperature: 0.2 }), asks({ top_p: 0.9 })) },
      { does: 'writes the default of the other', act: asks({ temperature: 0.2, top_p: 1 }) },
    ],
  },
  {
    id: 'deprecated-parameter',
    bad: (
      [
        ['max_tokens', { max_tokens: 5 }, 'max_completion_tokens'],
        ['user', { user: 'someone' }, 'safety_identifier'],
        ['functions', { functions: [{ name: 'look' }] }, 'tools'],
        ['function_call', { functions: [{ name: 'look' }], function_call: 'auto' }, 'tool_choice'],
      ] as const
    ).map(([name, more, successor]) => ({
      does: `uses \`${name}\``,
      act: asks(more),
      calls: [0],
      says: [name, successor],
    })),
    good: [
      {
        does: 'uses what replaces them',
        act: asks({ max_completion_tokens: 50, safety_identifier: 'a', max_tokens: null, user: null }),
      },
      {
        does: 'limits a message, where that is required',
        act: (sim) => message(sim, [{ role: 'user', content: 'Hi' }]),
      },
    ],
  },
]

/** A wall clock that moves by so many milliseconds whenever it is read. */
function stepping(ms: number): () => number {
  let now = 1_767_225_600_000
  return () => (now += ms)
}

describe.each(cases)('$id', ({ id, bad, good }) => {
  it.each(bad)('is found when a client $does', async ({ with: options, act, calls, says, advice }) => {
    const sim = simulator(options)
    await act(sim)
    const finding = sim.clientReport().findings.find((one) => one.code === id)
    const journal = sim.journal()
    expect(finding?.evidence).toEqual(
      calls.map((seq) => {
        const { requestId, rule } = (journal[seq] as JournalEntry).cause
        return { seq, requestId, rule }
      }),
    )
    for (const word of says) expect(finding?.message).toContain(word)
    expect(JSON.stringify(finding)).not.toMatch(/sk-(?:secret|alice|bob)-of-the-team/)
    const kind = clientCodes[id]
    expect(finding).toMatchObject({
      severity: kind.severity,
      docs: `node_modules/gateway-sim/docs/reference/findings.md#${id}`,
      remedy: advice === undefined ? kind.remedy : expect.stringContaining(advice),
    })
  })

  it.each(good)('is not found when a client $does', async ({ with: options, act }) => {
    const sim = simulator(options)
    await act(sim)
    expect(sim.journal().length).toBeGreaterThan(0)
    expect(found(sim.clientReport())).not.toContain(id)
  })
})

it('every finding has clients of both kinds here', () => {
  const both = cases.filter(({ bad, good }) => bad.length > 0 && good.length > 0)
  expect(both.map(({ id }) => id).sort()).toEqual([...findingCodes].sort())
})

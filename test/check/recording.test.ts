/** Judging a recording offline. Violations, one by one: `planted.thorough.test.ts`. */
import { describe, expect, it } from 'vitest'
import { type Exchange, textBody } from '../../src/exchange/exchange.ts'
import { checkRecording } from '../../src/run/judge-recording.ts'
import { flat } from './_checking.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'
import { walk } from './gateway/walk.ts'

const check = (exchanges: readonly Exchange[]) => checkRecording(exchanges, 'calls.har')
const recorded = await walk(createGateway())
const at = (path: string): Exchange =>
  recorded.find(({ request }) => new URL(request.url).pathname === path) as Exchange

describe('a recording of a gateway that keeps the contract', () => {
  it('shows nothing', async () => {
    const { violations: found, checked } = await check(recorded)
    expect(found).toEqual([])
    expect(checked.length).toBeGreaterThan(50)
  })

  it('shows what the client did wrong apart', async () => {
    const { clientErrors } = await check(recorded)
    expect(clientErrors?.map(({ operation, errors }) => `${operation} ${errors[0]?.split(':')[0]}`)).toEqual([
      'chat.create n',
      'chat.create messages',
      'imageJobs.retexture remixPrompt',
      'imageJobs.retexture callback',
    ])
  })

  it('may stand under a path of its own', async () => {
    const chat = at('/v1/chat/completions')
    const url = chat.request.url.replace('/v1/', '/ai/v1/')
    const { checked } = await check([{ ...chat, request: { ...chat.request, url } }])
    expect(checked).toHaveLength(1)
  })
})

describe('what is not judged', () => {
  it('is told with the reason', async () => {
    const chat = at('/v1/chat/completions')
    const { skipped, violations: found } = await check([
      { ...chat, response: undefined, ended: 'disconnected' },
      {
        ...chat,
        response: {
          ...(chat.response as NonNullable<typeof chat.response>),
          body: { size: 9, isComplete: false },
        },
      },
      { ...chat, request: { ...chat.request, url: 'http://gateway.test/favicon.ico' } },
    ])
    expect(found).toEqual([])
    expect(skipped.map(({ reason }) => reason).toSorted()).toEqual([
      'no response',
      'not an operation in the contract',
      'the response body was not recorded',
    ])
  })

  it('is a response that the client broke off; one that the gateway broke off is', async () => {
    const chat = at('/v1/chat/completions')
    const half = { ...(chat.response as NonNullable<typeof chat.response>), body: textBody('{') }
    const of = async (ended: 'aborted' | 'disconnected') =>
      (await check([{ ...chat, response: half, ended }])).violations.map(({ args }) => args.got)
    expect(await of('aborted')).toEqual([])
    expect(await of('disconnected')).toEqual(['1 bytes before the connection broke'])
  })

  it('is what was taken out', async () => {
    const chat = at('/v1/chat/completions')
    const response = chat.response as NonNullable<typeof chat.response>
    const body = (response.body?.text ?? '').replace('"chat.completion"', '"redacted"')
    const changed = { ...chat, response: { ...response, body: textBody(body) } }
    expect((await check([changed])).violations).toHaveLength(1)
    expect((await check([{ ...changed, redacted: ['response:/object'] }])).violations).toEqual([])
  })
})

it('what several operations show for one cause is one finding that names them', async () => {
  const change = violations['error without message'] as (typeof violations)[string]
  const { violations: found } = await check(await walk(createGateway({ change }), ['chats', 'jobs']))
  expect(found.map((one) => [flat(one).pointer, one.operations.length])).toEqual([['/error/message', 3]])
})

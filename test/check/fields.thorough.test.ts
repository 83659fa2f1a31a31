/**
 * Fields of each response, others with each seed, wrong in a way that they can be wrong: found once, whoever
 * sends it.
 */

import { describe, expect, it } from 'vitest'
import { serviceGroups } from '../../src/endpoints/registry.ts'
import { bytesOf, type Exchange, type ExchangeResponse, textBody } from '../../src/exchange/exchange.ts'
import { createJudge } from '../../src/judges/contract/judge-exchange.ts'
import { envelopeSchema } from '../../src/judges/contract/judge-response.ts'
import { eventsOf } from '../../src/judges/judged-calls.ts'
import { typedReading } from '../../src/protocol/contract-reading.ts'
import { createRouter, type Route } from '../../src/protocol/router.ts'
import { findingsOf } from '../../src/run/check-findings.ts'
import { judgeRecording } from '../../src/run/judge-recording.ts'
import { some } from '../_counts.ts'
import { simulator } from '../_setup.ts'
import { flat } from './_checking.ts'
import { type FieldViolation, fieldViolations, placesIn } from './gateway/fields.ts'
import { createGateway, type Gateway } from './gateway/gateway.ts'
import { partNames, walk } from './gateway/walk.ts'

/**
 * What may be missing: the contract lists it, and no typed client needs it. By group, and for all refusals.
 */
const mayBeMissing: Readonly<Record<string, readonly string[]>> = {
  refusal: ['/error/details', '/error/details/*/field', '/error/type', '/error/param'],
  // The contract has it in refusals of image jobs.
  ...Object.fromEntries(
    ['chat', 'messages', 'images', 'videos', 'video-operations', 'files', 'systemone'].map((group) => [
      `${group} refusal`,
      ['/error/trace_id'],
    ]),
  ),
  chat: [
    '/service_tier',
    '/usage/prompt_tokens_details',
    '/usage/completion_tokens_details',
    '/choices/*/logprobs/content/*/bytes',
    '/choices/*/logprobs/content/*/top_logprobs/*/bytes',
    '/choices/*/message/annotations',
    '/choices/*/message/audio',
    '/choices/*/delta/annotations',
    '/choices/*/delta/audio',
  ],
  // The contract shows no events.
  'chat stream': ['/choices/*/logprobs', '/system_fingerprint'],
  messages: ['/type', '/request_id'],
  // Of the newest model alone.
  images: ['/background', '/output_format', '/quality', '/size'],
  'image-jobs': ['/text', '/audits', '/seed', '/cost'],
  // An item has `uri` or `videoBytes`: `videosAreThere`.
  'video-operations': [
    '/metadata',
    '/response/generateVideoResponse',
    '/response/videos',
    ...['uri', 'videoBytes', 'mimeType', 'createTime'].map((name) => `/response/generatedVideos/*/${name}`),
  ],
  systemone: ['/answers/*/type'],
}

/** What neither gateway shows on the walk. */
const notShown = [
  ...places('chat body', [
    ...['refusal', 'reasoning_content', 'annotations/*'].map((name) => `/choices/*/message/${name}`),
    ...['/choices/*/message/tool_calls/*/custom', '/choices/*/logprobs/refusal'],
  ]),
  ...places('chat stream', [
    ...['/choices/*/delta/refusal', '/choices/*/delta/reasoning_content'],
    ...['delta/tool_calls/*/custom', 'delta/annotations', 'logprobs/refusal'].map((at) => `/choices/*/${at}`),
  ]),
  'chat refusal /error/job_id',
  ...places('messages body', [
    ...['/content/*/input/*', '/content/*/thinking', '/content/*/signature', '/content/*/data'],
    ...['/usage/cache_creation_input_tokens', '/usage/cache_read_input_tokens'],
  ]),
  ...places('messages stream', [
    ...['/message/content/*', '/message/stop_reason', '/message/stop_sequence'],
    ...['/message/usage/cache_creation_input_tokens', '/message/usage/cache_read_input_tokens'],
    ...['/content_block/thinking', '/content_block/signature', '/content_block/data'],
    ...['/delta/thinking', '/delta/signature', '/delta/citation', '/delta/stop_sequence'],
  ]),
  ...['images body /data/*/revised_prompt', 'image-jobs refusal /error/job_id'],
  ...places('videos refusal', ['/error/details/*', '/error/job_id']),
  ...places('video-operations body', ['/error/details', '/response/@type']),
  ...places('systemone body', ['/answers/*/legend/*/*', '/cost']),
]

function places(form: string, pointers: readonly string[]): string[] {
  return pointers.map((pointer) => `${form} ${pointer}`)
}

const lives = ['jobs', 'videos', 'operations']

const router = createRouter(serviceGroups)

/** The simulator, as a gateway that the walk can be taken through. */
function own(): Gateway {
  const sim = simulator({ clock: 'auto' })
  return {
    baseUrl: 'http://gateway.test',
    apiKey: 'sk-check',
    fetch: (input, init) => sim.fetch(input as Request, init),
    listen: () => Promise.reject(new Error('in process')),
  }
}

/** The responses of an operation that are of one form. */
interface Responses {
  readonly route: Route
  readonly form: 'body' | 'stream' | 'refusal'
  readonly schema: Parameters<typeof typedReading>[0]
  readonly exchanges: Exchange[]
}

function responsesIn(exchanges: readonly Exchange[]): Responses[] {
  const found = new Map<string, Responses>()
  for (const exchange of exchanges) {
    const match = router.match(exchange.request.method, new URL(exchange.request.url).pathname)
    if (match.kind !== 'found' || match.route.endpoint.extension !== undefined) continue
    const { route } = match
    const type = exchange.response?.headers.find(([name]) => name === 'content-type')?.[1] ?? ''
    if (!/^(?:application\/json|text\/event-stream)/.test(type)) continue
    const form =
      (exchange.response?.status ?? 0) >= 400 ? 'refusal' : type.startsWith('text') ? 'stream' : 'body'
    const { response, event } = route.endpoint
    const schema = { body: response?.(), stream: event?.(), refusal: envelopeSchema(route.group.name) }[form]
    if (schema === undefined) continue
    const key = `${route.endpoint.operation} ${form}`
    const known = found.get(key) ?? { route, form, schema: typedReading(schema), exchanges: [] }
    known.exchanges.push(exchange)
    found.set(key, known)
  }
  return [...found.values()]
}

const textOf = ({ response }: Exchange): string => new TextDecoder().decode(bytesOf(response?.body))

const bodiesOf = ({ form, exchanges }: Responses): unknown[] =>
  exchanges.flatMap((exchange) =>
    form === 'stream'
      ? (eventsOf(exchange.response as ExchangeResponse) ?? []).flatMap(({ data }) =>
          data === '[DONE]' ? [] : [JSON.parse(data)],
        )
      : [JSON.parse(textOf(exchange))],
  )

function planted({ form, exchanges }: Responses, { change }: FieldViolation) {
  const changed = (text: string): string => JSON.stringify(change(JSON.parse(text)))
  return new Map(
    exchanges.flatMap((exchange): [Exchange, Exchange][] => {
      const body =
        form === 'stream'
          ? textOf(exchange).replace(/^data: (\{.*)$/gm, (_, data: string) => `data: ${changed(data)}`)
          : changed(textOf(exchange))
      const response = { ...exchange.response, body: textBody(body) } as Exchange['response']
      return body === textOf(exchange) ? [] : [[exchange, { ...exchange, response }]]
    }),
  )
}

const isSpare = ({ route, form }: Responses, { place, how }: FieldViolation): boolean =>
  how === 'dropped' &&
  [form, route.group.name, `${route.group.name} ${form}`]
    .flatMap((key) => mayBeMissing[key] ?? [])
    .some((spare) => place === spare || place.startsWith(`${spare}/`))

const gateways = [['the gateway of the tests', createGateway] as const, ['the simulator', own] as const]

describe.each(gateways)('%s', (_name, create) => {
  const judge = createJudge()
  it.each(partNames)('%s', async (part) => {
    const exchanges = await walk(create(), [part])
    const found = async (recorded: readonly Exchange[]) =>
      findingsOf((await judgeRecording(recorded, judge)).seen)
        .filter(({ severity }) => severity !== 'hint')
        .map(flat)
        .map(({ where, pointer, expected, got }) => `${where}${pointer}: expected ${expected}, got ${got}`)
    expect(await found(exchanges)).toEqual([])
    const wrong: string[] = []
    for (const responses of responsesIn(exchanges))
      for (const violation of some(fieldViolations(bodiesOf(responses), responses.schema))) {
        const changed = planted(responses, violation)
        // A life is judged with all its polls; other calls stand alone.
        const seen = await found(
          lives.includes(part) ? exchanges.map((one) => changed.get(one) ?? one) : [...changed.values()],
        )
        const { route, form } = responses
        if (seen.length !== 1 && !(seen.length === 0 && isSpare(responses, violation)))
          wrong.push(
            [route.endpoint.operation, form, violation.place, violation.how, seen.join(' | ')].join(' '),
          )
      }
    expect(wrong).toEqual([])
  })
})

it('shows nearly all that the contract names', async () => {
  const exchanges = [...(await walk(createGateway())), ...(await walk(own()))]
  const [named, shown] = [new Set<string>(), new Set<string>()]
  for (const responses of responsesIn(exchanges)) {
    const inGroup = (place: string): string => `${responses.route.group.name} ${responses.form} ${place}`
    for (const place of placesIn(responses.schema)) named.add(inGroup(place))
    for (const { place } of fieldViolations(bodiesOf(responses), responses.schema)) shown.add(inGroup(place))
  }
  const missing = [...named].filter((place) => !shown.has(place))
  expect(missing.filter((place) => !missing.some((other) => place.startsWith(`${other}/`)))).toEqual(notShown)
})

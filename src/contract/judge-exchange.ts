/** Judges one exchange by all that the contract says of it: the shape of its reply, and what was asked. */
import { isFields } from '../engine/fields.ts'
import type { Route } from '../protocol/router.ts'
import type { Deviation } from './deviation.ts'
import { judgeAnswer } from './judge-answer.ts'
import { createJudge, type JudgedReply } from './judge-reply.ts'
import { judgeStream } from './judge-stream.ts'
import { shown } from './laws/law.ts'
import { readEvents } from './read-events.ts'

/** One exchange, received as far as it came. */
export interface JudgedExchange {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  readonly method: string
  /** The parsed body of the request; of a form, its text fields. */
  readonly request: unknown
  readonly reply: JudgedReply
  /** Whether the reply came to its end, or who broke it off; whole unless given. */
  readonly ended?: 'complete' | 'client' | 'gateway'
}

/** The JSON of a body, undefined where it is none. */
function bodyJson({ body }: JudgedReply): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as unknown
  } catch {
    return undefined
  }
}

/** A judge of exchanges. It derives what the contract says once: keep it for as long as you judge. */
export function createExchangeJudge(): (exchange: JudgedExchange) => Deviation[] {
  const judgeReply = createJudge()
  return (exchange) => {
    const { route, method, request, reply, ended = 'complete' } = exchange
    const callback = callbackTaken(exchange)
    if (callback !== undefined) return [callback]
    const isStream = /^text\/event-stream\b/i.test(reply.headers.get('content-type') ?? '')
    // A body that was cut off says nothing of its shape.
    if (ended !== 'complete' && !isStream) return ended === 'client' ? [] : [brokenOff(exchange)]
    const events = isStream ? readEvents(reply.body) : undefined
    const shape = judgeReply(route, { ...reply, events }, { method, streams: asksForStream(request) })
    if (reply.status >= 400) return [...shape, ...wrongCallbackCode(exchange)]
    const asked = { params: exchange.params, request }
    const laws =
      events !== undefined && route.endpoint.event !== undefined
        ? judgeStream(route, { request, events, ended })
        : judgeAnswer(route, asked, bodyJson(reply))
    return [...shape, ...laws.filter((law) => !isKnown(law, shape) && !isRedacted(law, reply))]
  }
}

const asksForStream = (request: unknown): boolean =>
  isFields(request) && (request['stream'] === true || request['stream'] === 'true')

/** Whether the shape of the same place is wrong already: then a law over it says nothing new. */
function isKnown({ pointer }: Deviation, shape: readonly Deviation[]): boolean {
  const place = general(pointer)
  return shape.some((other) => {
    if (other.severity === 'addition') return false
    const known = general(other.pointer)
    return known === place || (place !== '' && known !== '' && isAtOrBelow(known, place))
  })
}

const general = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, '/*')

const isAtOrBelow = (pointer: string, place: string): boolean =>
  pointer.startsWith(`${place}/`) || place.startsWith(`${pointer}/`)

const isRedacted = ({ pointer }: Deviation, { redacted = [] }: JudgedReply): boolean =>
  pointer !== '' && redacted.some((place) => pointer === place || pointer.startsWith(`${place}/`))

function brokenOff({ route, reply }: JudgedExchange): Deviation {
  return {
    operation: route.endpoint.operation,
    section: 'contract 1',
    where: 'body',
    pointer: '',
    kind: 'format',
    severity: 'breaking',
    expected: 'a whole body',
    got: `${reply.body.length} bytes, and then the connection broke`,
  }
}

const sendsCallback = ({ route, request }: JudgedExchange): boolean =>
  route.endpoint.submits?.refusesCallback === true && isFields(request) && 'callback' in request

/** A submission with a `callback` that was not refused (contract 4.1). */
function callbackTaken(exchange: JudgedExchange): Deviation | undefined {
  const { route, reply } = exchange
  if (reply.status >= 400 || !sendsCallback(exchange)) return undefined
  return {
    operation: route.endpoint.operation,
    section: 'contract 4.1',
    where: 'status',
    pointer: '',
    kind: 'status',
    severity: 'breaking',
    expected: '400 with code 2004 for a `callback`',
    got: String(reply.status),
  }
}

function wrongCallbackCode(exchange: JudgedExchange): Deviation[] {
  const { route, reply } = exchange
  if (reply.status !== 400 || !sendsCallback(exchange)) return []
  const body = bodyJson(reply)
  const code = isFields(body) && isFields(body['error']) ? body['error']['code'] : undefined
  if (code === 2004 || typeof code !== 'number') return []
  return [
    {
      operation: route.endpoint.operation,
      section: 'contract 4.1',
      where: 'body',
      pointer: '/error/code',
      kind: 'value',
      severity: 'breaking',
      expected: '2004 for a `callback`',
      got: shown(code),
    },
  ]
}

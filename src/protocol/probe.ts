/**
 * The probes of `gateway-sim check`, as data next to the endpoints: the request, the statement of the
 * contract that its response must meet, and the cost.
 */
import type { Endpoint } from './endpoint.ts'

/** An image for probes: a square PNG of 128 pixels. */
const halfTransparent =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAAAu0lEQVR42u3SQQ0AQAgDQXSiCWHn6hABP2aSNdA0AgAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYy3pfd3MABzCCA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5ABy' +
  'ADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB' +
  '5AByADmAVmoZ7KT8TPZZfAAAAABJRU5ErkJggg=='

/** Its upper half is transparent. */
export const probeImage: ProbeFile = {
  filename: 'probe.png',
  contentType: 'image/png',
  base64: halfTransparent,
}

/** `none`: the gateway must reject it. `little`: some tokens. `all`: images, jobs and videos. */
export type Spend = 'none' | 'little' | 'all'

/** A value from the last response to an earlier probe. */
export interface FromResponse {
  /** The name of a probe, or several names: the first one with a response. */
  readonly $from: string | readonly string[]
  /** A JSON pointer into the body. */
  readonly pointer: string
  /** Extracts the first group of this pattern. */
  readonly part?: RegExp
  /** The default if there is no such part. */
  readonly otherwise?: string
}

/** The model of the group, from the command line. */
export interface TheModel {
  readonly $model: true
}

/** A JSON value with references to earlier responses. */
export type ProbeValue =
  | string
  | number
  | boolean
  | null
  | FromResponse
  | TheModel
  | readonly ProbeValue[]
  | { readonly [name: string]: ProbeValue }

export interface ProbeFile {
  readonly filename: string
  readonly contentType: string
  readonly base64: string
}

export interface ProbeRequest {
  readonly params?: Readonly<Record<string, ProbeValue>> | undefined
  readonly json?: ProbeValue
  readonly form?: readonly (readonly [name: string, value: ProbeValue | ProbeFile])[]
  /** The body as it is. */
  readonly file?: ProbeFile
  /** False: it has no API key. */
  readonly key?: false
  /** False: it lacks the other headers of the group's clients. */
  readonly clientHeaders?: false
  /** A URL from a response outside the gateway's paths; it gets no API key. */
  readonly to?: FromResponse
  /** The method, from a response. */
  readonly method?: FromResponse
  /** A probe that must succeed first, besides those whose responses are used. */
  readonly after?: string | undefined
}

/**
 * A statement of the contract about one request. Statements about all requests are invariants
 * (`invariants.ts`).
 */
export interface ProbeExpectation {
  /** `rejected`: 400 to 499. `invalid`: the same except 404 and 405, which mean a missing operation. */
  readonly status: 'rejected' | 'invalid' | readonly number[]
}

/** Repeated until the value at the pointer is one of `until`. */
export interface Polling {
  readonly pointer: string
  readonly until: readonly unknown[]
  /** The values of success, which later probes need. */
  readonly succeeded: { readonly pointer: string; readonly is?: readonly unknown[] }
}

export interface Probe {
  /** A unique name, which starts a sentence: `a chat without an API key`. */
  readonly name: string
  readonly endpoint: Endpoint
  /** The statement, as quoted from the contract. */
  readonly states: string
  readonly spend: Spend
  readonly request: ProbeRequest
  readonly expect?: ProbeExpectation
  readonly polling?: Polling
  /** Sent only if the last response to that probe has one of these values. */
  readonly while?: { readonly probe: string; readonly pointer: string; readonly is: readonly unknown[] }
  /** Statuses with which the contract allows a rejection: then the probe is skipped with this reason. */
  readonly mayReject?: { readonly status: readonly number[]; readonly because: string }
}

/** The probes of one group. */
export interface ProbeSet {
  /** The name of the group: `image-jobs`. */
  readonly group: string
  /** The default model. */
  readonly model?: string
  /** Headers of every request, besides those of the group's clients. */
  readonly headers?: Readonly<Record<string, string>>
  readonly probes: readonly Probe[]
}

/** A value from the last response to an earlier probe. */
export const from = (probe: string | readonly string[], pointer: string): FromResponse => ({
  $from: probe,
  pointer,
})

export const theModel: TheModel = { $model: true }

/** A case that breaks one statement: its name, the statement, and its changes to a valid body. */
export type RejectedCase = readonly [
  name: string,
  states: string,
  /** Fields to set; undefined removes a field. */
  change: Readonly<Record<string, ProbeValue | undefined>>,
]

/** The shared part of an operation's rejections. */
export interface RejectedBase {
  readonly endpoint: Endpoint
  /** A valid body, as cheap as possible in case a gateway accepts an invalid variant. */
  readonly json: Readonly<Record<string, ProbeValue>>
  readonly params?: Readonly<Record<string, ProbeValue>> | undefined
  readonly spend?: Spend
  /** Default: `invalid`. */
  readonly status?: ProbeExpectation['status']
}

/** A probe for each case. */
export function rejections(base: RejectedBase, cases: readonly RejectedCase[]): Probe[] {
  const { endpoint, json, params, spend = 'none', status = 'invalid' } = base
  return cases.map(([name, states, change]) => ({
    name,
    endpoint,
    states,
    spend,
    request: {
      json: Object.fromEntries(
        // Invalid fields come first, because reports show the start of the body.
        Object.entries({ ...change, ...json, ...change }).flatMap(([field, value]) =>
          value === undefined ? [] : [[field, value] as const],
        ),
      ),
      params,
    },
    expect: { status },
  }))
}

/** A valid case: its name, the statement, its changes to the body, and other differences. */
export type AnsweredCase = readonly [
  name: string,
  states: string,
  change: Readonly<Record<string, ProbeValue>>,
  more?: Partial<Omit<Probe, 'expect'>> & Pick<ProbeRequest, 'after'>,
]

/** A probe for each cheap case with a 200. */
export function answers(
  { endpoint, json }: Pick<RejectedBase, 'endpoint' | 'json'>,
  cases: readonly AnsweredCase[],
): Probe[] {
  return cases.map(([name, states, change, { after, ...more } = {}]) => ({
    name,
    endpoint,
    states,
    spend: 'little',
    request: { json: { ...json, ...change }, after },
    expect: { status: [200] },
    ...more,
  }))
}

/** The same request without an API key. */
export function withoutKey(name: string, endpoint: Endpoint, request: ProbeRequest): Probe {
  return {
    name,
    endpoint,
    states: 'HTTP 401 means authentication failed',
    spend: 'none',
    request: { ...request, key: false },
    expect: { status: [401] },
  }
}

/**
 * The probes of `gateway-sim check`, as data beside the endpoints: what to send, which statement of the
 * contract the answer must hold, and what it costs.
 */
import type { Endpoint } from './endpoint.ts'

/** Images for probes: square PNGs of 128 pixels. */
const halfTransparent =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAAAu0lEQVR42u3SQQ0AQAgDQXSiCWHn6hABP2aSNdA0AgAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYy3pfd3MABzCCA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5ABy' +
  'ADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB' +
  '5AByADmAVmoZ7KT8TPZZfAAAAABJRU5ErkJggg=='

const white =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQAAAADrRVxmAAAAH0lEQVR42mP4jwYYRgVGBUYFRgVGBUYFRgVGBWgrAAAEoPhq' +
  'Tu77DgAAAABJRU5ErkJggg=='

/** Its upper half is transparent. */
export const probeImage: ProbeFile = {
  filename: 'probe.png',
  contentType: 'image/png',
  base64: halfTransparent,
}

/** Nothing in it is transparent. */
export const opaqueImage: ProbeFile = { filename: 'opaque.png', contentType: 'image/png', base64: white }

/** `none`: the gateway must reject it. `little`: some tokens. `all`: images, jobs and videos. */
export type Spend = 'none' | 'little' | 'all'

/** A value from the last response to an earlier probe. */
export interface FromResponse {
  /** The name of the probe, or several: the first that was answered. */
  readonly $from: string | readonly string[]
  /** A JSON pointer into the body. */
  readonly pointer: string
  /** Takes the first group of this pattern out of the text. */
  readonly part?: RegExp
  /** Stands in where there is no such part. */
  readonly otherwise?: string
}

/** The model of the group, which the person who checks names. */
export interface TheModel {
  readonly $model: true
}

/** A JSON value with values in it that are known only when the probe is sent. */
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
  readonly params?: Readonly<Record<string, ProbeValue>>
  readonly json?: ProbeValue
  readonly form?: readonly (readonly [name: string, value: ProbeValue | ProbeFile])[]
  /** The body as it is. */
  readonly file?: ProbeFile
  /** False: it carries no key. */
  readonly key?: false
  /** False: without the headers that clients of the group send beside the key. */
  readonly clientHeaders?: false
  /** The address, from a response, where it is none of the gateway's own paths; it gets no key. */
  readonly to?: FromResponse
  /** The method, from a response. */
  readonly method?: FromResponse
  /** A probe that must have been answered first, beside those whose responses are used. */
  readonly after?: string
}

/** What the contract says about one request. A rule for all such requests is an invariant (src/contract). */
export interface ProbeExpectation {
  /** `rejected`: 400 to 499. `invalid`: the same by an operation that is there, so not 404 or 405. */
  readonly status: 'rejected' | 'invalid' | readonly number[]
  /** The body is this file, byte by byte. */
  readonly file?: ProbeFile
}

/** Asked again until the value at the pointer is one of `until`. */
export interface Polling {
  readonly pointer: string
  readonly until: readonly unknown[]
  /** What shows that it ended well: later probes need that. */
  readonly succeeded: { readonly pointer: string; readonly is?: readonly unknown[] }
}

/** What a probe showed, for `learn`. */
export interface Seen {
  readonly status: number
  /** The parsed JSON of the last response, else undefined. */
  readonly body: unknown
  readonly model: string | undefined
  /** The models of the group that the gateway has, as far as they are known. */
  readonly models: readonly string[]
  /** Of a stream of some length: milliseconds to its first chunk, and between two. */
  readonly pace: { readonly first: number; readonly every: number } | undefined
  /** Milliseconds from the submission to the last poll; 0 for other probes. */
  readonly took: number
}

/** A setting of the simulator by its path, with the value that makes it behave so: `videos.duration`. */
export type Learned = readonly (readonly [setting: string, value: unknown])[]

export interface Probe {
  /** Unique; a sentence's beginning: `a chat without a key`. */
  readonly name: string
  readonly endpoint: Endpoint
  /** As `contract 4.2`. */
  readonly section: string
  /** The statement that it holds, in the words of the section. */
  readonly states: string
  readonly spend: Spend
  readonly request: ProbeRequest
  /** Undefined: whatever comes is right, if its form is; the probe is there to learn something. */
  readonly expect?: ProbeExpectation
  readonly polling?: Polling
  /** It is only sent while the last response to that probe has such a value. */
  readonly while?: { readonly probe: string; readonly pointer: string; readonly is: readonly unknown[] }
  /** The contract lets the gateway reject it with these statuses: then it is not judged, and says why. */
  readonly mayReject?: { readonly status: readonly number[]; readonly because: string }
  /** The settings that make the simulator answer so, where it would not by default. */
  learn?(seen: Seen): Learned
}

/** The probes of one group. */
export interface ProbeSet {
  /** The name of the group: `image-jobs`. */
  readonly group: string
  /** The model that is tried when none is given, and what models of the group are called. */
  readonly model?: { readonly id: string; readonly names: RegExp }
  /** Headers of every call, beside those that clients of the group send. */
  readonly headers?: Readonly<Record<string, string>>
  readonly probes: readonly Probe[]
}

/** A value from the last response to an earlier probe. */
export const from = (probe: string | readonly string[], pointer: string): FromResponse => ({
  $from: probe,
  pointer,
})

export const theModel: TheModel = { $model: true }

/** A case that breaks one statement: its name, the statement, and what it changes in a body that is fine. */
export type RejectedCase = readonly [
  name: string,
  states: string,
  /** Fields to set; undefined takes one out. */
  change: Readonly<Record<string, ProbeValue | undefined>>,
]

/** What the rejections of one operation have in common. */
export interface RejectedBase {
  readonly endpoint: Endpoint
  readonly section: string
  /** A body that is answered, and as cheap as can be, should a gateway take what it must reject. */
  readonly json: Readonly<Record<string, ProbeValue>>
  readonly params?: Readonly<Record<string, ProbeValue>>
  readonly spend?: Spend
  /** `invalid` where it is left out. */
  readonly status?: ProbeExpectation['status']
}

/** A probe for each case. */
export function rejections(base: RejectedBase, cases: readonly RejectedCase[]): Probe[] {
  const { endpoint, section, json, params, spend = 'none', status = 'invalid' } = base
  return cases.map(([name, states, change]) => ({
    name,
    endpoint,
    section,
    states,
    spend,
    request: {
      json: Object.fromEntries(
        // What is wrong stands first, where reports show it.
        Object.entries({ ...change, ...json, ...change }).flatMap(([field, value]) =>
          value === undefined ? [] : [[field, value] as const],
        ),
      ),
      ...(params === undefined ? {} : { params }),
    },
    expect: { status },
  }))
}

/** A case that is answered: its name, the statement, what it changes in the body, and what else differs. */
export type AnsweredCase = readonly [
  name: string,
  states: string,
  change: Readonly<Record<string, ProbeValue>>,
  more?: Partial<Omit<Probe, 'expect'>> & Pick<ProbeRequest, 'after'>,
]

/** A probe for each case that costs little and is answered with 200. */
export function answers(
  { endpoint, section, json }: Pick<RejectedBase, 'endpoint' | 'section' | 'json'>,
  cases: readonly AnsweredCase[],
): Probe[] {
  return cases.map(([name, states, change, { after, ...more } = {}]) => ({
    name,
    endpoint,
    section,
    states,
    spend: 'little',
    request: { json: { ...json, ...change }, ...(after === undefined ? {} : { after }) },
    expect: { status: [200] },
    ...more,
  }))
}

/** The pace of a stream of some length, as settings of a group. */
export const learnPace =
  (group: string) =>
  ({ pace }: Seen): Learned =>
    pace === undefined
      ? []
      : [
          [`${group}.firstEventAfter`, pace.first],
          [`${group}.eventInterval`, pace.every],
        ]

/** Whether a parameter that the contract does not name is rejected. */
export function unknownParameter(
  name: string,
  { endpoint, section, json }: Pick<RejectedBase, 'endpoint' | 'section' | 'json'>,
  { after, setting }: { readonly after: string; readonly setting: string },
): Probe {
  return {
    name,
    endpoint,
    section,
    states: 'whether unknown parameters are rejected is not shown',
    spend: 'little',
    request: { json: { ...json, gateway_check: true }, after },
    learn: ({ status }) => (status === 400 ? [[setting, 'reject']] : []),
  }
}

/** The same call without a key. */
export function withoutKey(name: string, endpoint: Endpoint, request: ProbeRequest): Probe {
  return {
    name,
    endpoint,
    section: 'contract 5',
    states: 'HTTP 401 means authentication failed',
    spend: 'none',
    request: { ...request, key: false },
    expect: { status: [401] },
  }
}

/** Whether another model than those of the account is rejected; the contract only says that it must be on. */
export function unknownModel(
  name: string,
  endpoint: Endpoint,
  request: ProbeRequest & { readonly after: string },
  { spend, setting }: { readonly spend: Spend; readonly setting: string },
): Probe {
  return {
    name,
    endpoint,
    section: 'contract 1',
    states: "Models must be enabled on the caller's account before use",
    spend,
    request,
    learn: ({ status, models }) => (status >= 400 && models.length > 0 ? [[setting, models]] : []),
  }
}

/** The id of a model that no gateway has. */
export const noModel = 'gateway-check-no-such-model'

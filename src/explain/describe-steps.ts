/** Describes the steps of a client, one sentence each. */
import { formatDuration } from '../engine/duration.ts'
import { formatInstant } from '../engine/instant.ts'
import type { Expectation, Step, StreamEnd } from '../scenario/format/steps.ts'
import { describeShape } from './describe-shape.ts'
import { formatValue, joinWords } from './phrases.ts'

/** Each step with its number; parallel steps have numbers of their own. */
export function describeSteps(
  steps: readonly Step[],
  front = '',
): { readonly step: string; readonly words: string }[] {
  return steps.flatMap((step, index) => {
    const number = `${front}${index + 1}`
    if ('parallel' in step)
      return [
        { step: number, words: `${named(step.name)}${step.parallel.length} steps run in parallel:` },
        ...describeSteps(step.parallel, `${number}.`),
      ]
    return [{ step: number, words: `${named(step.name)}${describeStep(step)}` }]
  })
}

const streamEndings: Readonly<Record<StreamEnd, string>> = {
  done: 'the stream ends with its end marker',
  end: 'the stream ends without its end marker',
  broken: 'the connection breaks in the middle of the stream',
  silent: 'the stream stops sending events',
  left: 'the client leaves the stream',
}

function named(name: string | undefined): string {
  return name === undefined ? '' : `${name.replace(/[.:]$/, '')}: `
}

function describeStep(step: Exclude<Step, { readonly parallel: unknown }>): string {
  if ('advance' in step) {
    const { advance } = step
    const words =
      typeof advance !== 'object'
        ? `time advances by ${formatDuration(advance)}`
        : 'to' in advance
          ? `time advances to ${formatInstant(advance.to)}`
          : advance.until === 'next'
            ? 'time advances to the next change'
            : 'time advances until nothing more is due'
    return withExpectation(words, step.expect)
  }
  const saved = Object.entries(step.save ?? {}).map(([name, from]) => `${from} as ${name}`)
  const saving = saved.length === 0 ? '' : `, saves ${joinWords(saved)}`
  if ('fetch' in step)
    return withExpectation(
      `the client fetches ${step.method === undefined ? '' : `${step.method} `}${step.fetch}${saving}`,
      step.expect,
    )
  const who =
    step.key === undefined
      ? 'the client'
      : step.key === ''
        ? 'a client without a key'
        : `the client with the key ${step.key}`
  const given = step.with === undefined ? '' : ` with ${formatValue(step.with, 90)}`
  const every = step.every === undefined ? '' : ` every ${formatDuration(step.every)}`
  const until = step.until === undefined ? '' : ` repeatedly${every} until ${joinWords(expected(step.until))}`
  const left = step.stopAfter === undefined ? '' : `, leaves after ${step.stopAfter} events`
  return withExpectation(`${who} calls ${step.call}${given}${until}${left}${saving}`, step.expect)
}

function withExpectation(words: string, expect: Expectation | undefined): string {
  return expect === undefined ? `${words}.` : `${words}. Expected: ${joinWords(expected(expect))}.`
}

function expected(expect: Expectation): string[] {
  const { status, headers, body, text, bytes, stream, took, broken, fired, offContract } = expect
  const some = (name: string, shape: unknown): string[] =>
    shape === undefined ? [] : describeShape(name, shape)
  const { events, toolCalls, ended: end, ...rest } = stream ?? {}
  return [
    ...some('status', status),
    ...Object.entries(headers ?? {}).flatMap(([name, shape]) => describeShape(`header ${name}`, shape)),
    ...(body === undefined ? [] : describeShape('body', body)),
    ...some('the text', text),
    ...some('the size in bytes', bytes),
    ...Object.entries(rest).flatMap(([name, shape]) => some(`stream.${name}`, shape)),
    ...(toolCalls === undefined ? [] : describeShape('stream.toolCalls', toolCalls)),
    ...(events ?? []).flatMap(({ at, event, data, after }) => [
      ...some(`event ${at ?? 'next'}`, data),
      ...some(`event ${at ?? 'next'} is named`, event),
      ...some(`event ${at ?? 'next'} after (ms)`, after),
    ]),
    ...(end === undefined ? [] : [streamEndings[end]]),
    ...some('milliseconds until the reply', took),
    ...(broken === undefined ? [] : [`the call breaks: ${broken}`]),
    ...(fired ?? []).flatMap((shape) => describeShape('a change', shape)),
    ...(offContract === true ? ['the reply violates the contract'] : []),
  ]
}

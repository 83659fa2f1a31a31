/** Mistakes in what an answer says: in scripts, choices and frames. */
import { faultNamed } from '../faults/all.ts'
import type { ScriptItemSpec } from '../format/stream.ts'
import type { AnswerSpec } from '../format/then.ts'
import type { ScenarioMistake } from './shape.ts'

type Path = readonly PropertyKey[]

/** Every script of an answer, with its place. */
export function scriptsOf({ choices = [], stream }: AnswerSpec): {
  readonly script: readonly ScriptItemSpec[]
  readonly path: readonly (string | number)[]
}[] {
  return [
    ...(stream?.script === undefined ? [] : [{ script: stream.script, path: ['stream', 'script'] }]),
    ...choices.flatMap(({ script }, index) =>
      script === undefined ? [] : [{ script, path: ['choices', index, 'script'] }],
    ),
  ]
}

export function* checkScripts(answer: AnswerSpec, path: Path): Generator<ScenarioMistake> {
  const { text, choices, stream } = answer
  const said =
    text !== undefined
      ? 'text'
      : stream?.script !== undefined || stream?.frames !== undefined
        ? 'stream'
        : undefined
  if (choices !== undefined && said !== undefined)
    yield {
      path: [...path, 'choices'],
      message: `conflicts with \`${said === 'text' ? said : 'stream'}\`: put what is said into the choices`,
      key: true,
    }
  if (stream?.frames !== undefined && (stream.script !== undefined || text !== undefined))
    yield {
      path: [...path, 'stream', 'frames'],
      message: `conflicts with \`${text === undefined ? 'script' : 'text'}\`: frames are the whole stream`,
      key: true,
    }
  for (const [index, choice] of (choices ?? []).entries())
    yield* checkChoice(choice, [...path, 'choices', index])
  for (const { script, path: at } of scriptsOf(answer)) yield* checkScript(script, [...path, ...at])
  const { frames = [] } = stream ?? {}
  yield* checkEnd(
    frames.map((frame) => (typeof frame === 'object' && 'fault' in frame ? frame.fault.kind : undefined)),
    [...path, 'stream', 'frames'],
  )
}

function* checkChoice(
  { text, script, finish }: NonNullable<AnswerSpec['choices']>[number],
  path: Path,
): Generator<ScenarioMistake> {
  if (text === undefined && script === undefined)
    yield { path, message: 'says nothing: give it a `text` or a `script`', key: false }
  if (text !== undefined && script !== undefined)
    yield {
      path: [...path, 'text'],
      message: 'conflicts with `script`: put the text into the script',
      key: true,
    }
  if (finish !== undefined && script?.some((item) => 'finish' in item) === true)
    yield { path: [...path, 'finish'], message: 'stands in the script, too: keep one of them', key: true }
}

function* checkScript(script: readonly ScriptItemSpec[], path: Path): Generator<ScenarioMistake> {
  yield* checkEnd(
    script.map((item) => ('fault' in item ? item.fault.kind : undefined)),
    path,
  )
  for (const [index, item] of script.entries()) {
    if (!('text' in item) || item.logprobs === undefined) continue
    const { text, logprobs } = item
    if (!Array.isArray(text))
      yield {
        path: [...path, index, 'logprobs'],
        message: 'belong to pieces: write `text` as a list, with one log probability for each piece',
        key: true,
      }
    else if (text.length !== logprobs.length)
      yield {
        path: [...path, index, 'logprobs'],
        message: `expected one for each piece of \`text\` (${text.length}), got ${logprobs.length}`,
        key: false,
      }
  }
}

function* checkEnd(faults: readonly (string | undefined)[], path: Path): Generator<ScenarioMistake> {
  const end = faults.findIndex((kind) => kind !== undefined && faultNamed(kind)?.endsStream === true)
  if (end >= 0 && end < faults.length - 1)
    yield {
      path: [...path, end + 1],
      message: 'comes after a fault that ends the stream: it is never sent',
      key: false,
    }
}

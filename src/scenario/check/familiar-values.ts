/** Values that people write where a key takes another kind: `then: Hello`, `error: 500`, `clock: fixed`. */
import { isFields } from '../../engine/fields.ts'
import { asText, show } from '../../protocol/wording.ts'
import { faultNamed } from '../faults/all.ts'
import { addressSaid, brief, type Written } from './familiar-phrases.ts'

/** What to write for a value of another kind than the key takes; `holder` is the key above it. */
export function insteadOfValue(
  key: string,
  holder: string | undefined,
  written: Written,
): string | undefined {
  const { value } = written
  const isAnswer = holder === 'then' || holder === 'sequence'
  if (key === 'then' && holder === 'rules') return thenSaid(value)
  if (key === 'when')
    return typeof value === 'string'
      ? `expected an object: write { operation: ${operationSaid(written)} }`
      : undefined
  if (key === 'conversation' && typeof value === 'string')
    return `expected an object: write { lastUser: { contains: ${brief(value, '…')} } }`
  if (key === 'nth') return nthSaid(value)
  if (key === 'text' && isAnswer) return textSaid(value)
  if (key === 'reply' && isAnswer && typeof value === 'string')
    return `expected an object: write \`text: ${brief(value, '…')}\` instead of \`reply\``
  if (key === 'delay') return rangeSaid(value)
  if ((key === 'state' || key === 'setState') && typeof value === 'string')
    return `expected an object: write { NAME: ${brief(value, '…')} }`
  if (key === 'rules' && isFields(value)) return 'expected a list: begin each rule with a dash, `- when: …`'
  if (key === 'keys' && holder === 'account' && Array.isArray(value))
    return `expected an object: write { ${brief(value[0], 'sk-a')}: {}, … }`
  if (key === 'models' && holder === 'account' && Array.isArray(value))
    return `expected an object by API: write { chat: [${brief(value[0], '…')}, …] }`
  if (key === 'states' && !isFields(value)) return 'expected an object: write { NAME: its first value }'
  if (key === 'content' && holder === 'files' && typeof value === 'string')
    return `expected an object: write { text: ${show(value)} }`
  if (key === 'path' && holder === 'when' && typeof value === 'string') return addressSaid(written)
  if (key === 'error' && isAnswer) return errorSaid(value)
  if (key === 'job' && isAnswer) return jobWordSaid(value)
  if (key === 'mode' && holder === 'clock') return modeSaid(value)
  if (key === 'stream' && isAnswer) return streamSaid(value)
  if (key === 'timeline' && isFields(value))
    return 'expected a list: write [{ at: 0s, status: … }, { at: 5s, status: … }]'
  if ((key === 'expect' || key === 'until') && typeof value === 'number')
    return `expected an object: write { status: ${value} }`
  if (key === 'fault' && typeof value === 'string') return faultSaid(value)
  if (key === 'kind' && holder === 'fault') return kindSaid(written)
  if ((key === 'unset' || key === 'default') && typeof value === 'string')
    return `expected a list: write [${value}]`
  if (key === 'frames' && typeof value === 'string')
    return 'expected a list: write `- |` above the text; one item may hold several frames, or all'
  if (key === 'sequence' && isFields(value)) return 'expected a list of answers: write [{ … }, { … }]'
  return undefined
}

function operationSaid({ value, operationsAt }: Written): string {
  return operationsAt(asText(value))[0] ?? brief(value, '…')
}

/** For a `then` that is no object: a fault, a function, what the model says. */
function thenSaid(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'expected an object: write { sequence: [ … ] }, one answer a call'
  if (typeof value === 'number') return `expected an object: write { error: { status: ${value} } }`
  if (typeof value !== 'string') return undefined
  if (/=>|\bfunction\b/.test(value))
    return 'a file cannot hold a function: write the scenario as an object in a test, or the answer as data'
  if (/^\d{3}$/.test(value)) return `expected an object: write { error: { status: ${value} } }`
  return faultNamed(value) === undefined
    ? `expected an object: write { text: ${show(value)} }`
    : `expected an object: write { fault: ${value} }`
}

function errorSaid(value: unknown): string | undefined {
  if (typeof value === 'number' || (typeof value === 'string' && /^\d{3}$/.test(value)))
    return `expected an object: write { status: ${value} }`
  if (typeof value === 'string')
    return /^[a-z]+(?:_[a-z]+)+$/.test(value)
      ? `expected an object: write { type: ${value} }`
      : `expected an object: write { status: 500, message: ${show(value)} }`
  if (value === true) return 'expected an object: write { status: 500 }'
  if (!isFields(value)) return undefined
  const { code } = value
  const status =
    typeof code === 'number' && code >= 400 && code < 600 ? `; did you mean status: ${code}?` : ''
  return `needs a \`status\`, a \`type\`, or both, such as { status: 429, … }${status}`
}

function jobWordSaid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/fail|error|reject/i.test(value))
    return 'expected an object: write { failAt: 50 }, a percentage of its duration'
  if (/succ|compl|done|finish|ready/i.test(value))
    return 'write `job: at-once` for one that is done at once; jobs succeed unless a rule says otherwise'
  return /pend|wait|queue|run|progress|hang|never|slow/i.test(value)
    ? 'write `job: stuck` for a job that never ends, or a `timeline` for one that takes its time'
    : undefined
}

function nthSaid(value: unknown): string | undefined {
  const [, from, to] = /^(\d+)(?:st|nd|rd|th)?(?:\s*(?:-|\.\.)\s*(\d+))?$/.exec(asText(value)) ?? []
  if (to !== undefined)
    return from === '1'
      ? `expected a position: write \`first: ${to}\``
      : `expected a position: write \`first: ${to}\` and \`after: ${Number(from) - 1}\``
  if (value === 'first') return 'expected a position: write 1'
  return from === undefined || typeof value === 'number' ? undefined : `expected a position: write ${from}`
}

function textSaid(value: unknown): string | undefined {
  if (Array.isArray(value))
    return 'expected text: pieces are written as `stream: { script: [{ text: [ … ] }] }`'
  if (isFields(value)) return `expected text: write the JSON in quotes, ${show(JSON.stringify(value))}`
  return typeof value === 'number' || typeof value === 'boolean'
    ? `expected text: write "${value}", in quotes`
    : undefined
}

function rangeSaid(value: unknown): string | undefined {
  const [, from, to] = /^([\d.]+[a-z]*)\s*(?:-|\.\.|to)\s*([\d.]+[a-z]+)$/.exec(asText(value)) ?? []
  return to === undefined ? undefined : `write { from: ${from}, to: ${to} }`
}

function modeSaid(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/fix|froz|freez|fake|virtual|stop|mock|test/i.test(value))
    return `no mode ${show(value)}: write manual, a clock that somebody advances`
  return /wall|system|live|actual/i.test(value) ? `no mode ${show(value)}: write real` : undefined
}

function streamSaid(value: unknown): string | undefined {
  if (Array.isArray(value))
    return value.some(isFields)
      ? 'expected an object: write { script: [ … ] }'
      : 'expected an object: write { script: [{ text: [ … ] }] }'
  if (typeof value === 'string') return `expected an object: write { script: [{ text: ${show(value)} }] }`
  return typeof value === 'boolean'
    ? 'expected an object: leave it out, for whoever asks for a stream gets one (`body: { stream: true }`)'
    : undefined
}

/** A fault that is named by another key than `kind`. */
function kindSaid({ value, beside }: Written): string | undefined {
  if (value !== undefined) return undefined
  const found = ['name', 'type', 'fault'].find((key) => faultNamed(asText(beside[key])) !== undefined)
  return found === undefined
    ? undefined
    : `is required: write \`kind: ${asText(beside[found])}\` for ${found}`
}

const faults: readonly (readonly [RegExp, string])[] = [
  [/^\d{3}$/, 'a status is no fault: write `error: { status: … }`'],
  [
    /time.?out|no.?response|unresponsive/i,
    'write `fault: hang` for no answer at all, or `delay: 30s` for a late one',
  ],
  [
    /reset|abort|close|drop|hang.?up|network|econn|empty.?response|socket/i,
    'write `fault: reset` before any answer, `fault: disconnect` in the middle of a stream',
  ],
  [/unavail|internal|server|error/i, 'write `error: { status: 500 }`'],
  [
    /malformed|invalid|garbage|random|broken|bad/i,
    'write `fault: malformed-json`, or `fault: malformed-event` in a stream',
  ],
  [/slow|latency|delay/i, 'write `delay: 3s`, or `fault: dribble` for a body that comes slowly'],
  [/rate|429|throttl|too.?many/i, 'write `fault: rate-limit`'],
  [/moderat|safety|filter|policy/i, 'write `fault: content-filter`'],
]

function faultSaid(value: string): string {
  const found = faults.find(([pattern]) => pattern.test(value))
  const instead = found?.[1] ?? 'docs/faults.md lists them, such as reset, hang and disconnect'
  return `no fault ${show(value)}: ${instead}`
}

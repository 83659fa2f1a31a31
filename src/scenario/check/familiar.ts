/** Words that users know from other mocks and from the wire, with what to write instead. */

import { isFields } from '../../engine/fields.ts'
import { asText, clip, show } from '../../protocol/wording.ts'
import { isOperators } from '../compile/match-value.ts'
import { faults } from '../faults/all.ts'

/** The value of an unknown key, or the wrong value of a known one. */
export interface Written {
  readonly name: string
  readonly value: unknown
  /** The operation of the URL in it or next to it. */
  readonly operation?: () => string | undefined
}

/**
 * Words in lower case, and what to write instead: `%` is the value, `%q` the value as a string, `%r` its
 * regular expression, `@` an operation. `of` is the kind of value that is wrong for a known key, or a pattern
 * of it; without `of`, the key is unknown.
 */
type Row = readonly [names: string, write: string, of?: string | RegExp]

/** A regular expression between slashes. */
const pattern = /^\/(.+)\/[a-z]*$/
const prompts = 'prompt message messages question input lastuser user content text contains'
const kinds = faults.map(({ kind }) => kind)
const object = 'expected an object: write'
const chunks = 'script: [{ text: [first chunk, next chunk] }]'
const wholeResponse = 'write `response: { body: { … } }`, or `patch: { … }` to change parts of it'
const findRoutes = 'write `operation: @` (`gateway-sim routes` lists operations and their paths)'

/** By the key that contains them; for `rules` and `steps`, their items. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  file: [
    ['name summary', 'write `title: %q`'],
    ['account', 'write `keys`, `models` and `limits` at the top level'],
    ['states state', 'write `flags: { NAME: … }`'],
    ['rules', 'expected a list: begin each rule with a dash, `- when: …`', 'object'],
    [
      'mappings routes mocks handlers interactions stubs endpoints responses fixtures',
      'write `rules: [{ when: { operation: … }, then: { text: … } }]`',
    ],
  ],
  rules: [
    ['request match matcher if on where given conditions url method', 'write `when: { operation: @ }`'],
    [
      'respond return returns answer handler status',
      'write `then: { text: … }`, `then: { error: { status: … } }` or another response',
    ],
    ['once', 'write `when: { times: 1 }`'],
    ['priority order weight', 'rules are evaluated in order: move this rule up or down instead'],
    ['when', `${object} { operation: @ }`, 'text'],
    ['then', `${object} { sequence: [ … ] }, with one response per request`, 'list'],
    ['then', `${object} { error: { status: % } }`, /^\d{3}$/],
    [
      'then',
      'a file cannot contain a function: write the scenario as an object in a test',
      /=>|\bfunction\b/,
    ],
    ['then', `${object} { fault: % }`, /^[a-z]+(?:-[a-z]+)+$/],
    ['then', `${object} { text: %q }`, 'text'],
  ],
  when: [
    ['url uri path endpoint route pathname address', findRoutes],
    ['method verb', 'write `operation: @`, which includes the method'],
    [prompts, 'write `conversation: { lastUser: { regex: %r } }`', pattern],
    [prompts, 'write `conversation: { lastUser: { contains: %q } }`'],
    ['count call calls attempt n', 'write `nth: %`'],
    ['after', 'write `skip: %`'],
    ['every', 'write `everyNth: %`'],
    ['state states', 'write `flags: { NAME: … }`'],
    [
      'nth',
      'expected a position: write 2 for the second request, or `skip: 1` and `first: 4` for a range',
      'text',
    ],
  ],
  then: [
    ['status statuscode httpstatus code', 'write `error: { status: % }`', /^[45]\d\d$/],
    [
      'status statuscode code',
      'remove this key (200 is the default), or write `job: { failAt: 50 }` for a job that fails',
    ],
    ['body json data payload response respond return result', wholeResponse],
    ['content message output say', 'write `text: %q`'],
    ['latency wait sleep pause', 'write `delay: %`'],
    ['responses responses answers steps', 'write `sequence: [{ … }, { … }]`, with one response per request'],
    [
      'toolcall toolcalls tools functioncall tooluse',
      'write `stream: { script: [{ toolCall: { name: …, arguments: { … } } }] }`',
    ],
    ['state setstate', 'write `setFlags: { NAME: … }`'],
    ['chunks events deltas sse', `write \`stream: { ${chunks} }\``],
    ['timeout', 'write `fault: hang` for no response, or `delay: 30s` for a late response'],
    ['text', `expected a string: write chunks as \`stream: { ${chunks} }\``, 'list'],
    ['text', 'expected a string: write %q, in quotes', 'number boolean'],
    ['response', `${object} \`text: %\` instead of \`response\``, 'text'],
    ['error', `${object} { status: % }`, /^\d{3}$/],
    ['error', 'write `fault: %` instead of `error`', new RegExp(`^(?:${kinds.join('|')})$`)],
    ['error', `${object} { type: % }`, /^[a-z]+(?:_[a-z]+)+$/],
    ['error', `${object} { status: 500, message: %q }`, 'text'],
    ['job', `${object} { failAt: 50 } for a job that fails halfway`, /fail|error|reject/i],
    ['job', 'write `job: finished` for a job that succeeds immediately, or `job: stuck`', 'text'],
    ['stream', `${object} { ${chunks} }`, 'list'],
  ],
  job: [
    ['stuck stuckat', 'write `job: stuck` for a job that never finishes'],
    ['finished done completed', 'write `job: finished` for a job that succeeds immediately'],
  ],
  anywhere: [
    ['timeline', 'expected a list: write [{ at: 0s, status: … }, { at: 5s, status: … }]', 'object'],
    ['fault', 'a status is not a fault: write `error: { status: … }`', /^\d{3}$/],
    [
      'fault',
      'unknown fault %: write `fault: hang` for no response, or `delay: 30s` for a late response',
      /time.?out|no.?resp/i,
    ],
    [
      'fault',
      'unknown fault %: write `job: { failAt: 60 }` for a job that fails, or `job: stuck`',
      /^(?:job-?)?(?:fail|stuck)/i,
    ],
    [
      'fault',
      'unknown fault %: write `fault: reset` or `disconnect`',
      /reset|abort|close|drop|network|socket/i,
    ],
    ['fault', `unknown fault %: expected one of ${kinds.join(', ')}`, 'text'],
    ['expect waitfor', `${object} { status: % }`, 'number'],
  ],
  script: [
    ['delay sleep pause', 'write `wait: %`'],
    ['content message token chunk delta', 'write `text: %q`'],
  ],
  stream: [
    ['chunks events deltas content text tokens', `write \`${chunks}\``],
    ['every', 'write `eventInterval: %`'],
    ['frames', 'expected a list: write `- |` above the text, which can contain several frames', 'text'],
  ],
  timeline: [
    ['after time when', 'write `at: %`'],
    ['gone', 'write `notFound: %`'],
    ['default', 'write `reset: [FIELD]`'],
  ],
  steps: [
    ['until', 'write `waitFor: %`'],
    ['every', 'write `interval: %`'],
    ['limit', 'write `timeout: %`'],
    ['request send http url get post put', 'write `call: @`, and `with: { … }` for its fields'],
    ['operation op do run action', 'write `call: %`'],
    ['wait sleep delay pause', 'write `advance: %`'],
    ['body params input args arguments json data payload', 'write `with: { … }`'],
    ['assert assertions response expected should', 'write `expect: { status: …, body: { … } }`'],
  ],
  expect: [
    ['statuscode code', 'write `status: %`'],
    ['events chunks finish toolcalls usage', 'this key belongs under `stream`'],
  ],
  operators: [
    ['matches match pattern regexp', 'write { regex: % }'],
    ['equalto eq is exact equal', 'write %'],
    ['includes include like has substring', 'write { contains: % }'],
    ['ne neq isnot', 'write { not: % }'],
    ['min minimum atleast', 'write { gte: % }'],
    ['max maximum atmost', 'write { lte: % }'],
    ['greaterthan above', 'write { gt: % }'],
    ['lessthan below', 'write { lt: % }'],
    ['absent missing', 'write { exists: false }'],
  ],
}

const same: Readonly<Record<string, string>> = { sequence: 'then', weighted: 'then', parallel: 'steps' }

/** What to write instead of a word below a key, or instead of the value of a known key. */
export function insteadOf(
  holder: string | undefined,
  { name, value, operation }: Written,
  known: boolean,
): string | undefined {
  const place = holder === undefined ? 'file' : (same[holder] ?? holder)
  const word = name.replace(/[-_$ ]/g, '').toLowerCase()
  const found = [...(rows[place] ?? []), ...(rows['anywhere'] ?? [])].find(
    ([names, , of]) => names.split(' ').includes(word) && (of === undefined ? !known : isOf(of, value)),
  )
  // A value such as { contains: hello } already has its operator.
  const write = isOperators(value) ? found?.[1].replace('{ contains: %q }', '%') : found?.[1]
  return write?.replace(/%[qr]?|@/g, (mark) => {
    if (mark === '@') return operation?.() ?? '…'
    if (mark === '%r') return show(pattern.exec(asText(value))?.[1])
    if (mark === '%q') return isFields(value) ? '…' : brief(Array.isArray(value) ? value : asText(value))
    return brief(value)
  })
}

function isOf(of: string | RegExp, value: unknown): boolean {
  if (typeof of !== 'string') return ['string', 'number'].includes(typeof value) && of.test(asText(value))
  const kind = Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value
  return value !== null && of.split(' ').includes(kind)
}

const maxFields = 3

/** A value in YAML, short enough for a sentence. */
export function brief(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (isFields(value)) {
    const fields = Object.entries(value)
    const isShort = fields.length > 0 && fields.length <= maxFields
    const isPlain = fields.every(([key, one]) => /^[\w-]{1,40}$/.test(key) && Object(one) !== one)
    return isShort && isPlain
      ? `{ ${fields.map(([key, one]) => `${key}: ${brief(one)}`).join(', ')} }`
      : '{ … }'
  }
  if (typeof value !== 'string') return '…'
  // Without quotes, YAML reads a number, a boolean or null.
  const plain = /^[\w.][\w. /-]*$/.test(value) && !/^(?:[-+]?[\d.]+(?:e\d+)?|true|false|null)$/i.test(value)
  return plain ? clip(value, 40) : show(value)
}

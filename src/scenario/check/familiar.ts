/** What people bring along from other mocks and from the wire, and what to write instead. */
import { isFields } from '../../engine/fields.ts'
import { asText, clip, show } from '../../protocol/wording.ts'

/** What was written with an unknown word, or in the place of something else. */
export interface Written {
  readonly name: string
  readonly value: unknown
  /** What stands beside it. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** The operations at an address. */
  operationsAt?(address: string, method?: string): readonly string[]
}

/** What to write instead, and the key that is then no longer missing. */
export interface Instead {
  readonly words: string
  readonly key?: string
}

interface When {
  /** The kinds of values, or a pattern of texts and numbers; without it the key itself is unknown. */
  readonly of?: string | RegExp
  /** The key that is then no longer missing. */
  readonly key?: string
}

/**
 * Under a key (`rules` and `steps` are their items, `*` is anywhere), one of these words, in small letters.
 * In what to write, `%` stands for the value, `%q` for it in quotes, `%t` for a duration, `%c` for a
 * condition on a text, `@` for an operation.
 */
type Row = readonly [under: string, names: string, write: string, when?: When]

const object = 'expected an object: write'
const list = 'expected a list: write'
const percentage = '`failAt: 50`, a percentage of its duration'
const pieces = 'script: [{ text: [first piece, next piece] }]'
const userSaid = 'write `conversation: { lastUser: %c }`'
const wholeReply = 'write `reply: { body: { … } }`, or `patch: { … }` to change parts of it'

const rows: readonly Row[] = [
  ['file', 'scenario', 'leave it out: `title`, `rules` and `steps` stand at the top', { key: 'title' }],
  ['file', 'name summary', 'write `title: %`', { key: 'title' }],
  [
    'file',
    'mappings routes mocks handlers interactions stubs endpoints responses fixtures',
    'write `rules: [{ when: { operation: … }, then: { text: … } }]`',
  ],
  [
    'clock',
    'mode',
    'no mode %q: write manual, a clock that somebody advances',
    { of: /fix|fr[eo]z|fake|mock/i },
  ],
  [
    'rules',
    'request match matcher if on where given conditions url method',
    'write `when: { operation: @ }`',
    { key: 'when' },
  ],
  [
    'rules',
    'response respond return returns answer handler status',
    'write `then: { text: … }`, `then: { error: { status: … } }` or another answer',
    { key: 'then' },
  ],
  ['rules', 'name title description', 'write `id: …`, its name in reports'],
  ['rules', 'once', 'write `when: { times: 1 }`'],
  [
    'rules',
    'priority order weight',
    'rules are asked in their order: put the one that goes first further up',
  ],
  ['rules', 'when', `${object} { operation: @ }`, { of: 'text' }],
  ['rules', 'then', `${object} { sequence: [ … ] }, one answer a call`, { of: 'list' }],
  ['rules', 'then', `${object} { error: { status: % } }`, { of: /^\d{3}$/ }],
  [
    'rules',
    'then',
    'a file cannot hold a function: write the scenario as an object in a test',
    { of: /=>|\bfunction\b/ },
  ],
  ['rules', 'then', `${object} { fault: % }`, { of: /^[a-z]+(?:-[a-z]+)+$/ }],
  ['rules', 'then', `${object} { text: %q }`, { of: 'text' }],
  ['*', 'rules', 'expected a list: begin each rule with a dash, `- when: …`', { of: 'object' }],
  [
    'when',
    'url uri urlpath urlpattern path endpoint route pathname address',
    'write `operation: @` (`gateway-sim routes` lists operations and their addresses)',
    { key: 'operation' },
  ],
  [
    'when',
    'path',
    'write `operation: @` (`gateway-sim routes` lists operations and their addresses)',
    { of: 'text' },
  ],
  ['when', 'method verb', 'write `operation: @`, which says the method too'],
  ['when', 'prompt message messages question input lastuser user content text contains', userSaid],
  ['when', 'count call calls attempt n index number', 'write `nth: %`'],
  ['when', 'limit max repeat', 'write `times: %`'],
  ['when', 'apikey token auth authorization bearer', 'write `key: …`'],
  [
    'when',
    'or any anyof not and all',
    'all conditions must hold: write a rule each, or `{ anyOf: […] }` in one',
  ],
  [
    'when',
    'nth',
    'expected a position: write 2 for the second, or `first: 4` and `after: 1`',
    { of: 'text' },
  ],
  ['when', 'conversation', `${object} { lastUser: %c }`, { of: 'text' }],
  ['then', 'status statuscode httpstatus code', 'leave it out for 200', { of: /^[123]\d\d$/ }],
  ['then', 'status statuscode httpstatus code', 'write `error: { status: % }`', { of: /^\d{3}$/ }],
  ['then', 'status statuscode code', `of a job that fails, write \`job: { failAt: 50 }\``],
  ['then', 'body json data payload', wholeReply],
  ['then', 'response respond return returns result content message output say', wholeReply, { of: 'object' }],
  ['then', 'response respond return returns result content message output say', 'write `text: %`'],
  ['then', 'latency wait sleep pause delayms delayseconds fixeddelay', 'write `delay: %t`'],
  ['then', 'responses replies answers steps', 'write `sequence: [{ … }, { … }]`: one answer a call'],
  [
    'then',
    'toolcall toolcalls tools tool functioncall tooluse',
    'write `stream: { script: [{ toolCall: { name: …, arguments: { … } } }] }`',
  ],
  ['then', 'finishreason stopreason finish', 'write `stream: { script: [{ text: … }, { finish: % }] }`'],
  ['then', 'state', 'write `setState: { NAME: … }`'],
  ['then', 'chunks events deltas sse', `write \`stream: { ${pieces} }\``],
  ['then', 'timeout', 'write `fault: hang` for no answer at all, or `delay: 30s` for a late one'],
  ['then', 'text', `expected text: pieces are written as \`stream: { ${pieces} }\``, { of: 'list' }],
  ['then', 'text', 'expected text: write "%", in quotes', { of: 'number boolean' }],
  ['then', 'reply', `${object} \`text: %\` instead of \`reply\``, { of: 'text' }],
  ['then', 'error', `${object} { status: % }`, { of: /^\d{3}$/ }],
  ['then', 'error', `${object} { type: % }`, { of: /^[a-z]+(?:_[a-z]+)+$/ }],
  ['then', 'error', `${object} { status: 500, message: %q }`, { of: 'text' }],
  ['then', 'job', `${object} { failAt: 50 }, a percentage of its duration`, { of: /fail|error|reject/i }],
  [
    'then',
    'job',
    'jobs succeed unless a rule says otherwise: write `job: at-once`',
    { of: /succ|compl|done/i },
  ],
  [
    'then',
    'job',
    'write `job: stuck` for a job that never ends',
    { of: /pend|wait|queue|run|progress|hang/i },
  ],
  ['then', 'stream', `${object} { ${pieces} }`, { of: 'list' }],
  ['error', 'statuscode httpstatus http', 'write `status: %`', { key: 'status' }],
  ['error', 'text msg detail reason body', 'write `message: %`'],
  ['delay', 'min minimum', 'write `from: %`', { key: 'from' }],
  ['delay', 'max maximum', 'write `to: %`', { key: 'to' }],
  ['script', 'delay sleep pause', 'write `wait: %t`'],
  ['script', 'content message token chunk delta', 'write `text: %`'],
  ['stream', 'chunks events deltas content text tokens pieces data', `write \`${pieces}\``],
  [
    'stream',
    'frames',
    `${list} \`- |\` above the text; one item may hold several frames, or all`,
    { of: 'text' },
  ],
  ['job', 'fail failed status state error', `write ${percentage}; \`code\` and \`message\` go with it`],
  ['*', 'timeline', `${list} [{ at: 0s, status: … }, { at: 5s, status: … }]`, { of: 'object' }],
  ['timeline', 'after time when', 'write `at: %`', { key: 'at' }],
  ['*', 'unset default', `${list} [%]`, { of: 'text' }],
  ['*', 'fault', 'a status is no fault: write `error: { status: … }`', { of: /^\d{3}$/ }],
  [
    '*',
    'fault',
    'no fault %q: write `fault: hang` for no answer at all, or `delay: 30s`',
    { of: /time.?out|no.?resp/i },
  ],
  [
    '*',
    'fault',
    'no fault %q: write `fault: reset` or `disconnect`',
    { of: /reset|abort|close|drop|network|econn|socket/i },
  ],
  [
    '*',
    'fault',
    'no fault %q: docs/faults.md lists them, such as reset, hang and disconnect',
    { of: 'text' },
  ],
  ['steps', 'request send http', 'write `call: @`, and `with: { … }` for its fields'],
  ['steps', 'operation op do run action', 'write `call: %`'],
  ['steps', 'url get post put', 'write `call: @`; `fetch: …` takes links of replies'],
  ['steps', 'wait sleep delay pause', 'write `advance: %t`'],
  ['steps', 'body params input args arguments json data payload', 'write `with: { … }`'],
  ['steps', 'assert assertions response expected should then', 'write `expect: { status: …, body: { … } }`'],
  ['*', 'expect until', `${object} { status: % }`, { of: 'number' }],
  ['expect', 'statuscode code', 'write `status: %`'],
  ['expect', 'contains includes', 'write `text: { contains: % }`'],
  ['expect', 'events chunks finish toolcalls usage', 'it belongs under `stream`'],
  ['operators', 'matches match pattern regexp', 'write { regex: % }'],
  ['operators', 'equalto eq is exact equal', 'write %'],
  ['operators', 'includes include like has substring', 'write { contains: % }'],
  ['operators', 'ne neq isnot notequal', 'write { not: % }'],
  ['operators', 'in oneof enum', 'write { anyOf: […] }'],
  ['operators', 'prefix beginswith', 'write { startsWith: % }'],
  ['operators', 'min minimum atleast', 'write { gte: % }'],
  ['operators', 'max maximum atmost', 'write { lte: % }'],
  ['operators', 'greaterthan above', 'write { gt: % }'],
  ['operators', 'lessthan below', 'write { lt: % }'],
  ['operators', 'present defined', 'write { exists: true }'],
  ['operators', 'absent missing', 'write { exists: false }'],
  ['operators', 'suffix', 'write { endsWith: % }'],
  ['operators', 'count size', 'write { length: % }'],
  ['operators', 'any contain every all', 'write { some: … }'],
]

/** Places with the words of another one. */
const same: Readonly<Record<string, string>> = {
  sequence: 'then',
  weighted: 'then',
  until: 'expect',
  parallel: 'steps',
}

/**
 * What to write for a word below a key, or for the value of a known key; undefined where nothing is known.
 */
export function insteadOf(holder: string | undefined, written: Written, known: boolean): Instead | undefined {
  const place = holder === undefined ? 'file' : (same[holder] ?? holder)
  const name = written.name.replace(/[-_$ ]/g, '').toLowerCase()
  const found = rows.find(
    ([under, names, , { of } = {}]) =>
      (under === place || under === '*') &&
      names.split(' ').includes(name) &&
      (of === undefined ? !known : isOf(of, written.value)),
  )
  if (found === undefined) return undefined
  const [, , write, { key } = {}] = found
  return { words: filled(write, written), ...(key === undefined ? {} : { key }) }
}

function isOf(of: string | RegExp, value: unknown): boolean {
  if (typeof of !== 'string') return ['string', 'number'].includes(typeof value) && of.test(asText(value))
  const kind = Array.isArray(value) ? 'list' : typeof value === 'string' ? 'text' : typeof value
  return value !== null && of.split(' ').includes(kind)
}

function filled(write: string, written: Written): string {
  const { name, value } = written
  const unit = typeof value === 'number' ? (/sec/i.test(name) ? 's' : 'ms') : ''
  const meant: Readonly<Record<string, () => string>> = {
    '%t': () => `${brief(value, '300ms')}${unit}`,
    '%q': () => show(value),
    '%c': () => (isFields(value) ? '{ … }' : `{ contains: ${brief(value, '…')} }`),
    '%': () => brief(value, '…'),
    '@': () => operationMeant(written),
  }
  return write.replace(/%[tqc]?|@/g, (mark) => meant[mark]?.() ?? mark)
}

/** A value short enough for a sentence, as YAML writes it. */
function brief(value: unknown, otherwise: string): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value === '') return otherwise
  return /^[\w.][\w. /-]*$/.test(value) ? clip(value, 40) : show(value)
}

/** The operation at the address that was written: as the value, in it or beside it. */
function operationMeant({ name, value, beside = {}, operationsAt }: Written): string {
  const inside = isFields(value) ? Object.values(value) : []
  const texts = [value, ...inside, ...Object.values(beside), name].map(asText)
  const method = texts.find((text) => /^(?:get|post|put|delete)$/i.test(text))
  return texts.flatMap((text) => operationsAt?.(text, method) ?? [])[0] ?? '…'
}

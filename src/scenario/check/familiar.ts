/** What people bring along from other mocks and from the wire, and what to write instead. */
import { defined, isFields } from '../../engine/fields.ts'
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

/**
 * One of these words, in small letters, and what to write: `%` stands for the value, `%q` for it in quotes,
 * `%t` for a duration, `%c` for a condition on a text, `@` for an operation. `of` are the kinds of values, or
 * a pattern of texts and numbers; without it the key itself is unknown.
 */
type Row = readonly [names: string, write: string, of?: string | RegExp]

const object = 'expected an object: write'
const list = 'expected a list: write'
const percentage = '`failAt: 50`, a percentage of its duration'
const pieces = 'script: [{ text: [first piece, next piece] }]'
const userSaid = 'write `conversation: { lastUser: %c }`'
const wholeReply = 'write `reply: { body: { … } }`, or `patch: { … }` to change parts of it'

/** By the key that holds them; of `rules` and `steps` these are their items. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  file: [
    ['scenario', 'leave it out: `title`, `rules` and `steps` stand at the top'],
    ['name summary', 'write `title: %`'],
    [
      'mappings routes mocks handlers interactions stubs endpoints responses fixtures',
      'write `rules: [{ when: { operation: … }, then: { text: … } }]`',
    ],
  ],
  clock: [['mode', 'no mode %q: write manual, a clock that somebody advances', /fix|fr[eo]z|fake|mock/i]],
  rules: [
    ['request match matcher if on where given conditions url method', 'write `when: { operation: @ }`'],
    [
      'response respond return returns answer handler status',
      'write `then: { text: … }`, `then: { error: { status: … } }` or another answer',
    ],
    ['name title description', 'write `id: …`, its name in reports'],
    ['once', 'write `when: { times: 1 }`'],
    ['priority order weight', 'rules are asked in their order: put the one that goes first further up'],
    ['when', `${object} { operation: @ }`, 'text'],
    ['then', `${object} { sequence: [ … ] }, one answer a call`, 'list'],
    ['then', `${object} { error: { status: % } }`, /^\d{3}$/],
    ['then', 'a file cannot hold a function: write the scenario as an object in a test', /=>|\bfunction\b/],
    ['then', `${object} { fault: % }`, /^[a-z]+(?:-[a-z]+)+$/],
    ['then', `${object} { text: %q }`, 'text'],
  ],
  anywhere: [
    ['rules', 'expected a list: begin each rule with a dash, `- when: …`', 'object'],
    ['timeline', `${list} [{ at: 0s, status: … }, { at: 5s, status: … }]`, 'object'],
    ['unset default', `${list} [%]`, 'text'],
    ['fault', 'a status is no fault: write `error: { status: … }`', /^\d{3}$/],
    [
      'fault',
      'no fault %q: write `fault: hang` for no answer at all, or `delay: 30s`',
      /time.?out|no.?resp/i,
    ],
    [
      'fault',
      'no fault %q: write `fault: reset` or `disconnect`',
      /reset|abort|close|drop|network|econn|socket/i,
    ],
    ['fault', 'no fault %q: docs/faults.md lists them, such as reset, hang and disconnect', 'text'],
    ['expect until', `${object} { status: % }`, 'number'],
  ],
  when: [
    [
      'url uri urlpath urlpattern path endpoint route pathname address',
      'write `operation: @` (`gateway-sim routes` lists operations and their addresses)',
    ],
    ['path', 'write `operation: @` (`gateway-sim routes` lists operations and their addresses)', 'text'],
    ['method verb', 'write `operation: @`, which says the method too'],
    ['prompt message messages question input lastuser user content text contains', userSaid],
    ['count call calls attempt n index number', 'write `nth: %`'],
    ['limit max repeat', 'write `times: %`'],
    ['apikey token auth authorization bearer', 'write `key: …`'],
    ['or any anyof not and all', 'all conditions must hold: write a rule each, or `{ anyOf: […] }` in one'],
    ['nth', 'expected a position: write 2 for the second, or `first: 4` and `after: 1`', 'text'],
    ['conversation', `${object} { lastUser: %c }`, 'text'],
  ],
  then: [
    ['status statuscode httpstatus code', 'leave it out for 200', /^[123]\d\d$/],
    ['status statuscode httpstatus code', 'write `error: { status: % }`', /^\d{3}$/],
    ['status statuscode code', `of a job that fails, write \`job: { failAt: 50 }\``],
    ['body json data payload', wholeReply],
    ['response respond return returns result content message output say', wholeReply, 'object'],
    ['response respond return returns result content message output say', 'write `text: %`'],
    ['latency wait sleep pause delayms delayseconds fixeddelay', 'write `delay: %t`'],
    ['responses replies answers steps', 'write `sequence: [{ … }, { … }]`: one answer a call'],
    [
      'toolcall toolcalls tools tool functioncall tooluse',
      'write `stream: { script: [{ toolCall: { name: …, arguments: { … } } }] }`',
    ],
    ['finishreason stopreason finish', 'write `stream: { script: [{ text: … }, { finish: % }] }`'],
    ['state', 'write `setState: { NAME: … }`'],
    ['chunks events deltas sse', `write \`stream: { ${pieces} }\``],
    ['timeout', 'write `fault: hang` for no answer at all, or `delay: 30s` for a late one'],
    ['text', `expected text: pieces are written as \`stream: { ${pieces} }\``, 'list'],
    ['text', 'expected text: write "%", in quotes', 'number boolean'],
    ['reply', `${object} \`text: %\` instead of \`reply\``, 'text'],
    ['error', `${object} { status: % }`, /^\d{3}$/],
    ['error', `${object} { type: % }`, /^[a-z]+(?:_[a-z]+)+$/],
    ['error', `${object} { status: 500, message: %q }`, 'text'],
    ['job', `${object} { failAt: 50 }, a percentage of its duration`, /fail|error|reject/i],
    ['job', 'jobs succeed unless a rule says otherwise: write `job: at-once`', /succ|compl|done/i],
    ['job', 'write `job: stuck` for a job that never ends', /pend|wait|queue|run|progress|hang/i],
    ['stream', `${object} { ${pieces} }`, 'list'],
  ],
  error: [
    ['statuscode httpstatus http', 'write `status: %`'],
    ['text msg detail reason body', 'write `message: %`'],
  ],
  delay: [
    ['min minimum', 'write `from: %`'],
    ['max maximum', 'write `to: %`'],
  ],
  script: [
    ['delay sleep pause', 'write `wait: %t`'],
    ['content message token chunk delta', 'write `text: %`'],
  ],
  stream: [
    ['chunks events deltas content text tokens pieces data', `write \`${pieces}\``],
    ['frames', `${list} \`- |\` above the text; one item may hold several frames, or all`, 'text'],
  ],
  job: [['fail failed status state error', `write ${percentage}; \`code\` and \`message\` go with it`]],
  timeline: [['after time when', 'write `at: %`']],
  steps: [
    ['request send http', 'write `call: @`, and `with: { … }` for its fields'],
    ['operation op do run action', 'write `call: %`'],
    ['url get post put', 'write `call: @`; `fetch: …` takes links of replies'],
    ['wait sleep delay pause', 'write `advance: %t`'],
    ['body params input args arguments json data payload', 'write `with: { … }`'],
    ['assert assertions response expected should then', 'write `expect: { status: …, body: { … } }`'],
  ],
  expect: [
    ['statuscode code', 'write `status: %`'],
    ['contains includes', 'write `text: { contains: % }`'],
    ['events chunks finish toolcalls usage', 'it belongs under `stream`'],
  ],
  operators: [
    ['matches match pattern regexp', 'write { regex: % }'],
    ['equalto eq is exact equal', 'write %'],
    ['includes include like has substring', 'write { contains: % }'],
    ['ne neq isnot notequal', 'write { not: % }'],
    ['in oneof enum', 'write { anyOf: […] }'],
    ['prefix beginswith', 'write { startsWith: % }'],
    ['min minimum atleast', 'write { gte: % }'],
    ['max maximum atmost', 'write { lte: % }'],
    ['greaterthan above', 'write { gt: % }'],
    ['lessthan below', 'write { lt: % }'],
    ['present defined', 'write { exists: true }'],
    ['absent missing', 'write { exists: false }'],
    ['suffix', 'write { endsWith: % }'],
    ['count size', 'write { length: % }'],
    ['any contain every all', 'write { some: … }'],
  ],
}

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
  const found = [...(rows[place] ?? []), ...(rows['anywhere'] ?? [])].find(
    ([names, , of]) =>
      names.split(' ').includes(name) && (of === undefined ? !known : isOf(of, written.value)),
  )
  if (found === undefined) return undefined
  const [, write] = found
  return { words: filled(write, written), ...defined({ key: /`(\w+)/.exec(write)?.[1] }) }
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

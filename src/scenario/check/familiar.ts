/** What people bring along from other mocks and from the wire, and what to write instead. */
import { isFields } from '../../engine/fields.ts'
import { asText, clip, show } from '../../protocol/wording.ts'
import { faultNamed } from '../faults/all.ts'

/** What was written with an unknown word, or in the place of something else. */
export interface Written {
  readonly name: string
  readonly value: unknown
  /** What stands beside it. */
  readonly beside: Readonly<Record<string, unknown>>
  /** The operations at an address. */
  operationsAt(address: string, method?: string): readonly string[]
  /** Whether an operation of the rule makes something that lives over time. */
  readonly submits: boolean
  /** Whether all operations of the rule name something that an earlier call made. */
  readonly follows: boolean
}

/** What to write instead, and the key that is then no longer missing. */
export interface Instead {
  readonly words: string
  readonly key?: string
}

/** In words, `%` stands for the value, `%q` for it in quotes, `%t` for a duration, `@` for an operation. */
type Say = string | ((written: Written) => string)

const aRule = 'write `rules: [{ when: { operation: … }, then: { text: … } }]`'
const anAnswer = 'write `then: { text: … }`, `then: { error: { status: … } }` or another answer'
const conditions = 'all conditions must hold: write a rule each, or `{ anyOf: […] }` and `{ not: … }` in one'
const toolCall = 'write `stream: { script: [{ toolCall: { name: …, arguments: { … } } }] }`'
const pieces = '`script: [{ text: [first piece, next piece] }]`'
const percentage = '`failAt: 50`, a percentage of its duration'

/** Unknown words by the key that holds them (of rules and steps the list), in small letters. */
const words: Readonly<Record<string, readonly (readonly [names: string, say: Say, key?: string])[]>> = {
  file: [
    ['scenario', 'leave it out: `title`, `rules` and `steps` stand at the top of the file', 'title'],
    ['name summary', 'write `title: %`', 'title'],
    ['mappings routes mocks handlers interactions stubs endpoints responses fixtures', aRule],
    ['tests test client', 'write `steps: [{ call: …, with: { … }, expect: { status: 200 } }]`'],
  ],
  rules: [
    [
      'request match matcher if on where given conditions url method',
      'write `when: { operation: @ }`',
      'when',
    ],
    ['response respond return answer do handler status', anAnswer, 'then'],
    ['name title description', 'write `id: …`, its name in reports'],
    ['once', 'write `when: { times: 1 }`'],
    ['count repeat limit', 'write `when: { times: % }`'],
    ['priority order weight', 'rules are asked in their order: put the one that goes first further up'],
  ],
  when: [
    ['url uri urlpath urlpattern path endpoint route pathname address', addressSaid, 'operation'],
    ['method verb', 'write `operation: @`, which says the method too'],
    ['prompt message messages question input lastuser user content text contains', promptSaid],
    ['count call calls attempt n index number', 'write `nth: %`'],
    ['once', 'write `times: 1`'],
    ['limit max repeat', 'write `times: %`'],
    ['apikey token auth authorization bearer', 'write `key: …`'],
    ['json data payload requestbody', 'write `body: { … }`'],
    ['or any anyof not and all', conditions],
  ],
  then: [
    ['status statuscode httpstatus code', statusSaid],
    ['body json data payload', 'write `reply: { body: { … } }`, or `patch: { … }` to change parts of it'],
    ['response respond return returns answer result content message output say completion', textSaid],
    ['latency wait sleep pause delayms delayseconds fixeddelay', 'write `delay: %t`'],
    ['responses replies answers steps', 'write `sequence: [{ … }, { … }]`: one answer a call'],
    [
      'random oneof choose chance',
      'write `weighted: [{ weight: 9, then: { … } }, { weight: 1, then: { … } }]`',
    ],
    ['toolcall toolcalls tools tool functioncall tooluse', toolCall],
    ['finishreason stopreason finish', 'write `stream: { script: [{ text: … }, { finish: % }] }`'],
    ['chunks events deltas sse', `write \`stream: { script: [{ text: [first piece, next piece] }] }\``],
    ['timeout', 'write `fault: hang` for no answer at all, or `delay: 30s` for a late one'],
    ['state', 'write `setState: { NAME: … }`'],
  ],
  error: [
    ['statuscode httpstatus http', 'write `status: %`', 'status'],
    ['text msg detail reason body', 'write `message: %`'],
  ],
  delay: [
    ['min minimum', 'write `from: %`', 'from'],
    ['max maximum', 'write `to: %`', 'to'],
  ],
  script: [
    ['delay sleep pause', 'write `wait: %t`'],
    ['content message token chunk delta', 'write `text: %`'],
    ['functioncall tool tooluse', 'write `toolCall: { name: …, arguments: { … } }`'],
  ],
  stream: [
    ['chunks events deltas content text tokens pieces data', `write ${pieces}`],
    ['delay initialdelay ttft', 'write `firstAfter: …` for the wait before the first event'],
    ['interval chunkdelay pace', 'write `every: %t`'],
  ],
  job: [
    ['fail failed status state error', `write ${percentage}; \`code\` and \`message\` go with it`],
    ['after duration delay time progress', 'write a `timeline: [{ at: 5s, status: … }]` instead of `job`'],
  ],
  timeline: [['after time when', 'write `at: %`', 'at']],
  steps: [
    ['request send http', 'write `call: @`, and `with: { … }` for its fields'],
    ['operation op do run action', 'write `call: %`'],
    ['url get post put', 'write `call: @`; `fetch: …` takes links of replies'],
    ['wait sleep delay pause', 'write `advance: %t`'],
    ['body params input args arguments json data payload', 'write `with: { … }`'],
    ['assert assertions response expected should verify then', 'write `expect: { status: …, body: { … } }`'],
    ['status statuscode', 'write `expect: { status: % }`'],
    ['id title description', 'write `name: …`'],
  ],
  expect: [
    ['statuscode code', 'write `status: %`'],
    ['json data', 'write `body: { … }`'],
    ['content', 'write `text: …`, or `body: { … }`'],
    ['contains includes', 'write `text: { contains: % }`'],
    ['events chunks finish toolcalls usage', 'it belongs under `stream`'],
  ],
}

/** Places with the words of another one. */
const same: Readonly<Record<string, string>> = {
  sequence: 'then',
  weighted: 'then',
  until: 'expect',
  parallel: 'steps',
}

const object = 'expected an object: write '
const list = 'expected a list: write '

/** Values of another kind than keys take: keys (with what stands above them), and what was written. */
const values: readonly (readonly [keys: string, of: string | RegExp, say: Say])[] = [
  ['rules.then', 'list', `${object}{ sequence: [ … ] }, one answer a call`],
  ['rules.then', /^\d{3}$/, `${object}{ error: { status: % } }`],
  [
    'rules.then',
    /=>|\bfunction\b/,
    'a file cannot hold a function: write the scenario as an object in a test',
  ],
  ['rules.then', 'text', thenSaid],
  ['when', 'text', `${object}{ operation: @ }`],
  ['conversation', 'text', `${object}{ lastUser: { contains: % } }`],
  ['nth', 'text', nthSaid],
  ['then.text', 'list', 'expected text: pieces are written as `stream: { script: [{ text: [ … ] }] }`'],
  ['then.text', 'object', ({ value }) => `expected text: write it in quotes, ${show(JSON.stringify(value))}`],
  ['then.text', 'number boolean', 'expected text: write "%", in quotes'],
  ['then.reply', 'text', `${object}\`text: %\` instead of \`reply\``],
  ['delay', /^[\d.]+[a-z]*\s*(?:-|\.\.|to)\s*[\d.]+[a-z]+$/, rangeSaid],
  ['state setState', 'text', `${object}{ NAME: % }`],
  ['rules', 'object', 'expected a list: begin each rule with a dash, `- when: …`'],
  ['when.path', 'text', addressSaid],
  ['then.error', /^\d{3}$/, `${object}{ status: % }`],
  ['then.error', /^[a-z]+(?:_[a-z]+)+$/, `${object}{ type: % }`],
  ['then.error', 'text', `${object}{ status: 500, message: %q }`],
  ['then.error', 'object', errorSaid],
  ['then.job', /fail|error|reject/i, `${object}{ failAt: 50 }, a percentage of its duration`],
  [
    'then.job',
    /succ|compl|done|finish|ready/i,
    'jobs succeed unless a rule says otherwise: write `job: at-once`',
  ],
  ['then.job', /pend|wait|queue|run|progress|hang/i, 'write `job: stuck` for a job that never ends'],
  [
    'clock.mode',
    /fix|fr[eo]z|fake|virtual|mock/i,
    'no mode %q: write manual, a clock that somebody advances',
  ],
  ['then.stream', 'list', listAsStream],
  ['then.stream', 'text', `${object}{ script: [{ text: %q }] }`],
  ['then.stream', 'boolean', `${object}leave it out, for whoever asks for a stream gets one`],
  ['timeline', 'object', `${list}[{ at: 0s, status: … }, { at: 5s, status: … }]`],
  ['expect until', 'number', `${object}{ status: % }`],
  ['fault', /^\d{3}$/, 'a status is no fault: write `error: { status: … }`'],
  ['fault', /time.?out|no.?resp/i, 'no fault %q: write `fault: hang` for no answer at all, or `delay: 30s`'],
  [
    'fault',
    /reset|abort|close|drop|network|econn|socket/i,
    'no fault %q: write `fault: reset` or `disconnect`',
  ],
  ['fault', /malformed|invalid|broken/i, 'no fault %q: write `fault: malformed-json` or `malformed-event`'],
  ['fault', /rate|throttl|too.?many/i, 'no fault %q: write `fault: rate-limit`'],
  ['fault', 'text', 'no fault %q: docs/faults.md lists them, such as reset, hang and disconnect'],
  ['fault.kind', 'nothing', kindSaid],
  ['unset default', 'text', `${list}[%]`],
  ['frames', 'text', `${list}\`- |\` above the text; one item may hold several frames, or all`],
]

/** What to write for an unknown word below a key; undefined where nobody knows it. */
export function insteadOfWord(holder: string | undefined, written: Written): Instead | undefined {
  const place = holder === undefined ? 'file' : (same[holder] ?? holder)
  const name = written.name.replace(/[-_ ]/g, '').toLowerCase()
  const found = words[place]?.find(([names]) => names.split(' ').includes(name))
  if (found === undefined) return undefined
  const [, say, key] = found
  return { words: said(say, written), ...(key === undefined ? {} : { key }) }
}

/** What to write for a value of another kind than the key takes; `holder` is the key above it. */
export function insteadOfValue(
  key: string,
  holder: string | undefined,
  written: Written,
): string | undefined {
  const places = [key, `${holder === 'sequence' ? 'then' : holder}.${key}`]
  const text = typeof written.value === 'number' ? String(written.value) : written.value
  const found = values.find(
    ([keys, of]) =>
      keys.split(' ').some((one) => places.includes(one)) &&
      (typeof of === 'string'
        ? of.split(' ').includes(kindOf(written.value))
        : typeof text === 'string' && of.test(text)),
  )
  const words = found === undefined ? '' : said(found[2], written)
  return words === '' ? undefined : words
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'string' ? 'text' : typeof value
}

function said(say: Say, written: Written): string {
  if (typeof say !== 'string') return say(written)
  const { name, value } = written
  const unit = typeof value === 'number' ? (/sec/i.test(name) ? 's' : 'ms') : ''
  const meant: Readonly<Record<string, () => string>> = {
    '%t': () => `${brief(value, '300ms')}${unit}`,
    '%q': () => show(value),
    '%': () => brief(value, '…'),
    '@': () => operationMeant(written),
  }
  return say.replace(/%[tq]?|@/g, (mark) => meant[mark]?.() ?? mark)
}

/** A value short enough for a sentence, as YAML writes it. */
function brief(value: unknown, otherwise: string): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value === '') return otherwise
  return /^[\w.][\w. /-]*$/.test(value) ? clip(value, 40) : show(value)
}

const shapeOf = (value: unknown): string => (isFields(value) ? '{ … }' : `{ contains: ${brief(value, '…')} }`)

/** The operation at the address that was written: as the value, in it or beside it. */
function operationMeant({ name, value, beside, operationsAt }: Written): string {
  const { operation, url, uri, path, urlPath, endpoint, route, method } = {
    ...beside,
    ...Object(value),
  } as Readonly<Record<string, unknown>>
  const address = [value, operation, url, uri, path, urlPath, endpoint, route].find(
    (one) => typeof one === 'string' && operationsAt(one).length > 0,
  )
  const word = [method, name === 'method' ? value : name].find((one) =>
    /^(?:get|post|put|delete)$/i.test(asText(one)),
  )
  return operationsAt(asText(address), word === undefined ? undefined : asText(word))[0] ?? '…'
}

function addressSaid({ value, beside, operationsAt }: Written): string {
  const method = beside['method'] ?? beside['verb']
  const [first, ...others] = operationsAt(asText(value), typeof method === 'string' ? method : undefined)
  if (first === undefined)
    return 'write `operation: …`: files name operations, not addresses (`gateway-sim routes` lists both)'
  return `write \`operation: ${first}\`${others.length > 0 ? `, or ${others.slice(0, 3).join(', ')}` : ''}`
}

function promptSaid({ value, follows }: Written): string {
  return `write \`${follows ? 'job: { prompt' : 'conversation: { lastUser'}: ${shapeOf(value)} }\``
}

function statusSaid({ name, value, submits, beside }: Written): string {
  const status = Number(value)
  if (Number.isNaN(status) || status < 100) {
    if (!submits)
      return `it belongs in an error: \`error: { status: …${name === 'code' ? ', code: …' : ''} }\``
    return /fail|error/i.test(asText(value))
      ? 'write `job: { failAt: 50 }`, a percentage of its duration'
      : `write \`timeline: [{ at: 0s, status: ${brief(value, '…')} }]\``
  }
  if (status < 400)
    return 'leave it out for 200; `reply: { status: …, body: … }` is a whole reply of your own'
  const own = Object.hasOwn(beside, 'body')
    ? `, or \`reply: { status: ${status}, body: … }\` with \`offContract: true\` for a body of your own`
    : ''
  return `write \`error: { status: ${status} }\`${own}`
}

function textSaid({ value }: Written): string {
  return isFields(value)
    ? 'write `reply: { body: { … } }` for a whole reply, or `text: …` for the words of the answer'
    : `write \`text: ${brief(value, '…')}\``
}

function thenSaid({ value }: Written): string {
  const isFault = faultNamed(asText(value)) !== undefined
  return `${object}${isFault ? `{ fault: ${asText(value)} }` : `{ text: ${show(value)} }`}`
}

function errorSaid({ value }: Written): string {
  const { code } = value as { readonly code?: unknown }
  const isStatus = typeof code === 'number' && code >= 400 && code < 600
  const hint = isStatus ? `; did you mean status: ${code}?` : ''
  return `needs a \`status\`, a \`type\`, or both, such as { status: 429, … }${hint}`
}

function nthSaid({ value }: Written): string {
  const [, from, to] = /^(\d+)(?:st|nd|rd|th)?(?:\s*(?:-|\.\.)\s*(\d+))?$/.exec(asText(value)) ?? []
  if (from === undefined) return value === 'first' ? 'expected a position: write 1' : ''
  if (to === undefined) return `expected a position: write ${from}`
  const after = from === '1' ? '' : ` and \`after: ${Number(from) - 1}\``
  return `expected a position: write \`first: ${to}\`${after}`
}

function rangeSaid({ value }: Written): string {
  const [from, to] = asText(value).split(/\s*(?:-|\.\.|to)\s*/)
  return `write { from: ${from}, to: ${to} }`
}

function listAsStream({ value }: Written): string {
  const isScript = (value as readonly unknown[]).some(isFields)
  return `${object}{ script: ${isScript ? '[ … ]' : '[{ text: [ … ] }]'} }`
}

/** A fault that is named by another key than `kind`. */
function kindSaid({ beside }: Written): string {
  const found = ['name', 'type', 'fault'].find((key) => faultNamed(asText(beside[key])) !== undefined)
  return found === undefined ? '' : `is required: write \`kind: ${asText(beside[found])}\` for ${found}`
}

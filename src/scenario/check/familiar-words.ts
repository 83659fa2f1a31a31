/**
 * Words that people bring along from other mocks and from the wire, by the place where they write them, and
 * what to write instead.
 */

import { isFields } from '../../engine/fields.ts'
import { asText } from '../../protocol/wording.ts'
import {
  addressSaid,
  aRule,
  brief,
  durationSaid,
  ofContent,
  statusSaid,
  textSaid,
  toolCall,
  type Written,
  whenSaid,
} from './familiar-phrases.ts'
import { nestedShape } from './nested-shape.ts'
/** What to write instead, and the key that is then no longer missing. */
export interface Instead {
  readonly words: string
  readonly key?: string
}

type Say = string | ((written: Written) => string)

interface Row {
  /** Known by these words, without case, dashes and underscores. */
  readonly names: readonly string[]
  readonly say: Say
  readonly key: string | undefined
}

const row = (names: string, say: Say, key?: string): Row => ({ names: names.split(' '), say, key })

/** By the place: the key that holds the unknown one; of rules and steps the list. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  file: [
    row('scenario', 'leave it out: `title`, `rules` and `steps` stand at the top of the file', 'title'),
    row('scenarios', 'a file is one scenario: put each into a file of its own', 'title'),
    row('name summary', ({ value }) => `write \`title: ${brief(value, '…')}\``, 'title'),
    row(
      [
        'mappings mapping routes mocks mock handlers interactions expectations stubs endpoints responses',
        'fixtures when then rule interceptors conversations calls',
      ].join(' '),
      `write \`${aRule}\``,
    ),
    row('settings config options', 'settings have a file of their own: gateway-sim.config.yaml'),
    row('default fallback otherwise', 'write a last rule without `when`: `rules: [ …, { then: … }]`'),
    row('tests test client replay', 'write `steps: [{ call: …, with: { … }, expect: { status: 200 } }]`'),
  ],
  rules: [
    row(
      [
        'request requests match matcher matches matching if on where for filter given condition conditions',
        'predicate url method endpoint',
      ].join(' '),
      whenSaid,
      'when',
    ),
    row(
      [
        'response responses respond return returns answer answers action do result handler resolve status',
      ].join(' '),
      'write `then: { text: … }`, `then: { error: { status: … } }` or another answer',
      'then',
    ),
    row('get post put delete', whenSaid, 'when'),
    row('else otherwise default fallback', 'write another rule behind it: the first that matches answers'),
    row('name title description label', 'write `id: …`, its name in reports'),
    row('once', 'write `when: { times: 1 }`'),
    row('count repeat limit max', ({ value }) => `write \`when: { times: ${brief(value, '2')} }\``),
    row('priority order weight', 'rules are asked in their order: put the one that goes first further up'),
    row('enabled disabled skip', 'there is no switch: take the rule out, or make it a comment'),
  ],
  when: [
    row(
      'url uri urlpath urlpattern urlpathpattern path endpoint route pathname address',
      addressSaid,
      'operation',
    ),
    row('method verb httpmethod', ({ value, beside, operationsAt }) => {
      const { url, uri, path, endpoint, route } = beside
      const address = [url, uri, path, endpoint, route].find((one) => typeof one === 'string')
      const [found = '…'] = address === undefined ? [] : operationsAt(asText(address), asText(value))
      return `write \`operation: ${found}\`, which says the method too`
    }),
    row(
      [
        'prompt message messages question input usermessage lastmessage lastuser lastusermessage user',
        'content text contains',
      ].join(' '),
      ({ value, follows }) => {
        const shape = isFields(value) ? '{ … }' : `{ contains: ${brief(value, '…')} }`
        return `write \`${follows ? `job: { prompt: ${shape} }` : `conversation: { lastUser: ${shape} }`}\``
      },
    ),
    row('tool toolresult toolresults tooloutput', 'write `conversation: { toolResult: … }`'),
    row('turn step round', ({ value }) => `write \`conversation: { turn: ${brief(value, '2')} }\``),
    row(
      'count call calls attempt n index number nthcall callnumber',
      ({ value }) => `write \`nth: ${brief(value, '2')}\``,
    ),
    row('once', 'write `times: 1`'),
    row('limit max repeat maxtimes', ({ value }) => `write \`times: ${brief(value, '2')}\``),
    row('apikey token auth authorization bearer', 'write `key: …`'),
    row('params parameters param pathparams pathparameters', 'write `path: { … }` or `query: { … }`'),
    row('queryparams queryparameters querystring search', 'write `query: { … }`'),
    row('json data payload bodypatterns requestbody', 'write `body: { … }`'),
    row('requiredscenariostate states inscenario', 'write `state: { NAME: … }`, declared under `states`'),
    row('time window between at', 'write `during: { from: 10s, until: 1m }`'),
    row(
      'or any anyof not and all',
      'all conditions must hold: write a rule each, or `{ anyOf: […] }` and `{ not: … }` in a condition',
    ),
  ],
  conversation: [
    row('user last message text contains prompt lastmessage question', ({ value }) =>
      isFields(value) ? 'write `lastUser: {…}`' : `write \`lastUser: { contains: ${brief(value, 'hi')} }\``,
    ),
    row('tool toolresults result tooloutput', 'write `toolResult: …`'),
    row('turns count messages step', 'write `turn: …`'),
  ],
  then: [
    row('status statuscode httpstatus', statusSaid),
    row('code', (written) =>
      Number(written.value) >= 400
        ? statusSaid(written)
        : 'it belongs in an error: `error: { status: …, code: … }`',
    ),
    row(
      'body json jsonbody data payload',
      'write `reply: { body: { … } }` for a whole reply, or `patch: { … }` to change parts of it',
    ),
    row(
      'response respond return returns answer result content message output say completion assistant msg',
      textSaid,
    ),
    row(
      'choices candidates',
      'write `text: …` for the words of the answer, or `reply: { body: { … } }` for a whole reply',
    ),
    row(
      [
        'latency wait sleep pause fixeddelay fixeddelaymilliseconds delayms delaymilliseconds delayseconds',
        'responsetime',
      ].join(' '),
      durationSaid('delay'),
    ),
    row(
      'responses replies answers steps then thens list',
      'write `sequence: [{ … }, { … }]`: one answer a call',
    ),
    row(
      'random oneof choose chance probability',
      'write `weighted: [{ weight: 9, then: { … } }, { weight: 1, then: { … } }]`',
    ),
    row('toolcall toolcalls tools tool functioncall tooluse', toolCall),
    row('finishreason stopreason finish', ({ value }) => ofContent(`finish: ${brief(value, 'length')}`)),
    row('usage tokens', ofContent('usage: { input: …, output: … }')),
    row('reasoning thinking', 'write `stream: { script: [{ reasoning: … }, { text: … }] }`'),
    row('refusal', 'write `stream: { script: [{ refusal: … }] }`'),
    row('chunks events deltas sse', 'write `stream: { script: [{ text: [first piece, next piece] }] }`'),
    row('timeout', 'write `fault: hang` for no answer at all, or `delay: 30s` for a late one'),
    row('abort networkerror connectionreset reseterror', 'write `fault: reset`'),
    row('fail failure exception throw', 'write `error: { status: 500 }`, or `fault: reset` below HTTP'),
    row('callback function handler', 'a file cannot hold a function: in a test, `then` itself may be one'),
    row('state newscenariostate', 'write `setState: { NAME: … }`'),
    row('progress failat', 'write `job: { failAt: 50 }` or a `timeline`'),
    row('templates transformers', 'texts take values of the request without them: `${body.model}`'),
  ],
  error: [
    row('statuscode httpstatus http', ({ value }) => `write \`status: ${brief(value, '500')}\``, 'status'),
    row('text msg detail reason body', ({ value }) => `write \`message: ${brief(value, '…')}\``),
    row('kind name', 'write `type: …`', 'type'),
    row('headers', 'it belongs beside `error`: `headers: { … }`'),
  ],
  clock: [
    row('time now date at from', ({ value }) => `write \`start: ${brief(value, '2026-01-01T00:00:00Z')}\``),
    row('type kind frozen freeze', 'write `mode: manual`'),
    row('rate factor', 'write `speed: …` with `mode: real`'),
  ],
  reply: [row('json data payload content', 'write `body: { … }`')],
  delay: [
    row('min least minimum low', ({ value }) => `write \`from: ${brief(value, '1s')}\``, 'from'),
    row('max most maximum high', ({ value }) => `write \`to: ${brief(value, '2s')}\``, 'to'),
    row('mean average avg', ({ value }) => `write \`median: ${brief(value, '1s')}\``),
  ],
  script: [
    row('delay sleep pause after', durationSaid('wait')),
    row('content message token chunk delta data', ({ value }) => `write \`text: ${brief(value, '…')}\``),
    row('functioncall tool tooluse', 'write `toolCall: { name: …, arguments: { … } }`'),
    row('thinking thought', ({ value }) => `write \`reasoning: ${brief(value, '…')}\``),
    row('done end stop finishreason stopreason', 'write `finish: stop`, or leave it out: every stream ends'),
    row('error', 'write `fault: error-event`'),
  ],
  toolCall: [
    row('function tool toolname', ({ value }) => `write \`name: ${brief(value, '…')}\``, 'name'),
    row('args input parameters params', 'write `arguments: { … }`', 'arguments'),
  ],
  stream: [
    row(
      'chunks events deltas content text tokens pieces data',
      'write `script: [{ text: [first piece, next piece] }]`',
    ),
    row(
      'delay initialdelay ttft timetofirsttoken',
      'write `firstAfter: …` for the wait before the first event, `every: …` for those between',
    ),
    row('interval chunkdelay delaybetween pace', durationSaid('every')),
    row('tps speed rate', ({ value }) => `write \`tokensPerSecond: ${brief(value, '30')}\``),
  ],
  job: [
    row(
      'fail failed status state error',
      'write `failAt: 50`, a percentage of its duration; `code` and `message` go with it',
    ),
    row(
      'after duration delay time takes',
      'times are written in a `timeline: [{ at: 5s, status: … }]` beside `operation`, instead of `job`',
    ),
    row('progress', 'write a `timeline: [{ at: 5s, progress: … }]` instead of `job`'),
  ],
  timeline: [
    row('after time when', ({ value }) => `write \`at: ${brief(value, '5s')}\``, 'at'),
    row('nth attempt call', ({ value }) => `write \`poll: ${brief(value, '2')}\``, 'poll'),
    row('remove delete omit without', 'write `unset: [ … ]`'),
    row('notfound missing deleted', 'write `gone: true`'),
  ],
  steps: [
    row('request send http', ({ value, operationsAt }) => {
      const { url, path, method } = (isFields(value) ? value : {}) as Readonly<Record<string, unknown>>
      const [found = '…'] = operationsAt(
        asText(url ?? path ?? value),
        typeof method === 'string' ? method : undefined,
      )
      return `write \`call: ${found}\`, and \`with: { … }\` for its fields`
    }),
    row('operation op do run action', ({ value }) => `write \`call: ${brief(value, '…')}\``),
    row(
      'url get post put',
      ({ value, operationsAt }) =>
        `write \`call: ${operationsAt(asText(value))[0] ?? '…'}\`; \`fetch: …\` takes links of replies`,
    ),
    row('wait sleep delay pause time tick', durationSaid('advance')),
    row('body params input args arguments json data payload fields', 'write `with: { … }`'),
    row(
      'assert assertions response expected should verify then expects',
      'write `expect: { status: …, body: { … } }`',
    ),
    row('status statuscode', ({ value }) => `write \`expect: { status: ${brief(value, '200')} }\``),
    row('poll repeat retry', 'write `until: { body: { … } }`, with `every: 5s`'),
    row('capture extract store set vars', 'write `save: { id: body.id }`'),
    row('together concurrent all', 'write `parallel: [ … ]`'),
    row('id title description', 'write `name: …`'),
  ],
  expect: [
    row('statuscode code', ({ value }) => `write \`status: ${brief(value, '200')}\``),
    row('json data bodycontains', 'write `body: { … }`'),
    row('content', 'write `text: …`, or `body: { … }`'),
    row('contains includes', ({ value }) => `write \`text: { contains: ${brief(value, '…')} }\``),
    row(
      'events chunks finish toolcalls usage',
      ({ name }) => `it belongs under \`stream\`: \`stream: { ${name}: … }\``,
    ),
    row('time duration latency responsetime', 'write `took: { lte: 500 }`, in virtual milliseconds'),
    row('error', 'write `broken: reset` below HTTP, or `status` and `body: { error: { … } }`'),
  ],
}

const same: Readonly<Record<string, string>> = {
  sequence: 'then',
  weighted: 'then',
  until: 'expect',
  parallel: 'steps',
}

/** What to write for an unknown word below a key; undefined where nobody knows it. */
export function insteadOf(holder: string | undefined, written: Written): Instead | undefined {
  const place = holder === undefined ? 'file' : (same[holder] ?? holder)
  const name = written.name.replace(/[-_ ]/g, '').toLowerCase()
  const found = rows[place]?.find(({ names }) => names.includes(name))
  if (found !== undefined)
    return { words: wordsOf(found.say, written), ...(found.key === undefined ? {} : { key: found.key }) }
  return place === 'when' ? pathSaid(written) : undefined
}

/** A condition whose key is a path: `body.messages[0].content`. */
function pathSaid({ name, value }: Written): Instead | undefined {
  if (!/[.[]/.test(name)) return undefined
  return { words: `write \`${nestedShape(name, value)}\`` }
}

function wordsOf(say: Say, written: Written): string {
  return typeof say === 'string' ? say : say(written)
}

/** Turns a recorded response into a stream script: texts, tool calls, usage, and pauses. */
import { formatDuration } from '../engine/duration.ts'
import { defined, type Fields, isFields, jsonIn, listOf } from '../engine/fields.ts'
import { bytesOf, type Exchange, type ExchangeResponse, headerIn } from '../exchange/exchange.ts'
import { fieldsOf } from './recorded-calls.ts'

interface Item {
  readonly kind: 'text' | 'reasoning' | 'refusal' | 'toolCall'
  readonly chunks: { readonly text: string; readonly at: number }[]
  readonly name?: string | undefined
}

export interface ScriptedAnswer {
  readonly items: readonly Item[]
  readonly finish: string | undefined
  readonly usage: Fields | undefined
  /** Whether the gateway disconnected after it. */
  readonly isCut: boolean
}

/** Thrown for content that scripts cannot express. */
class NotScriptable extends Error {}

/** The response as a script; undefined if scripts cannot express all of it. */
export function scriptedAnswer(exchange: Exchange): ScriptedAnswer | undefined {
  const { response, ended } = exchange
  if (response === undefined) return undefined
  const isStream = isEventStream(exchange)
  const answer = new AnswerReader(isStream && ended === 'disconnected')
  try {
    if (isStream) for (const { data, at } of eventsOf(response)) answer.event(JSON.parse(data) as Fields, at)
    else answer.plain(fieldsOf(exchange))
  } catch {
    return undefined
  }
  return answer.items.length === 0 ? undefined : answer
}

export const isEventStream = ({ response }: Exchange): boolean =>
  headerIn(response?.headers ?? [], 'content-type')?.includes('event-stream') === true

/** The data of the events, each at the time of its last byte. */
function* eventsOf({ body, chunks = [] }: ExchangeResponse): Generator<{ data: string; at: number }> {
  // Latin-1: positions in the text are positions of bytes.
  const text = Buffer.from(bytesOf(body)).toString('latin1')
  let chunk = 0
  let arrived = chunks[0]?.bytes ?? 0
  for (const { index, 0: line, 1: written = '' } of text.matchAll(/^data: ?(.*)$/gm)) {
    while (arrived < index + line.length && chunk < chunks.length - 1) arrived += chunks[++chunk]?.bytes ?? 0
    const data = Buffer.from(written.trim(), 'latin1').toString('utf8')
    if (data !== '[DONE]') yield { data, at: Math.round(chunks[chunk]?.at ?? 0) }
  }
}

class AnswerReader implements ScriptedAnswer {
  readonly items: Item[] = []
  finish: string | undefined
  usage: Fields | undefined
  readonly isCut: boolean

  constructor(isCut: boolean) {
    this.isCut = isCut
  }

  plain(body: Fields): void {
    if (isFields(body['usage'])) this.usage = body['usage']
    if (typeof body['stop_reason'] === 'string') this.finish = body['stop_reason']
    for (const block of listOf(body['content'])) this.#block(block as Fields, 0)
    const [choice, ...others] = listOf(body['choices']) as Fields[]
    if (others.length > 0) throw new NotScriptable()
    if (choice !== undefined) this.#choice(choice, choice['message'] as Fields, 0)
  }

  event(event: Fields, at: number): void {
    if ('error' in event || event['type'] === 'error') throw new NotScriptable()
    if (isFields(event['usage'])) this.usage = { ...this.usage, ...event['usage'] }
    for (const choice of listOf(event['choices']) as Fields[]) {
      if ((choice['index'] ?? 0) !== 0) throw new NotScriptable()
      this.#choice(choice, (choice['delta'] ?? {}) as Fields, at)
    }
    const { type, message, content_block: block, delta } = event
    if (isFields(message) && isFields(message['usage'])) this.usage = message['usage']
    if (type === 'content_block_start') this.#block({ ...(block as Fields), input: undefined }, at)
    if (type !== 'content_block_delta' && type !== 'message_delta') return
    const { text, thinking, partial_json: json, stop_reason: reason, signature } = delta as Fields
    if (typeof reason === 'string') this.finish = reason
    if (typeof text === 'string') this.#say('text', text, at)
    else if (typeof thinking === 'string') this.#say('reasoning', thinking, at)
    else if (typeof json === 'string') this.items.at(-1)?.chunks.push({ text: json, at })
    else if (type === 'content_block_delta' && typeof signature !== 'string') throw new NotScriptable()
  }

  #choice(choice: Fields, said: Fields, at: number): void {
    if (typeof choice['finish_reason'] === 'string') this.finish = choice['finish_reason']
    if (isFields(choice['logprobs']) || isFields(said['audio']) || listOf(said['annotations']).length > 0)
      throw new NotScriptable()
    this.#say('reasoning', said['reasoning_content'] ?? said['reasoning'], at)
    this.#say('text', said['content'], at)
    this.#say('refusal', said['refusal'], at)
    for (const call of listOf(said['tool_calls']) as Fields[]) {
      const { name, arguments: input } = (call['function'] ?? {}) as Fields
      if (typeof name === 'string') this.items.push({ kind: 'toolCall', name, chunks: [] })
      if (typeof input === 'string' && input !== '') this.items.at(-1)?.chunks.push({ text: input, at })
    }
  }

  #block(block: Fields, at: number): void {
    const { type, name, input, text, thinking } = block
    if (type === 'text') this.#say('text', text, at)
    else if (type === 'thinking') this.#say('reasoning', thinking, at)
    else if (type === 'tool_use') {
      const chunks = input === undefined ? [] : [{ text: JSON.stringify(input), at }]
      this.items.push({ kind: 'toolCall', name: String(name), chunks })
    } else throw new NotScriptable()
  }

  #say(kind: Exclude<Item['kind'], 'toolCall'>, text: unknown, at: number): void {
    if (typeof text !== 'string' || text === '') return
    const last = this.items.at(-1)
    if (last?.kind === kind) last.chunks.push({ text, at })
    else this.items.push({ kind, chunks: [{ text, at }] })
  }
}

/** A pause is written if it is this many times longer than usual. */
const longWait = 4

export function thenOf({ items, finish, usage, isCut }: ScriptedAnswer): Record<string, unknown> {
  const [only] = items
  const isPlain = items.length === 1 && only?.chunks.length === 1 && usage === undefined && !isCut
  if (isPlain && only?.kind === 'text') return { text: only.chunks[0]?.text }
  const times = items.flatMap(({ chunks }) => chunks.map(({ at }) => at))
  const gaps = times.slice(1).map((at, index) => at - (times[index] as number))
  const every = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0
  const isTimed = times.some((at) => at > 0)
  const script: object[] = []
  let before: number | undefined
  for (const { kind, name, chunks } of items) {
    if (kind === 'toolCall') {
      script.push({ toolCall: { name, arguments: argumentsOf(chunks.map(({ text }) => text)) } })
      before = chunks.at(-1)?.at ?? before
      continue
    }
    let run: string[] = []
    for (const { text, at } of chunks) {
      const wait = before === undefined ? 0 : at - before
      before = at
      if (isTimed && wait > longWait * every + 100) {
        script.push(...textItem(kind, run), { wait: formatDuration(wait - every) })
        run = []
      }
      run.push(text)
    }
    script.push(...textItem(kind, run))
  }
  const word = finishWord(finish, items)
  if (word !== undefined) script.push({ finish: word })
  if (usage !== undefined) script.push(...usageItem(usage))
  if (isCut) script.push({ fault: 'disconnect' })
  const pace = { firstEventAfter: formatDuration(times[0] ?? 0), eventInterval: formatDuration(every) }
  return { stream: isTimed ? { ...pace, script } : { script } }
}

/** A text with more chunks is written as one string, for readability. */
const maxChunks = 8

function textItem(kind: Item['kind'], run: readonly string[]): object[] {
  if (run.length === 0) return []
  return [{ [kind]: run.length > 1 && run.length <= maxChunks ? run : run.join('') }]
}

// Arguments that are not JSON are kept as they are.
function argumentsOf(chunks: readonly string[]): unknown {
  const text = chunks.join('')
  const value = jsonIn(text === '' ? '{}' : text)
  return isFields(value) ? value : text
}

/** Undefined if it follows from the content. */
function finishWord(finish: string | undefined, items: readonly Item[]): string | undefined {
  if (finish === 'length' || finish === 'max_tokens') return 'length'
  if (finish === 'content_filter' || finish === 'refusal') return 'content_filter'
  const calls = items.some(({ kind }) => kind === 'toolCall')
  return calls && (finish === 'stop' || finish === 'end_turn') ? 'stop' : undefined
}

function usageItem(usage: Fields): object[] {
  const input = usage['prompt_tokens'] ?? usage['input_tokens']
  const output = usage['completion_tokens'] ?? usage['output_tokens']
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined)
  const both = defined({ input: number(input), output: number(output) })
  return Object.keys(both).length === 0 ? [] : [{ usage: both }]
}

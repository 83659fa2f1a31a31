/**
 * A chat answer in one body or as server-sent events, byte for byte as the upstream sends it. Texts are
 * concatenated from constant parts: a stream of a hundred chunks must not cost a hundred objects.
 */

import { ScriptedEvents, type StreamPace } from '../../behaviours/scripts/scripted-events.ts'
import type { WireItem } from '../../behaviours/scripts/tokenize-script.ts'
import type { TokenText } from '../../behaviours/tokens/tokens.ts'
import { eventsIn } from '../../engine/event-run.ts'
import type { Media } from '../../protocol/media.ts'
import { json, mediaMark, type PlainResponse, type StreamItem } from '../../protocol/response.ts'
import type { ChatAnswer, ChatCall, ChatChoice, ChatPart, ChatWords } from './answer.ts'

/** One JSON body, without parts that only streams can have (raw frames, stream faults). */
export function plainResponse(answer: ChatAnswer): PlainResponse {
  const { id, created, model, choices, usage, serviceTier, fingerprint, waits } = answer
  const bodies: unknown[] = []
  const media: Media[] = []
  for (const choice of choices) {
    bodies.push(choiceBody(choice))
    if (choice.speech !== undefined) media.push(choice.speech.media)
  }
  const value = {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: bodies,
    usage,
    service_tier: serviceTier,
    system_fingerprint: fingerprint,
  }
  const response = json(value, media.length === 0 ? {} : { media })
  return waits === 0 ? response : { ...response, delay: waits }
}

function choiceBody({ index, parts, calls, legacy, finish, logprobs, speech }: ChatChoice): unknown {
  const words: { [Kind in ChatWords['kind']]?: string } = {}
  const annotations: unknown[] = []
  for (const part of parts) {
    if (!('encoded' in part)) continue
    words[part.kind] = (words[part.kind] ?? '') + part.encoded.text
    if (part.annotations !== undefined) annotations.push(...part.annotations)
  }
  const { text, refusal, reasoning } = words
  const isSilent = calls.length === 0 && Object.keys(words).length === 0
  const message: Record<string, unknown> = {
    role: 'assistant',
    content: speech === undefined ? (text ?? (isSilent ? '' : null)) : null,
    refusal: refusal ?? null,
  }
  if (reasoning !== undefined) message['reasoning_content'] = reasoning
  if (calls.length > 0 && legacy) message['function_call'] = functionBody(calls[0] as ChatCall)
  else if (calls.length > 0) message['tool_calls'] = calls.map(callBody)
  if (speech !== undefined)
    message['audio'] = { id: speech.id, expires_at: speech.expiresAt, data: mediaMark, transcript: text }
  message['annotations'] = annotations
  const listed =
    logprobs === undefined || (text ?? refusal) === undefined
      ? null
      : {
          content: text === undefined ? null : logprobs.text,
          refusal: refusal === undefined ? null : logprobs.refusal,
        }
  return { index, message, logprobs: listed, finish_reason: finish }
}

const callBody = (call: ChatCall): unknown =>
  call.form === 'function'
    ? { id: call.id, type: 'function', function: functionBody(call) }
    : { id: call.id, type: 'custom', custom: { name: call.name, input: call.encoded.text } }

const functionBody = ({ name, encoded }: ChatCall): unknown => ({ name, arguments: encoded.text })

/**
 * Server-sent events. The choices alternate, as if decoded in parallel; effects of a script on the wire
 * happen only once.
 */
export function streamResponse(answer: ChatAnswer, includeUsage: boolean, pace: StreamPace): PlainResponse {
  const { id, created, model, serviceTier, fingerprint } = answer
  const head =
    `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},` +
    `"model":${JSON.stringify(model)},"service_tier":${JSON.stringify(serviceTier)},` +
    `"system_fingerprint":${JSON.stringify(fingerprint)},"choices":[`
  const tail = includeUsage ? '],"usage":null}' : ']}'
  const written = new ScriptedEvents(pace)
  const choices = answer.choices.map((choice) => {
    const { steps } = new ChoiceSteps(choice, head, tail, pace.eventInterval)
    return answer.choices.length === 1 ? steps : eventsIn(steps)
  })
  const turns = Math.max(...choices.map(({ length }) => length))
  let speaking = choices.length
  for (let at = 0; at < turns; at++) {
    for (const [index, steps] of choices.entries()) {
      const step = steps[at]
      if (step === undefined) continue
      if ('parts' in step) written.addRun(step)
      else if ('data' in step) written.addEvent(step)
      else if (step.kind !== 'usage') {
        if (index < answer.scripts) written.addItem(step)
      } else if (--speaking === 0 && includeUsage && !answer.hidesUsage) {
        // Usage covers all choices and follows the last one.
        written.addEvent({ after: 0, data: `${head}],"usage":${JSON.stringify(answer.usage)}}` })
      }
    }
  }
  written.addEvent({ after: 0, data: '[DONE]' })
  return written.response()
}

const fields = { text: 'content', refusal: 'refusal', reasoning: 'reasoning_content' } as const
/** The first delta of a choice contains the role and the kind of content. */
const openings = {
  text: '{"role":"assistant","content":"","refusal":null}',
  refusal: '{"role":"assistant","content":null,"refusal":""}',
  reasoning: '{"role":"assistant","content":null,"reasoning_content":""}',
  speech: '{"role":"assistant","content":null,"refusal":null}',
} as const

/** The steps of one choice's stream, in order. */
class ChoiceSteps {
  readonly steps: (StreamItem | WireItem | { readonly kind: 'usage' })[] = []
  readonly #choice: ChatChoice
  /** The JSON before a delta and after the finish reason. */
  readonly #head: string
  readonly #tail: string
  readonly #every: number
  #begun = false
  #speaking = false
  readonly #places = { text: 0, refusal: 0 }

  constructor(choice: ChatChoice, head: string, tail: string, every: number) {
    this.#choice = choice
    this.#head = `${head}{"index":${choice.index},"delta":`
    this.#tail = `}${tail}`
    this.#every = every
    for (const part of choice.parts) this.#add(part)
  }

  #add(part: ChatPart): void {
    switch (part.kind) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        if (part.kind === 'text' && this.#choice.speech !== undefined) this.#aloud(part)
        else this.#words(part)
        this.#begun = true
        if (part.annotations !== undefined) this.#say(`{"annotations":${JSON.stringify(part.annotations)}}`)
        break
      case 'calls':
        this.#calls(part.calls)
        this.#begun = true
        break
      case 'finish':
        this.#end()
        break
      default:
        this.steps.push(part)
    }
  }

  #chunk(delta: string, logprobs: string, finish: string): string {
    return `${this.#head}${delta},"logprobs":${logprobs},"finish_reason":${finish}${this.#tail}`
  }

  #say(delta: string, logprobs: string = 'null', finish: string = 'null'): void {
    this.steps.push({ after: this.#every, data: this.#chunk(delta, logprobs, finish) })
  }

  #words({ kind, encoded: { tokenTexts } }: ChatWords): void {
    const field = fields[kind]
    if (!this.#begun) this.#say(openings[kind])
    // An empty text needs a delta too; otherwise clients could not tell it from no text.
    else if (tokenTexts.length === 0) this.#say(`{"${field}":""}`)
    const { logprobs } = this.#choice
    if (logprobs !== undefined && kind !== 'reasoning') {
      for (const { quoted } of tokenTexts) this.#say(`{"${field}":${quoted}}`, this.#logprob(logprobs, kind))
      return
    }
    this.#run(`{"${field}":`, tokenTexts, '}')
  }

  /** One delta per token text. */
  #run(head: string, tokenTexts: readonly TokenText[], tail: string): void {
    const parts = tokenTexts.map(({ quoted }) => quoted)
    const rest = `${tail},"logprobs":null,"finish_reason":null${this.#tail}`
    this.steps.push({ after: this.#every, head: this.#head + head, parts, tail: rest })
  }

  #logprob(logprobs: NonNullable<ChatChoice['logprobs']>, kind: 'text' | 'refusal'): string {
    const entry = JSON.stringify(logprobs[kind][this.#places[kind]++])
    return kind === 'text' ? `{"content":[${entry}],"refusal":null}` : `{"content":null,"refusal":[${entry}]}`
  }

  #aloud({ encoded: { tokenTexts } }: ChatWords): void {
    const speech = this.#choice.speech as NonNullable<ChatChoice['speech']>
    if (!this.#begun) this.#say(openings.speech)
    if (!this.#speaking) this.#say(`{"audio":{"id":${JSON.stringify(speech.id)},"transcript":""}}`)
    this.#speaking = true
    this.#run('{"audio":{"transcript":', tokenTexts, '}}')
  }

  /** The deltas of parallel tool calls alternate. */
  #calls(calls: readonly ChatCall[]): void {
    const { legacy } = this.#choice
    for (const call of calls) {
      const isFirst = !this.#begun && (call === calls[0] || legacy)
      this.#say(callDelta(call, isFirst ? '"role":"assistant","content":null,' : '', legacy))
    }
    const inputs = calls.map((one) => ({ ...inputDelta(one, legacy), tokenTexts: one.encoded.tokenTexts }))
    const [only] = inputs
    if (inputs.length === 1 && only !== undefined) return this.#run(only.head, only.tokenTexts, only.tail)
    const turns = Math.max(...inputs.map(({ tokenTexts }) => tokenTexts.length))
    for (let turn = 0; turn < turns; turn++)
      for (const { head, tokenTexts, tail } of inputs) {
        const tokenText = tokenTexts[turn]
        if (tokenText !== undefined) this.#say(head + tokenText.quoted + tail)
      }
  }

  #end(): void {
    const { speech, finish } = this.#choice
    if (!this.#begun) this.#say(openings.text)
    if (speech !== undefined) {
      const data = this.#chunk(`{"audio":{"data":"${mediaMark}"}}`, 'null', 'null')
      this.steps.push({ after: this.#every, data, media: speech.media })
      this.#say(`{"audio":{"expires_at":${speech.expiresAt}}}`)
    }
    this.#say('{}', 'null', JSON.stringify(finish))
  }
}

/** The first delta of a tool call: its name. */
function callDelta({ index, id, form, name }: ChatCall, role: string, legacy: boolean): string {
  if (legacy) return `{${role}"function_call":{"name":${JSON.stringify(name)},"arguments":""}}`
  return (
    `{${role}"tool_calls":[{"index":${index},"id":${JSON.stringify(id)},"type":"${form}",` +
    `"${form}":{"name":${JSON.stringify(name)},"${inputField[form]}":""}}]}`
  )
}

/** The JSON around each chunk of a tool call's input. */
function inputDelta({ index, form }: ChatCall, legacy: boolean): { head: string; tail: string } {
  return legacy
    ? { head: '{"function_call":{"arguments":', tail: '}}' }
    : { head: `{"tool_calls":[{"index":${index},"${form}":{"${inputField[form]}":`, tail: '}}]}' }
}

const inputField = { function: 'arguments', custom: 'input' } as const

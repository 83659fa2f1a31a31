/**
 * Decides what a model answers: text, structured output, tool calls or a refusal, from the shape of the
 * request and the seed, for all chat APIs.
 */
import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Random } from '../../engine/random.ts'
import { clip } from '../../protocol/wording.ts'
import { Asked } from './asked.ts'
import { type ChosenCall, chooseCalls } from './choose-tools.ts'
import type { AnswerRequest, Conversation, ModelAnswer, ToolCall } from './conversation.ts'
import { prose } from './prose.ts'
import { scriptedCalls } from './scripted-calls.ts'
import { readablePart } from './tokens-in.ts'

type Answers = (random: Random) => ModelAnswer
const given = (text: string): ModelAnswer => ({ kind: 'text', text, given: true })

/**
 * Prepares the answers to a request, one per random source. Throws a 400 with path and keyword for an
 * unsupported schema.
 */
export function prepareAnswer(written: AnswerRequest): Answers {
  const { planned } = written
  if (planned?.refusal !== undefined) return () => ({ kind: 'refusal', text: planned.refusal as string })
  if (planned?.text !== undefined) return () => given(planned.text as string)
  const request = { ...written, conversation: withoutReservedWords(written.conversation) }
  const mayCall = planned?.calls !== undefined || request.tools.length > 0 || request.choice.mode !== 'auto'
  return (mayCall ? callAnswers(new Asked(request)) : undefined) ?? textAnswers(request)
}

/** Undefined if no call is left to make. */
function callAnswers(asked: Asked): Answers | undefined {
  const { planned } = asked.request
  const calls = planned?.calls === undefined ? chooseCalls(asked) : scriptedCalls(planned.calls, asked)
  if (calls.length === 0) return undefined
  return (random) => ({
    kind: 'calls',
    calls: calls.map((call, index) =>
      'input' in call ? call : toolCall(call, asked, random.fork(`call ${index}`)),
    ),
  })
}

// A reserved value controls the simulator and is not part of the prompt.
function withoutReservedWords(conversation: Conversation): Conversation {
  if (!conversation.lastUser.includes('[sim:')) return conversation
  return { ...conversation, lastUser: conversation.lastUser.replace(/ ?\[sim:[^\]\n]{0,40}\]/g, '').trim() }
}

function toolCall(call: ChosenCall, asked: Asked, random: Random): ToolCall {
  const { tool, text, stems, canBeRead } = call
  const { name, kind, parameters, path } = tool
  if (parameters === undefined)
    return { name, input: kind === 'function' ? '{}' : freeInput(text, asked, random) }
  const source = { stems, results: asked.results, resultsFirst: !canBeRead }
  const value = asked.request.schemas.fill(parameters, path, {
    random: random.fork('fill'),
    suggest: asked.suggestionsFrom(text, source),
    sparing: true,
  })
  return { name, input: kind === 'function' ? JSON.stringify(value) : String(value) }
}

/** The input of a custom tool: a literal, quoted code, or prose. */
function freeInput(text: string, asked: Asked, random: Random): string {
  const quote = asked.read(text).tokens.find(({ form }) => form === 'quote')
  return dictatedText(text) ?? quote?.text.trim() ?? prose(text, random)
}

function textAnswers(request: AnswerRequest): Answers {
  const { conversation, format, schemas, verbosity } = request
  const { lastUser, toolResults } = conversation
  if (format.kind === 'schema') {
    const asked = new Asked(request)
    const suggest = asked.suggestionsFrom(readablePart(lastUser), { results: asked.results })
    return (random) =>
      given(
        JSON.stringify(schemas.fill(format.schema, format.path, { random: random.fork('fill'), suggest })),
      )
  }
  const dictated = toolResults.length > 0 ? undefined : dictatedText(lastUser)
  const text = (random: Random): string => {
    if (toolResults.length > 0) return quoteResults(conversation, random)
    return dictated ?? prose(lastUser, random.fork('prose'), verbosity)
  }
  if (format.kind === 'json')
    return (random) =>
      given(isFields(jsonIn(dictated)) ? (dictated as string) : JSON.stringify({ answer: text(random) }))
  return (random) => ({ kind: 'text', text: text(random), given: dictated !== undefined })
}

/** `Say this is a test`, `Reply with exactly: pong`, `Answer with "yes"`: what smoke tests ask for. */
const dictation = new RegExp(
  String.raw`^\s*(?:please )?(?:say|(?:reply|answer|respond)(?: only| just)? with)` +
    String.raw`(?: only| just| exactly| the words?)*(?:\s*:\s*|\s+)(?=\S)`,
  'i',
)
const quotation = /^(?:"([^"]+)"|'([^']+)'|“([^”]+)”|`([^`]+)`)[.!]?$/

/** The literal that a prompt asks to repeat, or undefined. */
function dictatedText(prompt: string): string | undefined {
  const begin = dictation.exec(prompt)?.[0]
  if (begin === undefined) return undefined
  const literal = prompt.slice(begin.length).trim()
  if (literal.endsWith('?')) return undefined
  const quoted = quotation.exec(literal)?.slice(1)
  return quoted?.find((part) => part !== undefined) ?? literal.replace(/[.!]$/, '')
}

const openers = ['Here is what I found.', 'I looked it up.', 'This is the result.', 'Here is the answer.']

/** The answer after tool results, which quotes them: there may be thousands, and 128 choices. */
function quoteResults({ toolResults }: Conversation, random: Random): string {
  const lines = toolResults.map(({ name, result }) => `${name ?? 'The tool'} returned: ${clip(result, 4000)}`)
  return clip([random.fork('results').pick(openers), ...lines].join('\n'), 20_000)
}

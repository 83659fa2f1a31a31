/**
 * Decides what a model answers: text, structured output, tool calls or a refusal, from the shape of the
 * request and the seed, for all chat APIs.
 */
import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Random } from '../../engine/random.ts'
import type { Script } from '../../protocol/script.ts'
import { clip } from '../../protocol/wording.ts'
import { Words } from '../words.ts'
import { type ChosenCall, chooseCalls } from './choose-tools.ts'
import type { AnsweredCall, AnswerFormat, AnswerRequest, ToolCall } from './conversation.ts'
import { prose } from './prose.ts'
import { scriptedCalls } from './scripted-calls.ts'
import { suggestionsFrom } from './suggest.ts'
import { readablePart, tokensIn } from './tokens-in.ts'

type Answers = (random: Random) => Script

/**
 * Prepares the answers to a request, one per random source. Throws a 400 with path and keyword for an
 * unsupported schema.
 */
export function prepareAnswer(request: AnswerRequest): Answers {
  const { planned, tools, choice, format } = request
  const { refusal, text, calls } = planned ?? {}
  if (refusal !== undefined) return () => [{ kind: 'refusal', text: refusal.toWellFormed() }]
  if (text !== undefined) return () => textScript(text)
  const mayCall = calls !== undefined || tools.length > 0 || choice.mode !== 'auto'
  const called = mayCall ? callAnswers(request) : undefined
  if (called !== undefined) return called
  return format.kind === 'schema' ? filledAnswers(format, request) : textAnswers(request)
}

/** Undefined if no call is left to make. */
function callAnswers(request: AnswerRequest): Answers | undefined {
  const planned = request.planned?.calls
  const calls = planned === undefined ? chooseCalls(request) : scriptedCalls(planned, request)
  if (calls.length === 0) return undefined
  return (random) =>
    calls.map((call, index) => {
      const { name, input } = 'input' in call ? call : filledCall(call, request, random.fork(`call ${index}`))
      return { kind: 'toolCalls', calls: [{ name, input: { text: input.toWellFormed() } }] }
    })
}

// Half a character cannot be tokenized.
const textScript = (text: string): Script => [{ kind: 'text', text: text.toWellFormed() }]

function filledCall(call: ChosenCall, { conversation, schemas }: AnswerRequest, random: Random): ToolCall {
  const { name, kind, parameters, path } = call.tool
  if (parameters === undefined) return { name, input: kind === 'function' ? '{}' : freeInput(call, random) }
  const suggest = suggestionsFrom(call.words, call.tokens, conversation.calls)
  const value = schemas.fill(parameters, path, { random: random.fork('fill'), suggest, sparing: true })
  return { name, input: kind === 'function' ? JSON.stringify(value) : String(value) }
}

/** The input of a custom tool: a literal, quoted code, or prose. */
function freeInput({ words: { text }, tokens }: ChosenCall, random: Random): string {
  const quote = tokens.find(({ form }) => form === 'quote')
  return dictatedText(text) ?? quote?.text.trim() ?? prose(text, random)
}

/** Structured output with values from the last user message and the results of tools. */
function filledAnswers(format: AnswerFormat & { kind: 'schema' }, request: AnswerRequest): Answers {
  const { lastUser, calls } = request.conversation
  const prompt = readablePart(lastUser)
  const suggest = suggestionsFrom(new Words(prompt), tokensIn(prompt), calls)
  return (random) => {
    const options = { random: random.fork('fill'), suggest }
    const value = request.schemas.fill(format.schema, format.path, options)
    return textScript(JSON.stringify(value))
  }
}

function textAnswers({ conversation, format, verbosity }: AnswerRequest): Answers {
  const { lastUser, toolResults } = conversation
  const hasResults = toolResults.length > 0
  const dictated = hasResults ? undefined : dictatedText(lastUser)
  const isJson = format.kind === 'json'
  return (random) => {
    if (dictated !== undefined && (!isJson || isFields(jsonIn(dictated)))) return textScript(dictated)
    const written = hasResults
      ? quoteResults(toolResults, random)
      : (dictated ?? prose(lastUser, random.fork('prose'), verbosity))
    return textScript(isJson ? JSON.stringify({ answer: written }) : written)
  }
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
function quoteResults(results: readonly AnsweredCall[], random: Random): string {
  const lines = results.map(({ name, result }) => `${name ?? 'The tool'} returned: ${clip(result, 4000)}`)
  return clip([random.fork('results').pick(openers), ...lines].join('\n'), 20_000)
}

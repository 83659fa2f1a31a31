/** The text of an answer: prose, dictated words, JSON, or tool results. */
import { isFields, jsonIn } from '../../engine/fields.ts'
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import { exactResponse, offeredAnswers } from '../prompt/exact-response.ts'
import type { PromptFacts } from '../prompt/facts.ts'
import type { JsonWish } from '../prompt/json-shape.ts'
import { charactersAllowed, requestedLength } from '../prompt/topic.ts'
import type { AnswerRequest, ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { prose, singleWords, within } from './prose.ts'
import type { Values } from './values.ts'

type Answers = (random: Random) => ModelAnswer
const given = (text: string): ModelAnswer => ({ kind: 'text', text, given: true })

/** What a text may have that asks for values: only then it is read for them, and fakes have to be loaded. */
const mayAskForValue =
  /json|schema|[{[]|\b(?:only|just|solely|simply|nothing but|single|(?:one|1)[- ]word)\b/i

/** Whether the messages of a request may ask for values. */
export function mayAskForValues(messages: unknown): boolean {
  if (typeof messages === 'string') return mayAskForValue.test(messages)
  if (Array.isArray(messages)) return messages.some(mayAskForValues)
  return isFields(messages) && mayAskForValues(messages['content'] ?? messages['text'])
}

export function textAnswers(question: AnswerRequest, values: () => Values): Answers {
  const { conversation, format, schemas, verbosity } = question
  const { lastUser, instructions, toolResults } = conversation
  if (format.kind === 'schema') {
    const facts = factsOf(question, lastUser, values())
    return (random) => {
      const from = { facts, random: random.fork('fill'), fakes: values().fakes }
      return given(JSON.stringify(schemas.fill(format.schema, format.path, from)))
    }
  }
  const isDone = toolResults.length > 0
  const exact = isDone ? undefined : (exactResponse(lastUser) ?? exactResponse(instructions, true))
  const isObject = format.kind === 'json'
  const asksForValue = mayAskForValue.test(lastUser) || mayAskForValue.test(instructions)
  const json = isObject || asksForValue ? jsonOf(conversation, isObject, values()) : undefined
  const isDictated = json === undefined || (isObject ? isFields(jsonIn(exact)) : jsonIn(exact) !== undefined)
  if (exact !== undefined && isDictated) return () => given(exact)
  const byUser = offeredAnswers(lastUser)
  const offered = byUser.length > 1 || isDone ? byUser : offeredAnswers(instructions, true)
  // Lists in instructions are their own.
  const always = instructions === '' ? undefined : requestedLength(instructions)
  const length = always && always.unit !== 'item' ? (requestedLength(lastUser) ?? always) : undefined
  const isLimited = /char/i.test(lastUser) || /char/i.test(instructions)
  const allowed = isLimited ? (charactersAllowed(lastUser) ?? charactersAllowed(instructions)) : undefined
  const says: Says = (random, about = lastUser) => {
    if (isDone) return quoteResults(conversation, random)
    if (offered.length > 1) return random.fork('offered').pick(offered)
    if (exact !== undefined) return exact
    const text = prose(about, random.fork('prose'), verbosity, length)
    return allowed === undefined ? text : within(allowed, text)
  }
  if (json !== undefined) return valueAnswers(question, json, says, values)
  if (offered.length > 1) return (random) => given(says(random))
  const sum = lastUser.length < 200 ? sumIn(lastUser) : undefined
  if (sum !== undefined && !withholds.test(instructions)) return () => given(sum)
  const bare = asksForValue
    ? (values().bareValue(lastUser, lastUser, singleWords) ??
      values().bareValue(instructions, lastUser, singleWords))
    : undefined
  if (bare !== undefined) return valueAnswers(question, bare, says, values)
  return (random) => ({ kind: 'text', text: says(random), given: false })
}

/** The JSON that the messages ask for, or undefined. The last user message takes precedence. */
function jsonOf(
  { lastUser, instructions }: Conversation,
  must: boolean,
  { anyObject, jsonWish }: Values,
): JsonWish | undefined {
  const byUser = jsonWish(lastUser)
  const bySystem = jsonWish(instructions, must || byUser !== undefined)
  if (!must && byUser === undefined && bySystem === undefined) return undefined
  const any = byUser ?? (jsonWish(lastUser, true) as JsonWish)
  const shape = [byUser, bySystem].find((wish) => wish?.schema !== undefined) ?? any
  const schema = shape.schema ?? anyObject(lastUser)
  const fenced = !must && (any.fenced || bySystem?.fenced === true)
  return { ...shape, ...(schema && { schema }), rest: any.rest, fenced }
}

type Says = (random: Random, about?: string) => string

/** Values for a schema from a text; if it is unsupported, an answer in words. */
function valueAnswers(question: AnswerRequest, wish: JsonWish, says: Says, values: () => Values): Answers {
  const { toolResults } = question.conversation
  const isObject = question.format.kind === 'json'
  const { schema, list, rest, fenced } = wish
  const returned = toolResults.length === 1 ? jsonIn(toolResults[0]?.result) : undefined
  const [schemas, facts] = [values().createSchemas(), factsOf(question, rest, values())]
  const fill = (random: Random): unknown => {
    try {
      const from = { facts, random: random.fork('fill'), fakes: values().fakes }
      return schema === undefined ? returned : schemas.fill(schema, 'messages', from)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return undefined
    }
  }
  return (random) => {
    const filled = fill(random)
    const value = list === undefined || isObject || !isFields(filled) ? filled : filled[list]
    if (/^(?:string|number)$/.test(typeof value)) return given(String(value))
    const isFit = isFields(value) || (!isObject && Array.isArray(value))
    const whole = isFit ? value : { answer: says(random, rest || undefined) }
    return given(fenced ? `\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`` : JSON.stringify(whole))
  }
}

const withholds = new RegExp(
  String.raw`\b(?:not|never|n['’]t) (?:give|reveal|show|tell|say|state|solve|provide)\b[^.!?\n]{0,20}` +
    String.raw`\b(?:answers?|results?|solutions?)\b|\b(?:give|only|just|offer|provide) (?:\w+ )?hints?\b`,
  'i',
)
const figure = String.raw`(-?\d{1,9}(?:\.\d{1,6})?)`
/** A question that is nothing but a sum. Dates, dashes and fractions have no spaces: "9/11", "9-5". */
const operation = new RegExp(
  String.raw`^\s*(?:(?:what(?:['’]?s| is)|calculate|compute|how much is) )?${figure}` +
    String.raw`( ?[+*×÷] ?| [-x/] | (?:plus|minus|times|divided by) )${figure}\s*[?=.]{0,2}\s*` +
    '(?:(?:(?:just|only|answer|reply|respond|give|return|output|with|me|the|a|exact) )+' +
    String.raw`(?:number|result|answer)\b[^\n]{0,20})?$`,
  'i',
)

/** The result of the calculation that a question asks for. */
function sumIn(question: string): string | undefined {
  const [, first, operator = '', second] = operation.exec(question) ?? []
  if (first === undefined) return undefined
  const [a, b, sign] = [Number(first), Number(second), operator.trim().charAt(0).toLowerCase()]
  const inverse = /^[-m]/.test(sign) ? a - b : /^[/÷d]/.test(sign) ? a / b : a * b
  const result = /^[+p]/.test(sign) ? a + b : inverse
  return Number.isFinite(result) ? String(Number(result.toPrecision(12))) : undefined
}

/** The answer after tool results, which quotes them: there may be thousands, and 128 choices. */
function quoteResults({ toolResults }: Conversation, random: Random): string {
  const opener = random
    .fork('results')
    .pick(['Here is what I found.', 'I looked it up.', 'This is the result.', 'Here is the answer.'])
  const lines = toolResults.map(({ name, result }) => `${name ?? 'The tool'} returned: ${clip(result, 4000)}`)
  return clip([opener, ...lines].join('\n'), 20_000)
}

/** The facts that the answer may use: of the tool results and a part of what was said. */
function factsOf(
  { conversation, now }: AnswerRequest,
  text: string,
  { readPromptFacts }: Values,
): PromptFacts {
  const results = conversation.toolResults.map(({ name, result }) => ({ name: name ?? '', result }))
  return readPromptFacts(text, { now, results })
}

/** The texts that answer a request: prose, dictated words, JSON, or what tools returned. */
import type { Random } from '../../engine/random.ts'
import { clip } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { exactReply, mayOfferAnswers, offeredAnswers } from '../prompt/exact-reply.ts'
import { objectsIn } from '../prompt/json-values.ts'
import { type JsonWish, mayAskForJson } from '../prompt/json-wish.ts'
import { mayAskForLength, type RequestedLength, requestedLength } from '../prompt/requested-length.ts'
import { mayAskForValue, shortAnswer } from '../prompt/short-answer.ts'
import type { AnswerRequest, ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { askedPart, prose } from './prose.ts'
import { anyJson, askedJson, factsOf, jsonAnswers } from './write-json.ts'
import { bareValues } from './write-value.ts'

type Answers = (random: Random) => ModelAnswer
const given = (text: string): ModelAnswer => ({ kind: 'text', text, given: true })

export function textAnswers(question: AnswerRequest, fakes: () => Fakes): Answers {
  const { conversation, format, schemas, now } = question
  const { lastUser, instructions, toolResults } = conversation
  if (format.kind === 'schema') {
    const facts = factsOf(conversation, now)
    return (random) =>
      given(
        JSON.stringify(
          schemas.fill(format.schema, format.path, { facts, random: random.fork('fill'), fakes: fakes() }),
        ),
      )
  }
  const exact = toolResults.length > 0 ? undefined : (exactReply(lastUser) ?? exactReply(instructions, true))
  const mayBeJson = mayAskForJson.test(lastUser) || mayAskForJson.test(instructions)
  const asked = mayBeJson ? askedJson(conversation) : undefined
  if (format.kind === 'json' || (asked !== undefined && !isDictated(exact, asked)))
    return inJson(question, asked, exact, fakes)
  if (exact !== undefined) return () => given(exact)
  const said = [lastUser, instructions]
  const offered = firstOf(said, mayOfferAnswers, (text) => {
    const answers = offeredAnswers(text)
    return answers.length === 0 ? undefined : answers
  })
  if (offered !== undefined) return (random) => given(random.fork('offered').pick(offered))
  const bare = firstOf(said, mayAskForValue, (text) => shortAnswer(askedPart(text), lastUser))
  if (bare !== undefined) {
    const valueBy = bareValues(bare, conversation, fakes, now)
    return (random) => given(valueBy(random))
  }
  const plain = (text: string): ModelAnswer => ({ kind: 'text', text, given: false })
  if (toolResults.length > 0) return (random) => plain(quoteResults(conversation, random))
  const length = mayAskForLength.test(instructions) ? lengthOf(lastUser, instructions) : undefined
  return (random) => plain(prose(lastUser, random.fork('prose'), question.verbosity, length))
}

/** What is read in the first of the texts that have it. */
function firstOf<Wish>(
  texts: readonly string[],
  mayHave: RegExp,
  read: (text: string) => Wish | undefined,
): Wish | undefined {
  for (const text of texts) {
    const wish = mayHave.test(text) ? read(text) : undefined
    if (wish !== undefined) return wish
  }
  return undefined
}

/** The length that the user asks for, or else the instructions, which may speak of lists of their own. */
function lengthOf(lastUser: string, instructions: string): RequestedLength {
  const byUser = requestedLength(askedPart(lastUser))
  if (byUser.unit !== undefined) return byUser
  const always = requestedLength(askedPart(instructions))
  return always.unit === 'item' && always.style === 'numbers' ? byUser : always
}

/**
 * Whether the messages of a request may ask for values: only then fakes have to be loaded. It says yes to
 * more than is read as such a wish.
 */
export function mayAskForValues(messages: unknown): boolean {
  for (const message of Array.isArray(messages) ? messages : [{ text: messages }]) {
    const { content, text } = (message ?? {}) as { readonly content?: unknown; readonly text?: unknown }
    for (const part of Array.isArray(content) ? content : [content ?? text]) {
      const said = typeof part === 'string' ? part : (part as { readonly text?: unknown } | null)?.text
      if (typeof said !== 'string') continue
      // Words may come together when a reserved one between them is taken out.
      if (mayAskForJson.test(said) || mayAskForValue.test(said) || said.includes('[sim:')) return true
    }
  }
  return false
}

/** Whether words that a prompt dictates are the answer, and not the description of one in JSON. */
const isDictated = (exact: string | undefined, { shape }: JsonWish): boolean =>
  exact !== undefined && (shape === undefined || shape.by === 'example' || shape.rest.includes(exact))

function inJson(
  { conversation, format, verbosity, now }: AnswerRequest,
  asked: JsonWish | undefined,
  exact: string | undefined,
  fakes: () => Fakes,
): Answers {
  const isObject = format.kind === 'json'
  const dictated = isObject && exact !== undefined ? objectsIn(exact)[0]?.value : undefined
  const wish = asked ?? anyJson(conversation)
  if (dictated !== undefined && isDictated(exact, wish)) return () => given(JSON.stringify(dictated))
  const said = (random: Random): string =>
    conversation.toolResults.length > 0
      ? quoteResults(conversation, random)
      : (exact ?? prose(wish.rest, random.fork('prose'), verbosity))
  return jsonAnswers(wish, conversation, { said, isObject, fakes, now })
}

const maxQuoteLength = 4000
/** The maximum of quoted characters in an answer: there may be thousands of results, and 128 choices. */
const maxQuotesLength = 20_000

/** The answer after tool results, which quotes them. */
function quoteResults({ toolResults }: Conversation, random: Random): string {
  const opener = random
    .fork('results')
    .pick(['Here is what I found.', 'I looked it up.', 'This is the result.', 'Here is the answer.'])
  const lines = toolResults.map(({ name, result }) => {
    const quote = result.length > maxQuoteLength ? `${result.slice(0, maxQuoteLength)}…` : result
    return `${name ?? 'The tool'} returned: ${quote}`
  })
  return clip([opener, ...lines].join('\n'), maxQuotesLength)
}

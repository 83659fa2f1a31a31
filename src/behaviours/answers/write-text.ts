/** The texts that answer a request: prose, dictated words, JSON, or what tools returned. */
import type { Random } from '../../engine/random.ts'
import { clip } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { exactReply, mayOfferAnswers, offeredAnswers } from '../prompt/exact-reply.ts'
import { objectsIn } from '../prompt/json-values.ts'
import { mayAskForJson } from '../prompt/json-wish.ts'
import { mayAskForLength, type RequestedLength, requestedLength } from '../prompt/requested-length.ts'
import { mayAskForValue, shortAnswer } from '../prompt/short-answer.ts'
import type { AnswerRequest, ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { askedPart, prose } from './prose.ts'
import { type AskedJson, anyJson, askedJson, factsOf, jsonAnswers } from './write-json.ts'
import { bareValues } from './write-value.ts'

export function textAnswers(question: AnswerRequest, fakes: () => Fakes): (random: Random) => ModelAnswer {
  const { conversation, format, schemas } = question
  const { lastUser, instructions, toolResults } = conversation
  if (format.kind === 'schema') {
    const facts = factsOf(conversation, question.now)
    return (random) => ({
      kind: 'text',
      text: JSON.stringify(
        schemas.fill(format.schema, format.path, { facts, random: random.fork('fill'), fakes: fakes() }),
      ),
      given: true,
    })
  }
  const exact = toolResults.length > 0 ? undefined : (exactReply(lastUser) ?? exactReply(instructions, true))
  const mayBeJson = mayAskForJson.test(lastUser) || mayAskForJson.test(instructions)
  const asked = mayBeJson ? askedJson(conversation) : undefined
  if (format.kind === 'json' || (asked !== undefined && !isDictated(exact, asked)))
    return inJson(question, asked, exact, fakes)
  if (exact !== undefined) return () => ({ kind: 'text', text: exact, given: true })
  const byUser = mayOfferAnswers.test(lastUser) ? offeredAnswers(lastUser) : []
  const offered =
    byUser.length === 0 && mayOfferAnswers.test(instructions) ? offeredAnswers(instructions) : byUser
  if (offered.length > 0)
    return (random) => ({ kind: 'text', text: random.fork('offered').pick(offered), given: true })
  const bare =
    (mayAskForValue.test(lastUser) ? shortAnswer(askedPart(lastUser), lastUser) : undefined) ??
    (mayAskForValue.test(instructions) ? shortAnswer(askedPart(instructions), lastUser) : undefined)
  if (bare !== undefined) {
    const valueBy = bareValues(bare, conversation, fakes, question.now)
    return (random) => ({ kind: 'text', text: valueBy(random), given: true })
  }
  if (toolResults.length > 0)
    return (random) => ({ kind: 'text', text: quoteResults(conversation, random), given: false })
  const length = mayAskForLength.test(instructions) ? lengthOf(lastUser, instructions) : undefined
  return (random) => ({
    kind: 'text',
    text: prose(lastUser, random.fork('prose'), question.verbosity, length),
    given: false,
  })
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
const isDictated = (exact: string | undefined, { shape }: AskedJson): boolean =>
  exact !== undefined && (shape === undefined || shape.by === 'example' || shape.rest.includes(exact))

function inJson(
  { conversation, format, verbosity, now }: AnswerRequest,
  asked: AskedJson | undefined,
  exact: string | undefined,
  fakes: () => Fakes,
): (random: Random) => ModelAnswer {
  const object = format.kind === 'json'
  const dictated = object && exact !== undefined ? [...objectsIn(exact)][0]?.value : undefined
  const json = asked ?? anyJson(conversation)
  if (dictated !== undefined && isDictated(exact, json))
    return () => ({ kind: 'text', text: JSON.stringify(dictated), given: true })
  const said = (random: Random): string =>
    conversation.toolResults.length > 0
      ? quoteResults(conversation, random)
      : (exact ?? prose(json.rest, random.fork('prose'), verbosity))
  return jsonAnswers(json, conversation, { said, object, fakes, now })
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

/** The texts that answer a request: prose, dictated words, JSON, or what tools returned. */
import type { Random } from '../../engine/random.ts'
import { ApiError } from '../../protocol/errors.ts'
import { clip } from '../../protocol/wording.ts'
import type { Fakes } from '../json-schema/fakes.ts'
import { describedShape } from '../prompt/described-shape.ts'
import { exactReply, offeredAnswers } from '../prompt/exact-reply.ts'
import { type PromptFacts, readPromptFacts } from '../prompt/facts.ts'
import { objectsIn } from '../prompt/json-values.ts'
import type { AnswerRequest, ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import { prose } from './prose.ts'

export function textAnswers(question: AnswerRequest, fakes: () => Fakes): (random: Random) => ModelAnswer {
  const { conversation, format, schemas } = question
  const { lastUser, instructions, toolResults } = conversation
  if (format.kind === 'schema') {
    const facts = factsOf(conversation)
    return (random) => ({
      kind: 'text',
      text: JSON.stringify(
        schemas.fill(format.schema, format.path, { facts, random: random.fork('fill'), fakes: fakes() }),
      ),
      given: true,
    })
  }
  const exact = toolResults.length > 0 ? undefined : (exactReply(lastUser) ?? exactReply(instructions, true))
  if (format.kind === 'json') return jsonAnswers(question, exact, fakes)
  if (exact !== undefined) return () => ({ kind: 'text', text: exact, given: true })
  if (toolResults.length > 0)
    return (random) => ({ kind: 'text', text: quoteResults(conversation, random), given: false })
  const byUser = offeredAnswers(lastUser)
  const offered = byUser.length > 0 ? byUser : offeredAnswers(instructions)
  if (offered.length > 0)
    return (random) => ({ kind: 'text', text: random.fork('offered').pick(offered), given: true })
  return (random) => ({
    kind: 'text',
    text: prose(lastUser, random.fork('prose'), question.verbosity),
    given: false,
  })
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

/** Legacy JSON mode: an object, in the shape that the messages describe if they do. */
function jsonAnswers(
  { conversation, schemas, verbosity }: AnswerRequest,
  exact: string | undefined,
  fakes: () => Fakes,
): (random: Random) => ModelAnswer {
  const { instructions, lastUser, toolResults } = conversation
  const said = (value: unknown): ModelAnswer => ({ kind: 'text', text: JSON.stringify(value), given: true })
  const asked = exact === undefined ? undefined : [...objectsIn(exact)][0]?.value
  if (asked !== undefined) return () => said(asked)
  const byInstructions = describedShape(instructions)
  const shape = byInstructions ?? describedShape(lastUser, true)
  const facts = factsOf(
    byInstructions === undefined && shape !== undefined
      ? { ...conversation, lastUser: shape.rest }
      : conversation,
  )
  const wrapped = (random: Random): ModelAnswer =>
    said({
      answer:
        toolResults.length > 0
          ? quoteResults(conversation, random)
          : (exact ?? prose(lastUser, random.fork('prose'), verbosity)),
    })
  if (shape === undefined) return wrapped
  return (random) => {
    try {
      const value = schemas.fill(shape.schema, 'messages', {
        facts,
        random: random.fork('fill'),
        fakes: fakes(),
      })
      return value !== null && typeof value === 'object' && !Array.isArray(value)
        ? said(value)
        : wrapped(random)
    } catch (error) {
      // A schema in a message is only a wish: an object of another shape still keeps the promise of the
      // mode.
      if (!(error instanceof ApiError)) throw error
      return wrapped(random)
    }
  }
}

/** The facts that the answer may use: of the tool results and the user's message. */
function factsOf({ toolResults, lastUser }: Conversation): PromptFacts {
  return readPromptFacts(lastUser, toolResults.map(({ result }) => result).join('\n'))
}

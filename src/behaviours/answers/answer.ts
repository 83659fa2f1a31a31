/**
 * Decides what a model answers: text, structured output, tool calls or a refusal, from the prompt and the
 * seed, for all chat APIs.
 */
import type { Random } from '../../engine/random.ts'
import type { Context } from '../../protocol/endpoint.ts'
import type { AnswerRequest, ModelAnswer } from './answer-request.ts'
import type { Conversation } from './conversation.ts'
import type { Values } from './values.ts'
import { textAnswers } from './write-text.ts'

/** The loaded data for answers with values. */
export function loadedValues(context: Pick<Context, 'facilities'>): Values {
  const { fakes } = context.facilities
  if (fakes === undefined)
    throw new Error('the fake data is not loaded: call simulator.preload() before handle(), or use fetch')
  return fakes as Values
}

/**
 * Prepares the answers to a request, one per random source; work that does not depend on randomness is
 * shared. Throws a 400 with path and keyword for an unsupported schema.
 */
export function prepareAnswer(
  asked: AnswerRequest,
  values: () => Values,
  note?: Context['note'],
): (random: Random) => ModelAnswer {
  const { planned } = asked
  if (planned?.refusal !== undefined) return () => ({ kind: 'refusal', text: planned.refusal as string })
  if (planned?.text !== undefined) return () => ({ kind: 'text', text: planned.text as string, given: true })
  const { conversation, tools, choice } = asked
  const question = conversation.lastUser.includes('[sim:')
    ? { ...asked, conversation: withoutReservedWords(conversation) }
    : asked
  const mustCall = choice.mode === 'required' || choice.mode === 'named'
  const wanted = tools.length > 0 || mustCall ? values().wantedCalls(question, mustCall) : undefined
  const calls = wanted?.calls ?? []
  if (wanted !== undefined) note?.(values().explainTools(wanted))
  return calls.length > 0
    ? (random) => ({
        kind: 'calls',
        calls: calls.map((call, index) => ({
          tool: call.tool,
          input: values().inputOf(call, question, random.fork(`call ${index}`), values().fakes),
        })),
      })
    : textAnswers(question, values)
}

// A reserved value controls the simulator and is not a topic.
function withoutReservedWords(conversation: Conversation): Conversation {
  return { ...conversation, lastUser: conversation.lastUser.replace(/ ?\[sim:[^\]\n]{0,40}\]/g, '').trim() }
}

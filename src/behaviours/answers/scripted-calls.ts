/** The tool calls that a scenario plans. */
import { isFields, jsonIn } from '../../engine/fields.ts'
import { ApiError } from '../../protocol/errors.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import type { PlannedCall } from '../../protocol/plan.ts'
import { clip, listed } from '../../protocol/wording.ts'
import { type JsonValue, jsonKey } from '../json-schema/json-value.ts'
import { type ChosenCall, callOf, offeredTool, withoutMade } from './choose-tools.ts'
import type { AnswerRequest, ToolCall } from './conversation.ts'
import { readablePart } from './tokens-in.ts'

/**
 * The planned calls that were not made since the last user message. A call without arguments was made if its
 * tool was called: else an agent that gets the same rule again would call it for ever.
 */
export function scriptedCalls(
  planned: readonly PlannedCall[],
  request: AnswerRequest,
): readonly (ToolCall | ChosenCall)[] {
  const left = withoutMade(
    planned,
    request.conversation.calls,
    ({ name, input }, made) =>
      made.name === name && (input === undefined || keyOf(made.input) === keyOf(input)),
  )
  return (request.parallel ? left : left.slice(0, 1)).map(({ name, input }) =>
    input === undefined ? filledFromMessage(name, request) : written(name, input, request),
  )
}

/** A call as the scenario writes it. Only custom tools take a text. */
function written(name: string, input: string, { tools, rule }: AnswerRequest): ToolCall {
  const isCustom = tools.some((tool) => tool.name === name && tool.kind === 'custom')
  if (isCustom || isFields(jsonIn(input))) return { name, input }
  const message =
    `Scenario rule ${rule} calls the function ${JSON.stringify(name)} with the text ${clip(input, 100)}: ` +
    `write an object of arguments, for example \`call: { ${name}: { city: Paris } }\`.`
  throw new ApiError('invalid_request_error', message, { param: 'tools' })
}

/** Clients may write the arguments of an earlier call in another way. */
const keyOf = (input: string): string => jsonKey((jsonIn(input) ?? input) as JsonValue)

/** A call whose arguments come from the last user message and the schema of the tool. */
function filledFromMessage(name: string, request: AnswerRequest): ChosenCall {
  const tool = request.tools.find((one) => one.name === name)
  if (tool === undefined) throw notOffered(name, request)
  return callOf(offeredTool(tool, request.schemas), readablePart(request.conversation.lastUser))
}

function notOffered(name: string, { tools, rule }: AnswerRequest): ApiError {
  const names = tools.map((tool) => tool.name)
  const nearest = nearestWord(name, names)
  const offered = names.length === 0 ? 'no tools' : `only ${listed(names)}`
  const remedy = `write its arguments: \`call: { ${name}: {} }\``
  const message =
    `Scenario rule ${rule} calls the tool ${JSON.stringify(name)}, but this request offers ${offered}; ` +
    (nearest === undefined ? remedy : `did you mean ${nearest}?`)
  return new ApiError('invalid_request_error', message, { param: 'tools' })
}

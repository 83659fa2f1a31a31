/** What the fields of a messages request demand of each other and of the settings. */
import { modelAccess } from '../../protocol/auth.ts'
import type { Call } from '../../protocol/call.ts'
import { ApiError } from '../../protocol/errors.ts'
import type { Finding } from '../../protocol/findings.ts'
import type { Settings } from '../../protocol/settings.ts'
import { invalid } from '../../protocol/validate.ts'
import { show } from '../../protocol/wording.ts'
import { type MessagesRequest, messagesRequest } from './request.ts'
import { turnFindings } from './turn-findings.ts'
import type { Turn } from './turns.ts'

const maxFindings = 20

/** Throws 404 or 403 for the model; suites look for the word `model:` (wire-formats 1.3). */
export function checkMessagesModel({ body, key }: Call<MessagesRequest>, settings: Settings): void {
  const access = modelAccess(body.model, key, 'messages', settings)
  if (access === 'unknown')
    throw new ApiError(
      'not_found_error',
      `model: ${body.model} (settings: models.messages holds ${settings.models.messages?.join(', ')})`,
      { param: 'model' },
    )
  if (access === 'not-enabled')
    throw new ApiError(
      'permission_error',
      `model: ${body.model} is not enabled for this API key (settings: keys).`,
      { param: 'model' },
    )
}

/** Throws 400 with every finding. */
export function checkDependencies(body: MessagesRequest, turns: readonly Turn[], settings: Settings): void {
  const findings: Finding[] = []
  for (const group of [
    optionFindings(body, settings),
    thinkingFindings(body),
    toolFindings(body),
    turnFindings(body, turns),
  ]) {
    for (const finding of group) {
      if (findings.length === maxFindings) break
      findings.push(finding)
    }
  }
  if (findings.length > 0) throw invalid(findings, undefined)
}

function* optionFindings(body: MessagesRequest, { messages }: Settings): Generator<Finding> {
  if (body.max_tokens > messages.maxTokens)
    yield {
      field: 'max_tokens',
      message: `expected at most ${messages.maxTokens} (setting messages.maxTokens), got ${body.max_tokens}`,
    }
  if (body.output_format != null && body.output_config?.format != null)
    yield {
      field: 'output_format',
      message: 'and output_config.format were both given: send output_config.format alone',
    }
  if (messages.unknownParameters === 'refuse') {
    for (const name of Object.keys(body))
      if (!Object.hasOwn(messagesRequest.shape, name))
        yield { field: name, message: 'is not a parameter of messages (setting messages.unknownParameters)' }
  }
}

function* thinkingFindings(body: MessagesRequest): Generator<Finding> {
  const { thinking } = body
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return
  const forced = body.tool_choice?.type === 'any' || body.tool_choice?.type === 'tool'
  if (forced)
    yield {
      field: 'tool_choice',
      message:
        'may not force a tool when thinking is on: expected the type "auto" or "none", got ' +
        `${show(body.tool_choice?.type)}`,
    }
  if (thinking.type !== 'enabled') return
  if (thinking.budget_tokens >= body.max_tokens)
    yield {
      field: 'thinking.budget_tokens',
      message: `expected less than max_tokens (${body.max_tokens}), got ${thinking.budget_tokens}`,
    }
  if (body.temperature != null && body.temperature !== 1)
    yield { field: 'temperature', message: `may only be 1 when thinking is enabled, got ${body.temperature}` }
  if (body.top_k != null)
    yield { field: 'top_k', message: 'may not be set when thinking is enabled: remove it' }
  if (body.top_p != null && body.top_p < 0.95)
    yield { field: 'top_p', message: `expected 0.95 to 1 when thinking is enabled, got ${body.top_p}` }
}

function* toolFindings(body: MessagesRequest): Generator<Finding> {
  const names = new Map<string, number>()
  for (const [index, { name }] of (body.tools ?? []).entries()) {
    const before = names.get(name)
    if (before !== undefined)
      yield {
        field: `tools[${index}].name`,
        message: `repeats the name of tools[${before}]: got ${show(name)} twice`,
      }
    names.set(name, index)
  }
  const choice = body.tool_choice
  if (choice == null || choice.type === 'auto' || choice.type === 'none') return
  if (names.size === 0)
    yield { field: 'tool_choice', message: 'may only force a tool when `tools` are given' }
  else if (choice.type === 'tool' && !names.has(choice.name))
    yield {
      field: 'tool_choice.name',
      message:
        `names the tool ${show(choice.name)}, but \`tools\` holds ` +
        `${[...names.keys()].map(show).join(', ')}`,
    }
}

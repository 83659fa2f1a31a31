/** Plays a row of the table as an agent does: it runs the tools that are called until a text comes. */
import { createSimulator, type Simulator } from '../../../src/index.ts'
import type { ExpectedCall, ExpectedStep, Message, Row } from './table.ts'
import { type RunnableTool, schemas, toolSets } from './tool-sets.ts'

export type Api = 'chat' | 'messages'

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}
interface Answer {
  readonly text: string
  readonly calls: readonly Call[]
}
interface Talk {
  /** Asks once, and adds the answer to the conversation. */
  ask(): Promise<Answer>
  /** Adds what the tools returned. */
  give(results: readonly (readonly [Call, string])[]): void
}

/** What did not come as the row says; undefined when all of it came. */
export async function playRow(row: Row, api: Api): Promise<string | undefined> {
  // Legacy JSON mode is a notion of chat.
  if (api === 'messages' && row.choice === 'json') return undefined
  const tools: readonly RunnableTool[] = row.tools === '' ? [] : toolSets[row.tools as keyof typeof toolSets]
  const sim = createSimulator({ clock: 'manual', selfCheck: true })
  const talk = api === 'chat' ? chatTalk(row, tools, sim) : messagesTalk(row, tools, sim)
  for (const [index, step] of row.steps.entries()) {
    const answer = await talk.ask()
    const wrong = mismatch(step, answer)
    if (wrong !== undefined) return `step ${index + 1}: ${wrong}`
    talk.give(
      answer.calls.map((call) => {
        const { run } = tools.find(({ name }) => name === call.name) as RunnableTool
        const result = run(call.input as Readonly<Record<string, unknown>>)
        return [call, typeof result === 'string' ? result : JSON.stringify(result)]
      }),
    )
  }
  return undefined
}

async function send(sim: Simulator, path: string, body: object, headers: Record<string, string> = {}) {
  const received = await sim.fetch(`http://gateway.test${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const reply = (await received.json()) as Record<string, unknown>
  if (!received.ok) throw new Error(`${received.status} ${JSON.stringify(reply)}`)
  return reply
}

function chatTalk(row: Row, tools: readonly RunnableTool[], sim: Simulator): Talk {
  const messages: object[] = [...row.messages]
  const [, word = 'auto', name = ''] = /^(\w+)(?: (.+))?$/.exec(row.choice) ?? []
  const body = {
    model: 'gpt-4o',
    messages,
    ...(tools.length > 0 && {
      tools: tools.map(({ run: _run, ...rest }) => ({ type: 'function', function: rest })),
    }),
    ...(word === 'required' && { tool_choice: 'required' }),
    ...(word === 'named' && { tool_choice: { type: 'function', function: { name } } }),
    ...(word === 'one' && { parallel_tool_calls: false }),
    ...(word === 'json' && { response_format: { type: 'json_object' } }),
    ...(word === 'schema' && {
      response_format: {
        type: 'json_schema',
        json_schema: { name, schema: schemas[name as keyof typeof schemas], strict: true },
      },
    }),
  }
  return {
    async ask() {
      const reply = await send(sim, '/v1/chat/completions', body)
      const [{ message }] = reply['choices'] as [
        {
          message: {
            content: string | null
            tool_calls?: { id: string; function: { name: string; arguments: string } }[]
          }
        },
      ]
      messages.push(message)
      return {
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments) as unknown,
        })),
      }
    },
    give(results) {
      for (const [call, content] of results) messages.push({ role: 'tool', tool_call_id: call.id, content })
    },
  }
}

function messagesTalk(row: Row, tools: readonly RunnableTool[], sim: Simulator): Talk {
  const isInstruction = ({ role }: Message): boolean => role === 'system'
  const messages: object[] = row.messages.filter((message) => !isInstruction(message))
  const system = row.messages.filter(isInstruction).map(({ content }) => content)
  const [, word = 'auto', name = ''] = /^(\w+)(?: (.+))?$/.exec(row.choice) ?? []
  const body = {
    model: 'claude-sonnet-4-5',
    max_tokens: 4000,
    messages,
    ...(system.length > 0 && { system: system.join('\n') }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({
        name: tool.name,
        ...(tool.description !== undefined && { description: tool.description }),
        input_schema: tool.parameters,
      })),
    }),
    ...(word === 'required' && { tool_choice: { type: 'any' } }),
    ...(word === 'named' && { tool_choice: { type: 'tool', name } }),
    ...(word === 'one' && { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }),
    ...(word === 'schema' && {
      output_config: { format: { type: 'json_schema', schema: schemas[name as keyof typeof schemas] } },
    }),
  }
  return {
    async ask() {
      const reply = await send(sim, '/v1/messages', body, {
        'x-api-key': 'sk-test',
        'anthropic-version': '2023-06-01',
      })
      const content = reply['content'] as {
        type: string
        text?: string
        id: string
        name: string
        input: unknown
      }[]
      messages.push({ role: 'assistant', content })
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: content.filter(({ type }) => type === 'tool_use'),
      }
    },
    give(results) {
      if (results.length === 0) return
      messages.push({
        role: 'user',
        content: results.map(([{ id }, content]) => ({ type: 'tool_result', tool_use_id: id, content })),
      })
    },
  }
}

function mismatch(step: ExpectedStep, { text, calls }: Answer): string | undefined {
  const came =
    calls.length > 0
      ? calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(' + ')
      : JSON.stringify(text)
  if (step.kind === 'calls')
    return step.calls.length === calls.length &&
      step.calls.every((expected, index) => fitsCall(expected, calls[index] as Call))
      ? undefined
      : `got ${came}`
  return calls.length === 0 && fitsText(step, text) ? undefined : `got ${came}`
}

function fitsCall({ name, input, open }: ExpectedCall, call: Call): boolean {
  return call.name === name && (input === undefined || fits(input, call.input, open))
}

function fitsText(step: Exclude<ExpectedStep, { kind: 'calls' }>, text: string): boolean {
  switch (step.kind) {
    case 'text':
      return text.trim() !== ''
    case 'exact':
      return text === step.text
    case 'pattern':
      return step.pattern.test(text)
    case 'json':
      return fits(step.value, jsonOf(text), step.open)
    case 'items': {
      const count = itemsIn(text)
      return count >= step.least && count <= step.most
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Lines of a list, or the elements of an array, alone or as the only one in an object.
function itemsIn(text: string): number {
  const value = jsonOf(text)
  if (value === null || typeof value !== 'object')
    return text.split('\n').filter((line) => /^\s*(?:[-*•]|\d+[.)])\s/.test(line)).length
  const lists = Array.isArray(value) ? [value] : Object.values(value).filter(Array.isArray)
  return lists.length === 1 ? (lists[0] as unknown[]).length : -1
}

/** Texts `"/…/"` are patterns; `open` lets an object have more fields than are expected. */
function fits(expected: unknown, value: unknown, open: boolean): boolean {
  if (typeof expected === 'string') {
    const pattern = /^\/(.+)\/([imsu]*)$/s.exec(expected)
    // A path such as /etc/hosts/ is none.
    if (pattern === null) return expected === value
    return typeof value !== 'object' && new RegExp(pattern[1] as string, pattern[2]).test(String(value))
  }
  if (Array.isArray(expected))
    return (
      Array.isArray(value) &&
      value.length === expected.length &&
      expected.every((item, index) => fits(item, value[index], open))
    )
  if (expected === null || typeof expected !== 'object') return expected === value
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const fields = value as Readonly<Record<string, unknown>>
  return (
    Object.entries(expected).every(
      ([key, part]) => Object.hasOwn(fields, key) && fits(part, fields[key], open),
    ) &&
    (open || Object.keys(fields).every((key) => Object.hasOwn(expected, key)))
  )
}

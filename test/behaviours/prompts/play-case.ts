/**
 * Plays a prompt with tools, as a client's loop does: each call gets the result that the case holds for it.
 * The authors of the cases had not seen the code. CONTRIBUTING.md explains the notation.
 */
import type { Simulator } from '../../../src/index.ts'
import { post } from '../../_setup.ts'

type Arguments = Readonly<Record<string, unknown>>

interface WantedCall {
  readonly name: string
  readonly arguments?: Arguments
  readonly result?: string
  /** The indexes of calls that must have returned before. */
  readonly after?: readonly number[]
}

export interface PromptCase {
  readonly id: string
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    readonly parameters: unknown
  }[]
  readonly prompt?: string
  readonly messages?: readonly object[]
  readonly calls: readonly WantedCall[]
  /** What the last answer must say; an array lists alternatives. */
  readonly text?: readonly (string | readonly string[])[]
}

interface Message {
  readonly content: string | null
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
}

const maxTurns = 9

/** Whether the right tools were called, each after what it waits for, and whether all else was right too. */
export async function playCase(
  sim: Simulator,
  { tools, prompt, messages: given, calls, text = [] }: PromptCase,
): Promise<{ readonly right: boolean; readonly whole: boolean }> {
  const messages: object[] = [...(given ?? [{ role: 'user', content: prompt }])]
  const turns = new Map<WantedCall, number>()
  const offered =
    tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}
  let [right, whole] = [true, true]
  for (let turn = 0; ; turn++) {
    const response = await post(sim, '/v1/chat/completions', { model: 'gpt-4o', messages, ...offered })
    const { choices } = (await response.json()) as { choices: [{ message: Message }] }
    const [{ message }] = choices
    if (message.tool_calls === undefined || turn === maxTurns) {
      right &&= turn < maxTurns && calls.every((call) => turns.has(call))
      whole &&= text.every((wanted) => says(message.content ?? '', [wanted].flat()))
      return { right, whole: right && whole }
    }
    messages.push(message)
    for (const { id, function: made } of message.tool_calls) {
      const input = JSON.parse(made.arguments) as Arguments
      const open = calls.filter((call) => call.name === made.name && !turns.has(call))
      const call = open.find((one) => fits(one.arguments ?? {}, input)) ?? open[0]
      right &&=
        call?.after?.every((index) => (turns.get(calls[index] as WantedCall) ?? turn) < turn) ??
        call !== undefined
      whole &&= call !== undefined && fits(call.arguments ?? {}, input)
      if (call !== undefined) turns.set(call, turn)
      messages.push({ role: 'tool', tool_call_id: id, content: call?.result ?? '{"ok":true}' })
    }
  }
}

const says = (text: string, alternatives: readonly string[]): boolean =>
  alternatives.some((one) => text.toLowerCase().includes(one.toLowerCase()))

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function fits(wanted: unknown, got: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(got) &&
      wanted.length === got.length &&
      wanted.every((one, index) => fits(one, got[index]))
    )
  if (typeof wanted === 'string' && typeof got === 'string')
    return wanted.trim().toLowerCase() === got.trim().toLowerCase()
  if (wanted === null || typeof wanted !== 'object') return wanted === got
  const { $any, $contains, $regex, $present, $absent } = wanted as Record<string, never>
  if ($any !== undefined) return ($any as unknown[]).some((one) => fits(one, got))
  if ($absent !== undefined) return got === undefined || got === null
  if (got === undefined || got === null) return false
  if ($contains !== undefined) return says(plain(got), [$contains])
  if ($regex !== undefined) return new RegExp($regex, 'i').test(plain(got))
  return (
    $present !== undefined || Object.entries(wanted).every(([key, one]) => fits(one, (got as Arguments)[key]))
  )
}

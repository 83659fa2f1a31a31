/** What to write instead of a familiar word, as far as it depends on what was written with it. */
import { isFields } from '../../engine/fields.ts'
import { asText, clip, show } from '../../protocol/wording.ts'

/** What was written with an unknown word, or in the place of something else. */
export interface Written {
  readonly name: string
  readonly value: unknown
  /** What stands beside it. */
  readonly beside: Readonly<Record<string, unknown>>
  /** The operations at an address. */
  operationsAt(address: string, method?: string): readonly string[]
  /** Whether an operation of the rule makes something that lives over time. */
  readonly submits: boolean
  /** Whether all operations of the rule name something that an earlier call made. */
  readonly follows: boolean
}

/** A value short enough for a sentence, as YAML writes it. */
export function brief(value: unknown, otherwise: string): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string' || value === '') return otherwise
  return /^[\w.][\w. /-]*$/.test(value) ? clip(value, 40) : show(value)
}

export const aRule = 'rules: [{ when: { operation: … }, then: { text: … } }]'
export const toolCall = 'write `stream: { script: [{ toolCall: { name: …, arguments: { … } } }] }`'
export const ofContent = (key: string): string => `write \`stream: { script: [{ text: … }, { ${key} }] }\``

export function statusSaid({ value, submits, beside }: Written): string {
  const status = Number(value)
  if (Number.isNaN(status) || status < 100) return jobSaid(value, submits)
  if (status < 400)
    return 'leave it out for 200; `reply: { status: …, body: … }` is a whole reply of your own'
  const own = Object.hasOwn(beside, 'body')
    ? `, or \`reply: { status: ${status}, body: … }\` with \`offContract: true\` for a body of your own`
    : ''
  return `write \`error: { status: ${status} }\`${own}`
}

function jobSaid(value: unknown, submits: boolean): string {
  if (!submits) return 'it belongs in an error: `error: { status: … }`'
  return /fail|error/i.test(asText(value))
    ? 'write `job: { failAt: 50 }`, a percentage of its duration'
    : `write \`timeline: [{ at: 0s, status: ${brief(value, '…')} }]\``
}

export function textSaid({ value }: Written): string {
  return isFields(value)
    ? 'write `reply: { body: { … } }` for a whole reply, or `text: …` for the words of the answer'
    : `write \`text: ${brief(value, '…')}\``
}

export function whenSaid({ name, value, operationsAt }: Written): string {
  const {
    operation,
    url,
    path,
    urlPath,
    method = /^(?:get|post|put|delete)$/i.exec(name)?.[0],
  } = (isFields(value) ? value : {}) as Readonly<Record<string, unknown>>
  const address = [operation, url, path, urlPath, value].find((one) => typeof one === 'string') ?? ''
  const [found] = operationsAt(asText(address), typeof method === 'string' ? method : undefined)
  return `write \`when: { operation: ${found ?? '…'} }\``
}

export function addressSaid({ value, beside, operationsAt }: Written): string {
  const method = beside['method'] ?? beside['verb']
  const found = operationsAt(asText(value), typeof method === 'string' ? method : undefined)
  if (found.length === 0)
    return 'write `operation: …`: files name operations, not addresses (`gateway-sim routes` lists both)'
  return `write \`operation: ${found[0]}\`${found.length > 1 ? `, or ${found.slice(1, 4).join(', ')}` : ''}`
}

export const durationSaid =
  (key: string): ((written: Written) => string) =>
  ({ name, value }) => {
    const unit = typeof value === 'number' ? (/sec/i.test(name) ? 's' : 'ms') : ''
    return `write \`${key}: ${brief(value, '300ms')}${unit}\``
  }

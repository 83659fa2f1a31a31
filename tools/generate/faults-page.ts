/** Writes docs/reference/faults.md from the faults themselves. */
import * as z from 'zod'
import { canStream, canSubmit, type Operation, operationsInWords } from '../../src/protocol/operations.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import type { Fault } from '../../src/scenario/faults/fault.ts'
import { nounPhrase, pageHead, splitDefault, valueWords } from './page-parts.ts'
import type { TypedSchema } from './schema-type.ts'

const parts: readonly (readonly [Fault['part'], string, string])[] = [
  ['connection', 'Connections', 'These faults replace the response. The journal shows status 0.'],
  ['headers', 'Headers', 'These faults do not change the body.'],
  ['body', 'Bodies', 'These faults change bodies of any type.'],
  [
    'stream',
    'Streams',
    'These faults affect only streams of server-sent events. A fault with `afterEvents` can also be an ' +
      'item of `stream.script`, and its position in the script then replaces `afterEvents`.',
  ],
  [
    'api',
    'API errors',
    'Each API returns the error in its own envelope and with its own headers. The request counts ' +
      'against the rate limits.',
  ],
  ['job', 'Jobs', 'Jobs that fail, get stuck or disappear need no fault: see [jobs](../scenarios/jobs.md).'],
  ['upload', 'Uploads', ''],
]

/** Options of many faults, described once. */
const shared: Readonly<Record<string, string>> = {
  chance: 'Probability (0 to 1); the seed determines the outcome. Default: 1.',
  afterEvents: 'Number of events before the fault.',
  afterShare: 'Share of the body (0 to 1) before the fault.',
  afterBytes: 'Number of bytes before the fault; replaces `afterEvents` or `afterShare`.',
  retryAfter: '`retry-after` of `rate-limit` and `overloaded`, such as `7s`. SDKs wait in real time.',
}

/** The text of docs/reference/faults.md. */
export function faultsPage(all: readonly Operation[]): string {
  const description = 'All faults with their options, defaults and operations.'
  return `${pageHead('Faults', description, 'src/scenario/faults')}
\`then.fault\` is a fault or a list of faults. The line under a fault shows its defaults, which apply if you
write only its name (\`fault: stall\`). See also the [examples](../scenarios/faults.md).

Options of several faults:

${Object.entries(shared)
  .map(([name, text]) => `- \`${name}\`: ${text}`)
  .join('\n')}

Durations are in virtual time. In \`auto\` clock mode, delayed chunks arrive immediately, but still as
separate chunks. \`hang\`, \`stall\`, \`stall-body\` and \`outage\` work in every mode.

If several faults in a list would end the response, the earliest takes effect.

With \`sim.fetch\` and msw, a reset connection is a \`fetch\` that rejects with the \`TypeError\`
"fetch failed" (cause: \`ECONNRESET\`). A broken body is a stream that fails with "terminated" after the same
bytes or events. \`setupServer\` of msw 3 combines chunks: \`split\`, \`join\` and \`dribble\` change only the
timing.

A fault affects all operations, unless it lists [operations](operations.md).

${parts.map((part) => partSection(part, all)).join('\n')}`
}

function partSection([part, title, about]: (typeof parts)[number], all: readonly Operation[]): string {
  return `## ${title}\n\n${about === '' ? '' : `${about}\n\n`}${faults
    .filter((fault) => fault.part === part)
    .map((fault) => faultSection(fault, all))
    .join('\n')}`
}

function faultSection(fault: Fault, all: readonly Operation[]): string {
  const { kind, what } = fault
  const options = optionsOf(fault)
  const where = operationsOf(fault, all)
  // The text above its section is not repeated.
  const notes = where === 'all' || fault.part === 'stream' ? '' : `\nOperations: ${where}.\n`
  const bullets = Object.entries(options)
    .filter(([name]) => shared[name] === undefined)
    .map(([name, schema]) => `- \`${name}\`: ${optionText(schema)}\n`)
  const list = bullets.length === 0 ? '' : `\n${bullets.join('')}`
  return `### ${kind}\n\n${what}\n${faultLine(fault)}${list}${notes}`
}

/** The operations that a fault affects, with groups in words. */
function operationsOf({ on }: Fault, all: readonly Operation[]): string {
  const words = operationsInWords(on, all)
  if (words === 'all' || !words.includes(', ')) return words
  const left = new Set(all.filter(on))
  const groups = [canStream, canSubmit].flatMap((belongs) => {
    const members = all.filter(belongs)
    if (!members.every((one) => left.has(one))) return []
    for (const one of members) left.delete(one)
    return [operationsInWords(belongs, all)]
  })
  return [...groups, ...[...left].map(({ endpoint }) => `\`${endpoint.operation}\``)].join(', ')
}

function optionsOf({ options }: Fault): Readonly<Record<string, TypedSchema>> {
  const { properties = {} } = z.toJSONSchema(options(), { io: 'input' })
  return properties as Readonly<Record<string, TypedSchema>>
}

/** The fault as a rule names it, with every option that has a default; without options, nothing. */
function faultLine(fault: Fault): string {
  const options = Object.entries(optionsOf(fault))
    .filter(([, schema]) => schema.default !== undefined)
    .map(([name, { default: value }]) => `${name}: ${inYaml(value)}`)
  return options.length === 0 ? '' : `\n\`fault: { ${[`kind: ${fault.kind}`, ...options].join(', ')} }\`\n`
}

const inYaml = (value: unknown): string =>
  typeof value === 'string' && !/^[\w./-]+$/.test(value) ? `"${value}"` : String(value)

/**
 * Values of `error.type` are on the page of errors. A default in the line shows a simple type, and the text
 * may list the values.
 */
function optionText(schema: TypedSchema): string {
  const { text, fallback } = splitDefault(schema.description ?? '')
  const many = (schema.enum?.length ?? 0) > 10
  const type = many ? 'see [errors](errors.md)' : valueWords(schema)
  const values = [...type.matchAll(/`[^`]+`/g)].map(([value]) => value)
  const isListed = values.length > 0 && values.every((value) => text.includes(value))
  const isPlain = schema.default !== undefined && /^(?:string|integer|number|duration)$/.test(type)
  const notes = [...(isListed || isPlain ? [] : [type]), ...(fallback === '' ? [] : [`default: ${fallback}`])]
  const plain = nounPhrase(text.replace(/\.$/, ''))
  return notes.length === 0 ? `${plain}.` : `${plain} (${notes.join('; ')}).`
}

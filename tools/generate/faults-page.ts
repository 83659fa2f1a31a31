/** Writes docs/reference/faults.md from the faults themselves. */
import * as z from 'zod'
import { explainShorthands, type Operation, operationsInWords } from '../../src/protocol/operations.ts'
import { faults } from '../../src/scenario/faults/all.ts'
import type { Fault } from '../../src/scenario/faults/fault.ts'
import { markdownTable, wrap } from '../../src/text/printable.ts'
import { pageHead } from './page-head.ts'

const parts: readonly (readonly [Fault['part'], string, string])[] = [
  ['connection', 'Connections', 'They replace the response; the journal shows such a call with status 0.'],
  ['headers', 'Headers', 'The body does not change.'],
  [
    'body',
    'Bodies',
    [
      'They change bodies of any kind (JSON, streams, images, videos), as they are sent: with a `range`,',
      'only the part that was asked for.',
    ].join(' '),
  ],
  [
    'stream',
    'Streams',
    [
      'They change server-sent events; responses in one body are not affected. A fault with the option',
      '`afterEvents` can also be an item of a `stream.script`, and then happens at that place.',
    ].join(' '),
  ],
  [
    'api',
    'Rejections',
    [
      'Each API rejects with its own envelope, words and headers. The call is valid and counts against',
      'the limits; the service does not act.',
    ].join(' '),
  ],
  [
    'job',
    'Jobs',
    [
      'A job that fails, gets stuck or disappears needs no fault: write `then.job` or `then.timeline`',
      '([jobs over time](../scenarios.md#over-time-jobs-videos-operations)).',
    ].join(' '),
  ],
  ['upload', 'Uploads', 'They affect upload URLs, and the object store behind them.'],
]

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
}

/** The text of docs/reference/faults.md. */
export function faultsPage(all: readonly Operation[]): string {
  const description = 'Every fault, its options and the operations it acts on.'
  return `${pageHead('Fault catalogue', description, 'src/scenario/faults')}
What can go wrong between a client and a service. A rule of a scenario file names one fault or several in
\`then.fault\`:

\`\`\`yaml
title: The first stream breaks off, and about one call in ten is reset
rules:
  - when: { operation: chat.create, nth: 1, body: { stream: true } }
    then: { fault: { kind: disconnect, afterEvents: 3 } }
  - when: { operation: '*' }
    then: { fault: { kind: reset, chance: 0.1 } }
\`\`\`

- Options that are left out have their defaults. Every fault also has \`chance\` (0 to 1), which is seeded:
  the same calls meet the same faults.
- Durations are virtual time. In the clock mode \`auto\` nothing waits: delayed pieces arrive immediately, but
  still as separate pieces. \`hang\`, \`stall\`, \`stall-body\` and \`outage\` work in every mode.
- Several faults of one response are applied in a fixed order, whatever order they are listed in: bytes are
  changed, comments added, events split and joined, and the body is sent in small pieces. If several faults
  end the response, the first place counts.
- \`afterEvents\`, \`afterBytes\` and \`afterShare\` say how much arrives before the fault; 0 is the
  beginning. A place after the end of the body is never reached.
- Over HTTP a reset is a real one (RST). Where there is no socket (\`sim.fetch\`, msw) the client sees the
  same, unless a line "In-process" says otherwise. \`setupServer\` of msw 3 delivers pieces together, so
  \`split\`, \`join\` and \`dribble\` only change the timing there.

"Operations" says which operations a fault can affect. Two shorthands:

${explainShorthands(
  faults.map(({ on }) => on),
  all,
)
  .flatMap((line) => wrap('- ', line, 110))
  .join('\n')}

${markdownTable(
  ['Fault', 'The client sees'],
  faults.map(({ kind, what }) => [`[\`${kind}\`](#${kind})`, what]),
)}
${parts.map((part) => partSection(part, all)).join('\n')}`
}

function partSection([part, title, about]: (typeof parts)[number], all: readonly Operation[]): string {
  return `## ${title}\n\n${about}\n\n${faults
    .filter((fault) => fault.part === part)
    .map((fault) => faultSection(fault, all))
    .join('\n')}`
}

function faultSection(fault: Fault, all: readonly Operation[]): string {
  const { kind, what, inProcess } = fault
  const { properties = {} } = z.toJSONSchema(fault.options(), { io: 'input' }) as {
    properties?: Readonly<Record<string, Schema>>
  }
  const options = Object.entries(properties).map(([name, schema]) => [
    `\`${name}\``,
    valueCell(schema),
    shown(schema),
    schema.description ?? '',
  ])
  const table = options.length === 0 ? '' : `\n${markdownTable(['Option', 'Value', 'Default', ''], options)}`
  const long = Object.entries(properties)
    .filter(([, { enum: values = [] }]) => values.length > maxListed)
    .map(([name, { enum: values = [] }]) => `\nValues of \`${name}\`: ${listed(values)}.\n`)
    .join('')
  const elsewhere = inProcess === undefined ? '' : `In-process: ${inProcess}. `
  const where = `${elsewhere}Operations: ${operationsInWords(fault.on, all)}.`
  return `### ${kind}\n\n${what}\n\n${where}\n${table}${long}`
}

/** A longer list of values does not fit its cell and stands below the table. */
const maxListed = 10

function valueCell(schema: Schema): string {
  const { type, enum: values, anyOf, minimum, maximum } = schema
  // A duration is written as text or as milliseconds; nothing else takes just these two.
  if (Array.isArray(type)) return type.join() === 'string,number' ? 'duration' : type.join(' or ')
  if (values !== undefined && values.length > maxListed) return 'one of those below'
  if (values !== undefined) return listed(values)
  if (anyOf !== undefined)
    return anyOf
      .map((one) => (one.const === undefined ? valueCell(one) : `\`${String(one.const)}\``))
      .join(', ')
  if (type === 'string') return 'text'
  if (type !== 'integer' && type !== 'number') return String(type)
  const bounds = [
    minimum === undefined || minimum <= -1e9 ? '' : `${minimum} or more`,
    maximum === undefined || maximum >= 1e9 ? '' : `at most ${maximum}`,
  ].filter((bound) => bound !== '')
  return [type === 'integer' ? 'whole number' : 'number', ...bounds].join(', ')
}

const listed = (values: readonly unknown[]): string =>
  values.map((value) => `\`${String(value)}\``).join(', ')

function shown({ default: value }: Schema): string {
  return value === undefined ? '' : `\`${String(value)}\``
}

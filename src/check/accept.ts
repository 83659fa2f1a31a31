/** Deviations that are known: they do not count until their day has passed. */
import * as z from 'zod'
import type { Accepted } from './options.ts'
import type { AcceptedFinding, Finding } from './report.ts'
import { isNamed } from './suite.ts'

/** The file that `--accept` names: a list. */
export const acceptedSchema = z.array(
  z.strictObject({
    operation: z.string().min(1).optional().describe('An operation, or a group: `videos.*`.'),
    section: z.string().min(1).optional().describe('As the report says it: `contract 2.3`.'),
    pointer: z.string().optional().describe('A JSON pointer; numbers stand for any place in a list.'),
    kind: z.enum(['missing', 'type', 'value', 'extra', 'status', 'envelope', 'order', 'format']).optional(),
    reason: z.string().min(1).describe('Why it is accepted.'),
    until: z.iso
      .date({ error: 'expected a day such as 2026-12-31' })
      .optional()
      .describe('The last day on which it is accepted.'),
  }),
)

export interface Sorted {
  readonly counting: readonly Finding[]
  readonly accepted: readonly AcceptedFinding[]
  readonly unused: readonly string[]
  readonly expired: readonly string[]
}

/** Sorts out what is accepted on a day. A finding of several operations is, when all of them are. */
export function sortAccepted(
  findings: readonly Finding[],
  entries: readonly Accepted[],
  today: string | undefined,
): Sorted {
  const isOver = ({ until }: Accepted): boolean => until !== undefined && today !== undefined && today > until
  const used = new Set<Accepted>()
  const counting: Finding[] = []
  const accepted: AcceptedFinding[] = []
  for (const finding of findings) {
    const fitting = entries.filter((entry) => fits(entry, finding))
    for (const entry of fitting) used.add(entry)
    const valid = fitting.filter((entry) => !isOver(entry))
    const left = finding.operations.filter((operation) => !valid.some((entry) => names(entry, operation)))
    const [entry] = valid
    if (entry === undefined || left.length > 0)
      counting.push(
        left.length === 0 ? finding : { ...finding, operation: left[0] as string, operations: left },
      )
    else accepted.push({ ...finding, accepted: entry.reason })
  }
  return {
    counting,
    accepted,
    unused: entries.filter((entry) => !used.has(entry)).map(inWords),
    expired: entries.filter((entry) => used.has(entry) && isOver(entry)).map(inWords),
  }
}

const names = ({ operation }: Accepted, one: string): boolean =>
  operation === undefined || isNamed(one, [operation])

function fits(entry: Accepted, finding: Finding): boolean {
  const { section, pointer, kind } = entry
  return (
    finding.operations.some((operation) => names(entry, operation)) &&
    (section === undefined || section === finding.section) &&
    (kind === undefined || kind === finding.kind) &&
    (pointer === undefined || anyPlace(pointer) === anyPlace(finding.pointer))
  )
}

const anyPlace = (pointer: string): string => pointer.replace(/\/(?:\d+|\*)(?=\/|$)/g, '/*')

/** `videos.*, /status, until 2026-12-31: asked for it`. */
function inWords({ operation, section, pointer, kind, reason, until }: Accepted): string {
  const parts = [operation, section, pointer, kind, until === undefined ? undefined : `until ${until}`]
  return `${parts.filter((part) => part !== undefined).join(', ') || 'everything'}: ${reason}`
}

/** Holds one value, a body or an event, against the contract's reading of its schema. */
import type * as z from 'zod'
import { valueAt } from '../engine/fields.ts'
import { clientReading, contractReading, sectionOf } from '../protocol/contract-reading.ts'
import { firstOf, type LocatedFinding, locatedFindings } from '../protocol/findings.ts'
import { show } from '../protocol/wording.ts'
import type { Deviation, DeviationKind, Severity } from './deviation.ts'
import { generalised } from './schema-places.ts'

/** Both readings of a schema. */
interface Readings {
  readonly contract: z.ZodType
  readonly clients: z.ZodType
  readonly section: string
}

/** What is found in a value: its operation and its place are the caller's to add. */
export type Found = Omit<Deviation, 'operation' | 'where'>

/** The most findings that one value gives. */
const maxFindings = 20

/** Judges values. Readings are derived once: keep it for as long as you judge. */
export class ValueJudge {
  readonly #readings = new Map<z.ZodType, Readings>()

  /** Each deviation once: of a list, the first item that has it. */
  judge(schema: z.ZodType, value: unknown): Found[] {
    const { contract, clients, section } = this.#readingsOf(schema)
    const broken = findingsOf(contract, value)
    // What the contract forbids is not doubtful as well.
    const places = broken.map(({ path }) => `${pointerOf(path)}/`)
    const others = findingsOf(clients, value).filter(({ path }) => {
      const place = `${pointerOf(path)}/`
      return !places.some((other) => other.startsWith(place) || place.startsWith(other))
    })
    const found = [
      // Of what only clients know, the contract demands nothing.
      ...broken.map((finding) =>
        foundAs(section.startsWith('contract') ? 'breaking' : 'doubtful', section, finding, value),
      ),
      ...others.map((finding) =>
        foundAs(finding.unknown === true ? 'addition' : 'doubtful', section, finding, value),
      ),
    ]
    return onlyOnce(found, ({ pointer, kind }) => `${kind} ${generalised(clients, pointer)}`)
  }

  /** The section that describes a schema. */
  sectionOf(schema: z.ZodType): string {
    return this.#readingsOf(schema).section
  }

  #readingsOf(schema: z.ZodType): Readings {
    let readings = this.#readings.get(schema)
    if (readings === undefined) {
      readings = {
        contract: contractReading(schema),
        clients: clientReading(schema),
        section: sectionOf(schema) ?? '',
      }
      this.#readings.set(schema, readings)
    }
    return readings
  }
}

/** The items, of those with the same key only the first. */
export function onlyOnce<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = keyOf(item)
    return !seen.has(key) && seen.add(key)
  })
}

function findingsOf(schema: z.ZodType, value: unknown): LocatedFinding[] {
  const result = schema.safeParse(value)
  return result.success ? [] : firstOf(locatedFindings(result.error.issues, value), maxFindings)
}

function foundAs(severity: Severity, section: string, finding: LocatedFinding, value: unknown): Found {
  const { path, message, unknown } = finding
  const got = valueAt(value, path)
  const [, expected] =
    /^(?:is required: )?(?:expected |Invalid string: )?([\s\S]*?)(?:, got [\s\S]*)?$/.exec(message) ?? []
  return {
    section,
    pointer: pointerOf(path),
    kind: kindOf(finding, got),
    severity,
    expected: unknown === true ? 'no such field' : (expected ?? message),
    got: show(got),
  }
}

function kindOf({ unknown, kind }: LocatedFinding, got: unknown): DeviationKind {
  if (unknown === true) return 'extra'
  if (got === undefined || got === null) return 'missing'
  return kind ?? 'value'
}

const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Words from elsewhere: operations by their names in SDKs, keys one level too high or too low. */
import { valueAt } from '../../engine/fields.ts'
import type { Vocabulary } from '../../protocol/operations.ts'
import { show } from '../../protocol/wording.ts'
import { faultNamed } from '../faults/all.ts'
import { ruleSchemaOf, type ScenarioSchema } from '../format/scenario.ts'

type Path = readonly PropertyKey[]

/** What to write for an operation that is called by its name in an SDK. */
export function sdkOperation(scenario: unknown, path: Path, { all }: Vocabulary): string | undefined {
  if (!path.includes('operation') && path.at(-1) !== 'call') return undefined
  const written = valueAt(scenario, path)
  if (typeof written !== 'string') return undefined
  for (const { endpoint } of all) {
    const { operation, sdkNames = {} } = endpoint
    if (Object.hasOwn(sdkNames, written))
      return `unknown operation "${written}" (an SDK name): write ${operation}${sdkNames[written]}`
  }
  return undefined
}

/** What to write for a `then` that is text: a fault, a job's end, a function, or what the model says. */
export function thenAsText(scenario: unknown, path: Path): string | undefined {
  const written = path.at(-1) === 'then' ? valueAt(scenario, path) : undefined
  if (typeof written !== 'string') return undefined
  if (/=>|\bfunction\b/.test(written))
    return 'a file cannot hold a function: write the scenario as an object in a test, or the answer as data'
  return faultNamed(written) === undefined
    ? `expected an object: write { text: ${show(written)} }`
    : `expected an object: write { fault: ${written} }`
}

/** Keys of an `error` that are often written beside it. */
const errorKeys: readonly unknown[] = [
  'status',
  'code',
  'type',
  'param',
  'retryAfter',
  'message',
  'details',
  'trace_id',
]

/** Where an unknown key of a rule belongs: under `when` or `then`, or into the `error` of an answer. */
export function placeOfKey(path: Path, schema: ScenarioSchema): string | undefined {
  const [list, index, key, ...more] = path
  if (list !== 'rules' || typeof index !== 'number' || typeof key !== 'string') return undefined
  const last = more.at(-1)
  if (key === 'then' && errorKeys.includes(last)) {
    const holder = [key, ...more].filter((part) => typeof part !== 'number').at(-2)
    return ['then', 'sequence', 'weighted'].includes(String(holder))
      ? `it belongs in an error: \`error: { ${String(last)}: … }\``
      : undefined
  }
  if (more.length > 0) return undefined
  const { when, then } = ruleSchemaOf(schema).shape
  if (Object.hasOwn(when.unwrap().shape, key)) return 'it belongs under `when`'
  return Object.hasOwn(then.shape, key) ? 'it belongs under `then`' : undefined
}

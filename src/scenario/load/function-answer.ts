/** What the function of a rule has returned, checked as if it stood in a file. */
import { isFields } from '../../engine/fields.ts'
import { notData } from '../../protocol/plain-data.ts'
import { fieldPath, show } from '../../protocol/wording.ts'
import { checkScenario } from '../check/scenario.ts'
import { isEarly, type ReadAnswer } from '../compile/rules.ts'
import { withoutFunctions } from './functions.ts'
import type { ScenarioReader } from './reader.ts'
import { unnamed } from './scenario.ts'
import { tooDeep, tooDeepAt } from './yaml-messages.ts'

/** How many mistakes of one answer are told. */
const maxTold = 3

/** `states` are those that an answer may set. */
export function answerReader(
  { schema, vocabulary }: ScenarioReader,
  states: Readonly<Record<string, string>>,
): ReadAnswer {
  return (returned, operation) => {
    if (!isFields(returned) || notData(returned) !== undefined) return notAnAnswer(returned)
    if (tooDeepAt(returned) !== undefined) return `what it returned is ${tooDeep}`
    const then = literally(returned)
    const scenario = { title: 'one answer', states, rules: [{ when: { operation }, then }] }
    const { value, mistakes: strange } = withoutFunctions(scenario)
    const { mistakes, spec } = checkScenario(value, schema(), vocabulary)
    const [rule] = spec?.rules ?? []
    const all = strange.length > 0 ? strange : mistakes
    if (all.length > 0 || rule === undefined)
      return all
        .slice(0, maxTold)
        .map(({ path, message }) => {
          const field = fieldPath(path.slice(2))
          return `${field}: ${unnamed(message, field)}`
        })
        .join('; ')
    return isEarly(rule.then) ? tooLate : rule.then
  }
}

function notAnAnswer(returned: unknown): string {
  if (typeof returned === 'string') return `it returned text: write { text: ${show(returned)} }`
  if (typeof (returned as { then?: unknown } | null)?.then === 'function')
    return 'it returned a promise: a rule answers at once. Read what it needs before, and return the answer'
  const { what, remedy } = notData(returned) ?? {
    what: show(returned),
    remedy: "return an answer such as { text: 'Hello' }, or undefined for a call that is not its own",
  }
  return `it returned ${what}: ${remedy}`
}

const tooLate = [
  'then: what comes before the key or the body is checked (`error.before`, the fault `auth`, …) is decided',
  'before a function is asked: write it as a rule of its own',
].join(' ')

// A function has the call itself: a `${` that it returns comes from there, and is no template.
function literally(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(literally)
  if (!isFields(value) || notData(value) !== undefined) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, literally(part)]))
}

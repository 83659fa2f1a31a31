/** The valid parts of a rejected scenario: `validate` shows the warnings about them next to the errors. */
import { type Fields, isFields, listOf } from '../../engine/fields.ts'
import { parseWritten } from '../../protocol/client-names.ts'
import type { Path } from '../check/forms.ts'
import { checkScenario } from '../check/scenario.ts'
import { readDocument, type Yaml } from './read-yaml.ts'
import { Scenario, type ScenarioReader } from './scenario.ts'

/** What replaces a rule or step with errors: the others keep their places, and no warning is due to it. */
const inert: Readonly<Record<string, unknown>> = {
  rules: { when: { operation: '*', nth: 1 }, then: {} },
  steps: { advance: '1ms', expect: {} },
}

/** Undefined for text that cannot be parsed. */
export function validParts(
  text: string,
  name: string,
  yaml: Yaml,
  { schema, vocabulary }: ScenarioReader,
): Scenario | undefined {
  const document = readDocument(yaml, text, name)
  if (document.empty || !isFields(document.value)) return undefined
  const { errors } = checkScenario(document.value, schema(), vocabulary)
  const { data } = parseWritten(
    schema(),
    withoutErrors(
      document.value,
      errors.map(({ path }) => path),
    ),
  )
  return data === undefined ? undefined : new Scenario(name, data, undefined, document)
}

function withoutErrors(scenario: Fields, wrong: readonly Path[]): Fields {
  const valid: Record<string, unknown> = { ...scenario }
  for (const [key, index] of wrong) {
    if (typeof key !== 'string') continue
    const list = listOf(valid[key])
    if (typeof index === 'number' && index < list.length && Object.hasOwn(inert, key))
      valid[key] = list.with(index, inert[key])
    else delete valid[key]
  }
  return { title: 'rejected', ...valid }
}

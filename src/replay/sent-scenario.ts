/** A scenario as it is sent to a simulator elsewhere: what its clients meet, with the bytes of its files. */
import { base64 } from '../engine/base64.ts'
import { type Fields, isFields, listOf } from '../engine/fields.ts'
import { namedType } from '../protocol/held-file.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import { createScenarioSet } from '../scenario/load/scenario-set.ts'

/** What is read of a scenario that has been checked. */
interface Written {
  readonly steps?: unknown
  readonly rules?: readonly Fields[]
  readonly given?: Fields
}

/**
 * The object of the scenario format, without steps. The other machine does not know the name of the file,
 * which rules without an id are called by, and cannot read what lies beside it: both travel.
 */
export function sentScenario(scenario: Scenario, reader: ScenarioReader): Readonly<Record<string, unknown>> {
  const { steps: _, rules, given, ...rest } = scenario.written as Written
  const { ids } = createScenarioSet([scenario], reader).book
  const sent = bytesSent(scenario, reader)
  return {
    ...rest,
    ...(rules === undefined
      ? {}
      : {
          rules: rules.map((rule, at) => ({ id: ids[at], ...rule, then: answerSent(rule['then'], sent) })),
        }),
    ...(given === undefined ? {} : { given: givenSent(given, sent) }),
  }
}

/** Content as it is sent, with the bytes of its file. */
type Sent = (content: Fields, name: string) => Fields

function bytesSent({ directory }: Scenario, { disk, allowFiles }: ScenarioReader): Sent {
  return ({ file, ...rest }, name) => {
    const bytes = disk.readContent({ file: String(file) }, name, { directory, allowFiles })
    // It was there when the scenario was checked: if not, the simulator says that it takes no files.
    if (typeof bytes === 'string') return { file, ...rest }
    return { ...rest, base64: base64(bytes.content as Uint8Array) }
  }
}

const withFile = (content: unknown): content is Fields & { readonly file: string } =>
  isFields(content) && typeof content['file'] === 'string'

// Without its name, only its bytes would say what it is.
function typeOf(name: string): { readonly type?: string } {
  const type = namedType(name)
  return type === undefined ? {} : { type }
}

function answerSent(then: unknown, sent: Sent): unknown {
  if (!isFields(then)) return then
  const { reply, sequence, weighted } = then
  return {
    ...then,
    ...(withFile(reply) ? { reply: { ...typeOf(reply.file), ...sent(reply, reply.file) } } : {}),
    ...(Array.isArray(sequence) ? { sequence: sequence.map((one) => answerSent(one, sent)) } : {}),
    ...(Array.isArray(weighted)
      ? { weighted: weighted.map((one: Fields) => ({ ...one, then: answerSent(one['then'], sent) })) }
      : {}),
  }
}

function givenSent(given: Fields, sent: Sent): Fields {
  const one = (content: unknown, name: string): unknown =>
    Array.isArray(content)
      ? content.map((part) => one(part, name))
      : withFile(content)
        ? sent(content, name)
        : content
  return Object.fromEntries(
    Object.entries(given).map(([kind, list]) => [
      kind,
      listOf(list).map((thing) =>
        isFields(thing) && thing['content'] !== undefined
          ? { ...thing, content: one(thing['content'], String(thing['path'] ?? kind)) }
          : thing,
      ),
    ]),
  )
}

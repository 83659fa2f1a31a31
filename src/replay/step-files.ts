/** The files that steps send: what they are made of, and those on disk. */
import type { EndpointGroup } from '../protocol/endpoint.ts'
import { locatedFindings } from '../protocol/findings.ts'
import { type ContentSpec, content } from '../scenario/format/given.ts'
import type { Step } from '../scenario/format/steps.ts'
import type { ScenarioReader } from '../scenario/load/reader.ts'
import type { Scenario } from '../scenario/load/scenario.ts'
import type { ScenarioFinding } from '../scenario/scenario-error.ts'
import { contentOf, isFile } from './build-request.ts'

type Path = readonly PropertyKey[]

interface PlacedContent {
  readonly path: Path
  readonly written: ContentSpec
}

/** Why files of steps cannot be sent, with their places. */
export function mistakesOfStepFiles(
  scenario: Scenario,
  { vocabulary, disk, allowFiles }: ScenarioReader,
): ScenarioFinding[] {
  const accepts = (operation: string) => vocabulary.endpoint(operation)?.accepts ?? []
  const { directory } = scenario
  const mistakes = [...filesOf(scenario.spec.steps ?? [], ['steps'], accepts)].flatMap(
    ({ path, written }) => {
      // What an earlier reply says is only known then.
      if (JSON.stringify(written).includes('${')) return []
      const { data, error } = content.safeParse(written)
      if (error !== undefined)
        return [...locatedFindings(error.issues, written)].map(({ path: inside, message }) => ({
          path: [...path, ...inside],
          key: false,
          message,
        }))
      if (data.file === undefined) return []
      const read = disk.readNamed(data.file, { directory, allowFiles })
      return typeof read === 'string' ? [{ path: [...path, 'file'], key: false, message: read }] : []
    },
  )
  return scenario.place(mistakes)
}

function* filesOf(
  steps: readonly Step[],
  path: Path,
  accepts: (operation: string) => EndpointGroup['endpoints'][number]['accepts'],
): Generator<PlacedContent> {
  for (const [index, step] of steps.entries()) {
    const here = [...path, index]
    if ('parallel' in step) yield* filesOf(step.parallel, [...here, 'parallel'], accepts)
    else if ('fetch' in step) yield* fileIn(step.content, [...here, 'content'])
    else if ('call' in step) {
      const takes = accepts(step.call)
      for (const [field, value] of Object.entries(step.with ?? {})) {
        // As requests are built: in JSON, such an object is a value like any other.
        if (!(takes.includes('bytes') ? field === 'content' : takes.includes('form'))) continue
        const at = [...here, 'with', field]
        if (!Array.isArray(value)) yield* fileIn(value, at)
        else for (const [item, one] of value.entries()) yield* fileIn(one, [...at, item])
      }
    }
  }
}

function* fileIn(value: unknown, path: Path): Generator<PlacedContent> {
  if (isFile(value)) yield { path, written: contentOf(value) }
}

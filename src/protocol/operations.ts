/** The operations of a service, found by what their endpoints declare and never by their ids. */
import type * as z from 'zod'
import { clientReading } from './contract-reading.ts'
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import type { GivenFiles, ScriptedKind } from './scripted.ts'

/** An endpoint with the group that it belongs to. */
export interface Operation {
  readonly endpoint: Endpoint
  readonly group: EndpointGroup
}

/** Selects operations by their traits. */
export type Selector = (operation: Operation) => boolean

export const everyOperation: Selector = () => true

/** Operations that can answer as a stream. */
export const canStream: Selector = ({ endpoint }) => endpoint.event !== undefined

/** Operations that answer in words. */
export const canSpeak: Selector = ({ endpoint }) => endpoint.speaks !== undefined

/** Operations that answer with images. */
export const canDraw: Selector = ({ endpoint }) => endpoint.draws === true

/** Operations that make something that lives over time. */
export const canSubmit: Selector = ({ endpoint }) => endpoint.submits !== undefined

/** Operations of the groups whose resources live over time. */
export const hasJobs: Selector = ({ group }) => group.endpoints.some(({ submits }) => submits !== undefined)

/** Operations whose calls name a job, a video or an operation. */
export const concernsJob: Selector = ({ endpoint }) => endpoint.concerns !== undefined

/** Operations that make something whose single images can be blocked. */
export const canBlockImages: Selector = ({ endpoint }) => endpoint.submits?.hasImages === true

/** Operations that pass on what an upstream provider answers. */
export const hasUpstream: Selector = ({ endpoint }) => endpoint.upstream === true

export const grantsUploads: Selector = ({ endpoint }) => endpoint.upload === 'grant'

export const receivesUploads: Selector = ({ endpoint }) => endpoint.upload === 'receive'

/** Operations of the gateway itself; the object store behind its upload URLs rejects in its own way. */
export const isGateway: Selector = ({ endpoint }) =>
  endpoint.upload === undefined || endpoint.upload === 'grant'

/** The operations that scenarios can name, and the kinds of resources that they make. */
export interface Vocabulary {
  readonly groups: readonly EndpointGroup[]
  readonly all: readonly Operation[]
  /** Their ids. */
  readonly operations: readonly string[]
  readonly kinds: readonly ScriptedKind[]
  operation(id: string): Operation | undefined
  endpoint(id: string): Endpoint | undefined
  /** What the contract allows as its response. */
  allowedResponse(id: string): z.ZodType | undefined
  /** What the contract allows as an event of its stream. */
  allowedEvent(id: string): z.ZodType | undefined
  readonly givenFiles: GivenFiles | undefined
  /** How the models of an operation are called under `models`; undefined when it has none. */
  catalog(id: string): string | undefined
}

export function createVocabulary(groups: readonly EndpointGroup[]): Vocabulary {
  const all = groups.flatMap((group) => group.endpoints.map((endpoint): Operation => ({ endpoint, group })))
  const byId = new Map(all.map((operation) => [operation.endpoint.operation, operation]))
  const readings = new Map<z.ZodType, z.ZodType>()
  const readingOf = (schema: z.ZodType | undefined): z.ZodType | undefined => {
    if (schema === undefined) return undefined
    const reading = readings.get(schema) ?? clientReading(schema)
    readings.set(schema, reading)
    return reading
  }
  return {
    groups,
    all,
    operations: [...byId.keys()],
    kinds: [...new Set(all.flatMap(({ endpoint }) => endpoint.submits ?? []))],
    givenFiles: groups.find(({ givenFiles }) => givenFiles !== undefined)?.givenFiles,
    operation: (id) => byId.get(id),
    endpoint: (id) => byId.get(id)?.endpoint,
    allowedResponse: (id) => readingOf(byId.get(id)?.endpoint.response?.()),
    allowedEvent: (id) => readingOf(byId.get(id)?.endpoint.event?.()),
    catalog: (id) => byId.get(id)?.group.catalog,
  }
}

/** Longer lists of ids are shortened to groups. */
const maxListed = 10

/** The selected operations as people write them: `*`, ids, or groups (`videos.*`) where they are many. */
export function patternsOf(selector: Selector, all: readonly Operation[]): readonly string[] {
  const selected = all.filter(selector).map(({ endpoint }) => endpoint.operation)
  if (selected.length === all.length) return ['*']
  if (selected.length <= maxListed) return selected
  const left = all.map(({ endpoint }) => endpoint.operation).filter((id) => !selected.includes(id))
  const inGroup = (list: readonly string[], group: string): number =>
    list.filter((id) => groupOf(id) === group).length
  return [
    ...new Set(
      selected.map((id) => {
        const group = groupOf(id)
        return inGroup(left, group) === 0 && inGroup(selected, group) > 1 ? group : id
      }),
    ),
  ]
}

const groupOf = (id: string): string => `${id.split('.', 1)[0]}.*`

/** Operations as the documentation names them: in a few words where they are many. */
const shorthands: ReadonlyMap<Selector, string> = new Map([
  [canStream, 'streams'],
  [canSubmit, 'job submissions'],
  [canBlockImages, 'image job submissions'],
])

const ids = (selector: Selector, all: readonly Operation[]): string =>
  patternsOf(selector, all)
    .map((id) => `\`${id}\``)
    .join(', ')

/** The selected operations: a shorthand, or their ids in backticks. */
export function operationsInWords(selector: Selector, all: readonly Operation[]): string {
  if (selector === everyOperation) return 'all'
  if (selector === isGateway) return 'all except `uploads.*`'
  return shorthands.get(selector) ?? ids(selector, all)
}

/** What the shorthands of these selectors mean, one entry each. */
export function explainShorthands(used: readonly Selector[], all: readonly Operation[]): string[] {
  return [...shorthands]
    .filter(([selector]) => used.includes(selector))
    .map(([selector, word]) => `**${word}**: ${ids(selector, all)}`)
}

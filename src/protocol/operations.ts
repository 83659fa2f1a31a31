/** The operations of a service, selected by their endpoint's declaration, never by id. */
import type { Endpoint, EndpointGroup } from './endpoint.ts'
import type { GivenFiles, ScriptedKind } from './scripted.ts'

/** An endpoint with its group. */
export interface Operation {
  readonly endpoint: Endpoint
  readonly group: EndpointGroup
}

/** Selects operations by their traits. */
export type Selector = (operation: Operation) => boolean

export const everyOperation: Selector = () => true

/** Operations that can stream. */
export const canStream: Selector = ({ endpoint }) => endpoint.event !== undefined

/** Operations that return text. */
export const canSpeak: Selector = ({ endpoint }) => endpoint.speaks !== undefined

/** Operations that return images. */
export const canDraw: Selector = ({ endpoint }) => endpoint.draws === true

/** Operations that create a job. */
export const canSubmit: Selector = ({ endpoint }) => endpoint.job?.submits !== undefined

/** Operations whose calls name a job. */
export const concernsJob: Selector = ({ endpoint }) => endpoint.job?.concerns !== undefined

/** Operations that create a job whose images can be blocked. */
export const canBlockImages: Selector = ({ endpoint }) => endpoint.job?.submits?.hasImages === true

/** Operations that pass through the response of an upstream provider. */
export const hasUpstream: Selector = ({ endpoint }) => endpoint.upstream === true

export const grantsUploads: Selector = ({ endpoint }) => endpoint.upload === 'grant'

export const receivesUploads: Selector = ({ endpoint }) => endpoint.upload === 'receive'

/** Operations of the gateway itself, without the object store, whose rejections differ. */
export const isGateway: Selector = ({ endpoint }) =>
  endpoint.upload === undefined || endpoint.upload === 'grant'

/** The operations in scenarios, and the kinds of their resources. */
export interface Vocabulary {
  readonly groups: readonly EndpointGroup[]
  readonly all: readonly Operation[]
  /** Their ids. */
  readonly operations: readonly string[]
  readonly kinds: readonly ScriptedKind[]
  operation(id: string): Operation | undefined
  endpoint(id: string): Endpoint | undefined
  readonly givenFiles: GivenFiles | undefined
}

export function createVocabulary(groups: readonly EndpointGroup[]): Vocabulary {
  const all = groups.flatMap((group) => group.endpoints.map((endpoint): Operation => ({ endpoint, group })))
  const byId = new Map(all.map((operation) => [operation.endpoint.operation, operation]))
  return {
    groups,
    all,
    operations: [...byId.keys()],
    kinds: [...new Set(all.flatMap(({ endpoint }) => endpoint.job?.submits ?? []))],
    givenFiles: groups.find(({ givenFiles }) => givenFiles !== undefined)?.givenFiles,
    operation: (id) => byId.get(id),
    endpoint: (id) => byId.get(id)?.endpoint,
  }
}

/** The selected operations in short form: `*`, else groups (`videos.*`) that are whole, and single ids. */
export function patternsOf(selector: Selector, all: readonly Operation[]): readonly string[] {
  const selected = all.filter(selector)
  if (selected.length === all.length) return ['*']
  const patterns = selected.map(({ endpoint: { operation } }) => {
    const members = all.filter(({ endpoint }) => groupOf(endpoint.operation) === groupOf(operation))
    return members.length > 1 && members.every(selector) ? groupOf(operation) : operation
  })
  return [...new Set(patterns)]
}

const groupOf = (id: string): string => `${id.split('.', 1)[0]}.*`

/** Operations in the documentation: a shorthand if they are many. */
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

/** Writes docs/reference/operations.md from the declarations of the endpoints. */
import { canStream, canSubmit, type Operation } from '../../src/protocol/operations.ts'
import { pageHead, pageTable } from './page-parts.ts'

/** The titles of the groups. */
const titles: Readonly<Record<string, string>> = {
  chat: 'Chat',
  messages: 'Messages',
  images: 'Images',
  'image-jobs': 'Image jobs',
  videos: 'Videos',
  'video-operations': 'Long-running video operations',
  files: 'Files',
  uploads: 'Uploads',
  systemone: 'Decision evaluation',
}

/** A longer body is left to `gateway-sim openapi`. */
const maxBody = 160

/** The first JSON body of each operation in the OpenAPI document, by operation id. */
export type ExampleBodies = ReadonlyMap<string, unknown>

/** The example bodies of an OpenAPI document. */
export function exampleBodies(document: Readonly<Record<string, unknown>>): ExampleBodies {
  const operations = Object.values(document['paths'] as object).flatMap(
    (path) => Object.values(path as object) as OpenapiOperation[],
  )
  return new Map(
    operations.flatMap(({ operationId, requestBody }) => {
      const [example] = Object.values(requestBody?.content?.['application/json']?.examples ?? {})
      return operationId === undefined || example === undefined ? [] : [[operationId, example.value]]
    }),
  )
}

interface OpenapiOperation {
  readonly operationId?: string
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>
  }
}

interface Example {
  readonly value?: unknown
}

/** The text of docs/reference/operations.md. */
export function operationsPage(all: readonly Operation[], bodies: ExampleBodies): string {
  const groups = [...new Set(all.map(({ group }) => group))]
  const description = 'Id, method and path of every operation.'
  return `${pageHead('Operations', description, 'src/endpoints')}
Wherever you select operations, \`videos.*\` selects a group, and \`*\` all operations.
\`npx gateway-sim openapi --operation ID\` prints every field and example of an operation.

**Streams**: can respond with server-sent events. **Submits**: creates a job. **Polls**: shows the state of a
job. **Extra**: not in the contract, but useful to clients or for links in responses. In a path, \`*\` matches
all remaining segments. The usual API key header is \`authorization: Bearer <key>\`.
${groups.map((group) => groupSection(group.name, all, bodies)).join('')}`
}

function groupSection(name: string, all: readonly Operation[], bodies: ExampleBodies): string {
  const mine = all.filter(({ group }) => group.name === name)
  const keys = (mine[0]?.group.credentials ?? []).map(
    ({ header, scheme }) => `\`${header}: ${scheme === undefined ? '' : `${scheme} `}<key>\``,
  )
  const isUsual = keys.join() === '`authorization: Bearer <key>`'
  const key = keys.length === 0 ? 'No API key.\n\n' : isUsual ? '' : `API key: ${keys.join(' or ')}.\n\n`
  return `
## ${titles[name] ?? name}

${key}${pageTable(['Id', 'Request', 'Description'], mine.map(rowOf))}${exampleOf(mine, bodies)}`
}

/** One example; `gateway-sim openapi` prints the others. */
function exampleOf(mine: readonly Operation[], bodies: ExampleBodies): string {
  const [first] = mine.flatMap(({ endpoint: { operation } }) => {
    const body = bodies.has(operation) ? JSON.stringify(bodies.get(operation)) : ''
    return body === '' || body.length > maxBody ? [] : [`\nBody of \`${operation}\`: \`${body}\`\n`]
  })
  return first ?? ''
}

function rowOf(operation: Operation): string[] {
  const { endpoint } = operation
  const path = endpoint.tail === true ? endpoint.path.replace(/\}$/, '*}') : endpoint.path
  const methods = [endpoint.method, ...(endpoint.alsoMethods ?? [])].join(', ')
  const traits = [
    ...(canStream(operation) ? ['streams'] : []),
    ...(canSubmit(operation) ? ['submits'] : []),
    ...(endpoint.polls === undefined ? [] : ['polls']),
    ...(endpoint.open === true && operation.group.credentials.length > 0 ? ['no API key'] : []),
    ...(endpoint.extension === undefined ? [] : ['extra']),
  ]
  const summary = endpoint.summary.replace(/\.$/, '')
  const noted = traits.length === 0 ? summary : `${summary} (${traits.join(', ')})`
  return [`\`${endpoint.operation}\``, `\`${methods} ${path}\``, noted]
}

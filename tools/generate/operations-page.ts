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

/** The examples of an OpenAPI document by operation id. */
export type Examples = ReadonlyMap<
  string,
  { readonly body?: unknown; readonly responses: readonly Example[] }
>

/** The first JSON body and the JSON responses of each operation. */
export function examplesOf(document: Readonly<Record<string, unknown>>): Examples {
  const operations = Object.values(document['paths'] as object).flatMap(
    (path) => Object.values(path as object) as OpenapiOperation[],
  )
  return new Map(
    operations.flatMap(({ operationId = '', requestBody, responses }) => {
      const [sent] = jsonExamples(requestBody)
      return [[operationId, { body: sent?.value, responses: jsonExamples(responses?.['200']) }]]
    }),
  )
}

const jsonExamples = (message: Message | undefined): Example[] =>
  Object.values(message?.content?.['application/json']?.examples ?? {})

interface Message {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, Example>> }>>
}

interface OpenapiOperation {
  readonly operationId?: string
  readonly requestBody?: Message
  readonly responses?: Readonly<Record<string, Message>>
}

interface Example {
  readonly summary?: string
  readonly value?: unknown
}

/** The text of docs/reference/operations.md. */
export function operationsPage(all: readonly Operation[], examples: Examples): string {
  const groups = [...new Set(all.map(({ group }) => group))]
  const description = 'Id, method and path of every operation.'
  return `${pageHead('Operations', description, 'src/endpoints')}
\`videos.*\` selects a group of operations, and \`*\` selects all.
\`npx gateway-sim openapi --operation ID\` prints all fields and examples.

**Streams**: server-sent events. **Submits** and **polls** concern jobs. **Extra**: not in
the contract. In paths, \`*\` matches all other segments. Usual API key: \`authorization: Bearer <key>\`.
${groups.map((group) => groupSection(group.name, all, examples)).join('')}`
}

function groupSection(name: string, all: readonly Operation[], examples: Examples): string {
  const mine = all.filter(({ group }) => group.name === name)
  const keys = (mine[0]?.group.credentials ?? []).map(
    ({ header, scheme }) => `\`${header}: ${scheme === undefined ? '' : `${scheme} `}<key>\``,
  )
  const isUsual = keys.join() === '`authorization: Bearer <key>`'
  const key = keys.length === 0 ? 'No API key.\n\n' : isUsual ? '' : `API key: ${keys.join(' or ')}.\n\n`
  const shown = bodyOf(mine, examples) + statesOf(mine, examples)
  return `
## ${titles[name] ?? name}

${key}${pageTable(['Id', 'Request', 'Description'], mine.map(rowOf))}${shown}`
}

/** One example; `gateway-sim openapi` prints the others. */
function bodyOf(mine: readonly Operation[], examples: Examples): string {
  const [first] = mine.flatMap(({ endpoint: { operation } }) => {
    const body = JSON.stringify(examples.get(operation)?.body) ?? ''
    return body === '' || body.length > maxBody ? [] : [`\nBody of \`${operation}\`: \`${body}\`\n`]
  })
  return first ?? ''
}

/** Groups whose states are numbers: only examples show what they mean. */
const numbered = (value: unknown): boolean =>
  typeof (value as Readonly<Record<string, unknown>>)['status'] === 'number'

/** The response to a poll in each state. */
function statesOf(mine: readonly Operation[], examples: Examples): string {
  const polled = mine.find(({ endpoint }) => endpoint.job?.polls !== undefined)?.endpoint.operation ?? ''
  const shown = (examples.get(polled)?.responses ?? []).filter(({ value }) => numbered(value))
  if (shown.length === 0) return ''
  const lines = shown.flatMap(({ summary, value }) => [`// ${summary}`, ...folded(value as object)])
  return `\nResponses of \`${polled}\`:\n\n\`\`\`jsonc\n${lines.join('\n')}\n\`\`\`\n`
}

/** The longest line of code on a page. */
const columns = 100

/** An object in compact JSON, with line breaks after commas. */
function folded(value: object): string[] {
  const lines = ['']
  for (const part of JSON.stringify(value).split(/(?<=,)(?=")/)) {
    const last = lines.length - 1
    if (`${lines[last]}${part}`.length <= columns) lines[last] += part
    else lines.push(` ${part}`)
  }
  return lines
}

function rowOf(operation: Operation): string[] {
  const { endpoint } = operation
  const path = endpoint.tail === true ? endpoint.path.replace(/\}$/, '*}') : endpoint.path
  const methods = [endpoint.method, ...(endpoint.alsoMethods ?? [])].join(', ')
  const traits = [
    ...(canStream(operation) ? ['streams'] : []),
    ...(canSubmit(operation) ? ['submits'] : []),
    ...(endpoint.job?.polls === undefined ? [] : ['polls']),
    ...(endpoint.open === true && operation.group.credentials.length > 0 ? ['no API key'] : []),
    ...(endpoint.extension === undefined ? [] : ['extra']),
  ]
  const summary = endpoint.summary.replace(/\.$/, '')
  const noted = traits.length === 0 ? summary : `${summary} (${traits.join(', ')})`
  return [`\`${endpoint.operation}\``, `\`${methods} ${path}\``, noted]
}

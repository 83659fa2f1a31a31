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

/** The text of docs/reference/operations.md. */
export function operationsPage(all: readonly Operation[]): string {
  const groups = [...new Set(all.map(({ group }) => group))]
  const description = 'The id, method and path of every operation, and whether it streams, submits or polls.'
  return `${pageHead('Operations', description, 'src/endpoints')}
\`when.operation\`, \`verify\`, the journal and \`check --only\` use these ids. A group (\`videos.*\`)
names all operations whose id starts that way, and \`*\` names all. \`gateway-sim routes\` prints this list.

**Streams**: can respond with server-sent events. **Submits**: creates a job, video or video operation that
changes over time. **Polls**: shows its current state. \`*\` in a path takes the rest of the path.
${groups.map((group) => groupSection(group.name, all)).join('')}`
}

function groupSection(name: string, all: readonly Operation[]): string {
  const mine = all.filter(({ group }) => group.name === name)
  const keys = (mine[0]?.group.credentials ?? []).map(
    ({ header, scheme }) => `\`${header}: ${scheme === undefined ? '' : `${scheme} `}<key>\``,
  )
  const key = keys.length === 0 ? 'No API key.' : `API key: ${keys.join(' or ')}.`
  return `
## ${titles[name] ?? name}

${key}

${pageTable(['Id', 'Request', 'Description'], mine.map(rowOf))}`
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
  ]
  const summary = endpoint.summary.replace(/\.$/, '')
  const noted = traits.length === 0 ? summary : `${summary} (${traits.join(', ')})`
  return [`\`${endpoint.operation}\``, `\`${methods} ${path}\``, noted]
}

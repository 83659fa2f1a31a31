/** Operations by what people know of them: the address of a call, or the name of a method in an SDK. */
import type { Operation, Vocabulary } from '../../protocol/operations.ts'

const withMethod = /^(?:(GET|POST|PUT|PATCH|DELETE|HEAD|ANY|\*)\s+)?(\S+)$/i

/** The ids of the operations at an address such as `POST /v1/videos`, or of that id. */
export function operationsAt(written: string, { all }: Pick<Vocabulary, 'all'>, method?: string): string[] {
  if (all.some(({ endpoint }) => endpoint.operation === written)) return [written]
  const [, named = method, address = ''] = withMethod.exec(written.trim()) ?? []
  const path = address.replace(/^https?:\/\/[^/]*/, '').replace(/[?#].*$/, '')
  if (!path.includes('/')) return []
  const found = all.filter(({ endpoint }) => isAt(segmentsOf(path), segmentsOf(endpoint.path)))
  const sent = found.filter((operation) => takes(operation, named))
  return (sent.length === 0 ? found : sent).map(({ endpoint }) => endpoint.operation)
}

function takes({ endpoint }: Operation, method: string | undefined): boolean {
  return method === undefined || !/^[a-z]+$/i.test(method) || endpoint.method === method.toUpperCase()
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '' && segment !== '**')
}

// The front of an address is often left out: `/chat/completions`.
function isAt(written: readonly string[], template: readonly string[]): boolean {
  const missing = template.length - written.length
  return (
    written.length > 0 &&
    missing >= 0 &&
    missing <= 1 &&
    written.every((segment, index) => {
      const known = template[index + missing] as string
      return known === segment || known.includes('{') || segment === '*'
    }) &&
    // At least its end is the same, or it would be any address.
    written.some((segment, index) => segment === template[index + missing])
  )
}

/** What to write for an operation that is called by its name in an SDK. */
export function sdkOperation(written: string, { all }: Pick<Vocabulary, 'all'>): string | undefined {
  const name = written.replace(/^(?:client|openai|anthropic|ai|sdk)\./, '')
  for (const { endpoint } of all) {
    const { operation, sdkNames = {} } = endpoint
    if (Object.hasOwn(sdkNames, name))
      return `unknown operation "${written}" (an SDK name): write ${operation}${sdkNames[name]}`
  }
  return undefined
}

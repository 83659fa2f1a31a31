/** Runs `gateway-sim routes` and `gateway-sim openapi`: both print the contract. */
import { defined } from '../../engine/fields.ts'
import { createSimulator } from '../../index.ts'
import type { OpenapiDocument } from '../../openapi.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import type { Route } from '../../protocol/router.ts'
import { wrap } from '../../text/printable.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { OpenapiArgs } from '../flags.ts'
import { writeOutput } from '../output-files.ts'

export async function printDocument(
  { operation: operations, baseUrl, format, output, contractOnly, jsonSchema: asSchema }: OpenapiArgs,
  io: Io,
): Promise<ExitCode> {
  // In a chunk with this file, the entry would not find the files of the package.
  const { jsonSchema, openapi } = await import('../../openapi.ts')
  if (operations.length > 0) checkOperations(operations, await openapi())
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw usageError(`--base-url: expected a URL such as https://gateway.example, got ${baseUrl}`)
  const only = operations.length === 0 ? undefined : operations
  const options = { contractOnly, ...defined({ operations: only, server: baseUrl }) }
  const value = asSchema ? jsonSchema(options) : await openapi(options)
  const text =
    format === 'yaml'
      ? (await import('yaml')).stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 })
      : `${JSON.stringify(value, null, 1)}\n`
  if (output === undefined) io.stdout.write(text)
  else {
    await writeOutput({ flag: '--output', shown: output }, text, io)
    io.stderr.write(`gateway-sim: wrote ${output}\n`)
  }
  return exitCodes.ok
}

function checkOperations(operations: readonly string[], { paths }: OpenapiDocument): void {
  const known = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((operation) => (operation as { readonly operationId: string }).operationId),
  )
  const unknown = operations.find((operation) => !known.includes(operation))
  if (unknown !== undefined)
    throw usageError(
      `--operation: expected an id from \`gateway-sim routes\`, got ${unknown}` +
        didYouMean(unknown, known, '', '; '),
    )
}

/** The width of the list of routes, and of the columns of methods and paths. */
const listWidth = 100
const methodWidth = 8
const pathWidth = 56

export function printRoutes(format: 'pretty' | 'json', { stdout }: Io): ExitCode {
  const rows = createSimulator().routes.map(row)
  const head = rowText('METHOD', 'PATH', 'OPERATION')
  stdout.write(
    format === 'json'
      ? `${JSON.stringify(rows, null, 2)}\n`
      : `${[head, `${' '.repeat(methodWidth)}AUTH; NOTE`, ...rows.flatMap(routeLines)].join('\n')}\n`,
  )
  return exitCodes.ok
}

const rowText = (method: string, path: string, operation: string): string =>
  `${method.padEnd(methodWidth)}${path.padEnd(pathWidth)}${operation}`.trimEnd()

/** A long path continues on the next line; the last line of a path ends with the operation. */
function routeLines({ method, path, operation, auth, notInContract, inferred }: RouteRow): string[] {
  const parts: string[] = []
  for (const segment of path.split(/(?=\/)/)) {
    const line = (parts.at(-1) ?? '') + segment
    if (parts.length > 0 && line.length < pathWidth) parts[parts.length - 1] = line
    else parts.push(segment)
  }
  const details = [
    auth.join(' or ') || 'none',
    ...(notInContract === null ? [] : [`not in the contract: ${notInContract}`]),
    ...(inferred === null ? [] : [`inferred: ${inferred}`]),
  ]
  return [
    ...parts.map((part, at) =>
      rowText(at === 0 ? method : '', part, at === parts.length - 1 ? operation : ''),
    ),
    ...wrap(' '.repeat(methodWidth), details.join('; '), listWidth),
  ]
}

type RouteRow = ReturnType<typeof row>

function row({ endpoint, group }: Route) {
  const { method, path, operation, summary, open, extension, inferred } = endpoint
  const auth = group.credentials.map(
    ({ header, scheme }) => `${header}: ${scheme === undefined ? '' : `${scheme} `}<key>`,
  )
  return {
    method,
    path,
    operation,
    summary,
    /** The headers that may carry the key. */
    auth: open === true ? [] : auth,
    /** Why it exists although it is not in the contract. */
    notInContract: extension ?? null,
    /** The parts that the contract mentions but does not show. */
    inferred: inferred ?? null,
  }
}

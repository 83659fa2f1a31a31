/** Runs `gateway-sim routes` and `gateway-sim openapi`: both print the contract. */
import { defined } from '../../engine/fields.ts'
import { createSimulator } from '../../index.ts'
import type { OpenapiDocument } from '../../openapi.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import type { Route } from '../../protocol/router.ts'
import { textTable } from '../../text/printable.ts'
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

export function printRoutes(format: 'pretty' | 'json', { stdout }: Io): ExitCode {
  const rows = createSimulator().routes.map(row)
  const noted = (what: string, note: string | null): string[] => (note === null ? [] : [`${what}: ${note}`])
  stdout.write(
    format === 'json'
      ? `${JSON.stringify(rows, null, 2)}\n`
      : textTable(
          ['METHOD', 'PATH', 'OPERATION', 'AUTH', 'NOTE'],
          rows.map(({ method, path, operation, auth, notInContract, inferred }) => [
            method,
            path,
            operation,
            auth.join(' or ') || 'none',
            [...noted('not in the contract', notInContract), ...noted('inferred', inferred)].join('; '),
          ]),
        ),
  )
  return exitCodes.ok
}

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

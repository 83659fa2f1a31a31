/** The commands about the contract: `openapi`, `routes`, `reserved`. */

import type { OpenapiDocument } from '../../openapi.ts'
import type { Route } from '../../protocol/router.ts'
import { textTable } from '../../text/printable.ts'
import { CommandError, defineCommand, exitCodes } from '../command.ts'

/** `gateway-sim openapi`: prints the contract as OpenAPI or JSON Schema. */
export const openapi = defineCommand({
  command: 'openapi',
  describe: 'Print the contract as an OpenAPI 3.1 document with recorded examples',
  examples: [
    ['gateway-sim openapi --yaml --output openapi.yaml', 'Write the whole contract as YAML'],
    ['gateway-sim openapi --operation chat.create --json-schema', 'Print the schemas of one operation'],
  ],
  flags: {
    'json-schema': {
      type: 'boolean',
      default: false,
      describe: 'Print a JSON Schema with a definition for every request, reply, event and error',
    },
    yaml: { type: 'boolean', default: false, describe: 'Print YAML instead of JSON' },
    output: { type: 'string', requiresArg: true, describe: 'Write to this file instead of stdout' },
    operation: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Only these operations (ids as in `gateway-sim routes`); repeatable',
    },
    'contract-only': {
      type: 'boolean',
      default: false,
      describe: "Leave out what is not in the gateway's contract, and describe replies as it does",
    },
    server: {
      type: 'string',
      requiresArg: true,
      describe: 'The URL in `servers`',
      defaultDescription: 'http://127.0.0.1:4010',
    },
  },
  async handler(
    { 'json-schema': asSchema, yaml, output, operation: operations, 'contract-only': contractOnly, server },
    { stdout, stderr, cwd, pid },
  ) {
    const { openapi: document, jsonSchema } = await import('../../openapi.ts')
    if (operations.length > 0) await checkOperations(operations, await document())
    if (server !== undefined && !URL.canParse(server))
      throw new CommandError(
        exitCodes.usage,
        `--server: expected a URL such as https://gateway.example, got ${server}`,
      )
    const options = {
      contractOnly,
      ...(operations.length === 0 ? {} : { operations }),
      ...(server === undefined ? {} : { server }),
    }
    const value = asSchema ? jsonSchema(options) : await document(options)
    const text = yaml
      ? (await import('yaml')).stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 })
      : `${JSON.stringify(value, null, 2)}\n`
    if (output === undefined) {
      stdout.write(text)
      return exitCodes.ok
    }
    const [{ writeOutput }, { resolve }] = await Promise.all([
      import('../output-files.ts'),
      import('node:path'),
    ])
    await writeOutput({ path: resolve(cwd, output), flag: '--output', shown: output, pid }, text)
    stderr.write(`gateway-sim: wrote ${output}\n`)
    return exitCodes.ok
  },
})

async function checkOperations(operations: readonly string[], { paths }: OpenapiDocument): Promise<void> {
  const known = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((operation) => (operation as { readonly operationId: string }).operationId),
  )
  const { nearestWord } = await import('../../protocol/nearest-word.ts')
  for (const operation of operations) {
    if (known.includes(operation)) continue
    const nearest = nearestWord(operation, known)
    const hint = nearest === undefined ? '' : `. Did you mean ${nearest}?`
    throw new CommandError(
      exitCodes.usage,
      `--operation: expected an id from \`gateway-sim routes\`, got ${operation}${hint}`,
    )
  }
}

/** `gateway-sim reserved`: lists the values that trigger a refusal or a failure without any setup. */
export const reserved = defineCommand({
  command: 'reserved',
  describe: 'List the reserved keys, models and prompt words, and what each one triggers',
  examples: [
    ['gateway-sim reserved', 'List them in the terminal'],
    ['gateway-sim reserved --markdown > reserved.md', 'Write them as a Markdown page'],
  ],
  flags: {
    markdown: { type: 'boolean', default: false, describe: 'Print Markdown, as in docs/reserved-values.md' },
  },
  async handler({ markdown }, { stdout }) {
    const { reservedMarkdown, reservedText } = await import('../reserved/reserved-values.ts')
    const { createSimulator } = await import('../../index.ts')
    const { routes } = createSimulator()
    stdout.write(markdown ? reservedMarkdown(routes) : reservedText(routes))
    return exitCodes.ok
  },
})

export const routes = defineCommand({
  command: 'routes',
  describe: 'List every operation: method, path, id, and the header that carries the key',
  examples: [
    ['gateway-sim routes', 'Print a table'],
    ["gateway-sim routes --json | jq -r '.[].operation'", 'Print the ids of all operations'],
  ],
  flags: { json: { type: 'boolean', default: false, describe: 'Print a JSON array instead of a table' } },
  async handler({ json }, { stdout }) {
    const { createSimulator } = await import('../../index.ts')
    const rows = createSimulator().routes.map(row)
    if (json) stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
    else
      stdout.write(
        textTable(
          ['METHOD', 'PATH', 'OPERATION', 'AUTH', 'NOTE'],
          rows.map(({ method, path, operation, auth, beyondContract, inferred }) => [
            method,
            path,
            operation,
            auth.join(' or ') || 'none',
            [
              ...(beyondContract === null ? [] : [`beyond the contract: ${beyondContract}`]),
              ...(inferred === null ? [] : [`inferred: ${inferred}`]),
            ].join('; '),
          ]),
        ),
      )
    return exitCodes.ok
  },
})

/** One operation in the output of `--json`. */
interface Row {
  readonly method: string
  readonly path: string
  readonly operation: string
  readonly summary: string
  /** The headers that may carry the key; empty if none is required. */
  readonly auth: readonly string[]
  /** Why it exists although it is not in the contract. */
  readonly beyondContract: string | null
  /** What of it the contract refers to and does not show. */
  readonly inferred: string | null
}

function row({ endpoint, group }: Route): Row {
  return {
    method: endpoint.method,
    path: endpoint.path,
    operation: endpoint.operation,
    summary: endpoint.summary,
    auth:
      endpoint.open === true
        ? []
        : group.credentials.map(
            ({ header, scheme }) => `${header}: ${scheme === undefined ? '' : `${scheme} `}<key>`,
          ),
    beyondContract: endpoint.extension ?? null,
    inferred: endpoint.inferred ?? null,
  }
}

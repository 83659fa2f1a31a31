/** `gateway-sim openapi`: prints the contract as OpenAPI or JSON Schema. */
import { CommandError, defineCommand, exitCodes } from '../command.ts'

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
    if (operations !== undefined) await checkOperations(operations)
    if (server !== undefined && !URL.canParse(server))
      throw new CommandError(
        exitCodes.usage,
        `--server: expected a URL such as https://gateway.example, got ${server}`,
      )
    const options = {
      contractOnly,
      ...(operations === undefined ? {} : { operations }),
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
      import('../write-output.ts'),
      import('node:path'),
    ])
    await writeOutput({ path: resolve(cwd, output), flag: '--output', shown: output, pid }, text)
    stderr.write(`gateway-sim: wrote ${output}\n`)
    return exitCodes.ok
  },
})

async function checkOperations(operations: readonly string[]): Promise<void> {
  const [{ createSimulator }, { nearestWord }] = await Promise.all([
    import('../../index.ts'),
    import('../../protocol/nearest-word.ts'),
  ])
  const known = createSimulator().routes.map(({ endpoint }) => endpoint.operation)
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

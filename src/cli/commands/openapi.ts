/** `gateway-sim openapi`: the contract as OpenAPI or JSON Schema, on stdout or in a file. */
import { CommandError, defineCommand, exitCodes } from '../command.ts'

export const openapi = defineCommand({
  command: 'openapi',
  describe: 'Print the contract as an OpenAPI 3.1 document, with examples that the simulator answered',
  flags: {
    'json-schema': {
      type: 'boolean',
      default: false,
      describe: 'Print one JSON Schema with a definition for every request, reply, event and error instead',
    },
    yaml: { type: 'boolean', default: false, describe: 'YAML instead of JSON' },
    output: { type: 'string', requiresArg: true, describe: 'Write to this file instead of stdout' },
    operation: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Only these operations, by the ids of `gateway-sim routes`',
    },
    'contract-only': {
      type: 'boolean',
      default: false,
      describe: "Leave out what the gateway's contract does not name",
    },
    server: {
      type: 'string',
      requiresArg: true,
      describe: 'The address among `servers`; http://127.0.0.1:4010 unless given',
    },
  },
  async handler(
    { 'json-schema': asSchema, yaml, output, operation: operations, 'contract-only': contractOnly, server },
    { stdout, stderr, cwd },
  ) {
    const { openapi: document, jsonSchema } = await import('../../openapi.ts')
    if (operations !== undefined) await checkOperations(operations)
    if (server !== undefined && !URL.canParse(server))
      throw new CommandError(
        exitCodes.usage,
        `--server: expected an address such as https://gateway.example, got ${server}`,
      )
    const options = {
      contractOnly,
      ...(operations === undefined ? {} : { operations }),
      ...(server === undefined ? {} : { server }),
    }
    const made = asSchema ? jsonSchema(options) : await document(options)
    const text = yaml
      ? (await import('yaml')).stringify(made, { aliasDuplicateObjects: false, lineWidth: 0 })
      : `${JSON.stringify(made, null, 2)}\n`
    if (output === undefined) {
      stdout.write(text)
      return exitCodes.ok
    }
    const [{ writeFile }, { resolve }] = await Promise.all([import('node:fs/promises'), import('node:path')])
    try {
      await writeFile(resolve(cwd, output), text)
    } catch (error) {
      throw new CommandError(
        exitCodes.usage,
        `--output: expected a file that can be written, got ${output} (${error instanceof Error ? error.message : String(error)})`,
      )
    }
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
    throw new CommandError(
      exitCodes.usage,
      `--operation: expected ids that \`gateway-sim routes\` lists, got ${operation}${nearest === undefined ? '' : `. Did you mean ${nearest}?`}`,
    )
  }
}

/** `gateway-sim openapi`. */
import { defineCommand, exitCodes, usageError } from './command.ts'
import { choice, list, output, text, toggle } from './flags.ts'
import { writeOutput } from './output-files.ts'

export const command = defineCommand({
  examples: [
    ['gateway-sim openapi --format yaml --output openapi.yaml', 'Write the whole contract as YAML'],
    ['gateway-sim openapi --operation chat.create --json-schema', 'Print the schemas of one operation'],
  ],
  flags: {
    'json-schema': toggle('Print a JSON Schema of all requests, responses, events and errors'),
    format: choice('Output format', ['json', 'yaml']),
    output,
    operation: list('Only these operations, such as chat.create; repeatable'),
    'contract-only': toggle("Omit everything outside the gateway's contract"),
    'base-url': text('URL in `servers`', 'http://127.0.0.1:4010'),
  },
  async handler({ operation, contractOnly, baseUrl, output: shown, ...args }, io) {
    // In a chunk with this file, the entry would not find the files of the package.
    const { jsonSchema, openapi } = await import('../openapi.ts')
    const options = {
      contractOnly,
      ...(operation.length === 0 ? {} : { operations: operation }),
      ...(baseUrl === undefined ? {} : { server: baseUrl }),
    }
    const describe = async () => (args.jsonSchema ? jsonSchema(options) : await openapi(options))
    const document = await describe().catch((error: unknown) => {
      throw error instanceof TypeError ? usageError(error.message) : error
    })
    const written =
      args.format === 'yaml'
        ? (await import('yaml')).stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })
        : `${JSON.stringify(document, null, 1)}\n`
    if (shown === undefined) io.stdout.write(written)
    else await writeOutput({ flag: '--output', shown }, written, io)
    return exitCodes.ok
  },
})

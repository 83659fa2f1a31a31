/** `gateway-sim routes`: lists every operation with its path and credentials. */
import type { Route } from '../../protocol/router.ts'
import { textTable } from '../../text/table.ts'
import { defineCommand, exitCodes } from '../command.ts'

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

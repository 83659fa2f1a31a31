/** `gateway-sim routes`: every operation with its path and the key it wants, from the router's own list. */
import type { Route } from '../../protocol/router.ts'
import { textTable } from '../../text/table.ts'
import { defineCommand, exitCodes } from '../command.ts'

export const routes = defineCommand({
  command: 'routes',
  describe: 'List every operation: method, path, id, and the header its key stands in',
  flags: { json: { type: 'boolean', default: false, describe: 'Print a JSON array instead of a table' } },
  async handler({ json }, { stdout }) {
    const { createSimulator } = await import('../../index.ts')
    const rows = createSimulator().routes.map(row)
    if (json) stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
    else
      stdout.write(
        textTable(
          ['METHOD', 'PATH', 'OPERATION', 'AUTH', 'NOTE'],
          rows.map(({ method, path, operation, auth, beyondContract }) => [
            method,
            path,
            operation,
            auth.join(' or ') || 'none',
            beyondContract === null ? '' : `beyond the contract: ${beyondContract}`,
          ]),
        ),
      )
    return exitCodes.ok
  },
})

/** One operation as `--json` prints it. */
interface Row {
  readonly method: string
  readonly path: string
  readonly operation: string
  readonly summary: string
  /** The headers that may carry the key, as they are written; empty when none is asked for. */
  readonly auth: readonly string[]
  /** Why it exists although the contract does not name it. */
  readonly beyondContract: string | null
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
  }
}

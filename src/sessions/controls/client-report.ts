/** `clientReport`: how the clients of a session have used the contract. */

import type { ClientReport } from '../../client-report/client-report.ts'
import { clientReportSchema } from '../../client-report/schema.ts'
import type { Implementation } from './control.ts'

/** @internal */
export const clientReport: Implementation<() => ClientReport> = {
  act: ({ session, parts }) => parts.clientReportOf(session.world),
  endpoint: {
    operation: 'sim.clientReport',
    summary: 'The verdict on how the clients of the session have used the contract until now',
    reply: clientReportSchema,
  },
}

/** The call is accepted and never answered. */
import * as z from 'zod'
import { everyOperation } from '../../protocol/operations.ts'
import { defineFault } from './fault.ts'

export const hang = defineFault({
  kind: 'hang',
  part: 'connection',
  what: [
    'The call is accepted and never answered: the connection stays open without a byte until the client',
    'closes it.',
  ].join(' '),
  on: everyOperation,
  inProcess: '`fetch` never resolves; it rejects when the client aborts',
  options: () => z.strictObject({}),
  wire: () => ({ instead: 'hang' }),
})

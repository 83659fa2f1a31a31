/** `sim.listState`, `sim.readState`, `sim.changeState`: jobs, videos and operations over the control API. */
import * as z from 'zod'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import { scenarioReader } from '../scenario/load/load-scenario.ts'
import { own } from './control.ts'
import { changeState, listState, readState, resourceSchema } from './state.ts'

export function stateEndpoints(): readonly Endpoint[] {
  const list = defineEndpoint({
    ...own,
    operation: 'sim.listState',
    method: 'GET',
    path: '/__sim/state',
    summary: 'The jobs, videos and operations of the session, in the order in which they were made',
    accepts: [],
    query: z.object({
      kind: z.string().optional().describe('Those of one kind: `imageJob`, `video`, `operation`.'),
      after: z.string().optional().describe('The id behind which the page begins.'),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('How many a page holds; 1,000 when left out.'),
    }),
    reply: z.strictObject({
      total: z.int().describe('How many there are.'),
      more: z.int().describe('How many come behind this page.'),
      resources: z.array(resourceSchema).describe('The page.'),
    }),
    act: ({ query }, { world }) => json(listState(world, query)),
  })
  const read = defineEndpoint({
    ...own,
    operation: 'sim.readState',
    method: 'GET',
    path: '/__sim/state/{id}',
    tail: true,
    summary: 'One job, video or operation as it is now',
    accepts: [],
    reply: resourceSchema,
    act: ({ params }, { world }) => json(readState(world, params.id)),
  })
  const change = defineEndpoint({
    ...own,
    operation: 'sim.changeState',
    method: 'POST',
    path: '/__sim/state/{id}',
    tail: true,
    summary: 'Changes one from now on: finishes it, makes it vanish, or sets its fields',
    accepts: ['json'],
    waitsForInFlight: true,
    body: z.strictObject({
      finish: z.boolean().optional().describe('Goes to the end of what would happen to it anyway.'),
      gone: z.boolean().optional().describe('From now on clients are told that there is no such thing.'),
      set: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Fields in the words of scenario files, as `{ "status": "failed" }`.'),
      unset: z.array(z.string().min(1)).min(1).optional().describe('Fields that are taken away.'),
      goOn: z
        .boolean()
        .optional()
        .describe('Lets the rest of its timeline happen all the same; it is dropped when left out.'),
      offContract: z.boolean().optional().describe('Sets what the contract does not allow, on purpose.'),
    }),
    reply: resourceSchema,
    act: ({ params, body }, { world }) =>
      json(changeState(world, params.id, body, scenarioReader().vocabulary.kinds)),
  })
  return [list, read, change]
}

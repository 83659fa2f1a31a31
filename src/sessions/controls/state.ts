/** `state`: the jobs, videos and operations of a session, looked at and changed from outside. */
import * as z from 'zod'
import { forgottenSchema } from '../bounds.ts'
import { changeState, type StateChange } from './change-state.ts'
import { implement } from './control.ts'
import {
  listState,
  type ResourceState,
  readState,
  resourceSchema,
  type StatePage,
  type StateQuery,
} from './resource-state.ts'

/** @internal */
export const state = {
  list: implement<(query?: StateQuery) => StatePage>({
    act: ({ session }, query) => listState(session.world, query),
    endpoint: {
      operation: 'sim.listState',
      summary: 'The jobs, videos and operations of the session, in the order in which they were made',
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
        forgotten: forgottenSchema.describe(
          'What the session has dropped because a bound was reached, by kind (docs/settings.md).',
        ),
        resources: z.array(resourceSchema).describe('The page.'),
      }),
    },
  }),
  get: implement<(id: string) => ResourceState>({
    act: ({ session }, id) => readState(session.world, id),
    endpoint: {
      operation: 'sim.readState',
      tail: true,
      summary: 'One job, video or operation as it is now',
      reply: resourceSchema,
    },
  }),
  change: implement<(id: string, change: StateChange) => ResourceState>({
    act: ({ session, parts }, id, change) => changeState(session.world, id, change, parts.vocabulary.kinds),
    endpoint: {
      operation: 'sim.changeState',
      tail: true,
      summary: 'Changes one from now on: finishes it, makes it vanish, or sets its fields',
      waitsForInFlight: true,
      body: z.strictObject({
        finish: z.boolean().optional().describe('Goes to the end of what would happen to it anyway.'),
        gone: z
          .boolean()
          .optional()
          .describe('Makes it unknown to clients: they get 404 from now on; `false` brings it back.'),
        set: z
          .record(z.string(), z.unknown())
          .optional()
          .describe('Fields in the words of scenario files, as `{ "status": "failed" }`.'),
        unset: z
          .array(z.string().min(1))
          .min(1)
          .optional()
          .describe('Fields that replies do not have from now on.'),
        default: z
          .array(z.string().min(1))
          .min(1)
          .optional()
          .describe('Fields that are reset to their defaults.'),
        goOn: z
          .boolean()
          .optional()
          .describe('Lets the rest of its timeline happen all the same; it is dropped when left out.'),
        offContract: z.boolean().optional().describe('Sets what the contract does not allow, on purpose.'),
      }),
      reply: resourceSchema,
    },
  }),
}

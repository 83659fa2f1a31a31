/** `verify` and `safeVerify`: whether the calls of a session were as they had to be. */
import * as z from 'zod'
import type { OperationPattern } from '../../generated/scenario-input.ts'
import type { Verdict, VerifyRequest } from '../../verify/request.ts'
import type { ControlContext, Implementation } from './control.ts'
import { orThrow } from './table.ts'

const verdictSchema = z.strictObject({
  ok: z.boolean().describe('Whether it was so.'),
  decided: z
    .boolean()
    .describe('False when it does not hold only because the journal no longer keeps what would tell.'),
  message: z.string().describe('What was expected and what there was, for people.'),
  count: z.int().describe('How many calls count; with a length of time, the most in any stretch of it.'),
  matched: z.array(z.int()).describe('The numbers of the calls that are meant.'),
  nearest: z
    .array(
      z.strictObject({
        seq: z.int(),
        requestId: z.string(),
        operation: z.string().nullable(),
        status: z.int(),
        differences: z.array(z.strictObject({ field: z.string(), expected: z.string(), got: z.string() })),
      }),
    )
    .describe('Calls that missed least, nearest first, each with what differs; empty when it was so.'),
})

type Verify = (request: OperationPattern | VerifyRequest) => Verdict

const verdictOn = ({ session, parts }: ControlContext, request: unknown): Verdict => {
  const { journal, startedAt } = session.world
  return parts.verifier({ entries: journal.entries(), total: journal.total, startedAt }, request)
}

/** @internal */
export const verify: Implementation<Verify> = {
  act: (context, request) => orThrow(verdictOn(context, request)),
}

/** @internal */
export const safeVerify: Implementation<Verify> = {
  act: verdictOn,
  endpoint: {
    operation: 'sim.verify',
    summary:
      'Holds the calls of the session so far against what they had to be: counts, order, windows of time',
    waitsForInFlight: true,
    body: z
      .looseObject({})
      .describe(
        [
          'What must be so: `calls`, `exactly`, `atLeast`, `atMost`, `never`, `within`, `inOrder`,',
          '`noOthers`, as in `sim.verify` (docs/control-api.md).',
        ].join(' '),
      ),
    reply: verdictSchema,
  },
}

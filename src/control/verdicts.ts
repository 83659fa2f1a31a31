/** `sim.verify`, `sim.clientReport`, `sim.unusedRules`: what has become of the calls of one session. */
import * as z from 'zod'
import { conductSchema } from '../conduct/schema.ts'
import type { World } from '../engine/world.ts'
import { defineEndpoint, type Endpoint } from '../protocol/endpoint.ts'
import { json } from '../protocol/reply.ts'
import type { Session } from '../sessions/sessions.ts'
import { createVerification, type Verification } from '../verify/verification.ts'
import { type ControlParts, own, refusingMistakes, sessionOf } from './control.ts'

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

/** Verification over the calls of a session and the rules that it answers by. */
export function verificationOf(
  session: () => Session,
  { script }: Pick<ControlParts, 'script'>,
): Verification {
  return createVerification({
    world: (): World => session().world,
    rules: () =>
      [...session().rules.scenarios, ...[script() ?? []].flat()].flatMap(({ composed }) => composed.rules),
  })
}

export function verdictEndpoints(parts: ControlParts): readonly Endpoint[] {
  const verify = defineEndpoint({
    ...own,
    operation: 'sim.verify',
    method: 'POST',
    path: '/__sim/verify',
    summary:
      'Holds the calls of the session so far against what they had to be: counts, order, windows of time',
    accepts: ['json'],
    waitsForInFlight: true,
    body: z
      .looseObject({})
      .describe(
        'What must be so: `calls`, `exactly`, `atLeast`, `atMost`, `never`, `within`, `inOrder`, `noOthers`, as in `sim.verify` (docs/control-api.md).',
      ),
    reply: verdictSchema,
    act: ({ body }, { world }) =>
      json(refusingMistakes(() => verificationOf(() => sessionOf(parts, world), parts).safeVerify(body))),
  })
  const unused = defineEndpoint({
    ...own,
    operation: 'sim.unusedRules',
    method: 'GET',
    path: '/__sim/unused-rules',
    summary: 'The rules that have answered no call of the session so far',
    accepts: [],
    reply: z.strictObject({ rules: z.array(z.string()).describe('Their ids.') }),
    act: (_call, { world }) =>
      json({ rules: verificationOf(() => sessionOf(parts, world), parts).unusedRules() }),
  })
  const conduct = defineEndpoint({
    ...own,
    operation: 'sim.clientReport',
    method: 'GET',
    path: '/__sim/client-report',
    summary: 'The verdict on how the clients of the session have used the contract until now',
    accepts: [],
    reply: conductSchema,
    act: (_call, { world }) => json(parts.conductOf(world)),
  })
  return [verify, unused, conduct]
}

/** The shape of an explanation over the control API. */
import * as z from 'zod'

export const explanationSchema = z.strictObject({
  seq: z.int().describe('The number of the call in its session.'),
  requestId: z.string().describe('The request id of the reply.'),
  operation: z.string().nullable().describe('The operation; null for a path that no operation owns.'),
  status: z.int().describe('The status of the reply; 0 when there was none.'),
  session: z.string().describe('The session that the call hit.'),
  sessionNamed: z.string().describe('How the call named its session, in words.'),
  rule: z.string().nullable().describe('The rule that answered.'),
  decidedBy: z.string().nullable().describe('What decided the reply; null for the default behaviour.'),
  because: z.string().describe('Why, in one sentence.'),
  rules: z
    .array(
      z.strictObject({
        rule: z.string().describe('The id of the rule.'),
        outcome: z
          .enum(['differs', 'count', 'times', 'ended', 'passed', 'behind', 'answered'])
          .describe('What became of it.'),
        sentence: z.string().describe('The same in words.'),
        field: z.string().optional().describe('Where the condition that failed first stands under `when`.'),
        expected: z.string().optional().describe('What it wants.'),
        got: z.string().optional().describe('What the call has there.'),
      }),
    )
    .describe('The rules that were tried, nearest first; of many the first fifty.'),
  idleWords: z.array(z.string()).describe('Words in the request that look reserved and do nothing there.'),
  text: z.string().describe('All of it as lines of text.'),
})

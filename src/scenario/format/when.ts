/** Which calls a rule applies to. */
import * as z from 'zod'
import { calls, moment, position, shape } from './values.ts'

const shapesByName = (description: string) =>
  z.record(z.string(), shape('What the value must match.')).describe(description)

/** `operations` are the ids that exist; groups (`imageJobs.*`) and `*` are added. */
export function whenSchema(operations: readonly string[]) {
  const groups = [...new Set(operations.map((id) => `${id.split('.')[0]}.*`))]
  const operation = z.enum([...operations, ...groups, '*'] as [string])
  return z
    .strictObject({
      operation: z
        .union([operation, z.array(operation).min(1)])
        .optional()
        .describe('One or several operations, a group such as `imageJobs.*`, or `*`; all when left out.'),
      key: shape('The API key; may end in `*`.').optional(),
      model: shape('The model; may end in `*`.').optional(),
      body: shape(
        'Fields of a JSON body or of a form, where a file is `{ filename, type, size, sha256 }`.',
      ).optional(),
      query: shapesByName('Query parameters.').optional(),
      headers: shapesByName('Headers; their names are not case-sensitive.').optional(),
      path: shapesByName('Path parameters such as `video_id`.').optional(),
      conversation: z
        .strictObject({
          lastUser: shape('The text of the last user message.').optional(),
          toolResult: shape(
            'The text of the last tool result after that message; `true` for any, `false` for none.',
          ).optional(),
          turn: shape('Which answer of the assistant this would be: 1 in a new conversation.').optional(),
        })
        .optional()
        .describe('The conversation so far (chat and messages).'),
      job: z
        .strictObject({
          operation: shape('The operation that submitted it, such as `videos.remix`.').optional(),
          model: shape('The model that it was submitted with; may end in `*`.').optional(),
          prompt: shape('The prompt that it was submitted with.').optional(),
          body: shape('Fields of the body that submitted it.').optional(),
        })
        .optional()
        .describe('How the job, video or operation was made that the call names (a poll, a download).'),
      state: z.record(z.string(), shape('Its value.')).optional().describe('Named states of the session.'),
      during: z
        .strictObject({
          from: moment()
            .optional()
            .describe('Its start: a duration after the start of the session, or an instant.'),
          until: moment().optional().describe('Its end, exclusive.'),
        })
        .optional()
        .describe('A window of virtual time.'),
      nth: z
        .union([position('A position, from 1.'), z.array(position('A position, from 1.')).min(1).max(1000)])
        .optional()
        .describe(
          [
            'Which of the calls that match everything else: 2 is the second. Calls answered by an earlier',
            'rule count too; calls refused before rules are evaluated (wrong key, invalid body) do not.',
          ].join(' '),
        ),
      first: position('Only the first n of them.').optional(),
      after: calls(0, 'All but the first n of them.').optional(),
      every: position('Every nth of them: 3 is the third, the sixth, …').optional(),
      times: position('How many calls the rule answers at most.').optional(),
      per: z
        .string({ error: 'expected job, key, model, or a value of the request such as headers.x-user' })
        .optional()
        .describe(
          [
            'What these counts, and a `sequence`, are kept for, each one by itself: `job` (the job, video or',
            'operation that the call names), `key`, `model`, or a value of the request such as',
            '`body.metadata.user`, `headers.x-user`, `path.video_id`. One count for the whole session',
            '(`session`) when left out.',
          ].join(' '),
        ),
    })
    .meta({
      description: 'Which calls the rule applies to; all conditions must hold. All calls when left out.',
    })
}

export type WhenSpec = z.output<ReturnType<typeof whenSchema>>

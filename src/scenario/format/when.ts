/** Which calls a rule is about. */
import * as z from 'zod'
import { moment, position, shape } from './values.ts'

const shapesByName = (description: string) =>
  z.record(z.string(), shape('What it must be like.')).describe(description)

/** `operations` are the ids that exist; groups (`imageJobs.*`) and `*` are added. */
export function whenSchema(operations: readonly string[]) {
  const groups = [...new Set(operations.map((id) => `${id.split('.')[0]}.*`))]
  const operation = z.enum([...operations, ...groups, '*'] as [string])
  return z
    .strictObject({
      operation: z
        .union([operation, z.array(operation).min(1)])
        .optional()
        .describe('An operation, several, a group such as `imageJobs.*`, or `*`. All when left out.'),
      key: shape('The API key; a text may end in `*`.').optional(),
      model: shape('The model; a text may end in `*`.').optional(),
      body: shape(
        [
          'Fields of the body: JSON, or the fields of a form by name, a file as `{ filename, type, size,',
          'sha256 }`.',
        ].join(' '),
      ).optional(),
      query: shapesByName('Fields of the query.').optional(),
      headers: shapesByName('Headers, by name in any case.').optional(),
      path: shapesByName('Parameters of the path, as `video_id`.').optional(),
      conversation: z
        .strictObject({
          lastUser: shape('The text of the last message of the user.').optional(),
          toolResult: shape(
            'The text of the last tool result after that message; `true` for any, `false` for none.',
          ).optional(),
          turn: shape(
            'How many answers of the assistant there would then be: 1 in a new conversation.',
          ).optional(),
        })
        .optional()
        .describe('What was said (chat and messages).'),
      state: z
        .record(z.string(), shape('Its value.'))
        .optional()
        .describe('Named states of the session that must hold.'),
      during: z
        .strictObject({
          from: moment()
            .optional()
            .describe('From when on: a duration after the start of the session, or an instant.'),
          until: moment().optional().describe('Until when, itself not included.'),
        })
        .optional()
        .describe('A window of virtual time.'),
      nth: z
        .union([position('Which call.'), z.array(position('Which call.')).min(1)])
        .optional()
        .describe(
          [
            'Which of the calls that meet all the rest: 2 is the second. Calls count whether this rule',
            'answers them or an earlier one; those that are refused before any rule is asked (a wrong',
            'key, an invalid body) do not.',
          ].join(' '),
        ),
      first: position('The first so many of them.').optional(),
      after: z.int().min(0).optional().describe('All but the first so many of them.'),
      every: position('Each so-manieth of them: 3 is the third, the sixth, …').optional(),
      times: position('How often the rule answers at most.').optional(),
    })
    .meta({
      description: 'Which calls the rule is about; everything given must hold. All calls when left out.',
    })
}

export type WhenSpec = z.output<ReturnType<typeof whenSchema>>

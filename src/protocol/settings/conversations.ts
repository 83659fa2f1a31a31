/** Settings of chat completions and messages. */
import * as z from 'zod'
import { count, duration, unknownParameters } from './values.ts'

export const chat = z
  .strictObject({
    unknownParameters: unknownParameters('What happens to request fields that the contract does not name.'),
    reasoningModels: z
      .array(z.string())
      .default(['o1*', 'o3*', 'o4*', 'gpt-5*'])
      .describe(
        'Model ids (`*` matches any ending) that reason before they answer: they refuse `max_tokens` and ' +
          'count reasoning tokens.',
      ),
    unstreamedModels: z
      .array(z.string())
      .default([])
      .describe(
        'Model ids (`*` matches any ending) that refuse `stream: true` (400), as some reasoning models do ' +
          '(contract 4.2).',
      ),
    firstTokenAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
    tokenEvery: duration('15ms', 'Virtual time between the events of a stream.'),
  })
  .prefault({})

export const messages = z
  .strictObject({
    maxTokens: count(
      8192,
      'The largest `max_tokens` of a request (400 beyond; contract 4.3). Clients of newer models ask for ' +
        '64000 by default.',
      1,
    ),
    unknownParameters: unknownParameters('What happens to request fields that the simulator does not know.'),
    firstTokenAfter: duration('120ms', 'Virtual time before the first event of a stream.'),
    tokenEvery: duration('15ms', 'Virtual time before each delta of a stream.'),
  })
  .prefault({})

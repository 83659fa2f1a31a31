/** Settings of videos and long-running video operations. */
import * as z from 'zod'
import { duration, mebibyte } from './values.ts'

export const videos = z
  .strictObject({
    duration: duration('60s', 'Virtual time from submission to the finished video.'),
    expiresAfter: duration('24h', 'How long a finished video can be downloaded.'),
    minBytes: z
      .int()
      .min(0)
      .max(256 * mebibyte)
      .default(0)
      .describe(
        'The minimum size of a video file in bytes, reached by padding that players ignore. For testing ' +
          'progress, resuming and slow reads: an unpadded file has only some tens of kilobytes.',
      ),
  })
  .prefault({})

const nameSegment = (defaultValue: string, description: string) =>
  z
    .string()
    .regex(/^[^/]+$/)
    .default(defaultValue)
    .describe(description)

export const operations = z
  .strictObject({
    duration: duration('60s', 'Virtual time from submission to the finished operation.'),
    place: z
      .strictObject({
        project: nameSegment('gateway-sim', 'The project in operation names.'),
        location: nameSegment('us-central1', 'The location in operation names.'),
        publisher: nameSegment('google', 'The publisher in operation names.'),
      })
      .prefault({}),
  })
  .prefault({})

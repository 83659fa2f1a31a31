/** How much the simulator keeps. */
import * as z from 'zod'
import { count, kibibyte, mebibyte } from './values.ts'

export const memory = z
  .strictObject({
    sessions: count(1000, 'The maximum number of sessions; the least recently used is dropped first.', 1),
    resources: count(
      10_000,
      'The maximum number of jobs, videos and replies with image addresses in a session. The oldest is ' +
        'dropped first, but none that runs while there is a finished one.',
      1,
    ),
    requests: count(
      100_000,
      'The maximum number of different requests a session remembers for counting repeats; the latest ' +
        'half is always kept.',
      1,
    ),
    files: count(
      10_000,
      'The maximum number of uploaded files in a session, and of source images of results; the oldest is ' +
        'dropped first.',
      1,
    ),
    fileBytes: count(
      256 * mebibyte,
      'The maximum size of the uploaded files of a session in bytes, and of the source images of results; ' +
        'the oldest are dropped first.',
      1,
    ),
    mediaBytes: count(
      64 * mebibyte,
      'The maximum size of the cache of rendered media in bytes, for all sessions together; the least ' +
        'recently read are dropped first.',
    ),
    journalEntries: count(10_000, 'The maximum number of calls in the journal of a session.', 1),
    journalBodies: z
      .boolean()
      .default(true)
      .describe(
        'Whether the journal keeps the text of requests and replies. Without it, verification and client ' +
          'reports find nothing in bodies.',
      ),
    journalBytes: count(
      32 * mebibyte,
      'The maximum size of request and reply text in the journal of a session, in bytes.',
      kibibyte,
    ),
    journalBytesInAll: count(
      256 * mebibyte,
      'The same limit for the journals of all sessions together; the oldest calls of any session are ' +
        'dropped first.',
      kibibyte,
    ),
  })
  .prefault({})

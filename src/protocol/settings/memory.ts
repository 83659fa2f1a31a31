/** How much the simulator keeps. */
import * as z from 'zod'
import { count, kibibyte, mebibyte } from './values.ts'

export const memory = z
  .strictObject({
    sessions: count(1000, 'How many sessions are kept; the least recently used goes first.', 1),
    resources: count(
      10_000,
      'How many jobs, videos and replies with image addresses a session keeps; the oldest goes first: a ' +
        'finished one, if there is one among the hundred oldest of its kind.',
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
      'How many uploaded files a session keeps, and as many source images of results; the oldest goes first.',
      1,
    ),
    fileBytes: count(
      256 * mebibyte,
      'How many bytes of uploaded files a session keeps, and as many of source images of results; the ' +
        'oldest go first.',
      1,
    ),
    mediaBytes: count(
      64 * mebibyte,
      'How many bytes of rendered media are kept for all sessions, so that they need not be rendered ' +
        'again; the least recently read go first.',
    ),
    journalEntries: count(10_000, 'How many calls the journal of a session keeps.', 1),
    journalBodies: z
      .boolean()
      .default(true)
      .describe(
        'Whether the journal keeps the text of requests and replies; without, verification and client ' +
          'reports find nothing in bodies.',
      ),
    journalBytes: count(
      32 * mebibyte,
      'How many bytes of request and reply text the journal of a session keeps.',
      kibibyte,
    ),
    journalBytesInAll: count(
      256 * mebibyte,
      'How many bytes of it the journals of all sessions keep together; the oldest calls of any session ' +
        'go first.',
      kibibyte,
    ),
  })
  .prefault({})

/** Settings of the simulator itself: clock, sessions, memory, traffic. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { count, duration, flag, kibibyte, mebibyte, words } from './values.ts'

/** How much a server lets be on its way: to clients that do not read, and from those that send. */
export const traffic = lazy(() =>
  z
    .strictObject({
      responseBytes: count(
        16 * mebibyte,
        'The maximum size of an answer of chat, about, in bytes. A call whose parameters (`n`, ' +
          '`top_logprobs`, `audio`) would make a larger one is rejected (400) before the answer is made.',
        kibibyte,
      ),
      unreadBytes: count(
        256 * mebibyte,
        'The maximum size of responses over 64 KiB, and of the open streams, that clients have not read ' +
          'yet, for all clients of a server together. Beyond it, large responses are rejected (503, in the ' +
          'words of the API, with `retry-after`) or wait before their media are rendered; small ones are ' +
          'answered.',
        kibibyte,
      ),
      unreadFor: duration(
        '30s',
        'How long a client may read nothing while bytes wait for it, by the wall clock; then its ' +
          'connection is reset (after one to two times this), and the journal says `aborted`.',
      ),
      arrivingBytes: count(
        512 * mebibyte,
        'The maximum size of the request bodies over 1 MiB that are arriving, for all clients of a server ' +
          'together. A body that does not fit is rejected (503, with `retry-after`).',
        mebibyte,
      ),
      maxConnections: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe(
          'The maximum number of open connections of a server, beyond which it closes new ones as they ' +
            'come; if left out, unlimited.',
        ),
    })
    .prefault({}),
)

/** How much the simulator keeps. */
export const memory = lazy(() =>
  z
    .strictObject({
      sessions: count(1000, 'The maximum number of sessions; the least recently used is evicted first.', 1),
      resources: count(
        10_000,
        'The maximum number of jobs, videos and responses with image URLs in a session. The oldest is ' +
          'evicted first, but none that runs while there is a finished one.',
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
          'evicted first.',
        1,
      ),
      fileBytes: count(
        256 * mebibyte,
        'The maximum size of the uploaded files of a session in bytes, and of the source images of ' +
          'results; the oldest are evicted first.',
        1,
      ),
      mediaBytes: count(
        64 * mebibyte,
        'The maximum size of the cache of rendered media in bytes, for all sessions together; the least ' +
          'recently read are evicted first.',
      ),
      journalEntries: count(10_000, 'The maximum number of calls in the journal of a session.', 1),
      journalBodies: flag(
        true,
        'Whether the journal keeps the text of requests and responses. Without it, verification and client ' +
          'reports find nothing in bodies.',
      ),
      journalBytes: count(
        32 * mebibyte,
        'The maximum size of request and response text in the journal of a session, in bytes.',
        kibibyte,
      ),
      journalBytesInAll: count(
        256 * mebibyte,
        'The same limit for the journals of all sessions together; the oldest calls of any session are ' +
          'evicted first.',
        kibibyte,
      ),
    })
    .prefault({}),
)

export const clock = lazy(() =>
  z
    .strictObject({
      mode: z
        .enum(['real', 'manual', 'auto'])
        .optional()
        .describe(
          'What moves time: the wall clock (real), your code (manual), or each poll, for its own resource ' +
            'only (auto). `serve` defaults to real, the library to auto.',
        ),
      start: z.iso
        .datetime({ offset: true, error: 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z' })
        .optional()
        .describe(
          'Virtual time at the start, ISO 8601. Defaults to 2026-01-01 in manual and auto, to the present ' +
            'in real.',
        ),
      speed: z
        .number()
        .positive()
        .max(1_000_000)
        .default(1)
        .describe('How much faster than the wall clock `real` runs.'),
    })
    .prefault({}),
)

export const clientReport = lazy(() =>
  z
    .strictObject({
      pollEvery: duration(
        '1s',
        'The minimum time between polls of one job; clients that repeatedly poll faster get a finding ' +
          '(docs/reference/findings.md).',
      ),
      off: words([], 'Findings to turn off, by id (docs/reference/findings.md).'),
    })
    .prefault({}),
)

export const strict = lazy(() =>
  z
    .union([
      z.boolean(),
      z.strictObject({
        except: z
          .array(z.string().min(1))
          .describe('Operations that need no rule: ids (`files.createUploadUrl`) or groups (`systemone.*`).'),
      }),
    ])
    .default(false)
    .describe(
      'Whether a call that creates something is rejected (422) when no rule and no reserved value matches ' +
        'it; the rejection lists the nearest rules. Reading and deleting need no rule.',
    ),
)

export const explain = lazy(() =>
  flag(
    false,
    'Whether responses explain themselves in `x-sim-explain`. They always do with `strict`, and for a ' +
      'request with `x-sim-explain: 1`.',
  ),
)

export const sessions = lazy(() =>
  z
    .strictObject({
      unknown: z
        .enum(['create', 'reject'])
        .optional()
        .describe(
          'What happens to a call that names an unknown session: the call creates it (the default), or is ' +
            'rejected (400). A deleted session is rejected in any case.',
        ),
    })
    .prefault({}),
)

export const control = lazy(() =>
  z
    .strictObject({
      enabled: flag(
        true,
        'Whether the control API answers over HTTP and in the other integrations; the library does not ' +
          'need it.',
      ),
      prefix: z
        .string()
        .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'expected a path such as /__sim')
        .refine((path) => !/^\/s(?:\/|$)/.test(path), 'expected another path than /s, which names sessions')
        .default('/__sim')
        .describe('The path of the control API.'),
      token: z
        .string()
        .min(8)
        .regex(
          /^[\x21-\x7e]*$/,
          'expected ASCII letters, digits and signs without spaces: others fit no header',
        )
        .optional()
        .describe(
          'What calls of the control API must carry (`authorization: Bearer <token>` or `x-sim-token`), ' +
            'except health and ready. If left out, none; a server that listens beyond loopback generates ' +
            'one.',
        ),
      origins: z
        .array(
          z
            .string()
            .regex(
              /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i,
              'expected an origin such as http://localhost:5173: scheme, host and port, without a path',
            ),
        )
        .default([])
        .describe(
          'The origins whose web pages may use the control API. If left out, none but its own: pages of ' +
            'other origins can neither read nor change anything there.',
        ),
      hosts: z
        .array(z.string().regex(/^(?:[\w.-]+|\[[\da-f:.]+\])$/i, 'expected a host name without a port'))
        .default([])
        .describe(
          'The names by which the control API may be called without a token, in addition to localhost, ' +
            'loopback addresses and the host of `publicUrl`.',
        ),
      metrics: flag(
        false,
        'Whether calls are counted and `/__sim/metrics` answers with metrics for Prometheus.',
      ),
    })
    .prefault({}),
)

export const cors = lazy(() =>
  flag(true, 'Whether browsers of any origin may call (Access-Control headers and preflight answers).'),
)

export const publicUrl = lazy(() =>
  z
    .url({ protocol: /^https?$/, error: 'expected a URL such as https://gateway.example' })
    .optional()
    .describe(
      'The base URL of links. Default: the URL of the call, or that of the server for a ' +
        'call that names none. A `host` that is neither a name nor an IP address is rejected (400).',
    ),
)

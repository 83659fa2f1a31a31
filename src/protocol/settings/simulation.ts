/** Settings of the simulator itself: clock, sessions, memory, traffic. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { docsPage } from '../docs-page.ts'
import { count, duration, flag, kibibyte, mebibyte, words } from './values.ts'

/** Bounds on data in transit: to clients that do not read, and from clients that send. */
export const traffic = lazy(() =>
  z
    .strictObject({
      responseBytes: count(
        16 * mebibyte,
        'Approximate maximum size of a chat response. Requests whose parameters (`n`, `top_logprobs`, ' +
          '`audio`) would exceed this size are rejected (400).',
        kibibyte,
      ),
      unreadBytes: count(
        256 * mebibyte,
        'Maximum unread bytes in open streams and in responses over 64 KiB, across all clients of a ' +
          'server. Further large responses are rejected (503 with `retry-after`), or delayed before their ' +
          'media are rendered.',
        kibibyte,
      ),
      unreadFor: duration(
        '30s',
        'Wall-clock time for which a client can leave data unread. The connection is reset within twice ' +
          'this time (journal: `aborted`).',
      ),
      arrivingBytes: count(
        512 * mebibyte,
        'Maximum total size of in-flight request bodies larger than 1 MiB, across all clients ' +
          '(otherwise 503 ' +
          'with `retry-after`).',
        mebibyte,
      ),
      maxConnections: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe(
          'Maximum open connections to a server. Further connections are closed. Default: unlimited.',
        ),
    })
    .prefault({}),
)

/** How much the simulator keeps. */
export const memory = lazy(() =>
  z
    .strictObject({
      sessions: count(1000, 'Maximum number of sessions. The least recently used session is evicted.', 1),
      resources: count(
        10_000,
        'Maximum number of jobs and of responses with image URLs per session. Finished jobs are evicted ' +
          'first, oldest first.',
        1,
      ),
      requests: count(
        100_000,
        'Maximum number of distinct requests per session whose repeats are counted. The older half is ' +
          'evicted.',
        1,
      ),
      files: count(
        10_000,
        'Maximum number of uploaded files, and of source images, per session. The oldest are evicted.',
        1,
      ),
      fileBytes: count(
        256 * mebibyte,
        'Maximum size of all uploaded files, and of all source images, per session. The oldest are evicted.',
        1,
      ),
      mediaBytes: count(
        64 * mebibyte,
        'Maximum size of rendered media in the cache. The least recently used files are evicted first.',
      ),
      journalEntries: count(10_000, 'Maximum number of requests in the journal of a session.', 1),
      journalBodies: flag(true, 'Keeps bodies in the journal, which verification and the client report use.'),
      journalBytes: count(32 * mebibyte, 'Maximum size of bodies in the journal of a session.', kibibyte),
      journalBytesInAll: count(
        256 * mebibyte,
        'Maximum size of bodies in all journals. The oldest requests are evicted.',
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
          'Virtual time advances with the wall clock (`real`), when your code advances it (`manual`), or, ' +
            'for a single job, when the job is polled (`auto`). Default: `real` in `serve`, ' +
            'otherwise `auto`.',
        ),
      start: z.iso
        .datetime({ offset: true, error: 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z' })
        .optional()
        .describe(
          'Initial virtual time in ISO 8601. Default: the current time with a `real` clock, otherwise ' +
            '2026-01-01.',
        ),
      speed: z
        .number()
        .positive()
        .max(1_000_000)
        .default(1)
        .describe('Speed of a `real` clock relative to the wall clock.'),
    })
    .prefault({}),
)

export const clientReport = lazy(() =>
  z
    .strictObject({
      pollEvery: duration(
        '1s',
        'Minimum time between polls of the same job. Polling faster repeatedly causes a finding ' +
          `(${docsPage('findings')}).`,
      ),
      off: words([], `Ids of findings to turn off (${docsPage('findings')}).`),
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
          .describe('Exempt operations: ids (`files.createUploadUrl`) or groups (`systemone.*`).'),
      }),
    ])
    .default(false)
    .describe(
      'Rejects (422) requests that generate content or create a job or an upload URL but match no rule and ' +
        'contain no reserved value.',
    ),
)

export const explain = lazy(() =>
  flag(
    false,
    'Explains each response in its `x-sim-explain` header, as do `strict` and the request header ' +
      '`x-sim-explain: 1`.',
  ),
)

export const sessions = lazy(() =>
  z
    .strictObject({
      unknown: z
        .enum(['create', 'reject'])
        .optional()
        .describe(
          'Handling of requests that name an unknown session. `reject` returns 400. Default: `reject` in ' +
            'strict mode, otherwise `create`.',
        ),
      instance: z
        .int()
        .min(0)
        .max(15)
        .optional()
        .describe(
          'Number of this server behind a load balancer, used as the first digit of the session tag in all ' +
            'ids. Requests with ids from another server get a 421. Default: none.',
        ),
    })
    .prefault({}),
)

export const control = lazy(() =>
  z
    .strictObject({
      enabled: flag(true, 'Serves the control API over HTTP and in all integrations.'),
      prefix: z
        .string()
        .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'expected a path such as /__sim')
        .refine(
          (path) => !/^\/s(?:\/|$)/.test(path),
          'expected a path other than /s, which is reserved for sessions',
        )
        .default('/__sim')
        .describe('Path of the control API.'),
      token: z
        .string()
        .min(8)
        .regex(/^[\x21-\x7e]*$/, 'expected printable ASCII characters without spaces, as in a header')
        .optional()
        .describe(
          'Token required for control API requests (`authorization: Bearer <token>` or `x-sim-token`), ' +
            'except health and ready. Default: none, or a generated token if the server listens on a ' +
            'non-loopback address.',
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
        .describe("Origins whose web pages can use the control API. Default: only the server's own origin."),
      hosts: z
        .array(z.string().regex(/^(?:[\w.-]+|\[[\da-f:.]+\])$/i, 'expected a host name without a port'))
        .default([])
        .describe(
          'Host names through which the control API needs no token, besides localhost, loopback ' +
            'addresses and the ' +
            'host of `publicUrl`.',
        ),
      ui: flag(true, 'Serves a page at `/__sim/ui/` that shows the requests, jobs and streams.'),
      metrics: flag(false, 'Counts requests and serves Prometheus metrics at `/__sim/metrics`.'),
    })
    .prefault({}),
)

export const cors = lazy(() =>
  flag(true, 'Allows browser requests from any origin (CORS headers and preflight responses).'),
)

export const publicUrl = lazy(() =>
  z
    .url({ protocol: /^https?$/, error: 'expected a URL such as https://gateway.example' })
    .optional()
    .describe(
      'Base URL for links in responses. Default: the base URL of the request, otherwise that of the ' +
        'server. A ' +
        '`host` header that is neither a host name nor an IP address is ' +
        'rejected (400).',
    ),
)

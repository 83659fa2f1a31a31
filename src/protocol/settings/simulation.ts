/** Settings of the simulator itself: seed, clock, sessions, memory, control API. */

import * as z from 'zod'
import { docsPage } from '../docs-page.ts'
import { count, kibibyte, mebibyte } from './values.ts'

const seed = () =>
  z
    .string()
    .min(1)
    .default('gateway-sim')
    .describe('Seed for ids, text and images. The same seed and requests produce the same bytes.')

const clock = () =>
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
    .prefault({})

const clientReport = () =>
  z
    .strictObject({
      off: z
        .array(z.string())
        .default([])
        .describe(`Codes of findings to turn off (${docsPage('findings')}).`),
    })
    .prefault({})

const memory = () =>
  z
    .strictObject({
      sessions: count(1000, 'Maximum number of sessions. The least recently used session is evicted.'),
      items: count(
        100_000,
        'Maximum number of items in a session: requests in its journal, jobs, files and counts (a request ' +
          'takes about two). The oldest item is evicted.',
        // A submission adds its job, its entry, its count and that of its API key.
        4,
      ),
      bytes: count(
        256 * mebibyte,
        'Approximate size of all items in a session. The oldest item is evicted. All sessions together ' +
          'keep at most four times as much.',
        kibibyte,
      ),
    })
    .prefault({})

const strict = () =>
  z
    .boolean()
    .default(false)
    .describe(
      'Rejects (422) requests that generate content or create a job or an upload URL but match no rule and ' +
        'contain no reserved value, and requests that name an unknown session (400).',
    )

const explain = () =>
  z
    .boolean()
    .default(false)
    .describe(
      'Explains each response in its `x-sim-explain` header, as do `strict` and the request header ' +
        '`x-sim-explain: 1`.',
    )

const origin = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

const control = () =>
  z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('Serves the control API, with its page, over HTTP and in all integrations.'),
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
              origin,
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
            'addresses and the host of `publicUrl`.',
        ),
    })
    .prefault({})

const publicUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'expected a URL such as https://gateway.example' })
    .optional()
    .describe(
      'Base URL for links in responses. Default: the base URL of the request, otherwise that of the ' +
        'server. A `host` header that is neither a host name nor an IP address is rejected (400).',
    )

/** What users of the simulator decide, whatever the gateway. */
export const simulationSettings = { seed, clock, clientReport, memory, strict, explain, control, publicUrl }

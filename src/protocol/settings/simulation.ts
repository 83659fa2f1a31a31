/** Settings of the simulator itself: clock, sessions, memory, traffic. */

import * as z from 'zod'
import { lazy } from '../../engine/fields.ts'
import { count, duration, flag, kibibyte, mebibyte, words } from './values.ts'

/** Bounds on data in transit: to clients that do not read, and from clients that send. */
export const traffic = lazy(() =>
  z
    .strictObject({
      responseBytes: count(
        16 * mebibyte,
        'Approximate maximum size of a chat response. A request whose parameters (`n`, `top_logprobs`, ' +
          '`audio`) would exceed it is rejected (400).',
        kibibyte,
      ),
      unreadBytes: count(
        256 * mebibyte,
        'Maximum unread bytes of open streams and responses over 64 KiB, for all clients of a server. ' +
          'Beyond it, large responses are rejected (503 with `retry-after`) or wait before their media are ' +
          'rendered.',
        kibibyte,
      ),
      unreadFor: duration(
        '30s',
        'Wall-clock time for which a client may leave data unread. After one to two times this, its ' +
          'connection is reset (journal: `aborted`).',
      ),
      arrivingBytes: count(
        512 * mebibyte,
        'Maximum bytes of arriving request bodies over 1 MiB, for all clients of a server (else 503 with ' +
          '`retry-after`).',
        mebibyte,
      ),
      maxConnections: z
        .number()
        .int()
        .min(1)
        .optional()
        .describe('Maximum open connections of a server; further ones are closed. Default: unlimited.'),
    })
    .prefault({}),
)

/** How much the simulator keeps. */
export const memory = lazy(() =>
  z
    .strictObject({
      sessions: count(1000, 'Maximum sessions; the least recently used is evicted.', 1),
      resources: count(
        10_000,
        'Maximum jobs, videos and responses with image URLs per session. The oldest is evicted, ' +
          'finished before running ones.',
        1,
      ),
      requests: count(
        100_000,
        'Maximum different requests a session remembers to count repeats; the older half is evicted.',
        1,
      ),
      files: count(
        10_000,
        'Maximum uploaded files per session, and maximum source images; the oldest are evicted.',
        1,
      ),
      fileBytes: count(
        256 * mebibyte,
        'Maximum size of uploaded files per session, and of source images; the oldest are evicted.',
        1,
      ),
      mediaBytes: count(
        64 * mebibyte,
        'Maximum size of rendered media in the cache; the least recently read are evicted.',
      ),
      journalEntries: count(10_000, 'Maximum requests in the journal of a session.', 1),
      journalBodies: flag(
        true,
        'Keeps bodies in the journal. Without them, verification and the client report see none.',
      ),
      journalBytes: count(32 * mebibyte, 'Maximum size of bodies in the journal of a session.', kibibyte),
      journalBytesInAll: count(
        256 * mebibyte,
        'Maximum size of bodies in all journals; the oldest requests are evicted.',
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
          'What advances virtual time: the wall clock (`real`), your code (`manual`), or each poll, for ' +
            'its job (`auto`). Default: `real` in `serve`, otherwise `auto`.',
        ),
      start: z.iso
        .datetime({ offset: true, error: 'expected an ISO 8601 timestamp such as 2026-01-01T00:00:00Z' })
        .optional()
        .describe(
          'Virtual time at the start, ISO 8601. Default: now if the clock is `real`, otherwise 2026-01-01.',
        ),
      speed: z
        .number()
        .positive()
        .max(1_000_000)
        .default(1)
        .describe('How many times faster than the wall clock `real` runs.'),
    })
    .prefault({}),
)

export const clientReport = lazy(() =>
  z
    .strictObject({
      pollEvery: duration(
        '1s',
        'Minimum time between polls of one job. Repeatedly polling faster is a finding ' +
          '(docs/reference/findings.md).',
      ),
      off: words([], 'Ids of findings to turn off (docs/reference/findings.md).'),
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
      'Rejects (422) requests that create something and match no rule or reserved value. The error lists ' +
        'the nearest rules.',
    ),
)

export const explain = lazy(() =>
  flag(
    false,
    'Explains each response in its header `x-sim-explain`, as `strict` and the request header ' +
      '`x-sim-explain: 1` do.',
  ),
)

export const sessions = lazy(() =>
  z
    .strictObject({
      unknown: z
        .enum(['create', 'reject'])
        .optional()
        .describe(
          'Handling of requests that name an unknown session; `reject` means 400. Default: `create`, with ' +
            '`strict` `reject`.',
        ),
    })
    .prefault({}),
)

export const control = lazy(() =>
  z
    .strictObject({
      enabled: flag(
        true,
        'Serves the control API over HTTP and in the other integrations. The library does not need it.',
      ),
      prefix: z
        .string()
        .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'expected a path such as /__sim')
        .refine((path) => !/^\/s(?:\/|$)/.test(path), 'expected a path other than /s, which names sessions')
        .default('/__sim')
        .describe('Path of the control API.'),
      token: z
        .string()
        .min(8)
        .regex(/^[\x21-\x7e]*$/, 'expected printable ASCII characters without spaces, as in a header')
        .optional()
        .describe(
          'Required token of control API requests (`authorization: Bearer <token>` or `x-sim-token`), ' +
            'except for health and ready. Default: none; generated if a server listens beyond loopback.',
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
        .describe('Origins whose web pages may use the control API. Default: only its own.'),
      hosts: z
        .array(z.string().regex(/^(?:[\w.-]+|\[[\da-f:.]+\])$/i, 'expected a host name without a port'))
        .default([])
        .describe(
          'Host names that need no token for the control API, besides localhost, loopback addresses and ' +
            'the host of `publicUrl`.',
        ),
      metrics: flag(false, 'Counts requests and serves Prometheus metrics at `/__sim/metrics`.'),
    })
    .prefault({}),
)

export const cors = lazy(() =>
  flag(true, 'Allows browsers of any origin (CORS headers and preflight responses).'),
)

export const publicUrl = lazy(() =>
  z
    .url({ protocol: /^https?$/, error: 'expected a URL such as https://gateway.example' })
    .optional()
    .describe(
      'Base URL of links. Default: that of the request, or of the server if the request names none. ' +
        'A `host` that is neither a name nor an IP address is rejected (400).',
    ),
)

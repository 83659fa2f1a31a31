/** What clients send, and how soon they send it again. */
import { BoundedMap } from '../../engine/bounded-map.ts'
import { formatDuration } from '../../engine/duration.ts'
import { nearestWord } from '../../protocol/nearest-word.ts'
import { receivesUploads } from '../../protocol/operations.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { CallRef, FindingKind, ObservedCall, Watch } from '../observed-call.ts'

/** Timers are not exact. */
const tolerance = 0.95
/** Real milliseconds in which a request may already have been on its way when the rejection came. */
const onItsWay = 250

interface Rejected {
  readonly call: CallRef
  readonly status: number
  readonly wait: number
}

export const ignoredRetryAfter: FindingKind = {
  id: 'ignored-retry-after',
  severity: 'error',
  summary:
    'Repeated a rejected request before its `retry-after` had passed. Not checked in ' + '`auto` clock mode.',
  remedy: 'Before you send the same request again, wait for the time in `retry-after-ms` or `retry-after`.',
  exceptions:
    'a different request or API key; a concurrent HTTP request (on another connection, within 250 ms of ' +
    'the rejected request, and not marked as an SDK retry); automatic SDK retries ' +
    '(`x-stainless-retry-count`) in `manual` clock mode',
  watch({ mode, report }) {
    const rejections = new BoundedMap<Rejected>({ count: 1000 })
    /** When the last wait ends, in virtual time. */
    let waitsEndAt = 0
    if (mode === 'auto') return {}
    const hasWaited = (call: ObservedCall, { call: first, wait }: Rejected): boolean =>
      call.hasWaitedFor(first) >= wait * tolerance
    const watch: Watch = {
      isIdle: true,
      called(call) {
        // Requests are compared only while some wait is running.
        if (call.entry.at >= waitsEndAt) {
          watch.isIdle = true
          return rejections.clear()
        }
        const fingerprint = call.fingerprint
        const rejected = fingerprint === undefined ? undefined : rejections.get(fingerprint)
        if (fingerprint === undefined || rejected === undefined) return
        if (!hasWaited(call, rejected)) {
          // An SDK sleeps by real timers, which do not follow the test's virtual clock.
          if (mode === 'manual' && call.isRetryOfSdk) return
          // One of several concurrent requests does not know of the rejection yet.
          const knows = call.isRetryOfSdk || !call.isOverSocket || call.isAfter(rejected.call)
          if (!knows && call.isWithin(onItsWay, rejected.call)) return
          report({
            subject: call.entry.operation ?? call.path,
            message:
              `${call.entry.operation ?? call.path} was requested again ` +
              `${formatDuration(call.since(rejected.call))} after a ${rejected.status} response: expected ` +
              `a wait of ${formatDuration(rejected.wait)} (retry-after).`,
            calls: [rejected.call, call.ref],
          })
        }
        rejections.delete(fingerprint)
      },
      // Only now does the client know of the rejection.
      ended(call) {
        const wait = call.entry.rejection?.retryAfterMs
        if (wait === undefined || call.entry.ended !== 'completed') return
        const fingerprint = call.fingerprint
        if (fingerprint === undefined) return
        const before = rejections.get(fingerprint)
        // Of several concurrent rejections the first one counts.
        if (before === undefined || hasWaited(call, before)) {
          rejections.set(fingerprint, { call: call.ref, status: call.entry.status, wait })
          waitsEndAt = Math.max(waitsEndAt, call.entry.at + wait)
          watch.isIdle = false
        }
      },
    }
    return watch
  },
}

const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const

export const credentialsToSignedUrl: FindingKind = {
  id: 'credentials-to-signed-url',
  severity: 'error',
  summary: 'Sent gateway credentials to a signed upload URL. The object store must not receive them.',
  remedy: 'Upload the file with a plain HTTP request, without the headers of the gateway client.',
  exceptions: 'empty credential headers',
  on: receivesUploads,
  watch: ({ report }) => ({
    called(call) {
      const sent = credentials.filter((name) => (call.header(name) ?? '') !== '')
      if (sent.length > 0)
        report({
          subject: call.path,
          message:
            `The upload to ${call.path} was sent with ` +
            `${sent.map((name) => `\`${name}\``).join(' and ')}.`,
          calls: [call.ref],
        })
    },
  }),
}

export const sentCallback: FindingKind = {
  id: 'sent-callback',
  severity: 'error',
  summary:
    'Sent `callback` in an image job submission. Callbacks are not supported: the gateway rejects the ' +
    'submission (400, code 2004).',
  remedy: 'Remove `callback` and poll `GET /v1/tob/job/{jobId}`.',
  exceptions: 'a submission without the field',
  on: ({ endpoint }) => endpoint.submits?.rejectsCallback === true,
  watch: ({ report }) => ({
    called(call) {
      const { operation } = call.entry
      if (operation === undefined || !Object.hasOwn(call.body, 'callback')) return
      report({
        subject: operation,
        message:
          `${operation} was sent with \`callback\`, which is not supported ` +
          `(status ${call.entry.status}).`,
        calls: [call.ref],
      })
    },
  }),
}

const maxNameLength = 100

export const ignoredField: FindingKind = {
  id: 'ignored-field',
  severity: 'warning',
  summary: 'Sent an unknown top-level field, which the endpoint ignores.',
  remedy:
    'Correct the name, or remove the field: it has no effect. With settings such as ' +
    '`chat.unknownParameters: reject`, the endpoint returns 400 instead.',
  exceptions: 'a field in a rejected request',
  fields: () => 'unknown',
  watch: ({ report }) => ({
    called(call) {
      // A rejection has already named the field.
      if (call.entry.status >= 300 || call.entry.operation === undefined) return
      for (const name of call.ignored.slice(0, 20)) {
        const shownName = clip(name, maxNameLength)
        const nearest = nearestWord(shownName, [...(call.known ?? [])])
        const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`
        report({
          subject: `${call.entry.operation} ${shownName}`,
          message: `${call.entry.operation} was sent with the unknown field ${show(shownName)}.${hint}`,
          calls: [call.ref],
        })
      }
    },
  }),
}

/** The default of both: sending it adjusts nothing. */
const defaultValue = 1

export const temperatureAndTopP: FindingKind = {
  id: 'temperature-and-top-p',
  severity: 'warning',
  summary: 'Set both `temperature` and `top_p` in a chat request.',
  remedy: 'Set either `temperature` or `top_p`.',
  exceptions: 'a request in which one of the two fields has its default of 1',
  on: ({ endpoint }) => endpoint.adjustOne !== undefined,
  fields: (operation) => operation?.endpoint.adjustOne?.slice(1) ?? [],
  watch: ({ report }) => ({
    called(call) {
      const { operation = '', adjustOne: [one = '', other = ''] = [] } = call.operation?.endpoint ?? {}
      const isAdjusted = (name: string): boolean =>
        typeof call.body[name] === 'number' && call.body[name] !== defaultValue
      if (!isAdjusted(one) || !isAdjusted(other)) return
      report({
        subject: operation,
        message:
          `${operation} was sent with both \`${one}: ${call.body[one]}\` and \`${other}: ` +
          `${call.body[other]}\`.`,
        calls: [call.ref],
      })
    },
  }),
}

export const deprecatedParameter: FindingKind = {
  id: 'deprecated-parameter',
  severity: 'hint',
  summary: 'Used a deprecated chat parameter: `max_tokens`, `user`, `functions` or `function_call`.',
  remedy:
    'Use `max_completion_tokens` instead of `max_tokens`, `safety_identifier` and `prompt_cache_key` ' +
    'instead of `user`, `tools` instead of `functions`, and `tool_choice` instead of `function_call`.',
  exceptions:
    'a parameter that is null, and `max_tokens` in messages, where it is required. Some SDKs, such as ' +
    'the Vercel AI SDK and LangChain, send your token limit as `max_tokens`',
  on: ({ endpoint }) => endpoint.deprecated !== undefined,
  fields: (operation) => Object.keys(operation?.endpoint.deprecated ?? {}),
  watch: ({ report }) => ({
    called(call) {
      const { operation, deprecated = {} } = call.operation?.endpoint ?? {}
      for (const [name, successors] of Object.entries(deprecated)) {
        if (call.body[name] === undefined || call.body[name] === null) continue
        const instead = successors.map((successor) => `\`${successor}\``).join(' and ')
        report({
          subject: name,
          message: `${operation} was sent with the deprecated parameter \`${name}\`: use ${instead}.`,
          calls: [call.ref],
        })
      }
    },
  }),
}

/** What clients send. */
import { nearestWord } from '../../protocol/nearest-word.ts'
import { receivesUploads } from '../../protocol/operations.ts'
import { clip, show } from '../../protocol/wording.ts'
import type { FindingKind } from '../observed-call.ts'

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
  on: ({ endpoint }) => endpoint.submits?.rejectsCallback === true,
  watch: ({ report }) => ({
    called(call) {
      const { operation } = call.entry
      if (operation === undefined || !Object.hasOwn(call.body, 'callback')) return
      report({
        subject: operation,
        message:
          `${operation} was sent with \`callback\`, which is not supported ` +
          `(status ${call.entry.response?.status}).`,
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
      if ((call.entry.response?.status ?? 0) >= 300 || call.entry.operation === undefined) return
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
    'a parameter that is null, and `max_tokens` in messages. Some SDKs, such as the Vercel AI SDK and ' +
    'LangChain, send `max_tokens`',
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

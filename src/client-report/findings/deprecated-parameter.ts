/** A chat call uses deprecated parameters. */
import type { FindingKind } from '../finding.ts'

export const deprecatedParameter: FindingKind = {
  id: 'deprecated-parameter',
  severity: 'hint',
  summary: 'Used a deprecated parameter of chat: `max_tokens`, `user`, `functions` or `function_call`.',
  section: 'contract 9',
  remedy: 'Use `max_completion_tokens`, `safety_identifier` and `prompt_cache_key`, `tools`, `tool_choice`.',
  example: '`POST /v1/chat/completions` with `max_tokens: 100`',
  exceptions: [
    'a parameter that is null, and `max_tokens` of messages, where it is required. Some SDKs set',
    '`max_tokens` themselves when they are given a limit (Vercel AI SDK, LangChain)',
  ].join(' '),
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
          message: `${operation} was sent the deprecated parameter \`${name}\`: use ${instead}.`,
          calls: [call.ref],
        })
      }
    },
  }),
}

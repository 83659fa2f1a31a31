/** Chat is asked with parameters that have successors. */
import type { FindingKind } from '../finding.ts'

const successors = {
  max_tokens: 'max_completion_tokens',
  user: 'safety_identifier` and `prompt_cache_key',
  functions: 'tools',
  function_call: 'tool_choice',
} as const

export const deprecatedParameter: FindingKind = {
  id: 'deprecated-parameter',
  severity: 'hint',
  what: 'Used a deprecated parameter of chat: `max_tokens`, `user`, `functions` or `function_call`.',
  section: 'contract 9',
  remedy: 'Use `max_completion_tokens`, `safety_identifier` and `prompt_cache_key`, `tools`, `tool_choice`.',
  example: '`POST /v1/chat/completions` with `max_tokens: 100`',
  not: 'a parameter that is null, and `max_tokens` of messages, which is required there. Some SDKs write `max_tokens` by themselves when they are given a limit (Vercel AI SDK, LangChain)',
  on: ['chat.create'],
  watch: ({ found }) => ({
    called(call) {
      const { body } = call
      for (const name of ['max_tokens', 'user', 'functions', 'function_call'] as const) {
        if (body[name] === undefined || body[name] === null) continue
        found({
          subject: name,
          message: `chat.create was sent the deprecated parameter \`${name}\`: use \`${successors[name]}\`.`,
          calls: [call.sighting],
        })
      }
    },
  }),
}

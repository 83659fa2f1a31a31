/** The chat API: its endpoints, its credentials, how it words an error. */
import { openaiError, openaiHeaders } from '../../behaviours/refusals/envelope.ts'
import { defineGroup } from '../../protocol/endpoint.ts'
import { createChatCompletion } from './create-chat-completion.ts'
import { listModels } from './list-models.ts'

export const chat = defineGroup({
  name: 'chat',
  catalog: 'chat',
  credentials: [{ header: 'authorization', scheme: 'Bearer' }],
  endpoints: [createChatCompletion, listModels],
  renderError: openaiError,
  replyHeaders: openaiHeaders,
  // A truthy `error` key is how a stream of this family reports an error (wire-formats 1.6).
  streamError: (error, ids) => ({ data: JSON.stringify(openaiError(error, ids).body) }),
})

/** The messages API: its endpoint, its credentials, how it words errors, status codes and limits. */
import { defineGroup } from '../../protocol/endpoint.ts'
import { createMessage } from './create-message.ts'
import { messageError, messageHeaders, messageStatus, messageStreamError } from './envelope.ts'

export const messages = defineGroup({
  name: 'messages',
  catalog: 'messages',
  // Current clients send a bearer key, older ones the contract's `x-api-key` (wire-formats 0.1).
  credentials: [{ header: 'x-api-key' }, { header: 'authorization', scheme: 'Bearer' }],
  clientHeaders: { 'anthropic-version': '2023-06-01' },
  under: '/v1/messages',
  endpoints: [createMessage],
  renderError: messageError,
  streamError: messageStreamError,
  // Test suites of this family look for these words (wire-formats 1.3).
  unknownModel: (model) => ({ message: `model: ${model}` }),
  refusalStatus: messageStatus,
  replyHeaders: messageHeaders,
})

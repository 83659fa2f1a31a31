/** A support bot: it falls back to a smaller model, and rejects an answer that is not whole. */
const models = ['claude-sonnet-4-5', 'claude-haiku-4-5']

async function answer(client, question) {
  const messages = [{ role: 'user', content: question }]
  let failure
  for (const model of models) {
    try {
      return textOf(await client.messages.create({ model, max_tokens: 1024, messages }))
    } catch (error) {
      if (error.status !== 529) throw error
      failure = error
    }
  }
  throw failure
}

function textOf({ content, stop_reason }) {
  if (stop_reason !== 'end_turn') throw new Error(`the answer ended early: ${stop_reason}`)
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

module.exports = { answer }

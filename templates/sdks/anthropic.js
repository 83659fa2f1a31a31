import Anthropic from '@anthropic-ai/sdk'

async function callGateway(sim) {
  const client = new Anthropic(sim.sdk.anthropic())
  const options = { model: 'claude-sonnet-5', max_tokens: 500 }
  const question = 'What is a gateway?'
  const stream = await client.messages.create({
    ...options,
    stream: true,
    messages: [{ role: 'user', content: question }],
  })
  let answer = ''
  for await (const event of stream)
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') answer += event.delta.text
  await client.messages.create({
    ...options,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
      { role: 'user', content: 'Who needs one?' },
    ],
  })
}

// This test fails on purpose: the client sends the text of the truncated response back as if it were complete.
// To fix it, send the first request again if the stream ends without `message_stop`.

// Expected requests: messages.create, 2

import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'

async function callGateway(sim) {
  const model = createOpenAI(sim.sdk.aiSdkOpenai()).chat('gpt-4o')
  const question = 'What is a gateway?'
  let answer = ''
  for await (const part of streamText({ model, prompt: question }).textStream) answer += part
  await generateText({
    model,
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
      { role: 'user', content: 'Who needs one?' },
    ],
  })
}

// This test fails on purpose: the client sends the text of the truncated response back as if it were complete.
// To fix it, send the first request again if the `finishReason` of the stream is not `stop`.

// Expected requests: chat.create, 2

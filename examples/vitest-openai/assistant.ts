/** The part of an app that calls the models. */
import type OpenAI from 'openai'

const model = 'gpt-4o-mini'

/** Answers a question. The SDK retries a busy gateway. */
export async function answer(client: OpenAI, question: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: question }]
  const { choices } = await client.chat.completions.create({ model, messages })
  return choices[0]?.message.content ?? ''
}

/** Shows an answer while it arrives. A text whose stream broke is marked as incomplete. */
export async function show(client: OpenAI, question: string): Promise<{ text: string; complete: boolean }> {
  let text = ''
  let complete = false
  try {
    const messages = [{ role: 'user' as const, content: question }]
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    for await (const { choices } of stream) {
      text += choices[0]?.delta.content ?? ''
      // A stream can also end early without an error.
      if (choices[0]?.finish_reason === 'stop') complete = true
    }
  } catch (error) {
    if (text === '') throw error
  }
  return { text, complete }
}

/** Submits a video once: if the response is lost, it looks for the video instead of submitting it again. */
export async function submitVideo(client: OpenAI, prompt: string): Promise<string> {
  const newest = async () => (await client.videos.list({ limit: 1 })).data[0]?.id
  const before = await newest()
  try {
    return (await client.videos.create({ model: 'sora-2', prompt }, { maxRetries: 0 })).id
  } catch (error) {
    const id = await newest()
    if (id === undefined || id === before) throw error
    return id
  }
}

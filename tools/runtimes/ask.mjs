import OpenAI from 'openai'

const messages = [{ role: 'user', content: 'Reply with exactly: pong' }]
const { choices } = await new OpenAI().chat.completions.create({ model: 'gpt-4o', messages })
console.log(choices[0].message.content)

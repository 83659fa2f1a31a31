/** The requests of the memory benchmark: no two are the same, and together they fill every bounded store. */

const words =
  'a short story about the sea, a boat that leaves in the morning and comes home late, and somebody who ' +
  'waits for it at the end of the pier '

/** The nth request; every hundred calls another session when asked. */
export function requestOf(n, sessions) {
  const prefix = sessions ? `/s/m${Math.floor(n / 100)}` : ''
  const post = (path, body, headers = {}) => ({
    method: 'POST',
    path: `${prefix}${path}`,
    headers: { authorization: 'Bearer sk-bench', ...headers },
    body: JSON.stringify(body),
  })
  const messages = [
    { role: 'system', content: words.repeat(2) },
    { role: 'user', content: `Reply with exactly: number ${n}` },
  ]
  switch (n % 10) {
    case 5:
      return post('/v1/chat/completions', { model: 'gpt-4o', stream: true, messages })
    case 6:
      return post(
        '/v1/messages',
        {
          model: 'claude-sonnet-4-5',
          max_tokens: 50,
          messages: [{ role: 'user', content: `Reply with exactly: number ${n}` }],
        },
        { 'anthropic-version': '2023-06-01' },
      )
    case 7:
      return post('/v1/videos', { model: 'video-1', prompt: `a boat, number ${n}` })
    case 8:
      return post('/v1/tob/diffusion', { model: 'image-job-v7', text: `a pier, number ${n}` })
    case 9:
      // Rejected, with what was sent in the journal.
      return post('/v1/chat/completions', { model: 'gpt-4o', temperature: n, messages })
    default:
      return post('/v1/chat/completions', { model: 'gpt-4o', messages })
  }
}

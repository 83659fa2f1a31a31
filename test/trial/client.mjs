/**
 * A small client without an SDK: it streams a chat response, makes a video and downloads it. The argument
 * gives it one vice; without one, it is well behaved.
 */
const vice = process.argv[2] ?? 'none'
const url = process.env['GATEWAY_SIM_URL']
const headers = { authorization: `Bearer ${process.env['OPENAI_API_KEY']}`, 'content-type': 'application/json' }
const patience = vice === 'hangs' ? 1_000_000 : 400
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

class GatewayError extends Error {
  constructor(message, { status = 0, retryAfter } = {}) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
  get isTemporary() {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** A request with a time limit for its whole response. `read` reads the body. */
async function send(path, body, read) {
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(), patience)
  try {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      signal: vice === 'leaks' ? undefined : abort.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) {
      const text = await response.text()
      if (vice === 'crashes') console.log(JSON.parse(text).error.message.length, JSON.parse(text).error.details[0])
      throw new GatewayError(`${path}: ${response.status}`, {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
      })
    }
    return await read(response)
  } catch (error) {
    throw error instanceof GatewayError || vice === 'crashes' ? error : new GatewayError(`${path}: ${error.message}`)
  } finally {
    clearTimeout(timer)
  }
}

/** What a client without time limits for its requests does instead: it goes on, and leaves them open. */
const limited = (work) =>
  vice === 'leaks'
    ? Promise.race([work, sleep(patience).then(() => Promise.reject(new GatewayError('too slow')))])
    : work

async function retried(work, attempts = 3) {
  const most = vice === 'hammers' ? 30 : attempts
  for (let attempt = 1; ; attempt++) {
    try {
      return await limited(work(attempt))
    } catch (error) {
      if (!(error instanceof GatewayError) || !error.isTemporary || attempt >= most) throw error
      if (vice !== 'hammers') await sleep(Math.max(Number(error.retryAfter ?? 0) * 1000, 120 * attempt))
    }
  }
}

const ask = (model) => ({ model, stream: true, messages: [{ role: 'user', content: 'Tell me about the sea.' }] })

/** The text of a stream. Throws unless it is complete. */
async function readStream(response) {
  if (!response.headers.get('content-type')?.startsWith('text/')) throw new GatewayError('not a stream')
  let text = ''
  let finish
  let buffer = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of response.body) {
      buffer += decoder.decode(bytes, { stream: true }).replace(/^\uFEFF/, '')
      const events = buffer.replaceAll('\r\n', '\n').replace(/\r(?!$)/g, '\n').split('\n\n')
      buffer = events.pop()
      for (const event of events) {
        const lines = event.split('\n').filter((line) => line.startsWith('data:'))
        if (lines.length === 0) continue
        const data = lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')
        if (data === '[DONE]') continue
        let parsed
        try {
          parsed = JSON.parse(data)
        } catch {
          throw new GatewayError('invalid event')
        }
        if (parsed.error !== undefined) {
          if (vice === 'ignores-error-event') return text
          throw new GatewayError('error event')
        }
        const [choice] = parsed.choices ?? []
        const part = choice?.delta?.content ?? ''
        if (vice === 'repeats-half') process.stdout.write(part)
        text += part
        finish = choice?.finish_reason ?? finish
      }
    }
  } catch (error) {
    if (vice !== 'trusts-half' || text === '') throw error
    return text
  }
  if (finish !== 'stop' && vice !== 'trusts-half') throw new GatewayError('incomplete stream')
  return text
}

async function chat() {
  const stream = (model) => send('/v1/chat/completions', ask(model), readStream)
  if (vice !== 'repeats-half') return console.log(await retried(() => stream('gpt-4o')))
  try {
    await stream('gpt-4o')
  } catch {
    await stream('gpt-4o-mini')
  }
}

const readJson = async (response) => {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GatewayError(`invalid JSON: ${error.message}`)
  }
}

async function video() {
  const submit = () => send('/v1/videos', { model: 'sora-2', prompt: 'A calm sea', seconds: '4' }, readJson)
  let made
  try {
    made = await (vice === 'duplicates' ? retried(submit) : limited(submit()))
  } catch (error) {
    if (!(error instanceof GatewayError) || ![429, 503].includes(error.status)) throw error
    // Nothing was created: another submission is safe.
    await sleep(Math.max(Number(error.retryAfter ?? 0) * 1000, 150))
    made = await submit()
  }
  if (typeof made.id !== 'string') throw new GatewayError('a video without an id')
  for (let polls = 1; ; polls++) {
    const { status } = await retried(() => send(`/v1/videos/${made.id}`, undefined, readJson))
    if (status === 'completed') break
    if (status === 'failed') throw new GatewayError('the video failed')
    if (status === undefined) throw new GatewayError('no status')
    if (polls >= 40 && vice !== 'polls-forever') throw new GatewayError('the video takes too long')
  }
  const bytes = await retried(() => send(`/v1/videos/${made.id}/content`, undefined, (response) => response.arrayBuffer()))
  console.log(`${bytes.byteLength > 1000 ? 'a video' : 'no video'}`)
}

try {
  await chat()
  await video()
} catch (error) {
  if (vice === 'crashes' && !(error instanceof GatewayError)) throw error
  console.error(`failed: ${error.message}`)
  process.exit(vice === 'swallows-401' && error.status === 401 ? 0 : 1)
}

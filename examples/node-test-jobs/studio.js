/** Submits image jobs and videos, and polls them. It uses the global fetch. */

const ended = [2, 3, 'completed', 'failed']

/** `sleep` and `now` are options so that a test can move the time. */
export function studio({
  baseUrl,
  apiKey,
  sleep = wait,
  now = Date.now,
  interval = 5000,
  patience = 300_000,
}) {
  async function call(path, body) {
    const response = await fetch(baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return response.json()
  }

  async function poll(path) {
    const deadline = now() + patience
    for (;;) {
      await sleep(interval)
      const job = await call(path)
      if (ended.includes(job.status)) return job
      if (now() >= deadline) throw new Error(`no result after ${patience / 1000} s`)
    }
  }

  return {
    /** The URLs of four images. */
    async paint(text) {
      const { id } = await call('/v1/tob/diffusion', { model: 'image-job-v7', text })
      const { status, urls, comment } = await poll(`/v1/tob/job/${id}`)
      if (status === 3) throw new Error(comment)
      return urls
    },
    /** The bytes of a video. */
    async film(prompt) {
      const { id } = await call('/v1/videos', { model: 'sora-2', prompt })
      const { error } = await poll(`/v1/videos/${id}`)
      if (error) throw new Error(error.message)
      const headers = { authorization: `Bearer ${apiKey}` }
      const response = await fetch(`${baseUrl}/v1/videos/${id}/content`, { headers })
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}

function wait(ms) {
  return new Promise((done) => setTimeout(done, ms))
}

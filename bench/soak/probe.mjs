/**
 * How long a plain chat call takes, measured in a thread of its own: the thread that makes the traffic is
 * busy with its SDKs.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

const callsPerSample = 25

export function startProbe(url) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url } })
  return {
    async sample() {
      worker.postMessage('measure')
      return (await once(worker, 'message'))[0]
    },
    stop: () => worker.terminate(),
  }
}

if (!isMainThread) {
  const { url } = workerData
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Reply with exactly: pong' }],
  })
  const headers = {
    authorization: 'Bearer sk-soak',
    'content-type': 'application/json',
    'content-length': body.length,
  }
  const call = () =>
    new Promise((resolve) => {
      const began = performance.now()
      request(`${url}/v1/chat/completions`, { agent, method: 'POST', headers }, (response) => {
        response.resume().once('end', () => resolve(performance.now() - began))
      })
        .once('error', () => resolve(Number.POSITIVE_INFINITY))
        .end(body)
    })
  parentPort.on('message', async () => {
    const times = []
    for (let at = 0; at < callsPerSample; at++) times.push(await call())
    times.sort((a, b) => a - b)
    const at = (share) => times[Math.floor((times.length - 1) * share)]
    parentPort.postMessage({ p50: at(0.5), p99: at(0.99) })
  })
}

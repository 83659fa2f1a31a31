import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'

const server = await listen(createSimulator({ clock: 'manual' }))
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
const call = (path, body) =>
  fetch(server.url + path, { method: body ? 'POST' : 'GET', headers, body: JSON.stringify(body) })

const kinds = []
for (const output_format of ['png', 'webp', 'jpeg']) {
  const response = await call('/v1/images/generations', { prompt: 'a fox', output_format })
  const bytes = Buffer.from((await response.json()).data[0].b64_json, 'base64').toString('latin1')
  kinds.push(
    bytes.startsWith('\x89PNG')
      ? 'png'
      : bytes.startsWith('RIFF')
        ? 'webp'
        : bytes.startsWith('\xff\xd8')
          ? 'jpeg'
          : '?',
  )
}
const { id } = await (await call('/v1/videos', { model: 'sim-finished', prompt: 'a fox' })).json()
const video = await (await call(`/v1/videos/${id}/content`)).arrayBuffer()
kinds.push(Buffer.from(video).toString('latin1', 4, 8) === 'ftyp' ? 'mp4' : '?')
await server.close()
console.log(kinds.join(' '))

/** One request of every operation, for the benchmarks. */

const bearer = { authorization: 'Bearer sk-bench' }
/** A form with the fields and, for a name that begins with @, a file. */
function form(fields) {
  const boundary = 'bench-boundary'
  const parts = Object.entries(fields).map(([name, value]) =>
    name.startsWith('@')
      ? `--${boundary}\r\ncontent-disposition: form-data; name="${name.slice(1)}"; filename="a.png"\r\n` +
        `content-type: image/png\r\n\r\n${value.toString('latin1')}\r\n`
      : `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1'),
  }
}
// One clear pixel.
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4XmMAAQAABQABmzsGegAAAABJRU5ErkJggg==',
  'base64',
)

const subjects = 'gardening music sailing bread chess weather trains glass maps bees'.split(' ')

/** A question of chat with a system prompt. */
const question = (n, more = '', fields = {}) => ({
  model: 'gpt-4o-mini',
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant who answers briefly.' },
    { role: 'user', content: `Please tell me about ${subjects[n % subjects.length]}, part ${n}${more}.` },
  ],
  ...fields,
})

/** What is sent to each operation, by name; `n` tells the requests of one operation apart. */
export async function calls(port) {
  const send = async (path, body, headers = {}) =>
    (
      await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    ).json()
  const json =
    (path, body, headers = {}) =>
    (n) => ({ method: 'POST', path, headers: { ...bearer, ...headers }, body: JSON.stringify(body(n)) })
  const get =
    (path, headers = bearer) =>
    () => ({ method: 'GET', path, headers })
  const job = await send('/v1/tob/diffusion', { model: 'image-job-v7', text: 'a source [sim:finished]' })
  const video = await send('/v1/videos', { model: 'video-1', prompt: 'a film [sim:finished]' })
  const operation = await send('/v1beta/models/veo-3.0:predictLongRunning', {
    instances: [{ prompt: 'a river [sim:finished]' }],
  })
  const image = await send('/v1/images/generations', {
    model: 'dall-e-2',
    prompt: 'a lighthouse',
    size: '256x256',
  })
  const target = await send('/v1/files/upload_url', { path: 'bench/file.txt' })
  const pathOf = (url) => new URL(url).pathname + new URL(url).search
  await fetch(target.upload_url, { method: target.method, body: 'twelve bytes' })
  const edit = { model: 'image-job-v7', imgUrl: 'https://pictures.example/a.png' }
  return {
    'chat.create': json('/v1/chat/completions', (n) => question(n)),
    'chat.create, stream': json('/v1/chat/completions', (n) =>
      question(n, ', in nine sentences', { stream: true, stream_options: { include_usage: true } }),
    ),
    'chat.create, structured': json('/v1/chat/completions', (n) => ({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `Invent person ${n}` }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'person',
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer' } },
            required: ['name', 'age'],
            additionalProperties: false,
          },
        },
      },
    })),
    'chat.create, tools': json('/v1/chat/completions', (n) => ({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `The weather in Paris for ${n} days?` }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            parameters: {
              type: 'object',
              properties: { city: { type: 'string' }, days: { type: 'integer' } },
              required: ['city', 'days'],
            },
          },
        },
      ],
    })),
    'models.list': get('/v1/models'),
    'messages.create': json(
      '/v1/messages',
      (n) => ({
        model: 'claude-sonnet-4-5',
        max_tokens: 500,
        messages: [{ role: 'user', content: `Tell me about subject ${n}.` }],
      }),
      { 'anthropic-version': '2023-06-01' },
    ),
    'images.generate, by url': json('/v1/images/generations', (n) => ({
      model: 'dall-e-2',
      prompt: `a lighthouse ${n}`,
      size: '256x256',
    })),
    'images.edit, by url': (n) => ({
      method: 'POST',
      path: '/v1/images/edits',
      headers: bearer,
      ...form({ model: 'dall-e-2', prompt: `a hat ${n}`, response_format: 'url', '@image': png }),
    }),
    'images.readImage': get(pathOf(image.data[0].url), {}),
    'imageJobs.create': json('/v1/tob/diffusion', (n) => ({ model: 'image-job-v7', text: `a fox ${n}` })),
    'imageJobs.uploadPaint': json('/v1/tob/upload-paint', (n) => ({
      ...edit,
      mask: { url: 'https://pictures.example/mask.png' },
      canvas: { width: 64, height: 64 },
      imgPos: { width: 32, height: 32, x: 0, y: 0 },
      remixPrompt: `a hat ${n}`,
    })),
    'imageJobs.retexture': json('/v1/tob/retexture', (n) => ({ ...edit, remixPrompt: `in blue ${n}` })),
    'imageJobs.removeBackground': json('/v1/tob/remove-background', (n) => ({
      ...edit,
      imgUrl: `https://pictures.example/${n}.png`,
    })),
    'imageJobs.pan': json('/v1/tob/pan', (n) => ({
      jobId: job.id,
      imageNo: n % 4,
      direction: 0,
      scale: 1.5,
    })),
    'imageJobs.variation': json('/v1/tob/variation', (n) => ({ jobId: job.id, imageNo: n % 4, type: 0 })),
    'imageJobs.retrieve': get(`/v1/tob/job/${job.id}`),
    'imageJobs.readImage': get(pathOf(job.urls[0]), {}),
    'videos.create': json('/v1/videos', (n) => ({ model: 'video-1', prompt: `a wave ${n}` })),
    'videos.create, as a form': (n) => ({
      method: 'POST',
      path: '/v1/videos',
      headers: bearer,
      ...form({ model: 'video-1', prompt: `a wave ${n}` }),
    }),
    'videos.retrieve': get(`/v1/videos/${video.id}`),
    'videos.content': get(`/v1/videos/${video.id}/content`),
    'videos.remix': json(`/v1/videos/${video.id}/remix`, (n) => ({ prompt: `at night ${n}` })),
    'videoOperations.submit': json('/v1beta/models/veo-3.0:predictLongRunning', (n) => ({
      instances: [{ prompt: `a river ${n}` }],
    })),
    'videoOperations.retrieve': get(`/v1beta/${operation.name}`),
    'files.createUploadUrl': json('/v1/files/upload_url', (n) => ({ path: `bench/${n}.txt` })),
    'uploads.send': () => ({
      method: target.method,
      path: pathOf(target.upload_url),
      headers: {},
      type: 'text/plain',
      body: 'twelve bytes',
    }),
    'uploads.read': get(pathOf(target.visit_url), {}),
    'systemone.evaluate': json('/v1/systemone', (n) => ({
      model: 'jev-latest',
      state: `The customer of order ${n} wants a refund`,
      questions: {
        angry: { type: 'noul', instructions: 'Is the customer angry?' },
        topic: { type: 'choice', criteria: { refund: null, exchange: null } },
      },
    })),
  }
}

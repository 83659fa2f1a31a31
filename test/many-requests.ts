/** Many different requests to every operation that can be called cold; no two share a limit or a counter. */

import { signedQuery } from '../src/endpoints/files/signed-url.ts'
import { defaultStart } from '../src/engine/clock.ts'
import { sessionTag } from '../src/engine/random.ts'
import { createSimulator } from '../src/index.ts'
import { examplesOf, type Given, type Part, pathOf, type Route, welcome } from './hostile/_examples.ts'

export interface Sent {
  readonly path: string
  readonly init: RequestInit
}

type Kind = (index: number, key: string) => Sent

/** They start from something that an earlier call has made. */
export const startFromEarlier: readonly string[] = [
  'imageJobs.pan',
  'imageJobs.variation',
  'videos.remix',
  'videoOperations.fetch',
]

const given = { model: 'veo-3.0', project_id: 'p', location: 'l', publisher: 'google' } as Given

const headersOf = (key: string): Record<string, string> => ({ ...welcome, authorization: `Bearer ${key}` })

const post = (path: string, body: string, key: string): Sent => ({
  path,
  init: { method: 'POST', headers: { ...headersOf(key), 'content-type': 'application/json' }, body },
})

/**
 * A body with a number in its first words. The largest images are a few, because drawing them takes long, and
 * all are PNG: node imports no WebAssembly by itself.
 */
function numbered(body: unknown, index: number): string {
  const text = JSON.stringify(body)
    .replace(/"(?:prompt|text|content|note|path)":"/, `$&${index} `)
    .replace(/"output_format":"webp","output_compression":\d+,/, '')
    .replaceAll('pictures.example/', `pictures.example/${index}-`)
  return index < 30 ? text : text.replaceAll('"1024x1024"', '"256x256"')
}

function formOf(parts: readonly Part[], index: number): FormData {
  const form = new FormData()
  for (const part of parts)
    if ('filename' in part)
      form.append(part.name, new File([part.value as Uint8Array<ArrayBuffer>], part.filename, part))
    else form.append(part.name, part.name === 'prompt' ? `${index} ${part.value}` : part.value)
  return form
}

const kindsOf = (route: Route): Kind[] =>
  examplesOf(route.endpoint).flatMap(({ json, form }) => {
    const path = pathOf(route, given, route.endpoint.example?.params)
    const kinds: Kind[] = []
    if (json !== undefined) kinds.push((i, key) => post(path, numbered(json(given), i), key))
    if (form !== undefined)
      kinds.push((i, key) => {
        const body = formOf(form(given), i)
        return { path, init: { method: 'POST', headers: headersOf(key), body } }
      })
    return kinds
  })

/** An upload to an address that was handed out at the start of time: the same seed signs it the same. */
function upload(key: string, body: string, seed: string): Sent {
  const bucket = `cos-${sessionTag('default')}-local`
  const from = defaultStart / 1000
  const signed = signedQuery(
    { method: 'PUT', scheme: 'cos', bucket, key },
    { from, until: from + 7200 },
    seed,
  )
  return {
    path: `/storage/${bucket}/${key}?${signed}`,
    init: { method: 'PUT', headers: { 'content-type': 'text/plain' }, body },
  }
}

const ask = (content: string, temperature: number): string =>
  JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }], temperature })

const kinds: readonly Kind[] = [
  (i, key) => post('/v1/chat/completions', ask(`Tell me about subject ${i}`, 0.1 * (i % 20)), key),
  ...createSimulator()
    .routes.filter(({ group }) => group.name !== 'control')
    .filter(({ endpoint }) => !startFromEarlier.includes(endpoint.operation))
    .flatMap(kindsOf),
  (i, key) => post('/v1/chat/completions', ask(`Too hot ${i}`, 3), key),
  (i) => upload(`notes/${i}.txt`, `note ${i}`, 'gateway-sim'),
  (i) => upload(`notes/${i}.txt`, `note ${i}`, 'another seed'),
  (i, key) => ({ path: `/v1/videos/video_unknown${i}`, init: { headers: headersOf(key) } }),
]

/** `count` requests, no two alike; every one has a key of its own. */
export function manyRequests(count: number): Sent[] {
  return Array.from({ length: count }, (_, index) =>
    (kinds[index % kinds.length] as Kind)(index, `sk-many-${index}`),
  )
}

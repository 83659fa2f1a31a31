/** Requests as bytes: mutated, in chunks of all sizes, several at once, half closed. */
import { callTo } from './calls.ts'
import { mutatedText } from './mutate.ts'
import type { Random } from './random.ts'
import type { Seeds } from './seeds.ts'
import type { BytesStep, CallStep } from './steps.ts'

const operations = [
  'chat.create',
  'messages.create',
  'models.list',
  'videos.create',
  'videos.retrieve',
  'images.edit',
  'uploads.send',
  'sim.getClock',
  'sim.journal',
  'systemone.evaluate',
]

const chunks = [
  '\r\n', '\n', '\r', '\0', '\t', ' ', ':', ',', 'HTTP/1.0', 'HTTP/1.1', 'HTTP/9.9', 'GET ', 'HEAD ', 'OPTIONS * ', 'CONNECT a:1 ', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'Host: a\r\n', 'Host: \r\n', 'Host: a b\r\n', 'Content-Length: 0\r\n', 'Content-Length: 5\r\n', 'Content-Length: -1\r\n', 'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip, chunked\r\n', 'Transfer-Encoding: identity\r\n', 'Connection: close\r\n', 'Connection: keep-alive, upgrade\r\n',
  'Upgrade: websocket\r\n', 'Expect: 100-continue\r\n', 'Expect: x\r\n', 'Trailer: x\r\n', '0\r\n\r\n', 'ffffffff\r\n', '5;a=b\r\nhello\r\n', '\r\n\r\n', '\xff\xfe', '\x16\x03\x01',
  'http://evil.example/', '//', '*', '?', '#', '%', '\r\n folded: x', 'x: \x7f\r\n', `x: ${'a'.repeat(20_000)}\r\n`,
] // biome-ignore format: a table

export function bytes(random: Random, seeds: Seeds): BytesStep {
  const count = random.chance(0.3) ? 1 + random.below(5) : 1
  const requests = Array.from({ length: count }, () =>
    written(random, callTo(random, seeds, random.pick(operations))),
  )
  let text = requests.join('')
  if (random.chance(0.75)) text = mutatedText(random, text, chunks)
  return {
    kind: 'bytes',
    operation: 'socket',
    chunks: cut(random, text),
    end: random.weighted({ close: 6, wait: 1, reset: 2 }),
  }
}

/** A request as it goes over the wire, with a length or in chunks. */
function written(random: Random, { method, path, headers, body = '' }: CallStep): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  if (body === '' && random.chance(0.5)) return `${lines.join('\r\n')}\r\n\r\n`
  if (random.chance(0.5)) return [...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')
  const chunks: string[] = []
  const size = 1 + random.below(random.pick([4, 100, 10_000]))
  for (let at = 0; at < body.length && chunks.length < 1000; at += size) {
    const part = chunks.length === 999 ? body.slice(at) : body.slice(at, at + size)
    chunks.push(`${part.length.toString(16)}${random.chance(0.05) ? ';x=y' : ''}\r\n${part}\r\n`)
  }
  const trailer = random.chance(0.1) ? 'x-trailer: y\r\n' : ''
  return [...lines, 'Transfer-Encoding: chunked', '', `${chunks.join('')}0\r\n${trailer}\r\n`].join('\r\n')
}

function cut(random: Random, text: string): string[] {
  if (random.chance(0.6)) return [text]
  const at = random.below(text.length + 1)
  const later = at + random.below(text.length + 1 - at)
  return [text.slice(0, at), text.slice(at, later), text.slice(later)].filter((chunk) => chunk !== '')
}

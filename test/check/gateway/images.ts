/** POST /v1/images/generations and /v1/images/edits of the gateway of the tests. */
import { type Answer, type Asked, inRange, isText, require, type Sent } from './exchange.ts'

/** One grey pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCB0sYgTwAAAABJRU5ErkJggg=='

// The contract calls them A, B and C; the ids are the upstream's.
const letters: Readonly<Record<string, 'A' | 'B' | 'C'>> = {
  'gpt-image-1': 'A',
  'dall-e-2': 'B',
  'dall-e-3': 'C',
}
const longest = { A: 32_000, B: 1000, C: 4000 }
const sizes = {
  A: ['1024x1024', '1536x1024', '1024x1536', 'auto'],
  B: ['256x256', '512x512', '1024x1024'],
  C: ['1024x1024', '1792x1024', '1024x1792'],
}

/** Form fields are text. */
const number = (value: unknown): unknown => (typeof value === 'string' ? Number(value) : value)

/** One set of images, plain or as a stream. */
export function images(asked: Asked, edits: boolean, now: number, address: () => string): Answer {
  const { body } = asked
  const letter = letters[String(body['model'] ?? 'dall-e-2')]
  require(letter !== undefined, 'there is no such image model')
  require(!edits || letter !== 'C', 'this model does not edit')
  require(isText(body['prompt']), 'prompt is needed')
  require(body['prompt'].length <= longest[letter], `prompt has at most ${longest[letter]} characters`)
  const n = number(body['n'] ?? 1)
  require(inRange(n, 1, letter === 'C' ? 1 : 10, true), 'n is 1 to 10, and 1 for C')
  const size = String(body['size'] ?? '1024x1024')
  require(sizes[letter].includes(size), `size is one of ${sizes[letter].join(', ')}`)
  require(inRange(number(body['partial_images']), 0, 3, true), 'partial_images is 0 to 3')
  require(inRange(number(body['output_compression']), 0, 100, true), 'output_compression is 0 to 100')
  const format = String(body['output_format'] ?? 'png')
  require(['png', 'jpeg', 'webp'].includes(format), 'output_format is png, jpeg or webp')
  const background = String(body['background'] ?? 'auto')
  require(['transparent', 'opaque', 'auto'].includes(background), 'background is unknown')
  require(background !== 'transparent' || format !== 'jpeg', 'transparent needs png or webp')
  const qualities = ['auto', 'low', 'medium', 'high', 'standard', 'hd']
  require(qualities.includes(String(body['quality'] ?? 'auto')), 'quality is unknown')
  const answered = String(body['response_format'] ?? 'url')
  require(['url', 'b64_json'].includes(answered), 'response_format is url or b64_json')
  const streams = body['stream'] === true || body['stream'] === 'true'
  require(!streams || letter === 'A', 'only A streams')
  if (edits) require(Object.keys(body).some((name) => /^image(\[|\.|$)/.test(name)), 'image is needed')
  if (streams) return stream(edits, Number(number(body['partial_images'] ?? 0)), now)
  const data = Array.from({ length: Number(n) }, () =>
    letter === 'A' || answered === 'b64_json' ? { b64_json: png } : { url: address() },
  )
  return { status: 200, json: { created: now, data, ...(letter === 'A' ? { usage } : {}) } }
}

const usage = {
  input_tokens: 9,
  input_tokens_details: { image_tokens: 0, text_tokens: 9 },
  output_tokens: 20,
  total_tokens: 29,
}

function stream(edits: boolean, partials: number, now: number): Answer {
  const prefix = edits ? 'image_edit' : 'image_generation'
  const image = {
    b64_json: png,
    created_at: now,
    size: '1024x1024',
    quality: 'low',
    background: 'opaque',
    output_format: 'png',
  }
  const events = [
    ...Array.from({ length: partials }, (_, index) => ({
      type: `${prefix}.partial_image`,
      ...image,
      partial_image_index: index,
    })),
    { type: `${prefix}.completed`, ...image, usage },
  ]
  return { status: 200, events: events.map((data): Sent => ({ event: data.type, data })) }
}

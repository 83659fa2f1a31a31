/** Valid calls to the operations, as they are or changed in one or more places. */
import type { Part } from '../hostile/_examples.ts'
import * as hostile from '../hostile/_inputs.ts'
import { mutatedJson, mutatedText } from './mutate.ts'
import type { Random } from './random.ts'
import type { CallSeed, Seeds } from './seeds.ts'
import { bytesOf, type CallStep } from './steps.ts'

/** Operations that answer with drawn images or films cost hundreds of times as much as the others. */
const seldom: Readonly<Record<string, number>> = {
  'images.generate': 0.04,
  'images.edit': 0.04,
  'images.readImage': 0.04,
  'imageJobs.readImage': 0.04,
  'videos.content': 0.04,
  'videoOperations.downloadVideo': 0.04,
  'videoOperations.downloadVideoByUri': 0.04,
  'videoOperations.readVideo': 0.04,
  // Of the control API, what changes something matters more than what shows it.
  ...Object.fromEntries(
    [
      'health',
      'ready',
      'getClock',
      'listSessions',
      'listScenarios',
      'listOverrides',
      'clearOverrides',
      'freezeClock',
      'reset',
    ].map((name) => [`sim.${name}`, 0.2]),
  ),
}

/** A call to an operation of the service, or of the control API. */
export function call(random: Random, seeds: Seeds, of: 'service' | 'control'): CallStep {
  const operations = [...seeds.calls.keys()].filter((name) => name.startsWith('sim.') === (of === 'control'))
  let operation = random.pick(operations)
  while (!random.chance(seldom[operation] ?? 1)) operation = random.pick(operations)
  return callTo(random, seeds, operation)
}

export function callTo(random: Random, seeds: Seeds, operation: string): CallStep {
  const seed = random.pick(seeds.calls.get(operation) ?? [])
  const { endpoint } = seed.route
  const method = random.chance(0.03)
    ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'])
    : endpoint.method
  const sent = body(random, seeds, seed)
  const headers: Record<string, string> = {
    authorization: 'Bearer sk-fuzz',
    ...(sent === undefined ? {} : { 'content-type': sent.type }),
    ...(operation.startsWith('messages.') ? { 'anthropic-version': '2023-06-01' } : {}),
    ...seed.headers,
  }
  if (endpoint.upload !== undefined) delete headers['authorization']
  if (random.chance(0.2)) spoil(random, headers)
  return {
    kind: 'call',
    operation,
    method,
    path: address(random, seed.path, seed.route.group.name === 'control'),
    headers,
    ...(sent === undefined || method === 'GET' || method === 'HEAD' ? {} : { body: sent.bytes }),
  }
}

/** Two in five are left as they are: only a call that is answered makes what later ones start from. */
const spoiled = (random: Random): boolean => random.chance(0.6)

function body(random: Random, seeds: Seeds, seed: CallSeed): { type: string; bytes: string } | undefined {
  if (seed.form !== undefined) return form(random, seed.form)
  if (seed.raw !== undefined)
    return {
      type: seed.raw.type,
      bytes: spoiled(random)
        ? mutatedText(random, seed.raw.text)
            .slice(0, 5000)
            .replace(/[^\0-\xff]/g, '?')
        : seed.raw.text,
    }
  if (seed.json === undefined)
    return random.chance(0.05)
      ? { type: 'application/json', bytes: bytesOf(random.pick(['{}', '[]', 'null', '{'])) }
      : undefined
  const value = reserved(random, seeds.words, seed.json)
  const text = spoiled(random) ? mutatedJson(random, value, seeds.bodies) : JSON.stringify(value)
  return { type: 'application/json', bytes: bytesOf(text.toWellFormed()) }
}

/** Now and then a model or a prompt asks for trouble by a reserved word. */
function reserved(random: Random, words: readonly string[], json: unknown): unknown {
  if (!random.chance(0.1) || json === null || typeof json !== 'object') return json
  const word = random.pick(words)
  const fields = json as Readonly<Record<string, unknown>>
  if ('model' in fields && random.chance(0.5)) return { ...fields, model: `sim-${word}` }
  return 'prompt' in fields ? { ...fields, prompt: `a fox [sim:${word}]` } : json
}

function form(random: Random, parts: readonly Part[]): { type: string; bytes: string } {
  const boundary = random.chance(0.05) ? random.pick(['-', 'a b', '--', 'x'.repeat(71)]) : 'fuzz-boundary'
  const changed = spoiled(random) ? mutatedParts(random, parts) : parts
  const written = changed.map((part) => {
    const file = 'filename' in part
    const head = `content-disposition: form-data; name="${part.name}"${file ? `; filename="${part.filename}"` : ''}`
    const content = file ? Buffer.from(part.value).toString('latin1') : bytesOf(part.value.toWellFormed())
    return `--${boundary}\r\n${bytesOf(head)}${file ? `\r\ncontent-type: ${part.type}` : ''}\r\n\r\n${content}\r\n`
  })
  const whole = `${written.join('')}--${boundary}--\r\n`
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: random.chance(0.2) ? mutatedText(random, whole, ['\r\n', '--', boundary, '"', '\0']) : whole,
  }
}

function mutatedParts(random: Random, parts: readonly Part[]): Part[] {
  const changed = [...parts]
  const at = random.below(changed.length)
  const part = changed[at] as Part
  switch (random.below(5)) {
    case 0:
      changed.splice(at, 1)
      break
    case 1:
      changed.push(...Array<Part>(random.pick([1, 3, 20])).fill(part))
      break
    case 2:
      changed[at] = { ...part, name: mutatedText(random, part.name) }
      break
    case 3:
      changed[at] =
        'filename' in part ? { ...part, type: random.pick(['', 'text/plain', 'image/webp', 'x']) } : part
      break
    default:
      changed[at] =
        'filename' in part
          ? {
              ...part,
              value: Buffer.from(
                mutatedText(random, Buffer.from(part.value).toString('latin1'), ['\0', '\xff', 'IHDR']),
                'latin1',
              ),
            }
          : { ...part, value: mutatedText(random, part.value) }
  }
  return changed
}

const queries = [
  'limit=0', 'limit=-1', 'limit=1e9', 'after=x', 'order=desc', '__proto__=1', 'variant=thumbnail', '%ff', 'alt=media', 'a=1&a=2',
  'q-sign-time=1;2',
] // biome-ignore format: a table

function address(random: Random, path: string, control: boolean): string {
  let changed = path
  if (random.chance(0.05))
    changed = changed.replace(/«\w+»/, random.pick([...hostile.segments, '«id:1»', '«jobId:2»', '«session»']))
  if (random.chance(0.05))
    changed = mutatedText(random, changed, ['/', '//', '%', '%25', '..', '?', '#', ';', 'é'])
  if (random.chance(control ? 0.1 : 0.05))
    changed += `${changed.includes('?') ? '&' : '?'}${random.pick(queries)}`
  if (random.chance(0.05))
    changed = `/s/${random.pick(['«session»', 's1', 's2', '', '__proto__', 'default', '%2f', 'x'.repeat(70)])}${changed}`
  // What cannot stand in the first line of a request is escaped, as clients do.
  return (changed.startsWith('/') || changed.startsWith('«') ? changed : `/${changed}`).replace(
    /[^\x21-\x7e«»]/gu,
    (letter) => encodeURIComponent(letter.toWellFormed()),
  )
}

const others: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['authorization', hostile.authorizations],
  ['content-type', hostile.contentTypes],
  ['x-sim-session', hostile.sessions],
  ['x-sim-explain', ['1', '0', 'x']],
  ['accept', ['text/event-stream', '*/*', 'image/webp', '']],
  ['accept-encoding', ['gzip', 'br;q=1', 'identity;q=0']],
  ['content-encoding', hostile.encodings],
  ['range', hostile.ranges],
  ...hostile.conditions,
  ['content-md5', ['AAAAAAAAAAAAAAAAAAAAAA==', 'x']],
  ['anthropic-version', ['', '2099-01-01', 'x']],
  ['anthropic-beta', ['a,b,,c', 'x'.repeat(300)]],
  ['origin', ['http://evil.example', 'null']],
  ['idempotency-key', ['a', 'x'.repeat(500)]],
  ['x-goog-api-key', ['k', '']],
  ['x-api-key', ['k', '']],
  ['x-forwarded-host', ['evil.example']],
  ['__proto__', ['x']],
  ['constructor', ['x']],
]

function spoil(random: Random, headers: Record<string, string>): void {
  const [name, values] = random.pick(others)
  if (random.chance(0.2)) delete headers[name]
  else
    Object.defineProperty(headers, name, {
      value: random.pick(values).trim(),
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

/** A recorded request as text to paste: curl, an SDK call, a matcher, a step of a scenario. */
import type { JournalEntryJson } from '../../journal/filter.ts'
import { escaped, matcherOf, parsed, streamText } from '../rules/rule-of.ts'
import { fieldsOf, type SentBody, sentBody } from './sent-body.ts'

/** The URL of the simulator: the page is under its control API. */
export const baseUrl = (): string => location.origin + location.pathname.replace(/\/[^/]+\/ui\/.*$/, '')

export function asCurl(entry: JournalEntryJson): string {
  const { method, session } = entry
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(urlOf(entry))}`]
  for (const [name, value] of headersOf(entry)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (session !== 'default') lines.push(`-H ${quoted(`x-sim-session: ${session}`)}`)
  return [...lines, ...bodyLines(entry)].join(' \\\n  ')
}

function bodyLines(entry: JournalEntryJson): string[] {
  const body = sentBody(entry)
  if (body === undefined) return []
  if ('file' in body) return [`--data-binary ${quoted(`@${body.file}`)}`]
  if ('json' in body) return [`-d ${quoted(entry.request as string)}`]
  return body.form.map(({ name, value }) =>
    typeof value === 'string'
      ? `--form-string ${quoted(`${name}=${value}`)}`
      : `-F ${quoted(`${name}=@${value.name};type=${value.contentType}`)}`,
  )
}

export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The journal shortens API keys. */
const urlOf = ({ path }: JournalEntryJson): string =>
  baseUrl() + path.replace(/([?&]\w*(?:key|token)=)[^&]*\*{3}[^&]*/gi, '$1sk-test')

/** The headers that decide how the request is understood. */
function headersOf({ headers }: JournalEntryJson): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (/^(?:authorization|(?:x-|x-goog-)?api-key)$/.test(name))
      return [[name, name === 'authorization' ? 'Bearer sk-test' : 'sk-test']]
    const isKept = /^(?:anthropic-|content-(?:type|md5)$)/.test(name) && !value.startsWith('multipart/')
    return isKept ? [[name, value]] : []
  })
}

/** SDK methods by the path that they request. */
const sdkMethods: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'openai.chat.completions.create',
  '/v1/images/edits': 'openai.images.edit',
  '/v1/images/generations': 'openai.images.generate',
  '/v1/videos': 'openai.videos.create',
  '/v1/messages': 'anthropic.messages.create',
}

/** A module that sends the request with its SDK, or else with `fetch`. */
export function asSdkCall(entry: JournalEntryJson): string {
  const { method, path, session } = entry
  const base = baseUrl() + (session === 'default' ? '' : `/s/${session}`)
  const body = sentBody(entry)
  // Code in place of a text.
  const fields = fieldsOf(body, ({ name }) => `\uE000${name}`)
  const sdkMethod = method === 'POST' ? sdkMethods[path] : undefined
  const [sdk, called, input]: SdkCall | [] =
    fields === undefined
      ? []
      : sdkMethod === undefined
        ? geminiCall(path, fields)
        : [sdkMethod.startsWith('openai') ? 'openai' : 'anthropic', sdkMethod, fields]
  if (sdk === undefined) return asFetch(entry, body)
  const text = JSON.stringify(input, null, 2).replace(/"\uE000/g, 'createReadStream("')
  const code = text.replace(/(createReadStream\("(?:[^"\\]|\\.)*")/g, '$1)')
  const call = `await ${called}(${code})`
  const shown =
    fields?.['stream'] === true
      ? `for await (const event of ${call}) console.log(event)`
      : `console.log(${call})`
  const head = code === text ? '' : "import { createReadStream } from 'node:fs'\n"
  return `${head}${setUps[sdk](base)}
${shown}`
}

const setUps = {
  openai: (base: string) => `import OpenAI from 'openai'

const openai = new OpenAI({ apiKey: 'sk-test', baseURL: '${base}/v1' })`,
  anthropic: (base: string) => `import Anthropic from '@anthropic-ai/sdk'

const anthropic = new Anthropic({ apiKey: 'sk-test', baseURL: '${base}' })`,
  google: (base: string) => `import { GoogleGenAI } from '@google/genai'

const google = new GoogleGenAI({ apiKey: 'sk-test', httpOptions: { baseUrl: '${base}' } })`,
}

type SdkCall = readonly [sdk: keyof typeof setUps, called: string, input: unknown]

/** A video of Gemini with a prompt alone: its SDK names the other fields differently. */
function geminiCall(
  path: string,
  { instances, parameters }: Readonly<Record<string, unknown>>,
): SdkCall | [] {
  const model = /\/models\/([^/]+):predictLongRunning$/.exec(path)?.[1]
  const [{ prompt, ...more } = {} as Record<string, unknown>] = [instances].flat() as Record<
    string,
    unknown
  >[]
  if (model === undefined || prompt === undefined || Object.keys(more).length > 0) return []
  const { sampleCount: numberOfVideos, ...config } = (parameters ?? {}) as Record<string, unknown>
  const input = { model, prompt, config: { numberOfVideos, ...config } }
  return ['google', 'google.models.generateVideos', input]
}

function asFetch(entry: JournalEntryJson, body: SentBody | undefined): string {
  const { method, session } = entry
  const named = session === 'default' ? [] : [['x-sim-session', session]]
  const init = { method, headers: Object.fromEntries([...headersOf(entry), ...named]) }
  const text = JSON.stringify(init, null, 2)
  const sent =
    body === undefined
      ? ''
      : 'file' in body
        ? `readFileSync(${JSON.stringify(body.file)})`
        : `JSON.stringify(${JSON.stringify(fieldsOf(body) ?? body, null, 2)})`
  const head = sent.startsWith('read') ? "import { readFileSync } from 'node:fs'\n\n" : ''
  const whole = sent === '' ? text : `${text.slice(0, -2)},\n  body: ${sent}\n}`
  return `${head}const response = await fetch(${JSON.stringify(urlOf(entry))}, ${whole})
console.log(response.status, await response.text())`
}

export function asMatcher(entry: JournalEntryJson): string {
  return JSON.stringify(matcherOf(entry), null, 2)
}

/** `template` is the path of the operation; without it, the step fetches the URL. */
export function asStep(entry: JournalEntryJson, template: string | undefined): string {
  const { operation, method, path, key } = entry
  const [place = '', query] = path.split('?')
  const body = sentBody(entry)
  const named = template?.replace(/\{(\w+)\}/g, '(?<$1>.+)')
  const found = named === undefined ? null : new RegExp(`^${named}$`).exec(place)
  const asked = query === undefined ? {} : Object.fromEntries(new URLSearchParams(query))
  const file = body !== undefined && 'file' in body ? { file: body.file } : undefined
  const form = fieldsOf(body, ({ name, contentType }) => ({ file: name, contentType }))
  const fields = {
    ...decoded(found?.groups),
    ...(body === undefined ? asked : form),
    ...(file === undefined ? {} : { content: file }),
  }
  const content = file ?? (form === undefined ? undefined : { text: JSON.stringify(form) })
  const step =
    operation === null || found === null
      ? { fetch: path, method, ...(key === null ? {} : { key: 'sk-test' }), content }
      : {
          call: operation,
          with: Object.keys(fields).length === 0 ? undefined : fields,
          query: body === undefined || query === undefined ? undefined : asked,
          form: body !== undefined && 'form' in body ? true : undefined,
        }
  return JSON.stringify({ ...escaped(step), ...expectedOf(entry) }, null, 2)
}

const decoded = (params: Readonly<Record<string, string>> = {}): object =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))

/** What was seen: the status, how the connection broke, and how a stream ended. */
function expectedOf(entry: JournalEntryJson): object {
  const { status, ended, faults, stream, eventCount, response } = entry
  const isStalled = faults.some((fault) => fault.startsWith('stall'))
  if (status === 0) return { expect: { broken: faults.includes('hang') ? 'hang' : 'reset' } }
  const isBroken = faults.includes('wrong-content-type') || faults.includes('malformed-event')
  const isGarbled = /corrupt|malformed-json/.test(`${faults}`) && parsed(response) === undefined
  // The response violates the contract, which a step must expect.
  const offContract = isBroken || isGarbled || undefined
  if (stream.length === 0 && eventCount === 0) {
    const broken = isStalled ? 'hang' : ended === 'disconnected' ? 'truncated' : undefined
    return { expect: { status, broken, offContract } }
  }
  const last = stream.at(-1)?.data ?? ''
  const text = streamText(stream)
  const end = isStalled
    ? 'stalled'
    : ended !== 'completed'
      ? ended
      : /\[DONE\](?:\r?\n)*$|"type":"(?:message_stop|\w+\.completed)"/.test(last)
        ? undefined
        : 'no-end-marker'
  const said = {
    text: text ? escaped(text) : undefined,
    eventCount: ended === 'completed' ? undefined : eventCount,
    error: parsed(last)?.['error'] === undefined ? undefined : { exists: true },
    ended: end,
  }
  return {
    ...(end === 'aborted' ? { stopAfter: eventCount } : {}),
    expect: { status, stream: said, offContract },
  }
}

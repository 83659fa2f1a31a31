/** A recorded request as text that sends it again: a curl command, or a module with an SDK. */
import type { JournalEntryJson } from '../../exchange/plain.ts'
import { idsIn } from '../rules/rule-of.ts'
import { baseUrl, quoted } from './copy.ts'
import { fieldsOf, type SentBody, sentBody } from './sent-body.ts'

/** Stands for the client's key in a text that is not code yet. */
export const ownKey = '\uE001'

const inQuotes = /(['"])([^'"\n]*)\uE001([^'"\n]*)\1/g

/** The keys that the commands and the docs use, as the journal shortens them. */
const knownKeys: Readonly<Record<string, string>> = { 'sk***': 'sk-test', 'sk-sce***rio': 'sk-scenario' }

/** The key of the copies. A job belongs to its key; other requests take any. */
export const keyOf = (entry: JournalEntryJson, template: string | undefined): string =>
  knownKeys[entry.key ?? ''] ??
  (entry.key === undefined || idsIn(entry, template).length === 0 ? 'sk-test' : ownKey)

export function asCurl(entry: JournalEntryJson, key: string): string {
  const { session, request } = entry
  const lines = [
    `curl ${request.method === 'GET' ? '' : `-X ${request.method} `}${quoted(urlOf(entry, key))}`,
  ]
  for (const [name, value] of headersOf(entry, key)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (session !== 'default') lines.push(`-H ${quoted(`x-sim-session: ${session}`)}`)
  return [...lines, ...bodyLines(entry)].join(' \\\n  ').replace(inQuotes, '"$2$API_KEY$3"')
}

function bodyLines(entry: JournalEntryJson): string[] {
  const body = sentBody(entry)
  if (body === undefined) return []
  if ('file' in body) return [`--data-binary ${quoted(`@${body.file}`)}`]
  if ('json' in body) return [`-d ${quoted(entry.request.body?.text as string)}`]
  return body.form.map(({ name, value }) =>
    typeof value === 'string'
      ? `--form-string ${quoted(`${name}=${value}`)}`
      : `-F ${quoted(`${name}=@${value.name};type=${value.contentType}`)}`,
  )
}

/** The journal shortens API keys. */
const urlOf = ({ request }: JournalEntryJson, key: string): string =>
  baseUrl() + request.url.replace(/([?&]\w*(?:key|token)=)[^&]*\*{3}[^&]*/gi, `$1${key}`)

/** The headers that decide how the request is understood. */
function headersOf({ request }: JournalEntryJson, key: string): [string, string][] {
  return request.headers.flatMap(([name, value]): [string, string][] => {
    if (/^(?:authorization|(?:x-|x-goog-)?api-key)$/.test(name))
      return [[name, name === 'authorization' ? `Bearer ${key}` : key]]
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
export function asSdkCall(entry: JournalEntryJson, key: string): string {
  const { session, request } = entry
  const base = baseUrl() + (session === 'default' ? '' : `/s/${session}`)
  const body = sentBody(entry)
  // Code in place of a text.
  const fields = fieldsOf(body, ({ name }) => `\uE000${name}`)
  const sdkMethod = request.method === 'POST' ? sdkMethods[request.url] : undefined
  if (fields === undefined) return asFetch(entry, key, body)
  const [sdk, called, input]: SdkCall | [] =
    sdkMethod === undefined
      ? geminiCall(request.url, fields)
      : [sdkMethod.startsWith('openai') ? 'openai' : 'anthropic', sdkMethod, fields]
  if (sdk === undefined) return asFetch(entry, key, body)
  const text = JSON.stringify(input, null, 2).replace(/"\uE000/g, 'createReadStream("')
  const code = text.replace(/(createReadStream\("(?:[^"\\]|\\.)*")/g, '$1)')
  const call = `await ${called}(${code})`
  const shown =
    fields['stream'] === true
      ? `for await (const event of ${call}) console.log(event)`
      : `console.log(${call})`
  const head = code === text ? '' : "import { createReadStream } from 'node:fs'\n"
  return `${head}${setUps[sdk](base, key)}
${shown}`
}

const setUps = {
  openai: (base: string, key: string) => `import OpenAI from 'openai'

const openai = new OpenAI({ apiKey: '${key}', baseURL: '${base}/v1' })`,
  anthropic: (base: string, key: string) => `import Anthropic from '@anthropic-ai/sdk'

const anthropic = new Anthropic({ apiKey: '${key}', baseURL: '${base}' })`,
  google: (base: string, key: string) => `import { GoogleGenAI } from '@google/genai'

const google = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${base}' } })`,
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
  const input = { model, source: { prompt }, config: { numberOfVideos, ...config } }
  return ['google', 'google.models.generateVideos', input]
}

function asFetch(entry: JournalEntryJson, key: string, body: SentBody | undefined): string {
  const { session, request } = entry
  const named = session === 'default' ? [] : [['x-sim-session', session]]
  const init = { method: request.method, headers: Object.fromEntries([...headersOf(entry, key), ...named]) }
  const text = JSON.stringify(init, null, 2)
  const isFile = body !== undefined && 'file' in body
  const sent = isFile
    ? `readFileSync(${JSON.stringify(body.file)})`
    : `JSON.stringify(${JSON.stringify(fieldsOf(body) ?? body, null, 2)})`
  const head = isFile ? "import { readFileSync } from 'node:fs'\n\n" : ''
  const whole = body === undefined ? text : `${text.slice(0, -2)},\n  body: ${sent}\n}`
  const code = `${head}const response = await fetch(${JSON.stringify(urlOf(entry, key))}, ${whole})
console.log(response.status, await response.text())`
  return code.replace(inQuotes, '`$2$${process.env.API_KEY}$3`')
}

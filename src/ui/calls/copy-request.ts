/** A recorded request as text that sends it again: a curl command, or a module with an SDK. */
import type { JournalEntryJson } from '../../journal/filter.ts'
import { baseUrl, quoted } from './copy.ts'
import { fieldsOf, type SentBody, sentBody } from './sent-body.ts'

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
  const input = { model, source: { prompt }, config: { numberOfVideos, ...config } }
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

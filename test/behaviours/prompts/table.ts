/** Reads the tables of examples in a Markdown file: the notation is explained in table.md. */
import { schemas, toolSets } from './tool-sets.ts'

export interface ExpectedCall {
  readonly name: string
  /** Undefined when any arguments are right. */
  readonly input: Readonly<Record<string, unknown>> | undefined
  /** Whether further arguments may come. */
  readonly open: boolean
}

export type ExpectedStep =
  | { readonly kind: 'calls'; readonly calls: readonly ExpectedCall[] }
  | { readonly kind: 'text' }
  | { readonly kind: 'exact'; readonly text: string }
  | { readonly kind: 'pattern'; readonly pattern: RegExp }
  | { readonly kind: 'json'; readonly value: unknown; readonly open: boolean }
  | { readonly kind: 'items'; readonly least: number; readonly most: number }

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface Row {
  readonly line: number
  readonly section: string
  readonly prompt: string
  readonly messages: readonly Message[]
  readonly tools: string
  readonly choice: string
  readonly steps: readonly ExpectedStep[]
}

/** The rows of every table with the columns Prompt, Tools, Choice and What comes. */
export function readTable(markdown: string): readonly Row[] {
  const rows: Row[] = []
  let section = ''
  let inTable = false
  for (const [index, line] of markdown.split('\n').entries()) {
    const heading = /^#+ (.+)$/.exec(line)?.[1]
    if (heading !== undefined) section = heading
    if (!line.startsWith('|')) inTable = false
    else if (/^\| Prompt \| Tools \| Choice \| What comes \|$/.test(line)) inTable = true
    else if (inTable && !/^\|[ |:-]+\|$/.test(line)) rows.push(readRow(line, index + 1, section))
  }
  return rows
}

function readRow(line: string, number: number, section: string): Row {
  const cells = line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
  const [prompt = '', tools = '', choice = '', comes = ''] = cells
  const fault = (what: string): Error => new Error(`line ${number}: ${what}: ${line}`)
  if (cells.length !== 4) throw fault(`expected four cells, got ${cells.length}`)
  if (tools !== '' && !Object.hasOwn(toolSets, tools)) throw fault(`there is no set of tools "${tools}"`)
  const schema = /^schema (.+)$/.exec(choice)?.[1]
  if (schema !== undefined && !Object.hasOwn(schemas, schema)) throw fault(`there is no schema "${schema}"`)
  if (!/^(?:|auto|required|one at a time|json|named \S+|schema .+)$/.test(choice))
    throw fault(`expected auto, required, one at a time, json, named … or schema …, got "${choice}"`)
  return {
    line: number,
    section,
    prompt,
    messages: readMessages(prompt),
    tools,
    choice,
    steps: outside(comes, ' → ').map((step) => readStep(step, fault)),
  }
}

function readMessages(cell: string): readonly Message[] {
  const content = cell.replaceAll('<br>', '\n').replace(/^`(.+)`$/s, '$1')
  const turns = content.split(/(?:^| \/ )(system|user|assistant): /)
  if (turns.length === 1) return [{ role: 'user', content }]
  const messages: Message[] = []
  for (let at = 1; at < turns.length; at += 2)
    messages.push({ role: turns[at] as Message['role'], content: turns[at + 1] as string })
  return messages
}

function readStep(step: string, fault: (what: string) => Error): ExpectedStep {
  if (step === 'text') return { kind: 'text' }
  const items = /^(\d+)(?:–(\d+))? items$/.exec(step)
  if (items !== null) return { kind: 'items', least: Number(items[1]), most: Number(items[2] ?? items[1]) }
  if (/^".*"$/s.test(step)) return { kind: 'exact', text: JSON.parse(step) as string }
  const pattern = /^`?\/(.+)\/([a-z]*)`?$/s.exec(step)
  if (pattern !== null) return { kind: 'pattern', pattern: new RegExp(pattern[1] as string, pattern[2]) }
  const codes = outside(step, ' + ').map((part) => /^`(.+)`$/s.exec(part)?.[1])
  const [first] = codes
  if (first !== undefined && /^[[{]/.test(first)) {
    const [value, open] = readJson(first)
    return { kind: 'json', value, open }
  }
  return {
    kind: 'calls',
    calls: codes.map((code) => {
      const [, name, json] = /^([\w-]+)(?: (\{.*\}))?$/s.exec(code ?? '') ?? []
      if (name === undefined)
        throw fault(`expected text, "a text", /a pattern/, N items, JSON or calls, got ${step}`)
      const [input, open] = json === undefined ? [undefined, true] : readJson(json)
      return { name, input: input as ExpectedCall['input'], open }
    }),
  }
}

/** JSON; with `…` as its last part, more fields may come. */
function readJson(json: string): readonly [unknown, boolean] {
  const open = /,? ?…\}$/.test(json)
  return [JSON.parse(json.replace(/,? ?…\}$/, '}')), open]
}

/** The parts between separators that stand outside code and quotes. */
function outside(text: string, separator: string): readonly string[] {
  const parts = ['']
  let code = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '`') code = !code
    if (!code && text.startsWith(separator, at)) {
      parts.push('')
      at += separator.length - 1
    } else parts.push(`${parts.pop()}${text[at]}`)
  }
  return parts.map((part) => part.trim())
}

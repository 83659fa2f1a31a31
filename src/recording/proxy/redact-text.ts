/** Finds secrets in a text, and replaces them while everything else stays as it is. */
import { scanJson } from './scan-json.ts'
import { redactedWord, type Secrets, type Spelling } from './secrets.ts'

/** What stands from `start` to `end` is replaced. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly instead: string
}

export interface Redacted {
  readonly text: string
  /** JSON pointers of what was replaced; one empty pointer if the text is no JSON. */
  readonly places: readonly string[]
  /** Where a position of the old text is in the new one. */
  readonly moved: (position: number) => number
}

/** How a text is written: JSON, events with JSON in them, a form, something else, or no text at all. */
export type TextForm = 'json' | 'events' | 'form' | 'text' | 'bytes'

const maxSignature = 2000
const maxPlaces = 200

/** Texts are bytes as Latin-1, so that a position in one is a position in the bytes. */
export function redactText(text: string, form: TextForm, secrets: Secrets): Redacted {
  const edits =
    form === 'bytes' ? [] : [...fieldEdits(text, form, secrets), ...queryEdits(text, form, secrets)]
  for (const { start, end } of edits)
    if (end - start < maxSignature) secrets.learnSigned(text.slice(start, end))
  for (const spelling of secrets.spellings()) findSpelling(text, spelling, edits)
  if (edits.length === 0) return { text, places: [], moved: (position) => position }
  const merged = merge(edits)
  return {
    text: apply(text, merged),
    places: form === 'json' ? pointersOf(text, merged) : [''],
    moved: (position) => move(position, merged),
  }
}

function findSpelling(text: string, { text: secret, instead }: Spelling, edits: Edit[]): void {
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
    edits.push({ start: at, end: at + secret.length, instead })
}

/** The values of fields that are named. */
function fieldEdits(text: string, form: TextForm, secrets: Secrets): Edit[] {
  const edits: Edit[] = []
  const scan = (from: number, to: number): void =>
    scanJson(
      text,
      ({ start, end, kind, name }) => {
        const rule = secrets.isField(name)
        if (rule === 'any' || (rule === 'text' && kind === 'string'))
          edits.push({ start, end, instead: `"${redactedWord}"` })
      },
      from,
      to,
    )
  if (form === 'json') scan(0, text.length)
  if (form === 'events')
    for (const { index, 0: line } of text.matchAll(/^data: ?[{[].*$/gm))
      scan(index + line.search(/[{[]/), index + line.length)
  if (form === 'form')
    for (const { index, 0: all, 1: name = '', 2: value = '' } of text.matchAll(formField))
      if (secrets.isQuery(name))
        edits.push({
          start: index + all.length - value.length,
          end: index + all.length,
          instead: redactedWord,
        })
  return edits
}

/** A field of a multipart form. */
const formField = /\bname="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)/g

// An address may stand in JSON that writes `&` as an escape, in HTML, or in the query of another address.
const separator = String.raw`[?&]|\\+u0026|\\+u003f|&amp;|%(?:25)*(?:3f|26)`
const equals = String.raw`=|%(?:25)*3d|\\+u003d`
const names = new RegExp(`(?:${separator})([\\w.%~-]{1,100}?)(?:${equals})`, 'gi')
const namesOfForm = new RegExp(`(?:^|${separator})([\\w.%~-]{1,100}?)(?:${equals})`, 'gi')
const ends = /[&\s"'<>#]|\\+(?![\\/]|u00)|\\+u00(?:26|22|27|3c|3e|23)|%(?:25)*(?:26|23|22)|$/gi
const password = /:\/\/([^/\s"'@\\]+:[^/\s"'@\\]+)@/g

/** The values of queries that are named, and passwords in addresses. */
function queryEdits(text: string, form: TextForm, secrets: Secrets): Edit[] {
  const edits: Edit[] = []
  for (const { index, 0: all, 1: name = '' } of text.matchAll(form === 'form' ? namesOfForm : names)) {
    if (!secrets.isQuery(name)) continue
    const start = index + all.length
    ends.lastIndex = start
    const end = ends.exec(text)?.index ?? text.length
    if (end > start) edits.push({ start, end, instead: redactedWord })
  }
  for (const { index, 1: both = '' } of text.matchAll(password))
    edits.push({ start: index + 3, end: index + 3 + both.length, instead: redactedWord })
  return edits
}

/** In order; of those that overlap, one for all that they cover. */
function merge(edits: readonly Edit[]): Edit[] {
  const merged: Edit[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || edit.start >= last.end) merged.push(edit)
    else if (edit.end > last.end) merged[merged.length - 1] = { ...last, end: edit.end }
  }
  return merged
}

function apply(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const { start, end, instead } of edits) {
    parts.push(text.slice(at, start), instead)
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}

function move(position: number, edits: readonly Edit[]): number {
  let grown = 0
  for (const { start, end, instead } of edits) {
    if (position <= start) break
    // A border inside of what was replaced goes behind it.
    if (position < end) return start + grown + instead.length
    grown += instead.length - (end - start)
  }
  return position + grown
}

function pointersOf(text: string, edits: readonly Edit[]): string[] {
  const places = new Set<string>()
  const left = [...edits]
  scanJson(text, ({ start, end, pointer }) => {
    while (left[0] !== undefined && left[0].end <= end) {
      const inside = (left.shift() as Edit).start >= start && places.size < maxPlaces
      places.add(inside ? pointer() : '')
    }
  })
  if (left.length > 0) places.add('')
  return [...places]
}

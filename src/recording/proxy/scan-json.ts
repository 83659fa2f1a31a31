/** Walks over JSON without parsing it. */
import { pointerTo } from '../../engine/pointer.ts'

export interface JsonValue {
  /** The start and end of its text; for a string including the quotes. */
  readonly start: number
  readonly end: number
  readonly kind: 'string' | 'container' | 'other'
  /** The name of its member, or of the member with the array around it. */
  readonly name: string
  /** The names of all members around it, from the outside. */
  readonly names: () => readonly string[]
  /** The JSON pointer to it. */
  readonly pointer: () => string
}

interface Frame {
  readonly start: number
  readonly isArray: boolean
  /** For an object, the current member; for an array, the member that contains it. */
  key: string
  index: number
}

/** Calls `visit` for every value, for containers after their contents. */
export function scanJson(text: string, visit: (value: JsonValue) => void, from = 0, to = text.length): void {
  const frames: Frame[] = []
  const names = (): string[] => frames.flatMap(({ isArray, key }) => (isArray ? [] : [key]))
  const pointer = (): string => pointerTo(frames.map(({ isArray, key, index }) => (isArray ? index : key)))
  const visited = (start: number, end: number, kind: JsonValue['kind']): void => {
    visit({ start, end, kind, name: frames.at(-1)?.key ?? '', names, pointer })
  }
  let expectsKey = false
  let at = from
  while (at < to) {
    const letter = text[at] as string
    const top = frames.at(-1)
    if (letter === '"') {
      const end = Math.min(stringEnd(text, at), to)
      if (expectsKey && top !== undefined) {
        top.key = text.slice(at + 1, end - 1)
        expectsKey = false
      } else visited(at, end, 'string')
      at = end
    } else if (letter === '{' || letter === '[') {
      const isArray = letter === '['
      frames.push({ start: at, isArray, key: isArray ? (top?.key ?? '') : '', index: 0 })
      expectsKey = !isArray
      at += 1
    } else if (letter === '}' || letter === ']') {
      const closed = frames.pop()
      at += 1
      expectsKey = false
      if (closed !== undefined) visited(closed.start, at, 'container')
    } else if (letter === ',') {
      if (top?.isArray) top.index += 1
      expectsKey = top?.isArray === false
      at += 1
    } else {
      const end = Math.min(wordEnd(text, at), to)
      if (end > at) visited(at, end, 'other')
      at = Math.max(end, at + 1)
    }
  }
}

/** The position after the closing quote; the end of the text if there is none. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0) {
    let escapes = 0
    while (text[quote - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return quote + 1
    quote = text.indexOf('"', quote + 1)
  }
  return text.length
}

function wordEnd(text: string, start: number): number {
  const word = /[\w.+-]*/y
  word.lastIndex = start
  word.exec(text)
  return word.lastIndex
}

/** What somebody has typed and not yet applied: kept until the tab closes, also when the page loads again. */
import { useState } from 'preact/hooks'
import { saved } from './api.ts'

const prefix = 'gateway-sim draft '

const texts = new Map<string, string>(
  saved !== undefined
    ? []
    : Object.entries(sessionStorage).flatMap(([key, text]) =>
        key.startsWith(prefix) ? [[key.slice(prefix.length), text as string]] : [],
      ),
)

export const drafts = {
  has: (key: string): boolean => texts.has(key),
  get: (key: string): string | undefined => texts.get(key),
  set(key: string, text: string): void {
    texts.set(key, text)
    try {
      sessionStorage.setItem(prefix + key, text)
    } catch {
      // The storage is full: the text is kept until the page loads again.
    }
  },
  delete(key: string): void {
    texts.delete(key)
    sessionStorage.removeItem(prefix + key)
  },
}

/** The text of an input, which survives a change of the view. */
export function useDraft(key: string, original: string): [string, (text: string) => void] {
  const [text, setText] = useState(drafts.get(key) ?? original)
  const change = (next: string): void => {
    if (next === original) drafts.delete(key)
    else drafts.set(key, next)
    setText(next)
  }
  return [text, change]
}

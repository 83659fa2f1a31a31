/** Colours for output that may go to a terminal. */
import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Wraps a text in a colour, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/** No colours. */
export const plain: Paint = (_style, text) => text

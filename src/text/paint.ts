/** Colours for what a command prints, where somebody can see them. */
import { styleText } from 'node:util'
import { hasColours } from '../cli/call-log.ts'
import type { Io, Output } from '../cli/command.ts'

/** Puts a colour around a text, or leaves it. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

/** No colours. */
export const plain: Paint = (_style, text) => text

/** A painter for an output: NO_COLOR, FORCE_COLOR and terminals decide. */
export function painterFor(output: Output, env: Io['env']): Paint {
  return hasColours(output, env) ? (style, text) => styleText(style, text, { validateStream: false }) : plain
}

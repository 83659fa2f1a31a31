/** Colours for output that may go to a terminal. */
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Wraps a text in a colour, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string

/** No colours. */
export const plain: Paint = (_style, text) => text

/** A painter for a stream: NO_COLOR and FORCE_COLOR decide, otherwise whether the stream is a terminal. */
export function painterFor(
  output: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  return hasColours(output.isTTY === true, env)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : plain
}

function hasColours(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && env['TERM'] !== 'dumb'
}

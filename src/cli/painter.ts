/** Colours for the streams of a process. */
import { styleText } from 'node:util'
import { type Paint, plain } from '../text/paint.ts'
import type { Io } from './command.ts'

/** A painter for a stream: NO_COLOR and FORCE_COLOR decide, otherwise whether the stream is a terminal. */
export function painterFor(
  output: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  return hasColours(output.isTTY === true, env)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : plain
}

/** Shows what a long command is doing on one line of a terminal, and nothing elsewhere. */
export const progressOn =
  ({ stderr }: Pick<Io, 'stderr'>) =>
  (text: string): void => {
    if (stderr.isTTY === true) stderr.write(`\r\u001b[K${text}`)
  }

function hasColours(isTTY: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY && env['TERM'] !== 'dumb'
}

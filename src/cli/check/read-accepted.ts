/** Reads the file of known deviations that `--accept` names. */
import { readFile } from 'node:fs/promises'
import { acceptedSchema } from '../../check/accept.ts'
import type { Accepted } from '../../check/options.ts'
import { readYaml } from '../../scenario/load/read-yaml.ts'
import { CommandError, exitCodes } from '../command.ts'
import { yamlMistakesMessage } from '../yaml-mistakes.ts'

/** Throws `CommandError` that lists every mistake with its place. */
export async function readAccepted(path: string, shown: string): Promise<readonly Accepted[]> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file' : message
    throw new CommandError(exitCodes.usage, `--accept: ${shown} cannot be read: ${reason}`)
  }
  // A list without entries is an empty text, too.
  const { value, mistakes } = readYaml(await import('yaml'), text.trim() === '' ? '[]' : text, acceptedSchema)
  if (mistakes.length === 0) return value as readonly Accepted[]
  throw new CommandError(exitCodes.usage, `--accept: ${yamlMistakesMessage(shown, mistakes)}`)
}

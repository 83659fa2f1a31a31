/** Reads and checks a config file. */
import { readFile } from 'node:fs/promises'
import type { SettingsInput } from '../../generated/settings-input.ts'
import { settingsSchema } from '../../protocol/settings.ts'
import { readYaml } from '../../scenario/load/read-yaml.ts'
import { CommandError, exitCodes } from '../command.ts'
import { yamlMistakesMessage } from '../yaml-mistakes.ts'
import type { ConfigPath } from './find-config.ts'

/** The settings as written. Throws `CommandError` that lists every mistake with its place. */
export async function readConfig({ path, shown }: ConfigPath): Promise<SettingsInput> {
  const { value, mistakes } = readYaml(await import('yaml'), await readText(path, shown), settingsSchema)
  if (mistakes.length === 0) return value as SettingsInput
  throw new CommandError(exitCodes.file, yamlMistakesMessage(shown, mistakes))
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EISDIR'
          ? 'it is a directory'
          : code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
            ? 'it is not UTF-8 text'
            : message
    throw new CommandError(exitCodes.file, `The config file ${shown} cannot be read: ${reason}.`)
  }
}

/** `--allow-files`: folders whose files scenarios may name. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError, exitCodes } from './command.ts'

export const allowFilesFlag = {
  type: 'string',
  array: true,
  requiresArg: true,
  describe: 'Folder whose files scenarios may name with `file:`, besides their own folder',
} as const

/** The folders of the flag. Throws `CommandError` for one that is none. */
export function allowedFolders(given: readonly string[] | undefined, cwd: string): string[] {
  return (given ?? []).map((name) => {
    const folder = resolve(cwd, name)
    if (name === '' || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new CommandError(
        exitCodes.usage,
        `--allow-files: expected an existing folder, got ${JSON.stringify(name)}`,
      )
    return folder
  })
}

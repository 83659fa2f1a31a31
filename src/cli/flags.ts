/** Flags that several commands have. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError, exitCodes } from './command.ts'

export const allowFilesFlag = {
  type: 'string',
  array: true,
  requiresArg: true,
  describe: 'Folder whose files scenarios may name with `file:`, besides their own folder',
} as const

/** The flag that names the settings file. */
export const configFlag = {
  type: 'string',
  requiresArg: true,
  describe: 'Settings file in YAML or JSON; flags override it',
  defaultDescription: 'gateway-sim.config.yaml, .yml or .json, if present',
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

/**
 * As the paths of the operations follow it: without the `/v1` that SDKs need. Undefined for what is no
 * http(s) address, or more than one.
 */
export function parseBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  )
    return undefined
  return (url.origin + url.pathname).replace(/\/+$/, '').replace(/\/v1$/, '')
}

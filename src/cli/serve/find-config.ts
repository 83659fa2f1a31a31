/** Finds the config file: the one of `--config`, or the one in the current directory. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError, exitCodes } from '../command.ts'

/** A config file, and its name in messages. */
export interface ConfigPath {
  readonly path: string
  readonly shown: string
}

const names = ['gateway-sim.config.yaml', 'gateway-sim.config.yml', 'gateway-sim.config.json']

/** The config file, if any. Throws `CommandError` if the directory contains more than one. */
export function findConfig(flag: string | undefined, cwd: string): ConfigPath | undefined {
  if (flag !== undefined) return { path: resolve(cwd, flag), shown: flag }
  const found = names.filter((name) => existsSync(join(cwd, name)))
  if (found.length > 1)
    throw new CommandError(
      exitCodes.file,
      `This directory contains ${found.join(' and ')}: keep one of them, or choose one with --config.`,
    )
  const [name] = found
  return name === undefined ? undefined : { path: join(cwd, name), shown: name }
}

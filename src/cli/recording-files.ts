/** Reads the recordings that a command names. */
import { resolve } from 'node:path'
import type { RecordedExchange } from '../har/exchange.ts'
import { HarError } from '../har/read-har.ts'
import { readExchanges } from '../recording/load-recordings.ts'
import { CommandError, exitCodes } from './command.ts'

/** The calls of a HAR file, or of all in a folder. Throws a `CommandError` for what cannot be read. */
export function exchangesOf(name: string, cwd: string): RecordedExchange[] {
  try {
    return readExchanges(resolve(cwd, name))
  } catch (error) {
    if (!(error instanceof HarError)) throw error
    throw new CommandError(exitCodes.file, error.message)
  }
}

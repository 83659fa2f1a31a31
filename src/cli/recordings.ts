/** The recordings that a command names. */
import { resolve } from 'node:path'
import { HarError } from '../exchange/har-error.ts'
import { readExchanges } from '../recording/read-recordings.ts'
import { fileError } from './command.ts'

/** The requests of a HAR file or a folder of HAR files. Throws `CommandError` if there are none. */
export function readRecording(name: string, cwd: string): ReturnType<typeof readExchanges> {
  try {
    const exchanges = readExchanges(resolve(cwd, name), name)
    if (exchanges.length > 0) return exchanges
  } catch (error) {
    throw error instanceof HarError ? fileError(error.message) : error
  }
  throw fileError(`${name}: contains no requests`)
}

/** Reads HAR files and folders of them, and makes the scenario that plays them back. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gatewayApi } from '../disk/load-scenario.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { HarError } from '../exchange/har-error.ts'
import { readHar } from '../exchange/read-har.ts'
import { type Scenario, scenarioOfObject } from '../scenario/load/scenario.ts'
import { counted } from '../text/printable.ts'
import { playbackOf } from './scenario-from.ts'

/**
 * The scenario of a HAR file, a folder of them, or a parsed HAR object. A warning names the first request
 * that it cannot play back. Throws `HarError`.
 */
export async function readRecordings(
  source: string | object,
  onWarning: (message: string) => void = () => {},
): Promise<Scenario> {
  const name = typeof source === 'string' ? basename(source) : 'a HAR object'
  const exchanges =
    typeof source === 'string'
      ? recordingFiles(source).flatMap((file) => readHarFile(file))
      : readHar(JSON.stringify(source), name)
  const { scenario, left } = await playbackOf(exchanges, name)
  const count = counted(left.length, 'recorded request')
  if (left.length > 0) onWarning(`${count} cannot be played back. The first is ${left[0]}.`)
  return scenarioOfObject(scenario, name, gatewayApi().reader)
}

/** The calls of a HAR file, or of all in a folder. Throws `HarError`, which names the path `shown`. */
export const readExchanges = (path: string, shown = path): Exchange[] =>
  recordingFiles(path, shown).flatMap((file) =>
    readHarFile(file, file === path ? shown : join(shown, basename(file))),
  )

/** The calls of a HAR file. Throws `HarError`. */
const readHarFile = (file: string, shown = basename(file)): Exchange[] =>
  readHar(
    reading(file, () => readFileSync(file, 'utf8')),
    shown,
  )

/** The path, or the HAR files of a folder. Throws `HarError`. */
function recordingFiles(path: string, shown = path): string[] {
  if (!reading(shown, () => statSync(path)).isDirectory()) return [path]
  const files = readdirSync(path)
    .filter((name) => name.toLowerCase().endsWith('.har'))
    .sort()
    .map((name) => join(path, name))
  if (files.length > 0) return files
  throw new HarError(
    `${shown}: the folder contains no .har files: pass a folder of recordings, or a HAR file`,
  )
}

function reading<Result>(path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new HarError(
      code === 'ENOENT'
        ? `${path}: not found: expected a HAR file, or a folder of HAR files`
        : `${path}: cannot be read (${code ?? String(error)})`,
    )
  }
}

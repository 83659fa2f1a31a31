/** Runs `gateway-sim record`. */
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ProxyLogLine, startRecordingProxy } from '../../recording/proxy/proxy.ts'
import { type Paint, painterFor } from '../../text/paint.ts'
import { asciiOnly } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import { type ExitCode, exitCodes, type Io, usageError } from '../command.ts'
import type { RecordArgs } from '../flags.ts'
import { checkPort, describeListenError, prepareReadyFile } from '../serve/listening.ts'

export async function recordUntilStopped(flags: RecordArgs, io: Io): Promise<ExitCode> {
  const upstream = upstreamOf(flags.upstream)
  const port = checkPort(flags.port)
  const redact = checkRedact(flags.redact)
  const stopped = io.whenStopped()
  const folder = resolve(io.cwd, flags.out)
  await makeFolder(folder, flags.out)
  const readyFile = await prepareReadyFile(flags.readyFile, io)
  const paint = painterFor(io.stderr, io.env)
  const write = (line: string): unknown => io.stderr.write(`${line}\n`)
  // It loads every operation's schemas.
  const check = flags.check
    ? (await import('./live-check.ts')).createLiveCheck((line) => void write(line), paint)
    : undefined
  const proxy = await startRecordingProxy({
    upstream,
    folder,
    host: flags.host,
    port,
    redact,
    warn: (message) => write(`gateway-sim: ${paint('yellow', 'warning:')} ${message}`),
    ...(flags.quiet ? {} : { log: (line) => write(lineOf(line, paint)) }),
    ...(check === undefined ? {} : { onExchange: check.onExchange }),
  }).catch(async (error: unknown) => {
    await readyFile.putBack()
    throw describeListenError(error, { port, host: flags.host, handlers: undefined })
  })
  try {
    const ready = { url: proxy.url, port: proxy.port, pid: io.pid, version }
    await readyFile.write(ready)
    io.stdout.write(`gateway-sim records ${upstream.href.replace(/\/$/, '')} at ${proxy.url}\n`)
    await stopped
  } finally {
    await proxy.close()
    await readyFile.remove()
  }
  const files = proxy.files()
  const shown = files.map((name) => join(flags.out, name)).join(', ')
  write(files.length === 0 ? 'gateway-sim: nothing was recorded' : `gateway-sim: recorded ${shown}`)
  const deviations = await check?.finish(files.map((name) => join(folder, name)))
  return deviations === undefined || deviations === 0 ? exitCodes.ok : exitCodes.failed
}

function upstreamOf(written: string): URL {
  const refuse = (why: string): never => {
    throw usageError(`--upstream: expected a URL as https://gw.example, ${why}`)
  }
  if (!/^https?:\/\//i.test(written) || !URL.canParse(written))
    return refuse(`got ${JSON.stringify(written)}`)
  const url = new URL(written)
  if (url.username !== '' || url.password !== '')
    return refuse('got one with a password: let the client send it as a header')
  if (url.search !== '' || url.hash !== '') return refuse('got one with a query: leave it out')
  return url
}

function checkRedact(words: readonly string[]): readonly string[] {
  for (const word of words)
    if (word.replace(/^value:/, '').length < 2)
      throw usageError(
        `--redact: expected a name or a value of at least two characters, got ${JSON.stringify(word)}`,
      )
  return words
}

async function makeFolder(folder: string, shown: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    const there = await stat(folder).catch(() => undefined)
    const reason = there === undefined ? (error as Error).message : 'it is a file'
    throw usageError(`--out: ${shown} cannot be used as a folder (${reason})`)
  }
}

function lineOf({ method, path, status, ms, bytes, ended, error, file }: ProxyLogLine, paint: Paint): string {
  const style = status === undefined || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  const words = [
    paint(style, status === undefined ? '---' : String(status)),
    method,
    asciiOnly(path),
    `${Math.round(ms)} ms`,
    `${bytes} bytes`,
    paint('dim', `→ ${file}.har`),
  ]
  if (ended !== 'complete')
    words.push(paint('yellow', `(${asciiOnly(error ?? `broken off by the ${ended}`)})`))
  return words.join(' ')
}

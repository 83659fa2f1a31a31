/** Runs `gateway-sim record`. */
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ProxyLogLine, startRecordingProxy } from '../../recording/proxy/proxy.ts'
import type { Paint } from '../../text/paint.ts'
import { asciiOnly } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import { type ExitCode, exitCodes, type Io, type Output, usageError } from '../command.ts'
import type { RecordArgs } from '../flags.ts'
import { painterFor } from '../painter.ts'
import { checkPort, describeListenError, prepareReadyFile } from '../serve/listening.ts'

export async function recordUntilStopped(flags: RecordArgs, io: Io): Promise<ExitCode> {
  const upstream = upstreamOf(flags.baseUrl)
  const port = checkPort(flags.port)
  const redact = checkRedact(flags.redact)
  const stopped = io.whenStopped()
  const folder = resolve(io.cwd, flags.output)
  await makeFolder(folder, flags.output)
  const readyFile = await prepareReadyFile(flags.readyFile, io)
  const paint = painterFor(io.stderr, io.env)
  const isJson = flags.format === 'json'
  const tell = (output: Output, event: string, fields: object, text: string): unknown =>
    output.write(isJson ? `${JSON.stringify({ event, ...fields })}\n` : `${text}\n`)
  const log = (event: string, fields: object, text: string): unknown => tell(io.stderr, event, fields, text)
  // It loads every operation's schemas.
  const check = flags.check ? (await import('./live-check.ts')).createLiveCheck(log, paint) : undefined
  const proxy = await startRecordingProxy({
    upstream,
    folder,
    host: flags.host,
    port,
    redact,
    warn: (message) => log('warning', { message }, `gateway-sim: ${paint('yellow', 'warning:')} ${message}`),
    log: flags.quiet ? undefined : (line) => log('call', line, lineOf(line, paint)),
    onExchange: check?.onExchange,
  }).catch(async (error: unknown) => {
    await readyFile.putBack()
    throw describeListenError(error, { port, host: flags.host, handlers: undefined })
  })
  try {
    const ready = { url: proxy.url, port: proxy.port, pid: io.pid, version }
    await readyFile.write(ready)
    const recorded = upstream.href.replace(/\/$/, '')
    tell(io.stdout, 'ready', { ...ready, recorded }, `gateway-sim records ${recorded} at ${proxy.url}`)
    await stopped
  } finally {
    await proxy.close()
    await readyFile.remove()
  }
  const files = proxy.files()
  const shown = files.map((name) => join(flags.output, name))
  const what = shown.length === 0 ? 'nothing was recorded' : `recorded ${shown.join(', ')}`
  log('recorded', { files: shown }, `gateway-sim: ${what}`)
  const violations = await check?.finish(files.map((name) => join(folder, name)))
  return violations === undefined || violations === 0 ? exitCodes.ok : exitCodes.failed
}

function upstreamOf(written: string): URL {
  const reject = (why: string): never => {
    throw usageError(`--base-url: expected a URL such as https://gw.example, ${why}`)
  }
  if (!/^https?:\/\//i.test(written) || !URL.canParse(written))
    return reject(`got ${JSON.stringify(written)}`)
  const url = new URL(written)
  if (url.username !== '' || url.password !== '')
    return reject('got a URL with a password: let the client send the password in a header')
  if (url.search !== '' || url.hash !== '') return reject('got a URL with a query: remove the query')
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
    throw usageError(`--output: ${shown} cannot be used as a folder (${reason})`)
  }
}

function lineOf({ method, path, status, ms, bytes, ended, error, file }: ProxyLogLine, paint: Paint): string {
  const answered = status !== undefined && status >= 400 ? 'yellow' : 'green'
  const style = status === undefined || status >= 500 ? 'red' : answered
  const words = [
    paint(style, status === undefined ? '---' : String(status)),
    method,
    asciiOnly(path),
    `${Math.round(ms)} ms`,
    `${bytes} bytes`,
    paint('dim', `→ ${file}.har`),
  ]
  if (ended !== 'completed') words.push(paint('yellow', `(${asciiOnly(error ?? ended)})`))
  return words.join(' ')
}

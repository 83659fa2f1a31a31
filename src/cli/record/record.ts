/** `gateway-sim record`. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ProxyLogLine, startRecordingProxy } from '../../recording/proxy/proxy.ts'
import type { Paint } from '../../text/paint.ts'
import { asciiOnly } from '../../text/printable.ts'
import { version } from '../../text/version.ts'
import { eventWriter } from '../call-log.ts'
import { defineCommand, exitCodes, usageError } from '../command.ts'
import { baseUrl, host, list, logFormat, port, portOf, text, toggle } from '../flags.ts'
import { cannotWrite } from '../output-files.ts'
import { painterFor } from '../painter.ts'
import { listenError } from '../serve/start-server.ts'

export const command = defineCommand({
  examples: [
    ['gateway-sim record --base-url https://gw.example --output recordings', 'Record on a free port'],
    [
      'gateway-sim record --base-url https://gw.example --output rec --redact x-team',
      'Also redact a header of your own',
    ],
  ],
  flags: {
    'base-url': { ...baseUrl('the gateway to record'), demandOption: true },
    output: { ...text('Folder for the HAR files; existing files are kept'), demandOption: true },
    port: port(0),
    host,
    redact: list(
      'Name of a header, query parameter or JSON field to redact, or value:STRING for a string; repeatable',
    ),
    format: logFormat,
    quiet: toggle('Suppress the request log, but not warnings'),
  },
  async handler(args, io) {
    const upstream = upstreamOf(args.baseUrl)
    const port = portOf(args.port)
    checkRedact(args.redact)
    const stopped = io.whenStopped()
    const folder = resolve(io.cwd, args.output)
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw cannotWrite('--output', args.output, error)
    })
    const paint = painterFor(io.stderr, io.env)
    const log = eventWriter(io.stderr, args.format)
    const proxy = await startRecordingProxy({
      upstream,
      folder,
      host: args.host,
      port,
      redact: args.redact,
      warn: (message) =>
        log('warning', { message }, `gateway-sim: ${paint('yellow', 'warning:')} ${message}`),
      log: args.quiet ? undefined : (line) => log('call', line, lineOf(line, paint)),
    }).catch((error: unknown) => {
      throw listenError(error, { port, host: args.host })
    })
    try {
      const ready = { url: proxy.url, port: proxy.port, pid: io.pid, version }
      const recorded = upstream.href.replace(/\/$/, '')
      const text = `gateway-sim records ${recorded} at ${proxy.url}`
      eventWriter(io.stdout, args.format)('ready', { ...ready, recorded }, text)
      await stopped
    } finally {
      await proxy.close()
    }
    const shown = proxy.files().map((name) => join(args.output, name))
    const what = shown.length === 0 ? 'nothing was recorded' : `recorded ${shown.join(', ')}`
    log('recorded', { files: shown }, `gateway-sim: ${what}`)
    return exitCodes.ok
  },
})

function upstreamOf(written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol)
  if (!isAddress || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw usageError(
      '--base-url: expected a URL such as https://gw.example, without a password or a query, got ' +
        JSON.stringify(written),
    )
  return url
}

function checkRedact(words: readonly string[]): void {
  const short = words.find((word) => word.replace(/^value:/, '').length < 2)
  if (short !== undefined)
    throw usageError(
      `--redact: expected a name or a value of at least two characters, got ${JSON.stringify(short)}`,
    )
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

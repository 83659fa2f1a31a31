/** Passes a reply to the client while it comes, and records it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CallRecord } from './call-record.ts'
import { decodePieces } from './decode-body.ts'
import { inPairs, passedOn } from './headers.ts'
import { createLinkHold, type LinkHold, maxHeldBytes } from './hold-links.ts'
import type { Links, Target } from './links.ts'

/** How links in the reply are turned to the proxy. */
export interface ReplyLinks {
  readonly links: Links
  /** The proxy as the client calls it: `http://127.0.0.1:4011`. */
  readonly base: string
  readonly target: Target
}

interface Passing {
  readonly request: IncomingMessage
  readonly record: CallRecord
  readonly turning: ReplyLinks
}

export function passReply(reply: IncomingMessage, response: ServerResponse, passing: Passing): void {
  const { record } = passing
  record.begin(reply.statusCode ?? 0, reply.statusMessage ?? '', reply.rawHeaders)
  const hold = holdFor(reply, passing)
  const isPlain = reply.headers['content-encoding'] === undefined
  const writeHead = (changes: Changes = {}): void => sendHead(reply, response, passing, changes)
  const write = (bytes: Uint8Array): void => {
    if (!response.headersSent) writeHead()
    if (bytes.length === 0 || response.write(bytes)) return
    reply.pause()
    response.once('drain', () => reply.resume())
  }
  if (hold === undefined || passesAtOnce(reply)) writeHead()
  reply.on('data', (bytes: Buffer) => {
    record.told.add(bytes, record.since())
    const out = hold === undefined ? bytes : hold.push(bytes)
    if (out !== undefined) write(out)
  })
  reply.on('end', () => {
    if (!reply.complete) return
    record.end('complete')
    const finish = (rest: Uint8Array, changes: Changes): void => {
      if (response.destroyed) return
      if (!response.headersSent) writeHead({ ...changes, 'content-length': String(rest.length) })
      const trailers = inPairs(reply.rawTrailers)
      if (trailers.length > 0) response.addTrailers(trailers)
      response.end(rest)
    }
    if (hold === undefined) finish(new Uint8Array(), {})
    else if (isPlain) finish(hold.end(), {})
    else void decodedEnd(hold.giveUp(), reply, passing).then(([rest, changes]) => finish(rest, changes))
  })
  const broken = (): void => {
    if (reply.complete) return
    record.end('gateway', 'the gateway broke off')
    // What has come goes out before the end that is none.
    if (hold !== undefined && !response.destroyed) write(hold.giveUp())
    if (response.socket === null) response.destroy()
    else response.socket.destroySoon()
  }
  reply.on('error', broken)
  reply.on('close', broken)
}

type Changes = Readonly<Record<string, string | undefined>>

function sendHead(
  reply: IncomingMessage,
  response: ServerResponse,
  { request, record, turning: { links, base, target } }: Passing,
  changes: Changes,
): void {
  const { location } = reply.headers
  const all = {
    ...changes,
    ...(location === undefined
      ? {}
      : { location: links.rewriteLocation(location, base, target, record.owner) }),
    // Such a client knows no chunks.
    ...(request.httpVersion === '1.0' ? { 'transfer-encoding': undefined } : {}),
  }
  response.sendDate = false
  try {
    response.writeHead(reply.statusCode ?? 502, reply.statusMessage, passedOn(reply.rawHeaders, all))
    // Of a stream the client sees the status before the first event.
    response.flushHeaders()
  } catch (error) {
    // A header that node reads but does not write.
    record.end('gateway', (error as Error).message)
    response.destroy()
  }
}

/** JSON may have links; whoever followed one already is where it leads. */
function holdFor(
  reply: IncomingMessage,
  { request, record, turning: { links, base, target } }: Passing,
): LinkHold | undefined {
  const { 'content-type': type = '', 'content-length': length } = reply.headers
  const status = reply.statusCode ?? 0
  if (target.followed !== undefined || request.method === 'HEAD' || status < 200 || status > 299)
    return undefined
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type) || Number(length ?? 0) > maxHeldBytes)
    return undefined
  return createLinkHold(links, base, record.owner, passesAtOnce(reply))
}

/** Whether the head can be sent before it is known what the body becomes. */
function passesAtOnce({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['content-encoding'] === undefined
}

/** The rest of a compressed reply: as it came, or with links turned and no longer compressed. */
async function decodedEnd(
  body: Uint8Array,
  reply: IncomingMessage,
  { record, turning: { links, base } }: Passing,
): Promise<readonly [Uint8Array, Changes]> {
  const coding = reply.headers['content-encoding']
  const pieces = await decodePieces([{ at: 0, bytes: body }], coding, maxHeldBytes)
  const text = Buffer.concat((pieces ?? []).map(({ bytes }) => bytes)).toString('latin1')
  const turned = links.rewriteReply(text, base, record.owner)
  return turned === undefined
    ? [body, {}]
    : [Buffer.from(turned, 'latin1'), { 'content-encoding': undefined }]
}

/**
 * Load over loopback from raw sockets: requests are built in advance and responses barely parsed, to make the
 * server the bottleneck.
 */
import { connect } from 'node:net'

/**
 * Sends `requests` (a list in turn, or what makes the nth) in a closed loop over `connections` sockets until
 * `calls` are sent or `seconds` are over; resolves to the responses per second. `inTurn`: a connection sends
 * when the one before it has its response, so the server never has two requests. Only `rejections` allows
 * responses that are no success.
 */
export async function load({
  port,
  requests,
  connections = 32,
  calls = Number.POSITIVE_INFINITY,
  seconds = Number.POSITIVE_INFINITY,
  rejections,
  inTurn,
}) {
  const requestAt = typeof requests === 'function' ? requests : (at) => requests[at % requests.length]
  const over = () => next >= calls || performance.now() >= end
  let next = 0
  let responses = 0
  let bytes = 0
  let counting = true
  const turns = []
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    Array.from(
      { length: connections },
      (_, own) =>
        new Promise((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1', noDelay: true })
          let pending = Buffer.alloc(0)
          const send = () => socket.write(requestAt(next++))
          const stop = () => {
            socket.destroy()
            resolve()
          }
          turns[own] = { send, stop }
          socket.on('connect', () => {
            if (!inTurn || own === connections - 1) send()
          })
          socket.on('error', reject)
          socket.on('end', () => reject(new Error('the server closed a connection')))
          socket.on('data', (chunk) => {
            pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
            const size = responseSize(pending)
            if (size === undefined || pending.length < size) return
            if (rejections !== true && pending.subarray(0, 10).toString('latin1') !== 'HTTP/1.1 2')
              return reject(new Error(`no success: ${pending.toString('utf8').slice(0, 400)}`))
            bytes += size
            pending = pending.subarray(size)
            responses++
            if (over()) {
              counting = false
              for (const turn of inTurn ? turns : [turns[own]]) turn.stop()
              return
            }
            turns[inTurn ? (own + 1) % connections : own].send()
          })
        }),
    ),
  )
  if (counting) throw new Error('the load never ended')
  return { perSecond: responses / ((performance.now() - started) / 1000), responses, bytes }
}

/**
 * The size of the first response in a buffer, by its content-length or its last chunk; undefined while it is
 * incomplete.
 */
function responseSize(buffer) {
  const head = buffer.indexOf('\r\n\r\n')
  if (head < 0) return undefined
  const text = buffer.toString('latin1', 0, head).toLowerCase()
  const at = text.indexOf('content-length: ')
  if (at >= 0) return head + 4 + Number.parseInt(text.slice(at + 16), 10)
  if (!text.includes('transfer-encoding: chunked'))
    throw new Error(`a response without content-length: ${text}`)
  // Checks only the end: nothing follows a response here.
  return buffer.toString('latin1', buffer.length - 5) === '0\r\n\r\n' ? buffer.length : undefined
}

/** The bytes of a POST with a JSON body. */
export function postBytes(path, body) {
  return requestBytes({
    method: 'POST',
    path,
    headers: { authorization: 'Bearer sk-bench' },
    body: JSON.stringify(body),
  })
}

/** The bytes of a request; `type` is the content type. Default: JSON. */
export function requestBytes({ method, path, headers, body, type = 'application/json' }) {
  const given = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const head = [
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`,
    `${given}user-agent: bench\r\naccept: application/json\r\n`,
  ].join('')
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  const bytes = Buffer.from(body)
  return Buffer.concat([
    Buffer.from(`${head}content-type: ${type}\r\ncontent-length: ${bytes.length}\r\n\r\n`),
    bytes,
  ])
}

/** The proxy's own replies, in the gateway's envelope: where there is no gateway to answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, envelope, type RefusalType } from '../../protocol/errors.ts'

/** 502: the gateway cannot be reached. */
export function unreachableReply(
  response: ServerResponse,
  request: IncomingMessage,
  origin: string,
  reason: string,
): void {
  refuse(
    response,
    request,
    'upstream_response_error',
    `gateway-sim record cannot reach ${origin}: ${reason}. Check --upstream and the network.`,
  )
}

/** 403: an address that the proxy does not call. */
export function forbiddenReply(response: ServerResponse, request: IncomingMessage, reason: string): void {
  refuse(response, request, 'permission_error', `gateway-sim record does not follow this address: ${reason}.`)
}

function refuse(
  response: ServerResponse,
  request: IncomingMessage,
  type: RefusalType,
  message: string,
): void {
  const error = new ApiError(type, message)
  const body = Buffer.from(JSON.stringify(envelope(error, 'gateway-sim-record')))
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'content-length': body.length,
    // What is left of the request is not read.
    connection: 'close',
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

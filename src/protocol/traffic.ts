/** The load of a server: the size of unread responses. */
import { ApiError } from './errors.ts'

/** Bytes in transit through a server, counted by integrations with sockets, else zero. */
export interface Traffic {
  /** Unread bytes of large responses and open streams. */
  unread: number
  /** Estimated bytes of media that are being rendered for JSON responses. */
  rendering: number
  /** Bytes of large request bodies of pending calls. */
  arriving: number
  limits: TrafficLimits
}

/** Bounds on data in transit: to clients that do not read, and from clients that send. */
export interface TrafficLimits {
  /** The approximate maximum size of a chat response. */
  readonly responseBytes: number
  /** The maximum number of unread bytes in open streams and large responses, across all clients. */
  readonly unreadBytes: number
  /** How long a client may leave data unread, in real milliseconds; then its connection is reset. */
  readonly unreadFor: number
  /** The maximum total size of the request bodies over 1 MiB that are in flight. */
  readonly arrivingBytes: number
}

const mebibyte = 1024 * 1024

export const trafficLimits: TrafficLimits = {
  responseBytes: 16 * mebibyte,
  unreadBytes: 256 * mebibyte,
  unreadFor: 30_000,
  arrivingBytes: 512 * mebibyte,
}

/** Responses up to this size in bytes are always sent, whatever the load. */
export const smallResponse = 64 * 1024

/** The parameters that make a response large. */
export interface SizeCause {
  readonly param: string
  /** As `128 choices`. */
  readonly made: string
  /** What to ask for instead, as `fewer choices (n)`. */
  readonly instead: string
}

/**
 * Throws before a chat response is generated: a 400 if it exceeds the maximum, a 503 if it is large and too
 * many bytes of earlier responses are unread.
 */
export function checkResponseSize(
  bytes: number,
  { param, made, instead }: SizeCause,
  { traffic }: { readonly traffic: Readonly<Traffic> },
): void {
  const { responseBytes, unreadBytes } = traffic.limits
  if (bytes > responseBytes)
    throw new ApiError(
      'invalid_request_error',
      `\`${param}\`: expected a response of at most ${responseBytes} bytes, got about ${bytes} for ` +
        `${made}: request ${instead}.`,
      { param },
    )
  if (bytes > smallResponse && traffic.unread >= unreadBytes)
    throw new ApiError(
      'overloaded_error',
      `A response of about ${bytes} bytes was rejected: clients have ${traffic.unread} unread bytes, of at ` +
        `most ${unreadBytes}. Read or close the open responses, then try again.`,
      { retryAfterMs: 1000 },
    )
}

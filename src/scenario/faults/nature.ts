/**
 * How a well-behaved client handles a failure.
 *
 * - `harmless`: it succeeds; the response is still valid HTTP or valid server-sent events.
 * - `tolerable`: it may succeed or give up, because the response is doubtful but complete.
 * - `temporary`: it may try again, or give up.
 * - `final`: it gives up; trying again does not help.
 * - `damaged`: what arrived must not count as a result.
 */
export type Nature = 'harmless' | 'tolerable' | 'temporary' | 'final' | 'damaged'

/** An invalid HAR file: the message has the place and the remedy. The reader loads later. */
export class HarError extends Error {
  override readonly name = 'HarError'
}

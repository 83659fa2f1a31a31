/** An invalid HAR file. The message has the place and the remedy. Apart from the reader, which loads later. */
export class HarError extends Error {
  override readonly name = 'HarError'
}

/**
 * Lets the replies of one turn of node's event loop go out together, once all requests of that turn have been
 * read. A client that waits for a reply is woken by the first of them; woken by each, it costs the server a
 * third of its time.
 */

/**
 * Runs a write at the end of this turn, in the order in which they were asked for; `failed` hears when it
 * throws.
 */
export type AtTurnsEnd = (write: () => void, failed: (error: unknown) => void) => void

interface Turn {
  readonly write: () => void
  readonly failed: (error: unknown) => void
}

/** A queue for one server. */
export function createBatchWrites(): AtTurnsEnd {
  let queue: Turn[] = []
  const flush = (): void => {
    const ready = queue
    queue = []
    // One that fails must not keep the others from going out.
    for (const { write, failed } of ready) {
      try {
        write()
      } catch (error) {
        failed(error)
      }
    }
  }
  return (write, failed) => {
    if (queue.push({ write, failed }) === 1) setImmediate(flush)
  }
}

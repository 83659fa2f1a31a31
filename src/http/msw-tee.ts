/**
 * Keeps a client that cancels a response under msw from hanging. msw tees every response for its listeners,
 * and a native tee couples the copies: cancelling one waits for the other, which nobody reads
 * (mswjs/interceptors issue 712). An SDK that abandons a stream, or discards an error before its retry, would
 * wait forever.
 */

/**
 * The same response with a `tee` whose copies are cancelled independently. The first copy is the client's:
 * cancelling it cancels the source.
 */
export function withUntiedCopies(response: Response): Response {
  const { body } = response
  if (body !== null) Object.defineProperty(body, 'tee', { value: () => untiedCopies(body) })
  return response
}

type Chunks = ReadableStream<Uint8Array>

function untiedCopies(source: Chunks): [Chunks, Chunks] {
  const reader = source.getReader()
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
  let turn: Promise<void> | undefined

  const close = (): void => {
    for (const controller of open) controller.close()
    open.clear()
  }
  // Whichever copy asks first reads for both.
  const read = (): Promise<void> =>
    (turn ??= reader.read().then(
      ({ done, value }) => {
        turn = undefined
        if (done) return close()
        for (const controller of open) controller.enqueue(value)
      },
      (error: unknown) => {
        for (const controller of open) controller.error(error)
        open.clear()
      },
    ))
  const copy = (
    left: (own: ReadableStreamDefaultController<Uint8Array>, reason: unknown) => void,
  ): Chunks => {
    let own: ReadableStreamDefaultController<Uint8Array>
    return new ReadableStream<Uint8Array>(
      {
        start(controller) {
          own = controller
          open.add(controller)
        },
        pull: read,
        cancel: (reason) => left(own, reason),
      },
      // Nothing is read before somebody asks: an error must not overtake what was said before it.
      { highWaterMark: 0 },
    )
  }

  const forClient = copy((own, reason) => {
    open.delete(own)
    close()
    // The source may have broken on its own account; then there is nothing left to stop.
    reader.cancel(reason).catch(() => {})
  })
  const forListeners = copy((own) => void open.delete(own))
  return [forClient, forListeners]
}

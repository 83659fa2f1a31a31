/**
 * What keeps in touch with the event loop without timers, which tests replace by ones that stand still
 * (`vi.useFakeTimers()`).
 */

/** Resolves when everything that was ready has had its turn: promises, and what sockets have received. */
export async function turn(): Promise<void> {
  // The first wakes up among the sockets of this turn, the second behind them.
  await message()
  await message()
}

/**
 * Keeps node running until the function that it returns is called. The timer of `AbortSignal.timeout` does
 * not, so without this a program that waits for it would end too early.
 */
export function stayAwake(): () => void {
  const ports = openPorts()
  if (ports === undefined) return ignore
  const [port] = ports
  // A port that listens holds the event loop.
  port.onmessage = ignore
  return () => port.close()
}

function message(): Promise<void> {
  const ports = openPorts()
  if (ports === undefined) return new Promise((resolve) => void setTimeout(resolve, 0))
  const [port, other] = ports
  return new Promise((resolve) => {
    port.onmessage = () => {
      port.close()
      resolve()
    }
    other.postMessage(undefined)
  })
}

/** A `MessagePort` as node and browsers have it. */
interface Port {
  onmessage: (() => void) | null
  postMessage(value: unknown): void
  close(): void
}

/** Two ports that hear each other; undefined under jsdom, which has none. */
function openPorts(): readonly [Port, Port] | undefined {
  if (typeof MessageChannel === 'undefined') return undefined
  const { port1, port2 } = new MessageChannel()
  return [port1, port2] as unknown as readonly [Port, Port]
}

function ignore(): void {}

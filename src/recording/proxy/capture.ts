/** Keeps the bytes of bodies while they pass, within bounds. */
import type { CapturedBody } from './redact-call.ts'

export interface CaptureBounds {
  /** The largest body that is kept, as it passes and decoded. */
  readonly maxBodyBytes: number
  /** All bodies together that are kept at a time. */
  readonly maxAllBytes: number
}

export interface Capture {
  add(bytes: Uint8Array, at: number): void
  take(): CapturedBody
  /** Gives back what it has of the common bound. */
  release(): void
}

/** Makes captures that share the bound on all. */
export function createCaptures({ maxBodyBytes, maxAllBytes }: CaptureBounds): () => Capture {
  let all = 0
  return () => {
    let pieces: { at: number; bytes: Uint8Array }[] = []
    let size = 0
    let held = 0
    let lost = false
    const release = (): void => {
      all -= held
      held = 0
      pieces = []
    }
    return {
      add(bytes, at) {
        size += bytes.length
        if (!lost && (size > maxBodyBytes || all + bytes.length > maxAllBytes)) {
          lost = true
          release()
        }
        if (lost) return
        all += bytes.length
        held += bytes.length
        pieces.push({ at, bytes })
      },
      take: () => ({ pieces, size, lost }),
      release,
    }
  }
}

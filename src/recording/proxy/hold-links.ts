/**
 * Turns the links of a JSON reply to the proxy while it passes. What stands before the first link passes at
 * once if the reply's length need not be known before; the rest is held until its end.
 */
import type { Links, Owner } from './links.ts'

export interface LinkHold {
  /** The bytes that may go out now. */
  push(bytes: Uint8Array): Uint8Array | undefined
  /** What is still to be sent at the end of the whole reply; links are turned. */
  end(): Uint8Array
  /** What is still to be sent as it came: the reply was broken off. */
  giveUp(): Uint8Array
}

/** Larger replies pass as they are from there on. */
export const maxHeldBytes = 4 * 1024 * 1024

const mark = Buffer.from('"http')

/** `passes`: what stands before the first link goes out at once. */
export function createLinkHold(links: Links, base: string, owner: Owner, passes: boolean): LinkHold {
  let whole: Uint8Array[] = []
  let size = 0
  let sent = 0
  let found = !passes
  /** The last bytes, if a link may begin with them. */
  let held: Uint8Array = new Uint8Array()
  let givenUp = false
  const unsent = (): Uint8Array => {
    const rest = Buffer.concat(whole).subarray(sent)
    sent = size
    return rest
  }
  const giveUp = (): Uint8Array => {
    const rest = unsent()
    givenUp = true
    whole = []
    return rest
  }
  return {
    push(bytes) {
      if (givenUp) return bytes
      whole.push(bytes)
      size += bytes.length
      if (size > maxHeldBytes) return giveUp()
      if (found) return undefined
      // A link may begin in one piece and go on in the next.
      const recent = Buffer.concat([held, bytes])
      const at = recent.indexOf(mark)
      found = at >= 0
      const border = found ? at : recent.length - beginsAtEnd(recent)
      held = recent.subarray(border)
      sent += border
      return recent.subarray(0, border)
    },
    end() {
      if (givenUp) return new Uint8Array()
      const text = Buffer.concat(whole).toString('latin1')
      const turned = links.rewriteReply(text, base, owner)
      // All that was sent stands before the first link, and so is the same in both.
      return turned === undefined ? unsent() : Buffer.from(turned.slice(sent), 'latin1')
    },
    giveUp,
  }
}

/** How many bytes at the end may be the beginning of a link. */
function beginsAtEnd(bytes: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length
  return 0
}

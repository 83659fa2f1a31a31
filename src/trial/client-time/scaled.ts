/**
 * Time that runs several times as fast: libfaketime, loaded by the dynamic linker of Linux, changes clocks,
 * sleeps and time-outs of any dynamically linked program.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { ClientTime } from './client-time.ts'

export interface Scale {
  /** The path of libfaketime. */
  readonly library: string
  readonly speed: number
  /** How long the client works between its first request and its end, in milliseconds of real time. */
  readonly work: number
}

/** `patience`: how long the client may wait, in milliseconds of its time. */
export function scaledTime({ library, speed, work }: Scale, patience: number): ClientTime {
  const hang = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let firstRequestAt: number | undefined
  let isFast = false
  return {
    now() {
      const now = Date.now()
      // The client's work takes as long as ever; only its waits are shorter.
      const waited = firstRequestAt === undefined ? 0 : Math.max(0, now - firstRequestAt - work)
      return now + waited * (speed - 1)
    },
    async start({ server }, env) {
      const mark = `GATEWAY_SIM_RUN=${(server.address() as { readonly port: number }).port}`
      server.once('request', () => {
        isFast = takesLibrary(mark, library)
        firstRequestAt = Date.now()
        timer = setTimeout(() => hang.abort('patience'), patience / speed)
      })
      const [name, value] = mark.split('=') as [string, string]
      return {
        [name]: value,
        LD_PRELOAD: [library, env['LD_PRELOAD'] ?? ''].filter((path) => path !== '').join(':'),
        FAKETIME: `+0 x${speed}`,
      }
    },
    hang: hang.signal,
    isFast: () => isFast,
    close: () => clearTimeout(timer),
  }
}

/** Where Linux distributions and `make install` put it. */
const folders = [
  '/usr/lib/x86_64-linux-gnu/faketime',
  '/usr/lib/aarch64-linux-gnu/faketime',
  '/usr/lib64/faketime',
  '/usr/lib/faketime',
  '/usr/local/lib/faketime',
]

/** The path of libfaketime; undefined if it is not installed. */
export const findLibrary = (): string | undefined =>
  folders.map((folder) => `${folder}/libfaketimeMT.so.1`).find((path) => existsSync(path))

/** These take the time from the kernel, not from the C library. A program in Go has this note. */
const ownTime = ['bun', 'deno']
const goNote = 'Go\0\0'
/** The note is in the first bytes of a program. */
const headerSize = 8192

/** Whether all processes of the run have loaded the library, and use it. */
function takesLibrary(mark: string, library: string): boolean {
  const processes = readdirSync('/proc').filter(
    (id) => /^\d+$/.test(id) && read(`/proc/${id}/environ`).split('\0').includes(mark),
  )
  const takes = (id: string): boolean =>
    read(`/proc/${id}/maps`).includes(library) &&
    !ownTime.includes(read(`/proc/${id}/comm`).trim()) &&
    !read(`/proc/${id}/exe`).slice(0, headerSize).includes(goNote)
  return processes.length > 0 && processes.every(takes)
}

/** Empty if the process has ended, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

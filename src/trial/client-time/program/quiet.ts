/** When a program only waits: for timers and for the network. */
import type { NodeTimers } from './replace-timers.ts'
import type { ProgramTimers } from './timers.ts'

/** What keeps an event loop open while a program waits. Others, such as a read of a file, are work. */
const waiting: ReadonlySet<string> = new Set([
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeWrap',
  'TTYWrap',
  'Timeout',
  'MessagePort',
  'SignalWrap',
  'FSEventWrap',
])

/** How long threads are watched, in milliseconds, and how much CPU time this program may use meanwhile. */
const threadWindow = 10
const idleMicroseconds = 2000

/** The turns of the event loop without a change after which a program is quiet. */
const quietTurns = 4

type WhenQuiet = (done: (isQuiet: boolean) => void) => void

/** Calls back when the program was quiet for a while, or as soon as something happens. */
export function watchQuiet(
  node: NodeTimers,
  program: ProgramTimers,
): { readonly turns: WhenQuiet; readonly threads: WhenQuiet } {
  const onlyWaits = watchWork()
  const turns = (done: (isQuiet: boolean) => void, turn = 0, from = program.changes): void => {
    if (program.changes !== from || !onlyWaits()) return done(false)
    if (turn === quietTurns) return done(true)
    node.setImmediate(turns, done, turn + 1, from)
  }
  // The work of sockets after which threads were seen to rest.
  let settledWork = -1
  // Node.js does not show the threads that compress, encrypt or compile: they use the CPU.
  const threads = (done: (isQuiet: boolean) => void): void => {
    if (program.work === settledWork) return turns(done)
    const from = program.changes
    const before = process.cpuUsage()
    const finish = (): void => {
      const { user, system } = process.cpuUsage(before)
      const isQuiet = program.changes === from && onlyWaits() && user + system < idleMicroseconds
      if (isQuiet) settledWork = program.work
      done(isQuiet)
    }
    node.setTimeout(finish, threadWindow).unref()
  }
  return { turns: (done) => turns(done), threads }
}

/** Whether the program only waits. Its `fetch` compiles a parser in a thread that Node.js does not show. */
function watchWork(): () => boolean {
  let compiling = 0
  const watched = <Args extends unknown[], Result>(compile: (...args: Args) => Promise<Result>) =>
    async function (this: unknown, ...args: Args): Promise<Result> {
      compiling++
      try {
        return await compile.apply(this, args)
      } finally {
        compiling--
      }
    }
  WebAssembly.compile = watched(WebAssembly.compile)
  WebAssembly.instantiate = watched(WebAssembly.instantiate) as typeof WebAssembly.instantiate
  return () => compiling === 0 && process.getActiveResourcesInfo().every((kind) => waiting.has(kind))
}

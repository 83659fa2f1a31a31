/**
 * The command line as a process: the real streams, signals and exit. The only place of the CLI that knows
 * `process`.
 */
import type { Io } from './command.ts'
import { main } from './main.ts'

/** Runs the command line of this process and ends it with the command's exit code. */
export async function run(): Promise<void> {
  // A reader that has left (`gateway-sim routes | head -1`) is no failure of ours.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    async readStdin() {
      const pieces: Buffer[] = []
      for await (const piece of process.stdin) pieces.push(piece as Buffer)
      return Buffer.concat(pieces)
    },
    cwd: process.cwd(),
    env: process.env,
    pid: process.pid,
    whenStopped: () =>
      new Promise((resolve) => {
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
      }),
    onSignal(listener) {
      const atTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) {
        // Windows knows only some of them; a listener for another does nothing there.
        process.on(signal, () => {
          if (!(atTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT'))) listener(signal)
        })
      }
    },
    startProgram: async (words, env) =>
      (await import('./exec/start-program.ts')).startProgram(words, env, process.platform),
  }
  const code = await main(process.argv.slice(2), io)
  // What is written may still be on its way; whatever else is open (a user's own timers) must not hold the
  // process.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
}

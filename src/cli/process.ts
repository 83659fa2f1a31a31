/** The CLI as a process: the real streams, signals and exit. Only this file uses `process`. */
import type { Io } from './command.ts'
import { main } from './main.ts'

/** Runs the command line of this process and exits with the command's exit code. */
export async function run(): Promise<void> {
  // A closed pipe (`gateway-sim routes | head -1`) is not an error.
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
        // On Windows, listeners for signals that do not exist there do nothing.
        process.on(signal, () => {
          if (!(atTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT'))) listener(signal)
        })
      }
    },
    startProgram: async (argv, env) =>
      (await import('./exec/start-program.ts')).startProgram(argv, env, process.platform),
  }
  const code = await main(process.argv.slice(2), io)
  // Flush both streams first; other open handles (a user's timers) must not keep the process alive.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
}

/** The CLI as a process: the real streams, signals and exit. Only this file uses `process`. */
import { exitCodes, type Io } from './command.ts'
import { main } from './main.ts'

export async function run(): Promise<void> {
  let lost: NodeJS.ErrnoException | undefined
  // A closed pipe (`gateway-sim openapi | head -1`) is not an error. A full disk is. Neither ends a server.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || lost !== undefined) return
    lost = error
    process.stderr.write(`gateway-sim: cannot write to standard output (${error.message})\n`)
  })
  // Nothing is left to report to.
  process.stderr.on('error', () => {})
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    async readStdin() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
    rawStreams: () => ({ input: process.stdin, output: process.stdout }),
    cwd: process.cwd(),
    env: process.env,
    pid: process.pid,
    whenStopped: () =>
      new Promise((resolve) => {
        for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
      }),
    onSignal(listener, { detached } = { detached: false }) {
      const atTerminal =
        !detached && [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY)
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
  const exit = (): void => process.exit(code === exitCodes.ok && lost !== undefined ? exitCodes.failed : code)
  // Wait one turn: a failed write has emitted its error by then.
  process.stdout.write('', () => process.stderr.write('', () => setImmediate(exit)))
}

/** The CLI as a process: the real streams, signals and exit. Only this file uses `process`. */
import { exitCodes, type Io } from './command.ts'
import { main } from './main.ts'

export async function run(): Promise<void> {
  let lost: NodeJS.ErrnoException | undefined
  // A closed pipe (`gateway-sim routes | head -1`) is not an error. A full disk is, and no reason for a
  // server to end.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || lost !== undefined) return
    lost = error
    process.stderr.write(`gateway-sim: cannot write to standard output (${error.message})\n`)
  })
  // There is nowhere to say it.
  process.stderr.on('error', () => {})
  const io: Io = {
    stdout: process.stdout,
    stderr: process.stderr,
    async readStdin() {
      const chunks: Buffer[] = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
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
  const exit = (): void => process.exit(code === exitCodes.ok && lost !== undefined ? exitCodes.failed : code)
  // A turn later: by then a write that failed has said so.
  process.stdout.write('', () => process.stderr.write('', () => setImmediate(exit)))
}

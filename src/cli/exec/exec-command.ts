/** Runs `gateway-sim exec`. */
import type { SimulatorCore } from '../../core/simulator.ts'
import type { JournalEntry } from '../../exchange/exchange.ts'
import { docsPage } from '../../protocol/docs-page.ts'
import { didYouMean } from '../../protocol/nearest-word.ts'
import { renderers } from '../../report/renderers.ts'
import type { Paint } from '../../text/paint.ts'
import { counted } from '../../text/printable.ts'
import { createCallLog } from '../call-log.ts'
import {
  CommandError,
  type ExitCode,
  exitCodes,
  type Io,
  type ProgramEnd,
  type RunningProgram,
  type Signal,
  usageError,
} from '../command.ts'
import { type ExecArgs, type Failure, failures } from '../flags.ts'
import { prepareReports, type RequestFormat } from '../output-files.ts'
import { acceptedKey, type StartedServer, startServer } from '../serve/start-server.ts'
import { createRunReports, followRules, type RunReports } from './follow-sessions.ts'
import { jsonRun, outcomeOf, type RunResult, reportOf, resultOf, Tally } from './report.ts'

/** How long open calls may take to end after the command has exited, in real milliseconds. */
const gracePeriod = 250

export async function runCommand(flags: ExecArgs, io: Io): Promise<ExitCode> {
  const { command } = flags
  const failOn = parseFailOn(flags.failOn)
  const signals = forwardSignals(io)
  const log = createCallLog(io, flags.format)
  let result: RunResult
  const output = await prepareReports(flags.report, io, {
    stream: io.stderr,
    print: (_, paint) => printRun(result, flags, io, paint),
  })
  const tally = new Tally()
  let reports: RunReports | undefined
  const onCall = (entry: JournalEntry): void => {
    tally.record(entry)
    reports?.record(entry)
  }
  const server = await startServer(
    flags,
    {
      clock: 'auto',
      onWarning: log.warn,
      onCall,
      accessLog: flags.log ? log.call : undefined,
    },
    io,
  )

  try {
    reports = createRunReports(server.simulator.core)
    const rules = followRules(server.simulator.core)
    const end = await signals.endOf(
      io.startProgram(
        command,
        clientEnvironment(
          io.env,
          server.listening.url,
          acceptedKey(server.simulator),
          server.listening.controlToken,
        ),
      ),
    )
    await drainCalls(server)
    result = resultOf({
      command,
      end,
      commandCode: shellExitCode(end),
      tally,
      rules: rules(),
      clientReports: reports.reports(),
      failOn,
    })
  } finally {
    await server.listening.close()
    log.flush()
  }
  try {
    await output.write(reportOf(result), (format) =>
      requestsOf(format, result, { core: server.simulator.core, reports }),
    )
  } catch (error) {
    // The exit code of a failed command matters more than a report that cannot be written.
    if (!(error instanceof CommandError) || result.commandCode === 0) throw error
    io.stderr.write(`gateway-sim: ${error.message}\n`)
  }
  return result.exitCode
}

async function requestsOf(
  format: RequestFormat,
  result: RunResult,
  { core, reports }: { readonly core: SimulatorCore; readonly reports: RunReports },
): Promise<string> {
  const { traceReport } = await import('../trace-report.ts')
  const gone = reports.discarded()
  return traceReport(format, [{ sessions: reports.followed(), parts: core }], {
    savedAt: core.wall(),
    title: `${result.command.join(' ')}: ${outcomeOf(result)}`,
    missing: gone === 0 ? [] : [`${counted(gone, 'session')} that ended during the run are not included.`],
  })
}

/** The output without `--report FORMAT`. */
function printRun(result: RunResult, { format, quiet }: ExecArgs, { stderr, env }: Io, paint: Paint): void {
  const { command, end, exitCode } = result
  if (end.kind === 'not started') {
    const reason =
      end.reason === 'ENOENT' ? 'command not found' : `the command cannot be executed (${end.reason})`
    stderr.write(`gateway-sim: ${command[0]}: ${reason}\n`)
    return
  }
  const hasFailedCheck = result.checks.some(({ fails }) => fails)
  if (quiet && exitCode === 0) return
  if (format === 'json') {
    if (!quiet || hasFailedCheck) stderr.write(`${JSON.stringify({ event: 'report', ...jsonRun(result) })}\n`)
    return
  }
  const report = reportOf(result, quiet)
  stderr.write(renderers.text(report, paint))
  // Only here: other reports are read where the package is not installed.
  const client = result.checks.find(({ name }) => name === 'client-report')
  if (client !== undefined && client.items.length > 0 && (client.fails || !quiet))
    stderr.write(`For each finding, see ${docsPage('findings')}\n`)
  if (env['GITHUB_ACTIONS'] === 'true') stderr.write(renderers.github(report))
}

function shellExitCode(end: ProgramEnd): number {
  if (end.kind === 'exited') return end.code
  if (end.kind === 'killed') return 128 + end.number
  return end.reason === 'ENOENT' ? exitCodes.notFound : exitCodes.cannotRun
}

/** Forwards signals to the program, including those that arrive before it has started. */
function forwardSignals(io: Io): { endOf(started: Promise<RunningProgram>): Promise<ProgramEnd> } {
  let program: RunningProgram | undefined
  const early: Signal[] = []
  io.onSignal((signal) => {
    if (program === undefined) early.push(signal)
    else program.send(signal)
  })
  return {
    async endOf(started) {
      program = await started
      for (const signal of early) program.send(signal)
      return program.ended
    },
  }
}

/** Resolves when all connections are closed, or after the grace period. */
export async function drainCalls({ listening: { server } }: StartedServer): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  await Promise.race([
    new Promise((resolve) => server.close(resolve)),
    new Promise((resolve) => (timer = setTimeout(resolve, gracePeriod))),
  ])
  clearTimeout(timer)
}

function parseFailOn(flags: readonly string[]): ReadonlySet<Failure> {
  const known = Object.keys(failures)
  const words = flags.flatMap((flag) => flag.split(',').map((word) => word.trim()))
  const unknown = words.find((word) => !known.includes(word))
  if (unknown === undefined) return new Set(words as Failure[])
  const hint = didYouMean(unknown, known, '', '; ')
  throw usageError(`--fail-on: expected ${known.join(', ')}, got ${JSON.stringify(unknown)}${hint}`)
}

type Environment = Io['env']

/** Other variables with keys of these services: replaced if set, so that no real key leaves the machine. */
const otherKeys = ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_ADMIN_KEY'] as const

/** Removed: they would send a client elsewhere (Vertex AI) or give it other credentials. */
const removedVariables = [
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_GENAI_USE_ENTERPRISE',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_PROFILE',
  'ANTHROPIC_IDENTITY_TOKEN',
  'ANTHROPIC_IDENTITY_TOKEN_FILE',
] as const

/** The variables that are set. `url` has no trailing slash. */
export function clientVariables(url: string, key: string): Readonly<Record<string, string>> {
  return {
    GATEWAY_SIM_URL: url,
    GATEWAY_SIM_API_KEY: key,
    // openai, @ai-sdk/openai, @langchain/openai. Older clients read only the second; LangChain prefers it.
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_BASE: `${url}/v1`,
    OPENAI_API_KEY: key,
    // @anthropic-ai/sdk and @langchain/anthropic (which prefers the second). Both append /v1.
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_URL: url,
    ANTHROPIC_API_KEY: key,
    // @google/genai warns if GOOGLE_API_KEY is set as well.
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    TYPESAFE_BASE_URL: url,
    TYPESAFE_API_KEY: key,
  }
}

export function clientEnvironment(env: Environment, url: string, key: string, token?: string): Environment {
  const result: Record<string, string | undefined> = {
    ...env,
    ...clientVariables(url, key),
    GATEWAY_SIM_CONTROL_TOKEN: token,
  }
  for (const name of otherKeys) if (env[name] !== undefined) result[name] = key
  for (const name of removedVariables) delete result[name]
  const { hostname } = new URL(url)
  for (const name of ['NO_PROXY', 'no_proxy']) result[name] = addHost(env[name], hostname)
  return result
}

// A corporate proxy cannot reach this machine's loopback interface.
function addHost(list: string | undefined, hostname: string): string {
  const hosts = (list ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '')
  return [...new Set([...hosts, hostname])].join(',')
}

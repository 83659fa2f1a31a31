/** The simulator that the MCP tools control: a running one, or one started in this process. */
import { ControlError, type SimulatorClient } from '../../client.ts'
import { CommandError, exitCodes, type Io } from '../command.ts'
import {
  type ClientArgs,
  clientOf,
  controlOf,
  hasSession,
  requireSession,
  resultOf,
  type Target,
  targetOf,
} from '../running/simulator.ts'
import { acceptedKey, type ServerArgs, type StartedServer, startServer } from '../serve/start-server.ts'

export interface StartRequest {
  readonly port: number
  readonly clock: string
  readonly strict: boolean
  readonly scenarios: readonly string[]
  readonly config: string | undefined
}

const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

export class Attachment {
  readonly io: Io
  readonly #args: ClientArgs
  #target: Target
  #session: string | undefined
  #server: StartedServer | undefined

  /** Throws `CommandError` for invalid flags. */
  constructor(args: ClientArgs, io: Io) {
    this.io = io
    this.#args = args
    this.#session = args.session
    this.#target = targetOf(args, io.env)
  }

  get client(): SimulatorClient {
    return clientOf(this.#target, this.#session)
  }

  /** The result of a request to the simulator. Throws `CommandError` if it fails. */
  async ask<T>(request: (client: SimulatorClient, target: Target) => Promise<T>): Promise<T> {
    const { client } = this
    await requireSession(client, this.#target).catch(withTool)
    return resultOf(request(client, this.#target), this.#target).catch(withTool)
  }

  /** The result of a control. Throws `CommandError` if it fails. */
  call(table: object, place: readonly string[], given: readonly unknown[]): Promise<unknown> {
    return this.ask((client, target) => controlOf(client, target, table, place)(...given))
  }

  /**
   * Connects to a running simulator, and creates the session if there is none with this name. If there is no
   * simulator, throws `CommandError` and keeps the current one.
   */
  async attach(
    url: string | undefined,
    session: string | undefined,
  ): Promise<{ readonly client: SimulatorClient; readonly isCreated: boolean }> {
    const target = url === undefined ? this.#target : this.#targetAt(url)
    const isStartedHere = target.url === this.#server?.listening.url
    const client = clientOf(isStartedHere ? this.#target : target, session)
    await resultOf(client.ready(), target).catch(withTool)
    const isCreated = !(await hasSession(client, target).catch(withTool))
    if (isCreated) await resultOf(client.createSession({ name: client.name }), target).catch(withTool)
    if (url !== undefined && !isStartedHere) await this.close()
    // The target of a simulator that was started here has its token.
    if (!isStartedHere) this.#target = target
    this.#session = session
    return { client, isCreated }
  }

  /** Only the configured server and servers on this machine get the control token. */
  #targetAt(url: string): Target {
    const { env } = this.io
    const target = targetOf({ ...this.#args, baseUrl: url }, env)
    const { origin, hostname } = new URL(target.url)
    const isTrusted = origin === new URL(targetOf(this.#args, env).url).origin || isLocal.test(hostname)
    return isTrusted ? target : { ...target, token: undefined }
  }

  /** Starts a simulator in this process, which replaces the one that was started before. */
  async start(request: StartRequest): Promise<{ readonly client: SimulatorClient; readonly key: string }> {
    // With a free port, both can run: if the new one cannot start, the current one stays.
    if (request.port !== 0) await this.close()
    const { stderr } = this.io
    const server = await startServer(
      serverArgs(request),
      { clock: 'auto', onWarning: (message) => stderr.write(`gateway-sim: warning: ${message}\n`) },
      this.io,
    )
    await this.close()
    this.#server = server
    const { url, controlToken } = server.listening
    this.#target = { ...targetOf({ ...this.#args, baseUrl: url }, {}), token: controlToken }
    this.#session = undefined
    return { client: this.client, key: acceptedKey(server.simulator) }
  }

  /** Stops the simulator that was started here. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    await server?.listening.close()
  }
}

/** Without a simulator, agents call the tool `start`. */
function withTool(error: unknown): never {
  const { cause, message } = error as Error
  const isUnreachable = cause instanceof ControlError && cause.status === 0
  throw isUnreachable ? new CommandError(exitCodes.failed, `${message} Agents: call start.`) : error
}

function serverArgs({ port, clock, strict, scenarios, config }: StartRequest): ServerArgs {
  const given = { port, clock, strict, scenario: scenarios, config, host: '127.0.0.1', explain: false }
  return { ...given, allowFiles: [] } as unknown as ServerArgs
}

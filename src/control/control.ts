/** What the operations of the control API share: what they are handed, and how they look. */
import type { ClientReport } from '../conduct/verdict.ts'
import type { World } from '../engine/world.ts'
import { ConfigError } from '../protocol/config-error.ts'
import { ApiError } from '../protocol/errors.ts'
import type { Settings } from '../protocol/settings.ts'
import type { ScenarioSet } from '../scenario/load/scenario-set.ts'
import { ScenarioError, type ScenarioFinding } from '../scenario/scenario-error.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'

/** What the control API acts on. */
export interface ControlParts {
  readonly sessions: Sessions
  readonly settings: Settings
  /** The scenarios of the simulator, which every session has. */
  script(): ScenarioSet | undefined
  /** The verdict on the clients of a session's world. */
  conductOf(world: World): ClientReport
  /** What a call must carry; undefined when it needs nothing. */
  token(): string | undefined
}

/** How every operation of the control API is declared. */
export const own = {
  open: true,
  extension: 'the control API of the simulator',
  anyContentType: true,
} as const

export const iso = (at: number): string => new Date(at).toISOString()

/** The session of a control call. */
export function sessionOf({ sessions }: ControlParts, world: World): Session {
  return sessions.get(world.name)
}

/** Does it; mistakes of a scenario are refused as mistakes of the call, each with its place. */
export function refusingMistakes<T>(act: () => T, fieldOf: (field: string) => string = (field) => field): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof ScenarioError || error instanceof ConfigError)) throw error
    const findings: readonly ScenarioFinding[] = error.findings
    const details = findings.map(({ field, line, column, message }) => ({
      code: 400,
      message: line === undefined ? message : `line ${line}, column ${column}: ${message}`,
      ...(field === '' ? {} : { field: fieldOf(field) }),
    }))
    const first = details[0]
    const said =
      first === undefined
        ? error.message
        : `${first.field === undefined ? '' : `\`${first.field}\`: `}${first.message}${details.length > 1 ? ` (and ${details.length - 1} more, see errors)` : ''}`
    throw new ApiError('invalid_request_error', /[.!?]$/.test(said) ? said : `${said}.`, {
      ...(first?.field === undefined ? {} : { param: first.field }),
      details,
    })
  }
}

/** A scenario that is edited: read from the server, validated, tried and used there. */
import type {
  ScenarioFile,
  ScenarioUsage,
  ScenarioValidation,
  SessionState,
} from '../../generated/control-types.ts'
import { control } from '../api.ts'
import { drafts } from '../drafts.ts'
import { go } from '../route.ts'
import { acting } from '../state.ts'

export const example = `title: The first chat request fails
rules:
  - id: first-fails
    when: { operation: chat.create, nth: 1 }
    then: { error: { status: 503 } }
`

/** The key of a draft: of a scenario of a session, or of a new one. */
export const draftKey = (session: string, name: string | undefined): string =>
  `scenario ${session} ${name ?? ''}`

/** Opens the editor with a new scenario for a session that another view has prepared. */
export function openDraft(session: string, text: string): void {
  drafts.set(draftKey(session, undefined), text)
  go(['rules', 'new'], session === acting.peek() ? {} : { session })
}

const pathOf = (name: string): string => `scenarios/${encodeURIComponent(name)}`

export const readFile = (session: string, name: string): Promise<ScenarioFile> =>
  control<ScenarioFile>(session, 'GET', pathOf(name))

export async function findingsOf(text: string): Promise<ScenarioValidation['findings']> {
  if (text.trim() === '') return []
  return (await control<ScenarioValidation>(undefined, 'POST', 'validate', { text })).findings
}

export async function readSchema(): Promise<unknown> {
  return (await fetch('scenario.schema.json')).json()
}

/** What is edited: a file of a session, or a new one. */
export interface Edited {
  readonly session: string
  readonly file: ScenarioFile | undefined
  readonly text: string
}

/** Creates a session with the scenarios of another, in which the text replaces the file. */
export async function tryScenario({ session, file, text }: Edited): Promise<SessionState> {
  const { scenarios } = await control<{ readonly scenarios: readonly ScenarioUsage[] }>(
    session,
    'GET',
    'scenarios',
  )
  const own = { text, name: file?.name ?? 'new scenario' }
  const all = await Promise.all(
    scenarios.map(async ({ name }) => {
      if (name === file?.name) return own
      const other = (await readFile(session, name)).text
      return other === null ? undefined : { text: other, name }
    }),
  )
  const kept = all.filter((one) => one !== undefined)
  return control<SessionState>(undefined, 'POST', 'sessions', {
    scenarios: file === undefined ? [own, ...kept] : kept,
    inheritScenarios: false,
  })
}

/** Adds the text to the session, in place of the file if there is one. */
export async function useScenario({ session, file, text }: Edited): Promise<ScenarioUsage> {
  if (file !== undefined) await control(session, 'DELETE', pathOf(file.name))
  const body = file === undefined ? { text } : { text, name: file.name }
  try {
    return await control<ScenarioUsage>(session, 'POST', 'scenarios', body)
  } catch (error) {
    if (file?.text != null) await control(session, 'POST', 'scenarios', { text: file.text, name: file.name })
    throw error
  }
}

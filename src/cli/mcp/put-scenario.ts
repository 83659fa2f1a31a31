/** Adds a scenario to the session of the MCP tools. */
import { counted } from '../../text/printable.ts'
import type { Attachment } from './attachment.ts'

/** Replaces a scenario of the session with this name. Returns what was done, as text. */
export async function putScenario(attachment: Attachment, name: string, text: string): Promise<string> {
  const { loaded } = attachment
  const { added, isUsed } = await attachment.ask(async ({ scenarios, baseUrl }) => {
    const used = await scenarios.list()
    const isUsed = used.some((one) => one.name === name && one.of === 'session')
    const key = `${baseUrl} ${name}`
    const before = loaded.get(key)
    if (isUsed) await scenarios.remove(name)
    try {
      const added = await scenarios.add({ name, text })
      loaded.set(key, text)
      return { added, isUsed }
    } catch (error) {
      // What was loaded stays loaded.
      if (isUsed && before !== undefined) await scenarios.add({ name, text: before })
      throw error
    }
  })
  const done = `${isUsed ? 'Replaced' : 'Loaded'} ${added.name}`
  return `${done} with ${counted(added.rules.length, 'rule')}: ${added.title}`
}

/** The tool that loads a scenario. It validates like the command. */

import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import * as z from 'zod'
import { clip } from '../../protocol/wording.ts'
import { renderers } from '../../report/renderers.ts'
import { counted } from '../../text/printable.ts'
import { usageError } from '../command.ts'
import { validate } from '../validate.ts'
import type { Attachment } from './attachment.ts'
import { defineTool } from './tool.ts'

export const loadScenario = defineTool({
  name: 'load_scenario',
  description:
    'Validate a scenario. If valid, add it to the session, replacing any scenario with the same name: the ' +
    'file name, or the title of `text`. ' +
    'Errors name the line and the remedy.',
  readOnly: false,
  input: () =>
    z.strictObject({
      file: z.string().optional().describe('Path of a YAML or JSON file'),
      text: z.string().optional().describe('YAML content, such as title: t\\nrules: [{when: …, then: …}]'),
      name: z.string().min(1).optional(),
      validateOnly: z.boolean().optional(),
    }),
  async run({ file, text, name: given, validateOnly = false }, attachment) {
    if ((file === undefined) === (text === undefined)) throw usageError('Expected either `file` or `text`')
    const bytes = new TextEncoder().encode(text ?? '')
    const { io } = attachment
    const around = { ...io, readStdin: async () => bytes }
    const { report: shown } = await validate(
      { files: [file ?? '-'], config: undefined, allowFiles: [], maxWarnings: undefined },
      around,
    )
    const checked = renderers.text(shown).replaceAll('<stdin>', 'text')
    if (shown.outcome === 'failed' || validateOnly)
      return { text: checked, isError: shown.outcome === 'failed' }
    const written = text ?? (await readFile(resolve(io.cwd, file as string), 'utf8'))
    const name = given ?? (file === undefined ? await titleName(written) : basename(file))
    return `${checked}${await putScenario(attachment, name, written)}`
  },
})

/** `The first chat is late` is named `the-first-chat-is-late`. */
async function titleName(written: string): Promise<string> {
  const { title } = (await import('yaml')).parse(written) as { readonly title: string }
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['scenario']
  return clip(words.join('-'), 60)
}

/** Replaces a scenario of the session with this name by a valid one. Returns what was done, as text. */
export async function putScenario(attachment: Attachment, name: string, text: string): Promise<string> {
  const { added, isUsed } = await attachment.ask(async ({ scenarios }) => {
    const isUsed = (await scenarios.list()).some((one) => one.name === name && one.of === 'session')
    if (isUsed) await scenarios.remove(name)
    return { added: await scenarios.add({ name, text }), isUsed }
  })
  const done = `${isUsed ? 'Replaced' : 'Loaded'} ${added.name}`
  return `${done} with ${counted(added.rules.length, 'rule')}: ${added.title}`
}

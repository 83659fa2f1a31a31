/** The tools for files: scenarios and recordings. They run the corresponding commands. */

import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import * as z from 'zod'
import { HarError } from '../../exchange/har-error.ts'
import { clip } from '../../protocol/wording.ts'
import { readHarFile, recordingFiles } from '../../recording/read-recordings.ts'
import { renderers } from '../../report/renderers.ts'
import { checkReport } from '../../run/check-report.ts'
import { checkRecording } from '../../run/judge-recording.ts'
import { usageError } from '../command.ts'
import { validate } from '../validate.ts'
import { putScenario } from './put-scenario.ts'
import { defineTool, type Tool } from './tool.ts'

const loadScenario = defineTool({
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

const checkRecordings = defineTool({
  name: 'check_recording',
  description: 'Check recorded traffic (HAR files or folders) against the contract of the gateway, offline.',
  readOnly: true,
  input: () => z.strictObject({ files: z.array(z.string()).min(1) }),
  async run({ files }, { io }) {
    const { read, unreadable } = readAll(files.map((name) => resolve(io.cwd, name)))
    const problems = unreadable.map((message) => `Not checked: ${message}`)
    if (read.length === 0) return { text: problems.join('\n'), isError: true }
    const report = await checkRecording(read.flat(), files.join(', '))
    return [...problems, renderers.text(checkReport(report))].join('\n\n')
  },
})

/** The requests of each file that can be read, and why others cannot. */
function readAll(paths: readonly string[]) {
  const unreadable: string[] = []
  const attempt = <Result>(act: () => readonly Result[]): readonly Result[] => {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof HarError)) throw error
      unreadable.push(error.message)
      return []
    }
  }
  const files = paths.flatMap((path) => attempt(() => recordingFiles(path)))
  return { read: files.flatMap((file) => attempt(() => [readHarFile(file)])), unreadable }
}

export const fileTools: readonly Tool[] = [loadScenario, checkRecordings]

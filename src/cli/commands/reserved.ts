/** `gateway-sim reserved`: lists the values that trigger a refusal or a failure without any setup. */
import { defineCommand, exitCodes } from '../command.ts'

export const reserved = defineCommand({
  command: 'reserved',
  describe: 'List the reserved keys, models and prompt words, and what each one triggers',
  examples: [
    ['gateway-sim reserved', 'List them in the terminal'],
    ['gateway-sim reserved --markdown > reserved.md', 'Write them as a Markdown page'],
  ],
  flags: {
    markdown: { type: 'boolean', default: false, describe: 'Print Markdown, as in docs/reserved-values.md' },
  },
  async handler({ markdown }, { stdout }) {
    const { reservedMarkdown, reservedText } = await import('../reserved/reserved-values.ts')
    const { createSimulator } = await import('../../index.ts')
    const { routes } = createSimulator()
    stdout.write(markdown ? reservedMarkdown(routes) : reservedText(routes))
    return exitCodes.ok
  },
})

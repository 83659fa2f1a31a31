/** `gateway-sim reserved`: the values that reach a refusal or a failure with no set-up. */
import { defineCommand, exitCodes } from '../command.ts'

export const reserved = defineCommand({
  command: 'reserved',
  describe: 'List the reserved keys, models and prompt words, and what each reaches',
  flags: {
    markdown: { type: 'boolean', default: false, describe: 'Print Markdown (docs/reserved-values.md)' },
  },
  async handler({ markdown }, { stdout }) {
    const { reservedMarkdown, reservedText } = await import('../reserved/reserved-values.ts')
    const { createSimulator } = await import('../../index.ts')
    const { routes } = createSimulator()
    stdout.write(markdown ? reservedMarkdown(routes) : reservedText(routes))
    return exitCodes.ok
  },
})

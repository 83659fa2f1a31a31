/** `gateway-sim diff`. */

import { diffRecordings } from '../judges/sameness.ts'
import { diffReport } from '../run/diff-report.ts'
import { defineCommand, exitCodes, outcomeCodes } from './command.ts'
import { format, report } from './flags.ts'
import { prepareReports, printedAs } from './output-files.ts'
import { readRecording } from './recordings.ts'

export const command = defineCommand({
  arguments: '<before> <after>',
  examples: [
    ['gateway-sim diff january.har february.har', 'Exit with 1 if the responses differ'],
    ['gateway-sim diff january.har february.har --format json', 'Print JSON'],
  ],
  flags: { format, report },
  async handler({ before, after, ...args }, io) {
    const usual = printedAs(args.format, io)
    const output = await prepareReports(args.report, io, {
      stream: usual.stream,
      // A gateway that was not available has nothing to show but the line on stderr.
      print(report, paint) {
        if (found.outage === undefined || args.format === 'json') usual.print(report, paint)
      },
    })
    const found = await diffRecordings(readRecording(before, io.cwd), readRecording(after, io.cwd))
    const shown = diffReport(found, `${before} and ${after}`)
    await output.write(shown)
    if (shown.outcome !== 'skipped') return outcomeCodes[shown.outcome]
    const why = found.outage ?? 'the recordings have no comparable requests (see the notes)'
    io.stderr.write(`gateway-sim: Exiting with ${exitCodes.skipped}: nothing was compared, because ${why}\n`)
    return exitCodes.skipped
  },
})

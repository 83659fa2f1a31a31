/** The formats of a report. */
import type { Paint } from '../text/paint.ts'
import { githubReport } from './github.ts'
import { junitReport } from './junit.ts'
import { markdownReport } from './markdown.ts'
import type { Report } from './report.ts'
import { textReport } from './text.ts'

export type Renderer = (report: Report, paint?: Paint) => string

export type ReportFormat = 'text' | 'json' | 'junit' | 'markdown' | 'github'

/** Each makes the whole document, with a newline at its end. */
export const renderers: Readonly<Record<ReportFormat, Renderer>> = {
  text: textReport,
  json: ({ data }) => `${JSON.stringify(data, null, 2)}\n`,
  junit: junitReport,
  markdown: markdownReport,
  github: githubReport,
}

export const reportFormats = Object.keys(renderers) as readonly ReportFormat[]

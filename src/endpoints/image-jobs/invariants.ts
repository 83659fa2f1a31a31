/** What the contract says about image jobs beyond their schemas. */
import * as z from 'zod'
import { lazy, listOf } from '../../engine/fields.ts'
import { spare } from '../../protocol/contract-reading.ts'
import { detail, envelope, fields, withJob } from '../../protocol/error-schema.ts'
import {
  at,
  breaking,
  type Course,
  doubtful,
  type GroupRules,
  type Invariant,
  type JudgedAnswer,
  ofCourse,
  shown,
} from '../../protocol/invariant.ts'

const answers: readonly Invariant<JudgedAnswer>[] = [
  breaking('missing-value', 'urls in a successful job', ({ response }) => {
    const { status, urls } = response
    const isEmpty = 'urls' in response && listOf(urls).length === 0 && typeof urls !== 'string'
    return status === 2 && isEmpty && at('/urls', urls)
  }),
  doubtful('wrong-value', 'no urls before success', ({ response: { status, urls } }) => {
    const got = `urls in status ${shown(status)}`
    return [0, 1, 3].includes(Number(status ?? -1)) && listOf(urls).length > 0 && { pointer: '/urls', got }
  }),
  breaking(
    'wrong-value',
    'a failure reason in the comment of a failed job',
    ({ response: { status, comment } }) => status === 3 && comment === '' && at('/comment', ''),
  ),
]

const course: Course = {
  field: 'status',
  stage: ({ status }) => [0, 1, 2, 2][typeof status === 'number' ? status : -1],
  outcome: ({ status }) => status,
}

// The contract defines the details of image jobs, and requires a trace id.
const errors = lazy(() =>
  envelope({
    ...withJob(),
    details: spare(z.array(detail())).describe(fields().details.description ?? ''),
    trace_id: z.string().describe(fields().trace_id.description ?? ''),
  }),
)

export const imageJobsRules: GroupRules = {
  group: 'image-jobs',
  answers,
  lifecycle: ofCourse(course),
  errors,
  errorCodes: { 400: 2004, 424: 2002, 429: 2007 },
  files: /^image\//,
}

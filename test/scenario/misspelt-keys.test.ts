/** A misspelt key gets the key that was meant, at every level of a scenario. */
import { describe } from 'vitest'
import { finds } from './_errors.ts'

const intended = 'set \\`offContract: true\\` if this is intentional'

describe('a misspelt key', () => {
  finds(
    `
when { conversaton: { lastUser: a } }
  3:13 unknown key "conversaton": did you mean conversation?
when { operation: chat.create, conversation: { lastUserMesage: a } }
  3:53 unknown key "lastUserMesage": did you mean lastUser?
when { body: { promt: a } }
  3:21 no request has a field "promt" at this path; did you mean prompt?
when { body: { prompt: { contians: a } } }
  3:31 no request has a field "contians" at this path; did you mean contains?
when { operation: videos.retrieve, path: { video_id: { endsWit: a } } }
  3:61 no request has a field "endsWit" at this path; did you mean endsWith?
when { operation: chat.create, query: { beta: { equls: "true" } } }
  3:54 no request has a field "equls" at this path; did you mean equals?
when { operation: videos.retrieve, job: { prompt: { contans: a } } }
  3:58 no request has a field "contans" at this path; did you mean contains?
when { operation: videos.retrieve, job: { model: { startWith: a } } }
  3:57 no request has a field "startWith" at this path; did you mean startsWith?
file title: a\\nflags: { a: b }\\nrules:\\n  - { when: { flags: { a: { anyof: [b] } } }, then: {} }
  4:29 no request has a field "anyof" at this path; did you mean anyOf?
step { call: videos.retrieve, with: { video_d: a } }
  3:5 videos.retrieve needs \`with: { video_id: … }\` for its path /v1/videos/{video_id}; did you mean video_id
      instead of video_d?
videos.create { timeline: [{ at: 0, progress: { frm: 0, to: 90, over: 30s } }] }
  4:45 unknown key "frm": did you mean from?
videos.create { timeline: [{ at: 0, progress: { from: 0, to: 90 } }] }
  4:43 a linear change needs \`from\`, \`to\` and \`over\`
videos.create { timeline: [{ at: 0, status: failed, error: { cod: a } }] }
  4:56 code: is required: expected a string; did you mean code instead of cod? (${intended})
imageJobs.create { timeline: [{ at: 0, cost: { feeCots: 1 } }] }
  4:39 feeCots: is not a field of this response; did you mean feeCost? (${intended})
models.list { response: { body: { object: list, daat: [] } } }
  4:53 daat: is not a field of this response; did you mean data? (checked against the contract's models.list
      response; ${intended})
`.replaceAll('\\`', '`'),
  )
})

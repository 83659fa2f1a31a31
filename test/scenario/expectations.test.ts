/**
 * What a step expects and could never find, or what nobody would judge: rejected before anything runs. What
 * only a run can know is left to it.
 */
import { describe, expect, it } from 'vitest'
import { ScenarioError, type ScenarioInput } from '../../src/index.ts'
import { simulator } from '../_setup.ts'
import { finds } from './_errors.ts'

/** What is wrong with steps, as `field message`; the steps are numbered from 0. */
function errors(steps: readonly unknown[], more: object = {}): string[] {
  try {
    simulator({ scenarios: [{ title: 'a', ...more, steps } as unknown as ScenarioInput] })
    return []
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
    return error.findings.map(({ field, message }) => `${field.replace('steps[0].', '')} ${message}`)
  }
}

const look = { call: 'videos.retrieve', with: { video_id: 'video_1' } }

describe('fields that are never checked', () => {
  finds(`
step { advance: 3s, expect: { status: 777, body: { a: b }, fired: [{ to: completed }] } }
  3:30 does not apply to \`advance\`, which gets no response: expect only \`fired\`
  3:43 does not apply to \`advance\`, which gets no response: expect only \`fired\`
step { call: models.list, expect: { fired: [{ to: completed }] } }
  3:36 applies only to \`advance\`: move this key to the \`expect\` of an \`advance\` step
step { call: videos.retrieve, with: { video_id: video_1 }, waitFor: { fired: [{ to: completed }] } }
  3:70 applies only to \`advance\`: move this key to the \`expect\` of an \`advance\` step
step { call: models.list, stopAfter: 2 }
  3:26 has no effect: models.list does not stream
step { call: chat.create, with: { model: m, messages: [] }, stopAfter: 2 }
  3:60 has no effect: chat.create streams only if requested (\`with: { stream: true }\`)
step { call: models.list, interval: 3s, timeout: 4s }
  3:26 has no effect without \`waitFor\`: the request is sent only once
  3:40 has no effect without \`waitFor\`: the request is sent only once
  `)
})

describe('expectations that no response can match', () => {
  finds(`
step { call: videos.retrieve, with: { video_id: video_1 }, waitFor: { body: { statu: completed } } }
  3:78 no response has a field "statu" at this path; did you mean status?
step { call: videos.list, expect: { body: { data: { some: { staus: completed } } } } }
  3:60 no response has a field "staus" at this path; did you mean status?
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { status: compleeted } } }
  3:85 can never match: no response has the value "compleeted" at this path; did you mean completed?
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { status: { anyOf: [pending, \\
    compleeted] } } } }
  3:104 can never match: no response has the value "compleeted" at this path; did you mean completed?
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { status: { equals: \\
    compleeted } } } }
  3:95 can never match: no response has the value "compleeted" at this path; did you mean completed?
step { call: models.list, expect: { status: { gte: 200, ltt: 300 } } }
  3:56 unknown operator "ltt"; did you mean lt?
step { call: models.list, expect: { status: "200" } }
  3:44 can never match: no response has the value "200" at this path; did you mean 200, without quotes?
step { call: models.list, expect: { took: 5s } }
  3:42 can never match: no response has the value "5s" at this path; did you mean 5000, in milliseconds?
step { call: models.list, expect: { broken: reset, status: 200 } }
  3:51 can never match: \`broken: reset\` expects no response
step { advance: 3s, expect: { fired: [{ too: completed }] } }
  3:40 no response has a field "too" at this path; did you mean to?
step { advance: 3s, expect: { fired: [{ resource: vidoe }] } }
  3:50 can never match: no response has the value "vidoe" at this path; did you mean video?
step { call: models.list, expect: { stream: { text: a } } }
  3:36 models.list does not stream
step { call: chat.create, with: { model: m, messages: [] }, expect: { stream: { text: a } } }
  3:70 chat.create streams only if requested: write \`with: { stream: true }\`
step { call: chat.create, with: { model: m, messages: [], stream: true }, expect: { stream: { ended: \\
    left } } }
  3:101 stream.ended: expected one of "completed", "no-end-marker", "disconnected", "stalled", "aborted",
      got "left"
  `)

  it('is reported next to other errors of the same expectation', () => {
    expect(
      errors([{ ...look, expect: { statsu: 200, took: '5s', body: { statu: 'completed' } } }]).map(
        (one) => one.split(' ')[0],
      ),
    ).toEqual(['expect.statsu', 'expect.took', 'expect.body.statu'])
  })
})

describe('saved values', () => {
  finds(`
step { call: videos.list, save: { it: body..id } }
  3:38 expected names separated by dots, such as body.data.0.url, got "body..id"
step { call: videos.list, save: { it: boddy.id } }
  3:38 expected a path in the response that starts with one of status, headers, body, text, stream, bytes,
      such as body.id, got "boddy.id"
step { call: videos.list, save: { it: headers } }
  3:38 expected names separated by dots, such as body.data.0.url, got "headers"
step { call: videos.list, save: { it: status.code } }
  3:38 \`status\` is a single value: write status
step { call: videos.list, save: { it: stream.txt } }
  3:38 stream.txt: no response has a field "txt" at this path; did you mean text?
step { call: videos.list, save: { it: "body.data[0].idd" } }
  3:38 body.data[0].idd: no response has a field "idd" at this path; did you mean id?
  `)

  finds(`
step { call: videos.list, save: { it: body } }
step { call: videos.list, save: { it: "body.data[0].id" } }
step { call: videos.list, save: { it: body.data.0.id } }
step { call: videos.list, save: { it: body.data.length } }
step { call: videos.list, save: { it: headers.x-request-id } }
step { call: videos.list, save: { it: stream.toolCalls.0.arguments.city } }
step { call: videos.list, save: { it: status } }
  `)
})

describe('values known only at run time', () => {
  finds(`
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { statu: completed }, \\
    offContract: true } }
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { status: 404, body: { anything: here \\
    } } }
step { call: videos.retrieve, with: { video_id: video_1 }, expect: { status: { anyOf: [200, 429] }, \\
    body: { anything: here } } }
step { fetch: /v1/videos, expect: { body: { statu: completed } } }
file title: a\\nrules: [{ when: { operation: videos.retrieve }, then: { response: { body: { statu: \\
    completed } }, offContract: true } }]\\nsteps: [{ call: videos.retrieve, with: { video_id: video_1 }, \\
    expect: { body: { statu: completed } } }]
file title: a\\nrules: [{ when: { operation: videos.* }, then: { patch: { statu: completed }, \\
    offContract: true } }]\\nsteps: [{ call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { \\
    statu: completed } } }]
file title: a\\nrules: [{ then: { sequence: [{ patch: { statu: completed }, offContract: true }] } \\
    }]\\nsteps: [{ call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { statu: completed } \\
    } }]
file title: a\\nrules: [{ when: { operation: videos.create }, then: { timeline: [{ at: 0s, progress: 140 \\
    }], offContract: true } }]\\nsteps: [{ call: videos.retrieve, with: { video_id: video_1 }, expect: { \\
    body: { progress: 140 } } }]
step { parallel: [{ call: videos.retrieve, with: { video_id: video_1 }, expect: { body: { status: \\
    completed }, status: 200 } }] }
step { call: models.list, expect: { broken: reset, text: { exists: false } } }
step { call: images.generate, with: { model: m, prompt: x, stream: "true" }, stopAfter: 1 }
step { call: messages.create, with: { model: m, messages: [], max_tokens: 9, stream: true }, expect: { \\
    stream: { finish: tool_calls } } }
step { call: models.list, expect: { headers: { retry-after: 5 } } }
  `)

  it('values from a template', () => {
    expect(
      errors([
        { call: 'videos.create', with: { prompt: 'x' }, save: { seen: 'body.status', code: 'status' } },
        { ...look, expect: { status: '${code}', body: { status: '${seen}' } } },
      ]),
    ).toEqual([])
  })
})

/**
 * A planned rejection that leaves its job behind: it is told where the job is made, and everywhere else all the
 * same.
 */
import { describe, expect, it } from 'vitest'
import { answerCall } from '../../src/core/answer-call.ts'
import { imageJobs } from '../../src/endpoints/image-jobs/index.ts'
import type { IncomingCall } from '../../src/protocol/call.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { simulator } from '../_setup.ts'

const plan: Plan = {
  reject: {
    type: 'downstream_unavailable',
    code: 2002,
    message: 'The submit failed.',
    before: 'act',
    jobContinues: true,
  },
}

/**
 * One call under that plan, whatever the operation; no reserved value asks for it where nothing is submitted.
 */
function planned(method: string, path: string, body?: unknown) {
  const { core } = simulator()
  const payload: IncomingCall['payload'] =
    body === undefined ? { kind: 'none' } : { kind: 'json', value: body, text: JSON.stringify(body) }
  const call: IncomingCall = {
    method,
    path,
    query: '',
    headers: { authorization: 'Bearer sk-test' },
    payload,
  }
  const parts = {
    ...core,
    director: {
      plan: () => plan,
      ruled: (planned: Plan) => planned,
      lacksRule: () => false,
      use: () => undefined,
      rules: 0,
    },
    doubt: () => undefined,
    fallback: imageJobs,
    timestampText: String,
    selfCheck: true,
  }
  const { response } = answerCall(parts, call, core.match(method, path))
  const said = response.body.kind === 'json' ? response.body.value : undefined
  return {
    status: response.status,
    ...(said as {
      readonly error: { readonly code: number; readonly message: string; readonly job_id?: string }
    }),
  }
}

describe('a planned rejection whose job goes on', () => {
  it('names the job where one is made', () => {
    const { status, error } = planned('POST', '/v1/tob/diffusion', { model: 'v7', text: 'a cat' })
    expect([status, error.code]).toEqual([424, 2002])
    expect(error.job_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it.each([
    ['GET', '/v1/videos'],
    ['GET', '/v1/models'],
  ])('is a rejection like any other where none is: %s %s', (method, path) => {
    const { status, error } = planned(method, path)
    expect([status, error.message, error.job_id]).toEqual([424, 'The submit failed.', undefined])
  })
})

/**
 * What a client sees depends on the instant alone: random timelines, random ways of moving time on, the same
 * views.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../_counts.ts'
import { post } from '../../_setup.ts'
import { imageJobs, type Kind, kinds, operations, scripted, videos } from './_scripted.ts'

const text = fc.constantFrom('a', 'b', 'JobStatusQueued')
const optional = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(fields, { requiredKeys: [] })
const percent = fc.integer({ min: 0, max: 100 })
const moving = fc.oneof(
  percent,
  fc.record({ from: percent, to: percent, over: fc.integer({ min: 0, max: 30_000 }) }),
)

const fields = new Map<Kind, fc.Arbitrary<object>>([
  [
    imageJobs,
    optional({
      status: fc.constantFrom('waiting', 'running', 'succeeded', 'failed', 0, 1, 2, 3),
      comment: text,
      urls: fc.oneof(fc.constant(null), fc.array(fc.webUrl(), { maxLength: 3 })),
      cost: fc.oneof(fc.constant(null), optional({ fastCost: percent, feeCost: percent })),
      audits: fc.array(text, { maxLength: 4 }),
      seed: percent,
      text,
    }),
  ],
  [
    videos,
    optional({
      status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed'),
      progress: moving,
      error: fc.oneof(fc.constant(null), fc.record({ code: text, message: text })),
      expires_at: fc.integer({ min: 0, max: 2_000_000_000 }),
      completed_at: fc.constant(null),
      model: text,
    }),
  ],
  [
    operations,
    optional({
      status: fc.constantFrom('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED'),
      progressPercent: moving,
      error: fc.oneof(fc.constant(null), fc.record({ code: fc.constantFrom('INTERNAL', 3) })),
      filtered: fc.array(text, { maxLength: 2 }),
      done: fc.boolean(),
    }),
  ],
])

const timelineOf = (kind: Kind): fc.Arbitrary<object[]> => {
  const names = {
    imageJobs: ['comment', 'cost', 'urls'],
    videos: ['progress', 'error'],
    operations: ['progressPercent', 'filtered'],
  }[kinds.find(([, one]) => one === kind)?.[0] as 'videos']
  const entry = fc.tuple(
    fields.get(kind) as fc.Arbitrary<object>,
    optional({
      default: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
      gone: fc.constant(true),
    }),
  )
  return fc
    .array(fc.tuple(fc.integer({ min: 0, max: 60_000 }), entry), { minLength: 1, maxLength: 8 })
    .map((entries) =>
      entries.sort(([a], [b]) => a - b).map(([at, [said, more]]) => ({ at, ...said, ...more })),
    )
}

describe.each(kinds)('the views of %s', (_, kind) => {
  it('are the same however time comes to an instant, and keep to the contract', async () => {
    await fc.assert(
      fc.asyncProperty(
        timelineOf(kind),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 6 }),
        async (timeline, steps) => {
          const sim = scripted(kind.operation, { timeline })
          const view = async (submitted: unknown): Promise<string> => {
            const response = await kind.poll(sim, submitted)
            expect([200, 404]).toContain(response.status)
            return `${response.status} ${(await response.text()).replace(/"trace_id":"[^"]*"/, '')}`
          }
          const walk = async (
            moves: readonly number[],
            polls: boolean,
          ): Promise<{ view: string; fired: unknown[] }> => {
            sim.resetAll()
            const submitted = await (await kind.submit(sim)).json()
            const fired: unknown[] = []
            for (const by of moves) {
              if (polls) await view(submitted)
              // Over the wire: what it lists is held against its schema there.
              const moved = (await (await post(sim, '/__sim/clock/advance', { by })).json()) as {
                fired: unknown[]
              }
              fired.push(...moved.fired)
            }
            return { view: await view(submitted), fired }
          }
          const whole = steps.reduce((sum, by) => sum + by, 0)
          const atOnce = await walk([whole], false)
          expect(await walk(steps, false)).toEqual(atOnce)
          expect(await walk([...steps].reverse(), true)).toEqual(atOnce)
          await sim.close()
        },
      ),
      runs(30),
    )
  })
})

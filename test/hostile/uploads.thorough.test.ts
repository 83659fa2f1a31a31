/**
 * Uploads of every kind: any path is rejected by name or leads to its file, any bytes come back as they were,
 * no bent address is let through.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, runs } from '../_counts.ts'
import { integrations } from '../_setup.ts'
import { welcome } from './_examples.ts'
import { contentTypes, segments, words } from './_inputs.ts'
import { type Answer, judged, planned, stillAnswers, target } from './_judge.ts'

interface Target {
  readonly upload_url: string
  readonly path: string
  readonly visit_url: string
}

const segment = fc.oneof(fc.constantFrom(...segments, ...words), fc.string({ unit: 'binary', maxLength: 6 }))
const path = fc.array(segment, { minLength: 1, maxLength: 5 }).map((segments) => segments.join('/'))
const bytes = fc.uint8Array({ maxLength: 500 })
// Longer ones are rejected.
const type = fc.constantFrom(...contentTypes.filter(({ length }) => length <= 1000))

/** An address to upload to. */
async function askFor(call: typeof fetch, url: string, path: string): Promise<Answer> {
  const headers = { ...welcome, 'content-type': 'application/json' }
  const body = JSON.stringify({ path })
  return judged(await call(`${url}/v1/files/upload_url`, { method: 'POST', headers, body }), path)
}

describe.each(integrations)('through $name', (integration) => {
  it('every path is rejected by name, or its file is found where it says', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    let taken = 0
    await fc.assert(
      fc.asyncProperty(path, bytes, type, async (written, body, contentType) => {
        const asked = await askFor(call, url, written)
        if (asked.status !== 200) {
          expect([
            asked.status,
            (JSON.parse(asked.text) as { error: { param: string } }).error.param,
          ]).toEqual([400, 'path'])
          return
        }
        taken++
        const { upload_url, visit_url, path: named } = JSON.parse(asked.text) as Target
        expect(named).toBe(`cos://${written.replace(/^\//, '')}`)
        const sent = await call(upload_url, {
          method: 'PUT',
          headers: contentType === '' ? {} : { 'content-type': contentType },
          body: body as Uint8Array<ArrayBuffer>,
        })
        expect(sent.status, await sent.text()).toBe(200)
        const read = await call(visit_url)
        expect([
          read.status,
          read.headers.get('content-type'),
          Buffer.from(await read.arrayBuffer()).equals(body),
        ]).toEqual([200, contentType === '' ? 'application/octet-stream' : contentType, true])
      }),
      runs(150),
    )
    expect(taken).toBeGreaterThan(count(20))
    await stillAnswers(call, url)
  })

  it('an address with anything changed in it lets nothing through', async () => {
    const sim = target()
    const { fetch: call, url } = await integration.open(sim)
    const { upload_url } = JSON.parse((await askFor(call, url, 'a/b.png')).text) as Target
    const beginning = upload_url.indexOf('/storage/') + '/storage/'.length
    const change = fc.tuple(
      fc.nat(upload_url.length - beginning - 1),
      fc.constantFrom('', '0', '1', 'a', 'Z', '-', '%', '%00', '&', '=', ';', '/', '.', '~', '漢'),
      fc.nat(3),
    )
    await fc.assert(
      fc.asyncProperty(change, async ([at, put, gone]) => {
        const bent = upload_url.slice(0, beginning + at) + put + upload_url.slice(beginning + at + gone)
        const same = new URL(bent).href === new URL(upload_url).href
        const answer = await call(bent, { method: 'PUT', body: 'meow' })
        expect(planned.has(answer.status), `${answer.status} ${bent}`).toBe(true)
        // An empty parameter more, or one that no signature covers, changes nothing that is signed.
        if (!same && answer.status < 300)
          expect([...new URL(bent).searchParams].filter(([name]) => name.startsWith('q-')).sort()).toEqual(
            [...new URL(upload_url).searchParams].sort(),
          )
      }),
      runs(200),
    )
    const kept = sim.core.sessions.get('default').sandbox.uploads
    expect(kept.count === 0 || kept.get('cos a/b.png') !== undefined).toBe(true)
    expect(kept.count).toBeLessThanOrEqual(1)
    await stillAnswers(call, url)
  })
})

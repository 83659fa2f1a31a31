/** `gateway-sim check --recordings` and `gateway-sim diff`: flags, exit codes, and what they print. */
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../src/exchange/exchange.ts'
import { directoryWith, run } from '../cli/_io.ts'
import { harText } from '../recording/_har.ts'
import type { Change } from './gateway/exchange.ts'
import { createGateway } from './gateway/gateway.ts'
import { violations } from './gateway/violations.ts'
import { walk } from './gateway/walk.ts'

const har = async (change?: Change): Promise<string> =>
  harText(await walk(createGateway(change === undefined ? {} : { change }), ['jobs']), '0')
const changed = await har(violations['job: no comment'])
const cwd = (): string =>
  directoryWith({ 'good.har': good, 'changed.har': changed, 'none.har': '{}', 'empty.har': harText([]) })
const good = await har()
const chats = harText(await walk(createGateway(), ['chats']), '0')

describe('gateway-sim check --recordings', () => {
  it('ends with 0 where the gateway keeps the contract, and names what the client did wrong', async () => {
    const { code, stdout } = await run(['check', '--recordings', 'good.har'], { cwd: cwd() })
    expect(stdout).toMatch(
      /\nClient errors \(not counted\):\n {2}imageJobs\.retexture remixPrompt: expected at least 1/,
    )
    expect(stdout).toMatch(/good\.har: no violations, \d+ requests, 1 skipped\n$/)
    expect(code).toBe(0)
  })

  it('ends with 1 and the finding, with the place in the file', async () => {
    const { code, stdout } = await run(['check', '--recordings', 'changed.har'], { cwd: cwd() })
    expect(stdout).toContain('✗ error: imageJobs.retrieve')
    expect(stdout).toContain('seen in: changed.har, entry 2')
    expect(code).toBe(1)
  })

  it('is for recordings alone, and for files that are some', async () => {
    const flags = ['check', '--recordings', 'none.har']
    const around = { cwd: cwd() }
    expect(await run([...flags, '--base-url', 'http://gateway.test'], around)).toMatchObject({ code: 2 })
    const { code, stderr } = await run(flags, around)
    expect(stderr).toContain('none.har')
    expect(code).toBe(3)
    const empty = await run(['check', '--recordings', 'empty.har'], around)
    expect(empty).toMatchObject({ code: 3, stderr: 'gateway-sim: empty.har: contains no requests\n' })
  })

  it('checks only the operations of --only, and ends with 5 if there is none', async () => {
    const around = { cwd: cwd() }
    const only = (name: string) => run(['check', '--recordings', 'changed.har', '--only', name], around)
    const job = await only('imageJobs.retrieve')
    expect(job.stdout).not.toContain('Client errors')
    expect(job.code).toBe(1)
    const pan = await only('imageJobs.pan')
    expect(pan.stdout).toMatch(/\nchanged\.har: no violations, \d requests?\n$/)
    expect(pan.code).toBe(0)
    const { code, stderr } = await only('videos.*')
    expect(stderr).toBe('gateway-sim: Exiting with 5: not checked: videos.* (no request was checked)\n')
    expect(code).toBe(5)
  })
})

describe('gateway-sim diff', () => {
  it('ends with 0 where nothing has changed', async () => {
    const { code, stdout } = await run(['diff', 'good.har', 'good.har'], { cwd: cwd() })
    expect(stdout).toMatch(/\n0 differences in 7 compared operations\n$/)
    expect(code).toBe(0)
  })

  it('ends with 1 where something has, in words or as JSON', async () => {
    const around = { cwd: cwd() }
    const { code, stdout } = await run(['diff', 'good.har', 'changed.har'], around)
    expect(stdout).toContain('  ✗ removed /comment: string\n')
    expect(code).toBe(1)
    const json = await run(['diff', 'good.har', 'changed.har', '--format', 'json'], around)
    expect(JSON.parse(json.stdout)).toMatchObject({
      version: 1,
      differences: [{ operations: ['imageJobs.retrieve'], what: 'removed', place: '/comment' }],
    })
  })

  it('ends with 5 where the recordings have no operation in common', async () => {
    const around = { cwd: directoryWith({ 'jobs.har': good, 'chats.har': chats }) }
    const { code, stdout, stderr } = await run(['diff', 'jobs.har', 'chats.har'], around)
    expect(stdout).toMatch(/\n0 differences in 0 compared operations\n$/)
    expect(stderr).toBe(
      'gateway-sim: Exiting with 5: nothing was compared, because the recordings have no comparable requests ' +
        '(see the notes)\n',
    )
    expect(code).toBe(5)
  })

  it('ends with 5 where every request was rate-limited in one of them', async () => {
    const limited = (await walk(createGateway(), ['decisions'])).map(
      ({ response, ...exchange }): Exchange => ({
        ...exchange,
        response: { ...(response as NonNullable<typeof response>), status: 429 },
      }),
    )
    const files = {
      'good.har': harText(await walk(createGateway(), ['decisions'])),
      'busy.har': harText(limited),
    }
    const { code, stdout, stderr } = await run(['diff', 'good.har', 'busy.har'], {
      cwd: directoryWith(files),
    })
    expect(stdout).toMatch(/rate-limited \(429\)\n\n0 differences in 0 compared operations\n$/)
    expect(stderr).toContain('Exiting with 5: nothing was compared')
    expect(code).toBe(5)
  })

  it('ends with 5 where the gateway was not available', async () => {
    const down: Change = { answer: () => ({ status: 503, json: { error: { message: 'down' } } }) }
    const around = { cwd: directoryWith({ 'good.har': good, 'down.har': await har(down) }) }
    const { code, stdout, stderr } = await run(['diff', 'good.har', 'down.har'], around)
    expect(stderr).toMatch(
      /^gateway-sim: Exiting with 5: nothing was compared, because the gateway was not available in the second recording \(503\)\n$/,
    )
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
    const json = await run(['diff', 'down.har', 'good.har', '--format', 'json'], around)
    expect(JSON.parse(json.stdout)).toMatchObject({
      compared: 0,
      outage: expect.stringContaining('the first'),
    })
  })

  it('names the path of a file that cannot be read, as it was given', async () => {
    const around = { cwd: directoryWith({ 'good.har': good, 'last/check.har': 'torn', 'all/a.har': '{}' }) }
    for (const [name, says] of [
      ['last/check.har', 'last/check.har is not a HAR file'],
      ['last/gone.har', 'last/gone.har: not found'],
      ['all', 'all/a.har: log: '],
    ] as const) {
      const { code, stderr } = await run(['diff', name, 'good.har'], around)
      expect(stderr).toContain(`gateway-sim: ${says}`)
      expect(code).toBe(3)
    }
  })

  it('ends with 2 without two files, and with 3 for one that cannot be read', async () => {
    const around = { cwd: cwd() }
    expect(await run(['diff', 'good.har'], around)).toMatchObject({ code: 2 })
    expect(await run(['diff', 'good.har', 'gone.har'], around)).toMatchObject({ code: 3 })
    const { code, stderr } = await run(['diff', 'good.har', 'empty.har'], around)
    expect(stderr).toBe('gateway-sim: empty.har: contains no requests\n')
    expect(code).toBe(3)
  })
})

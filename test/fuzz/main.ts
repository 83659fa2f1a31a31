/**
 * The fuzzer's command line: batches of mutated steps, first against a simulator in a process, then against a
 * server. A find is made small and kept as a file.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mode } from './batch.ts'
import { Campaign } from './campaign.ts'
import { readKept, replayed } from './kept.ts'
import { reportOf } from './report.ts'
import { type Area, areas } from './steps.ts'

const usage = `npm run fuzz -- [options]

  --minutes N     stop after N minutes (default 5, unless --requests is given)
  --requests N    stop after N requests
  --seed S        repeat a run
  --only AREA     ${areas.join(', ')}
  --replay FILE   do what a find's file says once more, and report
  --json FILE     write the report as JSON
  --root DIR      fuzz another checkout that has been built
  --no-keep       write no files into test/fuzz/found
`

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      requests: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      replay: { type: 'string' },
      json: { type: 'string' },
      root: { type: 'string' },
      'no-keep': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return void process.stdout.write(usage), 0
  const only = values.only as Area | undefined
  if (only !== undefined && !areas.includes(only)) throw new Error(`--only takes one of ${areas.join(', ')}`)
  const root = values.root ?? process.cwd()
  if (values.replay !== undefined) return replayed(root, readKept(values.replay))
  const minutes = values.minutes === undefined && values.requests === undefined ? 5 : number(values.minutes)
  const requests = number(values.requests)
  const seed = values.seed ?? String(Math.floor(Math.random() * 1e9))
  process.stderr.write(`fuzz: seed ${seed}\n`)
  const campaign = new Campaign({ root, seed, ...(only === undefined ? {} : { only }) }, (line) =>
    process.stderr.write(`${line}\n`),
  )
  const started = Date.now()
  const shares: readonly (readonly [Mode, number])[] =
    only === 'sockets'
      ? [['http', 1]]
      : [
          ['in-process', 0.5],
          ['http', 0.5],
        ]
  for (const [mode, share] of shares)
    await campaign.run(mode, { milliseconds: share * minutes * 60_000, requests: share * requests })
  const report = reportOf(campaign, seed, (Date.now() - started) / 1000)
  process.stdout.write(report.text)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report.json, null, 2)}\n`)
  if (values['no-keep'] !== true)
    for (const kept of campaign.kept) {
      const folder = join(process.cwd(), 'test', 'fuzz', 'found')
      mkdirSync(folder, { recursive: true })
      const path = join(folder, `${kept.name}.json`)
      writeFileSync(path, `${JSON.stringify(kept, null, 2)}\n`)
      process.stderr.write(`fuzz: kept ${path}\n`)
    }
  return campaign.kept.length === 0 ? 0 : 1
}

function number(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!(Number(text) > 0)) throw new Error(`expected a number above 0, got ${JSON.stringify(text)}`)
  return Number(text)
}

process.exitCode = await main()

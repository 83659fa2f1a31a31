/** Tries every program and writes the results, from which `npm run generate` makes the table of the page. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { TrialResult } from '../../src/trial.ts'
import { type Program, programs } from './programs.ts'
import { resultsFile, type SdkResults } from './results.ts'
import { tryProgram } from './try-program.ts'

/** Milliseconds: the retries of a single failure take less; LangChain repeats for more than a minute. */
const timeout = 30_000
const longTimeout = 240_000

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version

/** An error that no code awaits ends a program; each run here shares its process with others. */
process.on('unhandledRejection', (error) => console.error(`unhandled: ${String(error)}`))

async function tried(program: Program): Promise<SdkResults['programs'][number]> {
  const repeats = tryProgram(program, { only: ['overloaded'], timeout: longTimeout })
  const results = await tryProgram(program, { timeout })
  const overload = (await repeats).find(({ nth }) => nth === undefined)
  const { call, packages, streams } = program
  const once = await withoutHaste(
    program,
    results.filter(({ nth }) => nth !== undefined),
  )
  const bad = once.filter(({ acceptable }) => !acceptable)
  console.log(`${packages.join(' + ')} ${call}: ${results.length} runs; overloaded: ${overload?.reason}`)
  for (const { failure, verdict, reason } of bad) console.log(`  ${failure}: ${verdict}. ${reason}`)
  return {
    ...{ call, packages, streams },
    operation: results[0]?.operation ?? '',
    requests: overload?.evidence.length ?? 0,
    verdicts: Object.fromEntries(once.map(({ failure, verdict }) => [failure, verdict])),
    unacceptable: bad.map(({ failure }) => failure),
  }
}

/** A slow machine needs more time for a harmless failure: ten thousand chunks of a few bytes. */
async function withoutHaste(program: Program, results: readonly TrialResult[]): Promise<TrialResult[]> {
  const checked: TrialResult[] = []
  for (const result of results) {
    const isSlow = result.verdict === 'hung' && result.nature === 'harmless'
    const only = [`${result.operation}:${result.failure}`]
    const [again] = isSlow ? await tryProgram(program, { only, timeout: longTimeout }) : []
    checked.push(again ?? result)
  }
  return checked
}

/** Several at a time: most runs wait. */
const found: SdkResults['programs'][number][] = []
for (let index = 0; index < programs.length; index += 3)
  found.push(...(await Promise.all(programs.slice(index, index + 3).map(tried))))
const packages = [...new Set(programs.flatMap((program) => program.packages))].sort()
const written: SdkResults = {
  date: new Date().toISOString().slice(0, 10),
  node: process.versions.node,
  seconds: timeout / 1000,
  versions: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  programs: found,
}
writeFileSync(resultsFile, `${JSON.stringify(written, null, 2)}\n`)
process.exit()

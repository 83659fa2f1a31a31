/** What a run of the fuzzer did, as a table to quote and as JSON. */
import type { Mode } from './batch.ts'
import type { Campaign } from './campaign.ts'
import type { Tally } from './jobs.ts'

const modes: readonly Mode[] = ['in-process', 'http']
const number = (value: number): string => value.toLocaleString('en-US')

export function reportOf(campaign: Campaign, seed: string, seconds: number) {
  const rows: readonly Row[] = modes.flatMap((mode) =>
    Object.entries(campaign.tallies[mode])
      .map(([key, tally]) => ({
        mode,
        area: key.split(' ')[0] ?? '',
        operation: key.split(' ')[1] ?? '',
        ...tally,
      }))
      .sort((a, b) => `${a.area} ${a.operation}`.localeCompare(`${b.area} ${b.operation}`)),
  )
  const total = modes.reduce((sum, mode) => sum + campaign.sent(mode), 0)
  const finds = [...campaign.seen].map(([key, times]) => ({ key, times }))
  const memory = modes.flatMap((mode) => memoryOf(campaign, mode))
  const { compared, memory: samples } = campaign
  const json = { seed, seconds, total, compared, rows, memory, finds, samples }
  const rate = (mode: Mode): string => number(Math.round(campaign.sent(mode) / campaign.seconds[mode]))
  const text = [
    `\nSeed ${seed}: ${number(total)} requests in ${number(Math.round(seconds))} s, ${finds.length} finds.`,
    `${number(compared)} batches were sent to two fresh simulators, and their bytes compared.\n`,
    ...modes
      .filter((mode) => campaign.sent(mode) > 0)
      .map((mode) => `${mode}: ${number(campaign.sent(mode))} requests, ${rate(mode)}/s`),
    '',
    ...tableOf(rows, 'area', ({ mode, area }) => `${mode}, ${area}`),
    ...tableOf(rows, 'operation', ({ operation }) => operation),
    ...memory.map(
      ({ mode, heap, descriptors }) =>
        `${mode}: heap ${heap.map(megabytes).join(' → ')}, descriptors ${descriptors.join(' → ')} (after a tenth, half, all)`,
    ),
    ...finds.map(({ key, times }) => `FOUND ${times}×: ${key}`),
    '',
  ].join('\n')
  return { text, json }
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

function memoryOf(campaign: Campaign, mode: Mode) {
  const samples = campaign.memory.filter((sample) => sample.mode === mode)
  const last = samples.at(-1)
  if (last === undefined) return []
  const at = (share: number) => samples.find(({ requests }) => requests >= share * last.requests) ?? last
  const chosen = [at(0.1), at(0.5), last]
  return [
    { mode, heap: chosen.map(({ heap }) => heap), descriptors: chosen.map(({ descriptors }) => descriptors) },
  ]
}

type Row = Tally & { readonly mode: Mode; readonly area: string; readonly operation: string }

/** The sums of the rows that have one name, as Markdown. */
function tableOf(rows: readonly Row[], title: string, nameOf: (row: Row) => string): string[] {
  const sums = new Map<string, Row[]>()
  for (const row of rows) sums.set(nameOf(row), [...(sums.get(nameOf(row)) ?? []), row])
  const sum = (of: readonly Row[], key: keyof Tally): string =>
    number(of.reduce((total, row) => total + row[key], 0))
  return [
    `| ${title} | requests | answered | rejected | left or broken |`,
    '| --- | ---: | ---: | ---: | ---: |',
    ...[...sums]
      .map(
        ([name, of]) =>
          `| ${name} | ${(['sent', 'answered', 'rejected', 'left'] as const).map((key) => sum(of, key)).join(' | ')} |`,
      )
      .sort(),
    '',
  ]
}

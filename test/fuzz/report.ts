/** What a run of the fuzzer did, as a table to quote and as JSON. */
import type { Mode } from './batch.ts'
import type { Campaign } from './campaign.ts'
import type { Tally } from './jobs.ts'

const modes: readonly Mode[] = ['in-process', 'http']
const number = (value: number): string => value.toLocaleString('en-US')

export function reportOf(campaign: Campaign, seed: string, seconds: number) {
  const rows = modes.flatMap((mode) =>
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
  const json = {
    seed,
    seconds,
    total,
    compared: campaign.compared,
    rows,
    memory,
    finds,
    samples: campaign.memory,
  }
  const text = [
    `\nSeed ${seed}: ${number(total)} requests in ${number(Math.round(seconds))} s, ${finds.length} finds.`,
    `${number(campaign.compared)} batches were sent to two fresh simulators, and their bytes compared.\n`,
    ...modes
      .filter((mode) => campaign.sent(mode) > 0)
      .map(
        (mode) =>
          `${mode}: ${number(campaign.sent(mode))} requests, ${number(Math.round(campaign.sent(mode) / campaign.seconds[mode]))}/s`,
      ),
    '',
    ...table([
      ['', 'area', 'requests', 'answered', 'refused', 'left or broken'],
      ...sums(rows, ({ mode, area }) => [mode, area]),
    ]),
    '',
    ...table([
      ['operation', 'requests', 'answered', 'refused', 'left or broken'],
      ...sums(rows, ({ operation }) => [operation]),
    ]),
    '',
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

function sums(rows: readonly Row[], by: (row: Row) => readonly string[]): string[][] {
  const groups = new Map<string, { name: readonly string[]; figures: [number, number, number, number] }>()
  for (const row of rows) {
    const name = by(row)
    const group = groups.get(name.join()) ?? { name, figures: [0, 0, 0, 0] }
    groups.set(name.join(), group)
    for (const [at, key] of (['sent', 'answered', 'refused', 'left'] as const).entries())
      group.figures[at] = (group.figures[at] ?? 0) + row[key]
  }
  return [...groups.values()]
    .map(({ name, figures }) => [...name, ...figures.map(number)])
    .sort((a, b) => a.join().localeCompare(b.join()))
}

function table(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(head),
    line(head.map((name) => (/requests|answered|refused|left/.test(name) ? '---:' : '---'))),
    ...body.map(line),
  ]
}

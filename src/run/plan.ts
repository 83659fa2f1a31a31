/** The suite: the probes of all groups, those that a check sends, and their order. */
import { chatProbes } from '../endpoints/chat/probes.ts'
import { filesProbes } from '../endpoints/files/probes.ts'
import { imageJobsProbes } from '../endpoints/image-jobs/probes.ts'
import { imagesProbes } from '../endpoints/images/probes.ts'
import { messagesProbes } from '../endpoints/messages/probes.ts'
import { serviceGroups } from '../endpoints/registry.ts'
import { systemoneProbes } from '../endpoints/systemone/probes.ts'
import { operationsProbes } from '../endpoints/video-operations/probes.ts'
import { videosProbes } from '../endpoints/videos/probes.ts'
import type { EndpointGroup } from '../protocol/endpoint.ts'
import type { FromResponse, Probe, ProbeSet, Spend } from '../protocol/probe.ts'
import { createRouter, type Route } from '../protocol/router.ts'
import { matchesOperation } from '../scenario/compile/select.ts'
import { textTable } from '../text/printable.ts'

const sets: readonly ProbeSet[] = [
  chatProbes,
  messagesProbes,
  systemoneProbes,
  filesProbes,
  imagesProbes,
  imageJobsProbes,
  videosProbes,
  operationsProbes,
]

const spends: readonly Spend[] = ['none', 'little', 'all']

export interface PlannedProbe {
  readonly probe: Probe
  readonly set: ProbeSet
  readonly route: Route
  /** The group as `--model` names it: `imageJobs`. */
  readonly models: string
  /** False if it only runs because other probes need its response. */
  readonly asked: boolean
}

export const modelGroups: readonly string[] = sets.flatMap(({ group, model }) =>
  model === undefined ? [] : [catalogOf(group)],
)

function catalogOf(group: string): string {
  return serviceGroups.find(({ name }) => name === group)?.catalog ?? group
}

/** `imageJobs.*`. */
export function groupNameOf({ probes }: ProbeSet): string {
  return `${probes[0]?.endpoint.operation.split('.')[0]}.*`
}

/** Whether an operation is one of those named: `chat.create`, `videos.*`. */
export const isNamed = (operation: string, names: readonly string[]): boolean =>
  names.some((name) => matchesOperation(name, operation))

export const checkedOperations: readonly string[] = [
  ...new Set(sets.flatMap(({ probes }) => probes.map(({ endpoint }) => endpoint.operation))),
]

/** The probes of a check, the cheapest first. */
export function planOf(spend: Spend, only: readonly string[] = []): PlannedProbe[] {
  const { routes } = createRouter(serviceGroups as readonly EndpointGroup[])
  const affordable = spends.slice(0, spends.indexOf(spend) + 1)
  const all = sets.flatMap((set) =>
    set.probes.map(
      (probe): PlannedProbe => ({
        probe,
        set,
        route: routes.find(({ endpoint }) => endpoint === probe.endpoint) as Route,
        models: catalogOf(set.group),
        asked: only.length === 0 || isNamed(probe.endpoint.operation, only),
      }),
    ),
  )
  const byName = new Map(all.map((planned) => [planned.probe.name, planned]))
  const wanted = new Set<PlannedProbe>()
  const want = (planned: PlannedProbe): void => {
    if (wanted.has(planned)) return
    wanted.add(planned)
    for (const name of neededBy(planned.probe)) {
      const needed = byName.get(name)
      if (needed === undefined)
        throw new Error(`the probe ${planned.probe.name} needs the unknown probe ${name}`)
      want(needed)
    }
  }
  for (const planned of all) if (planned.asked && affordable.includes(planned.probe.spend)) want(planned)
  return affordable.flatMap((level) =>
    all.filter((planned) => wanted.has(planned) && planned.probe.spend === level),
  )
}

/** The probes of a check as a table, with the rules that they test. */
export function planText(spend: Spend, only: readonly string[]): string {
  const rows = planOf(spend, only).map(({ probe }) => [
    probe.spend,
    probe.endpoint.operation,
    probe.name,
    probe.states,
  ])
  return textTable(['SPEND', 'OPERATION', 'PROBE', 'RULE'], rows)
}

function neededBy({ request, while: condition }: Probe): string[] {
  const used = referencesIn(request).flatMap(({ $from }) => $from)
  return [...used, condition?.probe, request.after].filter((name) => name !== undefined)
}

export function referencesIn(value: unknown): FromResponse[] {
  if (value === null || typeof value !== 'object' || value instanceof RegExp) return []
  if ('$from' in value) return [value as FromResponse]
  return Object.values(value).flatMap(referencesIn)
}

export function namesModel(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || value instanceof RegExp) return false
  return '$model' in value || Object.values(value).some(namesModel)
}

/** The report on the clients of one session, updated with each call in bounded memory. */

import { BoundedMap } from '../engine/bounded-map.ts'
import type { ClockMode } from '../engine/clock.ts'
import type { Fields } from '../engine/fields.ts'
import type { Sandbox } from '../engine/sandbox.ts'
import type { JournalEntry } from '../exchange/exchange.ts'
import type { JournaledSandbox } from '../exchange/journal.ts'
import { type AnsweredFacts, detailsOf } from '../exchange/kept-exchange.ts'
import type { ClientReport, Finding, Severity } from '../generated/control-types.ts'
import { docsPage } from '../protocol/docs-page.ts'
import type { Operation } from '../protocol/operations.ts'
import type { Settings } from '../protocol/settings.ts'
import { findingKinds } from './findings/all.ts'
import {
  createJobs,
  type FindingCase,
  type FindingKind,
  ObservedCall,
  showsJobs,
  type Watch,
} from './observed-call.ts'

/** Joined once: findings of a warm call only read it. */
const findingsPage = docsPage('findings')

export interface ReporterOptions {
  /** The clock mode of the session. Default: `manual`. */
  readonly mode?: ClockMode
  /** How much faster than the wall clock its `real` clock runs. Default: 1. */
  readonly speed?: () => number
  /** Kinds of findings that are turned off. */
  readonly off?: readonly string[]
  operation(id: string): Operation | undefined
}

const maxFindings = 1000
const maxEvidence = 10
const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

interface Concern {
  readonly index: number
  readonly fields: readonly string[] | 'unknown' | undefined
  /** An unused watch: it shows which operations and fields concern it. */
  readonly fresh: Watch
}

interface OperationWatches {
  readonly operation: Operation | undefined
  readonly concerns: readonly Concern[]
  knownFields: ReadonlySet<string> | undefined
  readonly showsJobs: boolean
}

/** The watches of each operation, shared by the reporters of many sessions. */
interface FindingPlan {
  readonly kinds: readonly FindingKind[]
  readonly callerOf: (entry: JournalEntry) => string
  watchesOf(operation: string | undefined): OperationWatches
}

/** Finds the watches of each operation. Most concern few operations; other calls cost nothing. */
function planFindings({ mode = 'manual', off = [], operation: operationOf }: ReporterOptions): FindingPlan {
  const kinds = findingKinds.filter(({ id }) => !off.includes(id))
  const jobs = createJobs()
  const fresh = kinds.map((kind) =>
    kind.watch({ mode, speed: normalSpeed, jobs, report() {}, unchecked() {} }),
  )
  const byOperation = new Map<string, OperationWatches>()
  return {
    kinds,
    callerOf: rememberCallers(),
    watchesOf(id = '') {
      const known = byOperation.get(id)
      if (known !== undefined) return known
      const operation = operationOf(id)
      const concerns = kinds.flatMap(({ on, fields }, index): Concern[] =>
        on !== undefined && (operation === undefined || !on(operation))
          ? []
          : [{ index, fields: fields?.(operation), fresh: fresh[index] as Watch }],
      )
      const added = { operation, concerns, knownFields: undefined, showsJobs: showsJobs(operation) }
      byOperation.set(id, added)
      return added
    },
  }
}

/** The limits of remembered callers: their number, and the characters of their keys. */
const maxCallers = { count: 1000, length: 200 } as const

/** Caches the callers of entries: hashing a key takes longer than the watches of a call. */
function rememberCallers(): FindingPlan['callerOf'] {
  const callers = new BoundedMap<string>({ count: maxCallers.count })
  return (entry) => {
    const key = detailsOf(entry)?.key
    if (key === undefined) return entry.caller ?? ''
    const known = callers.get(key)
    if (known !== undefined) return known
    const caller = entry.caller ?? ''
    if (key.length <= maxCallers.length) callers.set(key, caller)
    return caller
  }
}

const normalSpeed = (): number => 1

type Reporter = ReturnType<typeof createReporter>

/** A reporter without any calls. */
export function createReporter(options: ReporterOptions, plan = planFindings(options)) {
  const { mode = 'manual', speed = normalSpeed } = options
  const jobs = createJobs()
  const kept = new Map<string, Finding>()
  let more = 0
  let calls = 0
  let uncheckedWaits = 0
  const watches: (Watch | undefined)[] = []
  const make = (index: number): Watch => {
    const kind = plan.kinds[index] as FindingKind
    const watch = kind.watch({
      mode,
      speed,
      jobs,
      unchecked: () => void uncheckedWaits++,
      report(finding) {
        if (!add(kept, kind, finding)) more++
      },
    })
    watches[index] = watch
    return watch
  }

  return {
    /** Called when a call begins. `record` is the source of the journal entry, if available. */
    called(entry: JournalEntry, record?: AnsweredFacts): void {
      calls++
      const concerned = plan.watchesOf(entry.operation)
      const { operation } = concerned
      concerned.knownFields ??= record?.knownFields?.()
      let call: ObservedCall | undefined
      for (const { index, fields, fresh } of concerned.concerns) {
        const watch = watches[index]
        if (fresh.called === undefined || (watch ?? fresh).isIdle === true) continue
        if (
          record !== undefined &&
          fields !== undefined &&
          !hasAny(record.body, fields, concerned.knownFields)
        )
          continue
        call ??= new ObservedCall(entry, operation, plan.callerOf, record)
        ;(watch ?? make(index)).called?.(call)
      }
      if (entry.cause.transitions.length > 0)
        jobs.called(call ?? new ObservedCall(entry, operation, plan.callerOf, record))
    },
    ended(entry: JournalEntry): void {
      const { operation, concerns, showsJobs: shows } = plan.watchesOf(entry.operation)
      const isOrdinary =
        entry.ended === 'completed' && (entry.response?.status ?? 0) < 300 && entry.cause.faults.length === 0
      let call: ObservedCall | undefined
      for (const { index, fresh } of concerns) {
        if (fresh.ended === undefined) continue
        const watch = watches[index]
        if (isOrdinary && (watch ?? fresh).isIdle === true) continue
        call ??= new ObservedCall(entry, operation, plan.callerOf)
        ;(watch ?? make(index)).ended?.(call)
      }
      if (shows || entry.cause.transitions.length > 0)
        jobs.ended(call ?? new ObservedCall(entry, operation, plan.callerOf))
    },
    /**
     * The report if no calls follow after `now` (virtual milliseconds since the epoch). Changes nothing, and
     * can be called at any time.
     */
    report(now: number): ClientReport {
      const all = new Map(kept)
      let beyond = more
      for (const [index, kind] of plan.kinds.entries())
        for (const finding of (watches[index] ?? make(index)).finish?.(now) ?? [])
          if (!add(all, kind, finding)) beyond++
      const report = reportOf(all, calls, beyond)
      return uncheckedWaits === 0 ? report : { ...report, uncheckedWaits }
    },
  }
}

function reportOf(all: ReadonlyMap<string, Finding>, requests: number, more: number): ClientReport {
  const findings = [...all.values()].sort(
    (a, b) =>
      ranks[a.severity] - ranks[b.severity] ||
      firstSeq(a) - firstSeq(b) ||
      compare(a.id, b.id) ||
      compare(a.subject, b.subject),
  )
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length
  const [errors, warnings, hints] = [count('error'), count('warning'), count('hint')]
  return { ok: errors + warnings === 0, requests, errors, warnings, hints, findings, more }
}

/** Whether a body has one of these fields, or an unknown one. */
function hasAny(
  body: unknown,
  fields: readonly string[] | 'unknown',
  known: ReadonlySet<string> | undefined,
): boolean {
  if (body === null || typeof body !== 'object') return false
  // Names of form fields: `image[]` may mean `image`, which the finding handles.
  if (Array.isArray(body)) return fields === 'unknown'
  if (fields !== 'unknown') {
    for (const name of fields) if ((body as Fields)[name] !== undefined) return true
    return false
  }
  if (known !== undefined) for (const name in body) if (!known.has(name)) return true
  return false
}

// Returns false at the limit.
function add(all: Map<string, Finding>, kind: FindingKind, found: FindingCase): boolean {
  const { id, severity } = kind
  const { subject, message, remedy = kind.remedy, calls } = found
  const key = `${id} ${subject}`
  const before = all.get(key)
  if (before === undefined && all.size >= maxFindings) return false
  const evidence = withEvidence(before?.evidence ?? [], calls)
  const times = (before?.times ?? 0) + 1
  const docs = `${findingsPage}#${id}`
  all.set(key, { id, severity, subject, message, remedy, docs, times, evidence })
  return true
}

// A report may still use the old list: copy it instead of appending.
function withEvidence(before: Finding['evidence'], calls: FindingCase['calls']): Finding['evidence'] {
  if (before.length >= maxEvidence) return before
  const evidence = [...before]
  for (const { seq, requestId, rule } of calls)
    if (evidence.length < maxEvidence && !evidence.some((one) => one.seq === seq))
      evidence.push(rule === undefined ? { seq, requestId } : { seq, requestId, rule })
  return evidence
}

const firstSeq = ({ evidence }: Finding): number => evidence[0]?.seq ?? Infinity
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Follows sessions according to the settings. */
export function watchSessions(
  { clientReport: { off } }: Pick<Settings, 'clientReport'>,
  operation: ReporterOptions['operation'],
) {
  // The report is garbage-collected with its sandbox.
  const reporters = new WeakMap<Sandbox, Reporter>()
  const plans = new Map<ClockMode, FindingPlan>()
  return {
    watch(sandbox: JournaledSandbox): void {
      const { clock } = sandbox
      const options = { mode: clock.mode, off, operation }
      const plan = plans.get(clock.mode) ?? planFindings(options)
      plans.set(clock.mode, plan)
      const reporter = createReporter(
        {
          ...options,
          ...(clock.mode === 'real' ? { speed: () => clock.speed } : {}),
        },
        plan,
      )
      reporters.set(sandbox, reporter)
      sandbox.journal.onEntry(reporter.called)
      sandbox.journal.onClose(reporter.ended)
    },
    of: (sandbox: Sandbox): ClientReport =>
      (reporters.get(sandbox) ?? createReporter({ operation })).report(sandbox.clock.now()),
  }
}

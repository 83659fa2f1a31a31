/** What a check could not check: groups without a usable response, and probes that an outage prevented. */

import { grouped } from '../engine/fields.ts'
import type { UncheckedOperations } from './check-types.ts'
import { groupNameOf, isNamed } from './plan.ts'
import { type Outcome, usesKey } from './probe-run.ts'

const isValid = ({ planned: { probe } }: Outcome): boolean =>
  probe.spend !== 'none' || (typeof probe.expect?.status === 'object' && probe.expect.status.includes(200))

export const isChecked = ({ skipped }: Outcome): boolean => skipped === undefined

/**
 * The groups, or the names of `--only`, of which no response shows that they work. Of the others, the probes
 * that an outage prevented.
 */
export function uncheckedOf(asked: readonly Outcome[], only: readonly string[] = []): UncheckedOperations[] {
  const named = only.map((name) => {
    const outcomes = asked.filter(({ planned }) => isNamed(planned.probe.endpoint.operation, [name]))
    return [name, outcomes] as const
  })
  const parts = only.length > 0 ? named : [...grouped(asked, ({ planned: { set } }) => groupNameOf(set))]
  const groups = parts.flatMap(([name, outcomes]) => {
    const reason = reasonUnchecked(outcomes, only.length > 0)
    return reason === undefined ? [] : [{ name, reason }]
  })
  const isListed = ({ planned }: Outcome): boolean =>
    groups.some(({ name }) => isNamed(planned.probe.endpoint.operation, [name]))
  return [...groups, ...outagesOf(asked.filter((one) => one.isOutage === true && !isListed(one)))]
}

/** By operation and reason, with the names of the probes. */
function outagesOf(outcomes: readonly Outcome[]): UncheckedOperations[] {
  const alike = grouped(outcomes, ({ planned, skipped }) =>
    JSON.stringify([planned.probe.endpoint.operation, skipped]),
  )
  return [...alike.values()].map((all) => {
    const [{ planned, skipped: reason = '' }] = all as [Outcome]
    const probes = all.map((one) => one.planned.probe.name)
    return { name: planned.probe.endpoint.operation, reason, probes }
  })
}

function reasonUnchecked(outcomes: readonly Outcome[], isNamed: boolean): string | undefined {
  if (outcomes.length === 0) return 'no probe within the spending limit'
  // A gateway may lack operations that are not in the contract.
  const isOptional = outcomes.every(({ planned }) => planned.probe.endpoint.extension !== undefined)
  if (isOptional && !isNamed && !outcomes.some(({ isOutage }) => isOutage === true)) return undefined
  const isSettled = outcomes.some((one) => one.isAbsent === true || isChecked(one))
  const isMissing = (some: readonly Outcome[]): boolean =>
    !some.some((one) => isChecked(one) && one.isAbsent !== true) &&
    (some.some(({ isLost }) => isLost === true) || !isSettled)
  // A gateway that rejects every request passes the probes without an API key, and those with invalid input.
  const withKey = outcomes.filter(({ planned }) => usesKey(planned))
  const keyed = withKey.length > 0 ? withKey : outcomes
  if (isMissing(keyed)) return commonReason(keyed) ?? 'every probe with an API key was skipped'
  const valid = outcomes.filter(isValid)
  return isMissing(valid) ? (commonReason(valid) ?? 'every valid request was skipped') : undefined
}

/** The reason of all that were skipped, except because of another probe. */
function commonReason(outcomes: readonly Outcome[]): string | undefined {
  const reasons = new Set(outcomes.flatMap(({ isLost, skipped }) => (isLost === true ? [skipped] : [])))
  return reasons.size === 1 ? [...reasons][0] : undefined
}

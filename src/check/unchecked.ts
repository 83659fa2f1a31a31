/** What a check could not check: groups without a usable response, and probes that an outage prevented. */

import { grouped } from '../engine/fields.ts'
import type { UncheckedOperations } from './report.ts'
import { type Outcome, usesKey } from './run.ts'
import { groupNameOf, isNamed } from './suite.ts'

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

/** The operations of which every response to a request with an API key was 404, as for an unknown id. */
export function unprovenOf(asked: readonly Outcome[], unchecked: readonly UncheckedOperations[]): string[] {
  const unproven = new Set<string>()
  const proven = new Set<string>()
  for (const { name } of unchecked) proven.add(name)
  for (const { planned, response, isAbsent } of asked) {
    const { endpoint, request } = planned.probe
    const isProof = isAbsent === true || endpoint.extension !== undefined
    if (isProof || (request.key !== false && ![undefined, 404].includes(response?.status)))
      proven.add(endpoint.operation)
    else if (response !== undefined) unproven.add(endpoint.operation)
  }
  return [...unproven].filter((operation) => !isNamed(operation, [...proven]))
}

/** If the gateway does not have most operations: the groups of the others, for `--only`. */
export function presentGroups(asked: readonly Outcome[]): string[] {
  const operationsOf = (outcomes: readonly Outcome[]): Set<string> =>
    new Set(outcomes.map(({ planned }) => planned.probe.endpoint.operation))
  const isAbsent = (one: Outcome): boolean => one.isAbsent === true
  const absent = operationsOf(asked.filter(isAbsent))
  const present = asked.filter(
    (one) =>
      isChecked(one) &&
      usesKey(one.planned) &&
      !isAbsent(one) &&
      ![401, 404, 405].includes(one.response?.status ?? 0),
  )
  if (absent.size <= operationsOf(present).size) return []
  return [...new Set(present.map(({ planned }) => groupNameOf(planned.set)))]
}

/** Which rules of scenarios never answered. */
import type { World } from '../engine/world.ts'
import { answeredTimes } from '../scenario/director.ts'

/** A rule as far as a report names it. */
export interface NamedRule {
  readonly id: string
}

/** The ids of the rules that answered no call of any of these sessions, in the order of the rules. */
export function unusedRules(rules: readonly NamedRule[], worlds: readonly Pick<World, 'notes'>[]): string[] {
  return rules.filter(({ id }) => worlds.every((world) => answeredTimes(world, id) === 0)).map(({ id }) => id)
}

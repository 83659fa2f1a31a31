/** Finds the entry of a call in the journals of a simulator. */
import { tagIn } from '../../engine/ids.ts'
import type { JournalEntry } from '../../engine/journal-entry.ts'
import type { World } from '../../engine/world.ts'
import { ApiError } from '../../protocol/errors.ts'
import { show } from '../../protocol/wording.ts'

/**
 * The entry of a request id, in whatever session it was minted, or of a number in this one. Throws `ApiError`
 * (404) that says what was looked for and where.
 */
export function findCall(
  id: string | number,
  world: World,
  byTag: (tag: string) => { readonly world: World } | undefined,
): JournalEntry {
  const seq = typeof id === 'number' ? id : /^\d{1,15}$/.test(id) ? Number(id) : undefined
  const tag = typeof id === 'string' && seq === undefined ? tagIn(id) : undefined
  const home = (tag === undefined ? undefined : byTag(tag)?.world) ?? world
  const isTrace = typeof id === 'string' && /^trc_[0-9a-f]{32}$/.test(id)
  const found = isTrace ? findByTrace(id, home) : home.journal.find(seq ?? id)
  if (found !== undefined) return found
  if (isTrace)
    throw new ApiError(
      'not_found_error',
      [
        `${show(id)} is the trace id of an error, and no reply that the journal of the session`,
        `"${home.name}" keeps has it: use the request id, from the x-request-id header of the reply.`,
      ].join(' '),
      { param: 'id' },
    )
  const kept = home.journal.entries()
  const numbers =
    home.journal.total === 0
      ? 'it has taken no call since it began'
      : kept.length === 0
        ? `it keeps none of its ${home.journal.total} calls any more`
        : `it keeps calls ${kept[0]?.seq} to ${kept.at(-1)?.seq} of ${home.journal.total}`
  throw new ApiError(
    'not_found_error',
    [
      `There is no call ${show(id)} in the journal of the session "${home.name}": expected a request id`,
      `of a reply, or the number of a call; ${numbers} (settings memory.journalEntries,`,
      'memory.journalBytes and memory.journalBytesInAll).',
    ].join(' '),
    { param: 'id' },
  )
}

// It stands in the reply alone. The oldest, for a later refusal may quote it.
function findByTrace(id: string, { journal }: World): JournalEntry | undefined {
  return journal
    .entries()
    .find(({ status, refusal, reply }) => (status >= 400 || refusal !== undefined) && reply?.includes(id))
}

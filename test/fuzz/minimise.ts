/** Makes a list of steps that shows a find into a short one with small bodies that still does. */
import { placesOf, without } from '../hostile/_json.ts'
import { bytesOf, type Step, textOf } from './steps.ts'

/** Whether steps still show the find. */
export type Shows = (steps: readonly Step[]) => Promise<boolean>

export async function minimised(
  steps: readonly Step[],
  shows: Shows,
  isOver: () => boolean,
): Promise<readonly Step[]> {
  const fewer = await shorter(steps, shows, isOver)
  let found = fewer
  for (let at = found.length - 1; at >= 0 && !isOver(); at--)
    found = await smallerAt(found, at, shows, isOver)
  return found
}

/** Delta debugging: leaves out halves, then quarters, … of a list. */
async function shorter<T>(
  list: readonly T[],
  shows: (list: readonly T[]) => Promise<boolean>,
  isOver: () => boolean,
): Promise<readonly T[]> {
  let kept = list
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && !isOver(); ) {
      const less = [...kept.slice(0, at), ...kept.slice(at + size)]
      if (less.length > 0 && (await shows(less))) kept = less
      else at += size
    }
  }
  return kept
}

async function smallerAt(
  steps: readonly Step[],
  at: number,
  shows: Shows,
  isOver: () => boolean,
): Promise<readonly Step[]> {
  const step = steps[at] as Step
  const put = (changed: Step): readonly Step[] => steps.with(at, changed)
  const works = (changed: Step): Promise<boolean> => shows(put(changed))
  if (step.kind === 'bytes') {
    const letters = await shorter(
      [...step.chunks.join('')],
      (text) => works({ ...step, chunks: [text.join('')] }),
      isOver,
    )
    const joined: Step = { ...step, chunks: [letters.join('')] }
    return (await works(joined)) ? put(joined) : steps
  }
  if (step.kind === 'settings')
    return put({ ...step, json: await smallerText(step.json, (json) => works({ ...step, json }), isOver) })
  if (step.kind === 'file')
    return put({ ...step, text: await smallerText(step.text, (text) => works({ ...step, text }), isOver) })
  const names = Object.keys(step.headers)
  const headersOf = (some: readonly string[]) => ({
    ...step,
    headers: Object.fromEntries(Object.entries(step.headers).filter(([name]) => some.includes(name))),
  })
  const headed = headersOf(await shorter(names, (some) => works(headersOf(some)), isOver))
  if (headed.body === undefined) return put(headed)
  const body = await smallerText(
    textOf(headed.body),
    (text) => works({ ...headed, body: bytesOf(text) }),
    isOver,
  )
  // Bytes that are no UTF-8 stay as they are.
  return textOf(headed.body) === body ? put(headed) : put({ ...headed, body: bytesOf(body) })
}

async function smallerText(
  text: string,
  shows: (text: string) => Promise<boolean>,
  isOver: () => boolean,
): Promise<string> {
  const tree = await smallerJson(text, shows, isOver)
  const lines = await shorter(tree.split('\n'), (some) => shows(some.join('\n')), isOver)
  const less = lines.join('\n')
  // Letter by letter would take too long on a long text; chunks of a thirty-second are small enough there.
  const size = Math.max(1, Math.ceil(less.length / 200))
  const chunks = less.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  return (await shorter(chunks, (some) => shows(some.join('')), isOver)).join('')
}

/** Leaves out members and elements, the outer ones first. */
async function smallerJson(
  text: string,
  shows: (text: string) => Promise<boolean>,
  isOver: () => boolean,
): Promise<string> {
  let kept = text
  const parsed = (): unknown => {
    try {
      return JSON.parse(kept) as unknown
    } catch {
      return undefined
    }
  }
  for (let index = 1; !isOver(); ) {
    const value = parsed()
    const place = value === undefined ? undefined : placesOf(value)[index]
    if (place === undefined) return kept
    const less = without(value, place)
    if (await shows(less)) kept = less
    else index++
  }
  return kept
}

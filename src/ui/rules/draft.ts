/** A scenario that another view has prepared for the form of the rules view. */
import { signal } from '@preact/signals'
import { go } from '../route.ts'

export const draft = signal('')

/** Opens the form with a scenario. */
export function openDraft(text: string): void {
  draft.value = text
  go(['rules', 'add'])
}

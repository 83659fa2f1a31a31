/** Simulators whose every call gets one stream script. */

import type { ScriptItem, Stream } from '../../../src/generated/scenario-types.ts'
import type { ScenarioInput } from '../../../src/index.ts'
import { simulator } from '../../_setup.ts'

/** An item as scenario files write it. */
export type Item = ScriptItem

/** A simulator that says this script whatever it is asked; `stream` is what stands beside the script. */
export function scripted(
  script: readonly Item[],
  stream: Omit<Stream, 'script'> = {},
  options: Parameters<typeof simulator>[0] = {},
): ReturnType<typeof simulator> {
  const drawn = script.some((item) => 'partial' in item || 'image' in item)
  const operation = drawn ? ['images.generate', 'images.edit'] : ['chat.create', 'messages.create']
  return simulator({
    clock: 'auto',
    scenarios: [
      {
        title: 'One script for all',
        rules: [{ when: { operation }, then: { stream: { ...stream, script } } }],
      } as ScenarioInput,
    ],
    ...options,
  })
}

/** Stands in for your gateway: a simulator whose responses violate the contract. */
import { createSimulator } from 'gateway-sim'
import { listen } from 'gateway-sim/node'

const offContract = true

export const deviations = {
  noFinishReason: {
    when: { operation: 'chat.create' },
    then: { unset: ['choices.0.finish_reason'], offContract },
  },
  otherPath: {
    when: { operation: 'files.createUploadUrl' },
    then: { patch: { path: 's3://bucket/file' }, offContract },
  },
  newStopReason: {
    when: { operation: 'messages.create' },
    then: { patch: { stop_reason: 'finished' }, offContract },
  },
}

export function startGateway(...names) {
  const simulator = createSimulator({ clock: 'auto', onWarning: () => {} })
  for (const name of names) simulator.overrides.add(deviations[name])
  return listen(simulator)
}

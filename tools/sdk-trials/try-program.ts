/** Runs a program against every failure, over sockets. */
import { listen } from '../../src/node.ts'
import { type TrialResult, type TryOptions, tryFailures } from '../../src/trial.ts'
import type { Program } from './programs.ts'

/** The AI SDK asks for as many tokens as the model has, which the contract does not allow. */
export function tryProgram({ run }: Program, options: TryOptions): Promise<TrialResult[]> {
  return tryFailures(
    async ({ sim, simulator }) => {
      const server = await listen(simulator)
      try {
        return await run(sim.on(server.url).sdk)
      } finally {
        await server.close()
      }
    },
    { simulatorOptions: { settings: { messages: { maxTokens: 200_000 } } }, ...options },
  )
}

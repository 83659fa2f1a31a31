/** Tools that really work, for tests of agent frameworks: each run is noted. */
import * as z from 'zod'
import type { Simulator } from '../../src/index.ts'

const definitions = {
  get_weather: {
    description: 'Get the current weather for a city',
    schema: z.object({ city: z.string().describe('The name of the city') }),
    run: ({ city }: { city: string }): unknown => ({ city, celsius: 21, sky: 'clear' }),
  },
  calculate: {
    description: 'Evaluates a mathematical expression, e.g. "1.2 * (7 + 4.5)"',
    schema: z.object({ expression: z.string() }),
    run: ({ expression }: { expression: string }): unknown => evaluated(expression),
  },
  add: {
    description: 'Add two numbers',
    schema: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }: { a: number; b: number }): unknown => a + b,
  },
  multiply: {
    description: 'Multiply two numbers',
    schema: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }: { a: number; b: number }): unknown => a * b,
  },
}

/** Products and sums of two numbers; anything else throws, as a calculator would. */
function evaluated(expression: string): number {
  const [, a, sign, b] = /^\s*([\d.]+)\s*([*+])\s*([\d.]+)\s*$/.exec(expression) ?? []
  if (sign === undefined) throw new Error(`no arithmetic: ${expression}`)
  return sign === '*' ? Number(a) * Number(b) : Number(a) + Number(b)
}

export interface PlainTool {
  readonly name: string
  readonly description: string
  readonly schema: z.ZodObject
  readonly run: (input: Record<string, unknown>) => unknown
}

/** The tools of these names, in this order, and the calls that they get. */
export function workingTools(...names: (keyof typeof definitions)[]) {
  const calls: [name: string, input: unknown][] = []
  const tools = names.map((name): PlainTool => {
    const { description, schema, run } = definitions[name]
    return {
      name,
      description,
      schema,
      run(input) {
        calls.push([name, input])
        return (run as (input: unknown) => unknown)(input)
      },
    }
  })
  return { tools, calls }
}

/** How often the model was called; a rejected call counts too. */
export const modelCalls = (sim: Simulator): number => sim.journal().length

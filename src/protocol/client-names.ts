/** Maps whose names clients choose. */
import * as z from 'zod'

/** Refuses the name `__proto__`, which zod would drop silently. */
export const clientNames = <Map extends z.ZodType>(map: Map) =>
  z.preprocess((input, context) => {
    if (input !== null && typeof input === 'object' && Object.hasOwn(input, '__proto__'))
      context.addIssue({
        code: 'custom',
        message: 'holds the name "__proto__", which cannot be used: choose another',
        input,
      })
    return input
  }, map)

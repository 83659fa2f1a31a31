import { vi } from 'vitest'

/** Waits until `check` passes, on a machine of any speed. */
export const eventually = <T>(check: () => T): Promise<T> => vi.waitFor(check, { timeout: 120_000 })

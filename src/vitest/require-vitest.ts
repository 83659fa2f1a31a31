/** The user's vitest. */

/**
 * Throws if it is not installed, or older than 4.1: earlier versions have no `override`, which test sessions
 * need. The package accepts any version as an optional peer, because its other entry points work without
 * vitest.
 */
export async function requireVitest(
  load: () => Promise<typeof import('vitest')> = () => import('vitest'),
): Promise<typeof import('vitest')> {
  const vitest = await load().catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'vitest'")) throw error
    throw new Error(
      `gateway-sim/vitest needs vitest, which is not installed: npm install --save-dev vitest. ${otherwise}`,
    )
  })
  if ('override' in vitest.test) return vitest
  throw new Error(`gateway-sim/vitest needs vitest 4.1 or later. ${otherwise}`)
}

const otherwise = 'Otherwise, use `createSimulator` from gateway-sim, which works with every test runner.'

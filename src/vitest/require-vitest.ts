/** The version of vitest that the fixtures need. */

/**
 * Throws if it is older than 4.1: earlier versions have no `override`, which test sessions need. The package
 * accepts any version as a peer, because its other entry points work without vitest.
 */
export function requireVitest({ test }: { readonly test: object }): void {
  if (!('override' in test))
    throw new Error(
      'gateway-sim/vitest needs vitest 4.1 or later. With an older version, use `createSimulator` from ' +
        'gateway-sim, which works with every test runner.',
    )
}

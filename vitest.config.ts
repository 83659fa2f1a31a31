import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The suite starts servers and child processes; a slow machine must not turn that into failures.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'threads',
    // A test that is skipped by mistake looks like one that passes.
    allowOnly: false,
  },
})

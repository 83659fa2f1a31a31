import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string }

export default defineConfig({
  // As in the build: generated files name the version.
  define: { GATEWAY_SIM_VERSION: JSON.stringify(version) },
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

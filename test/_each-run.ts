/** Runs before the thorough tests: an empty folder in which test files share what takes long to make. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder, which exists until the run ends. */
    readonly shared: string
  }
}

export default function (project: TestProject): () => void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-sim-shared-')))
  project.provide('shared', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}

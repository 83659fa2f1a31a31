/** What publint and Are The Types Wrong say to the tarball. */
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { expect, it } from 'vitest'
import { packedProject } from './_built.ts'

const tarball = new Uint8Array(readFileSync(packedProject().tarball))

it('publint has nothing to say, not even a suggestion', async () => {
  const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  expect(messages).toEqual([])
})

it('TypeScript finds the types of every entry, but of gateway-sim/vitest only in ES modules', async () => {
  const found = await checkPackage(createPackageFromTarballData(tarball))
  const problems = found.types === false ? ['no types'] : found.problems
  // Resolution without `exports`, as before Node 12, finds the main entry only.
  const known = { kind: 'NoResolution', resolutionKind: 'node10' }
  expect(problems).toEqual(
    problems.map((one) =>
      typeof one !== 'string' && one.kind === 'NoResolution'
        ? { ...known, entrypoint: expect.not.stringMatching(/^\.$/) as string }
        : { kind: 'CJSResolvesToESM', resolutionKind: 'node16-cjs', entrypoint: './vitest' },
    ),
  )
  expect(problems).not.toEqual([])
})

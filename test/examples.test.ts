/** The projects under examples/ are described, and use the packages that this repository has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { manifest, root } from './_built.ts'
import { examples } from './_examples.ts'

const index = readFileSync(join(root, 'examples/README.md'), 'utf8')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, { readonly version: string }>>
}

it('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4)
})

describe.each(examples.map((example) => [example.name, example] as const))('%s', (name, example) => {
  it('is listed in examples/README.md', () => {
    expect(index).toContain(`| [${name}](${name}/README.md) |`)
  })

  it('has a README of at most 15 lines, with the commands that install and run it', () => {
    const lines = readFileSync(join(example.folder, 'README.md'), 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(15)
    expect(lines).toContainEqual(expect.stringMatching(/^npm (?:install|ci)\b/))
    expect(lines).toContain('npm test')
  })

  it('is private, and has a test script with an expected output', () => {
    expect(example.manifest).toMatchObject({
      name,
      private: true,
      scripts: { test: expect.any(String) as string },
      'gateway-sim-example': { expect: expect.stringMatching(/\S{4,}|\d \w/) as string },
    })
  })

  it('declares the versions of this repository', () => {
    const versions = Object.fromEntries(
      Object.keys(example.packages).map((one) => [
        one,
        `^${one === 'gateway-sim' ? manifest.version : lock.packages[`node_modules/${one}`]?.version}`,
      ]),
    )
    expect(example.packages).toEqual(versions)
    expect(versions).toHaveProperty('gateway-sim')
  })
})

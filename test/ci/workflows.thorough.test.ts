/** The workflow that publishes a release, and that of an example. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { manifest, root } from '../_built.ts'
import { lint } from './_actionlint.ts'

const textOf = (name: string): string => readFileSync(join(root, name), 'utf8')
const release = '.github/workflows/release.yml'
const { on, permissions, jobs } = parse(textOf(release)) as {
  on: { push: { tags: string[] } }
  permissions: object
  jobs: { publish: { steps: { name?: string; run?: string }[] } }
}
const commands = jobs.publish.steps.flatMap(({ run }) => run ?? [])

it.each([release, 'examples/nightly-check/.github/workflows/nightly.yml'])(
  'actionlint accepts %s',
  async (name) => {
    const text = textOf(name)
    expect(await lint(text)).toEqual([])
    expect(await lint(text.replace('runs-on', 'run-on'))).not.toEqual([])
  },
)

describe('the release', () => {
  it('publishes a tag after all tests, with provenance and without a token', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' })
    expect(commands.slice(1)).toEqual(['.ci/run', 'npm publish --provenance --access public'])
    const scripts = [...textOf('.ci/run').matchAll(/^.*?\bnpm (?:run )?(test\S*|ci)/gm)].map(
      ([, name]) => name,
    )
    expect(scripts).toEqual(['ci', 'test', 'test:thorough'])
    expect(Object.keys(manifest.scripts)).toEqual(
      expect.arrayContaining(['test', 'test:thorough', 'prepack']),
    )
  })

  it('stops if the tag is not the version', () => {
    const check = jobs.publish.steps.find(({ name }) => name?.startsWith('Compare'))?.run as string
    const statusFor = (tag: string): number | null =>
      spawnSync('bash', ['-e', '-c', check], { cwd: root, env: { ...process.env, GITHUB_REF_NAME: tag } })
        .status
    expect([`v${manifest.version}`, manifest.version, 'v99.0.0'].map(statusFor)).toEqual([0, 1, 1])
  })
})

/** What an installation brings along: which packages, and that none of them runs anything. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Package {
  readonly dev?: boolean
  readonly peer?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
  readonly resolved?: string
}

const root = join(import.meta.dirname, '..')
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'))
const { packages } = read('package-lock.json') as { packages: Record<string, Package> }
const shipped = Object.entries(packages).filter(
  ([path, { dev, peer, devOptional }]) => path !== '' && !dev && !peer && !devOptional,
)

it('only three packages are installed with this one, and none of them runs a script', () => {
  expect(shipped.map(([path]) => path)).toEqual([
    'node_modules/@faker-js/faker',
    'node_modules/re2js',
    'node_modules/yaml',
  ])
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([])
  const { scripts } = read('package.json') as { scripts: Record<string, string> }
  const onInstall = [
    'preinstall',
    'install',
    'postinstall',
    'prepare',
    'prepublish',
    'preprepare',
    'postprepare',
  ]
  expect(Object.keys(scripts).filter((name) => onInstall.includes(name))).toEqual([])
})

it('the lock file names no registry: every installation asks its own', () => {
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})

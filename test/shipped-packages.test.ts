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

it('twenty packages are installed with this one, and none of them runs a script', () => {
  expect(shipped.map(([path]) => path)).toEqual([
    'node_modules/@eslint-community/regexpp',
    'node_modules/@faker-js/faker',
    'node_modules/@noble/hashes',
    'node_modules/@remix-run/headers',
    'node_modules/@remix-run/multipart-parser',
    'node_modules/chokidar',
    'node_modules/cross-spawn',
    'node_modules/eventsource-parser',
    'node_modules/fast-png',
    'node_modules/fflate',
    'node_modules/image-size',
    'node_modules/iobuffer',
    'node_modules/isexe',
    'node_modules/path-key',
    'node_modules/re2js',
    'node_modules/readdirp',
    'node_modules/shebang-command',
    'node_modules/shebang-regex',
    'node_modules/which',
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

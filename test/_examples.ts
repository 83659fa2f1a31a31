/** The projects under examples/. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './_built.ts'

interface ExampleManifest {
  readonly name: string
  readonly private: boolean
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  /** `expect` is a part of what `npm test` writes. */
  readonly 'gateway-sim-example': { readonly expect: string }
}

export interface Example {
  readonly name: string
  readonly folder: string
  readonly manifest: ExampleManifest
  /** The packages that it declares, with their ranges. */
  readonly packages: Readonly<Record<string, string>>
}

export const examples: readonly Example[] = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const folder = join(root, 'examples', name)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ExampleManifest
    return { name, folder, manifest, packages: { ...manifest.dependencies, ...manifest.devDependencies } }
  })

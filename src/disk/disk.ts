/** Reads files from disk: scenarios, the files that they name, and the YAML parser. */
import { holdContent } from '../http/held-bytes.ts'
import type { Yaml } from '../scenario/load/read-yaml.ts'
import type { Disk, FileFolders } from '../scenario/load/scenario.ts'
import { ScenarioError } from '../scenario/scenario-error.ts'

export const disk: Disk = {
  readFile(path) {
    const { readFileSync } = nodeModule<typeof import('node:fs')>('node:fs', path)
    const { dirname } = nodeModule<typeof import('node:path')>('node:path', path)
    try {
      return { bytes: readFileSync(path), directory: dirname(path) }
    } catch (error) {
      throw unreadable(path, error)
    }
  },
  yaml() {
    const { createRequire } = (findNodeModule('node:module') ?? {}) as Partial<typeof import('node:module')>
    return createRequire?.(import.meta.url)('yaml') as Yaml | undefined
  },
  readNamed,
  readContent({ file, ...content }, seed, folders) {
    const bytes = file === undefined ? undefined : readNamed(file, folders)
    return typeof bytes === 'string' ? bytes : holdContent({ ...content, bytes }, seed)
  },
}

/** The bytes of a file, or the reason why it cannot be read. */
function readNamed(name: string, { directory, allowFiles }: FileFolders): Uint8Array | string {
  const fs = findNodeModule('node:fs') as typeof import('node:fs') | undefined
  const path = findNodeModule('node:path') as typeof import('node:path') | undefined
  if (fs === undefined || path === undefined)
    return 'expected `text`, `base64` or `image`: no file system is available'
  const place = directory === undefined ? 'in the working directory' : 'in the folder of the scenario'
  const outside =
    `expected a file ${place} or a subfolder, got ${JSON.stringify(name)}: copy the file there, ` +
    'or allow its folder (--allow-files DIR, createSimulator({ allowFiles: [DIR] }))'
  const home = path.resolve(directory ?? '.')
  const folders = [home, ...allowFiles.map((folder) => path.resolve(folder))]
  // Readable folders are restricted, because requests to the control API can contain scenarios too.
  const isIn = (file: string) => (folder: string) => {
    const way = path.relative(folder, file)
    return !/^\.\.(?:[\\/]|$)/.test(way) && !path.isAbsolute(way)
  }
  const named = path.resolve(home, name)
  if (!folders.some(isIn(named))) return outside
  try {
    const file = fs.realpathSync(named)
    const real = folders.filter((folder) => fs.existsSync(folder)).map((folder) => fs.realpathSync(folder))
    if (!real.some(isIn(file))) return outside
    return new Uint8Array(fs.readFileSync(file))
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EISDIR') return `expected a file, got the directory ${JSON.stringify(name)}`
    return code === 'ENOENT'
      ? `there is no file ${JSON.stringify(name)} ${place}`
      : `cannot read ${JSON.stringify(name)} (${String(code)})`
  }
}

/** A Node module. Throws `ScenarioError` on other platforms. */
export function nodeModule<Module>(name: string, path: string): Module {
  const found = findNodeModule(name)
  if (found === undefined)
    throw new ScenarioError(
      `The scenario ${path} cannot be read: no file system is available. Pass the scenario as an object.`,
    )
  return found as Module
}

// Imported by name at run time: a bundler for browsers must not resolve it.
function findNodeModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  return process?.getBuiltinModule?.(name)
}

/** Why a file cannot be read. */
export function unreadable(path: string, error: unknown): ScenarioError {
  const { code } = error as { code?: unknown }
  const known: Readonly<Record<string, string>> = { ENOENT: 'file not found', EISDIR: 'it is a directory' }
  const why = known[String(code)] ?? (error instanceof Error ? error.message : String(error))
  return new ScenarioError(`${path}: ${why}`, [{ file: path, field: '', message: why }])
}

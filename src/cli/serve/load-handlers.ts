/** Loads the user's msw handlers from a module. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileError } from '../command.ts'

const install = 'npm install --save-dev msw'

/** The handlers of a module: its default export or its export `handlers`. Throws `CommandError`. */
export async function loadHandlers(file: string, cwd: string): Promise<readonly unknown[]> {
  const reject = (message: string): never => {
    throw fileError(`--handlers ${file}: ${message}`)
  }
  const path = resolve(cwd, file)
  let loaded: Record<string, unknown>
  try {
    loaded = (await import(pathToFileURL(path).href)) as Record<string, unknown>
  } catch (error) {
    return reject(existsSync(path) ? describeLoadError(error) : 'file not found')
  }
  // The default export of a CommonJS module is its `exports`, which may contain another `default`.
  const fallback = loaded['default'] as Record<string, unknown> | null | undefined
  const found = [loaded['default'], loaded['handlers'], fallback?.['default'], fallback?.['handlers']].find(
    (candidate) => candidate !== undefined && Array.isArray(candidate),
  ) as unknown[] | undefined
  if (found === undefined) {
    const names = Object.keys(loaded)
    const got = names.length === 0 ? 'no exports' : `the exports ${names.join(', ')}`
    return reject(
      `expected an array of msw handlers as the default export or as the export "handlers", got ${got}. ` +
        "Write: export default [http.get('/v1/models', () => HttpResponse.json({}))]",
    )
  }
  if (found.length === 0) return reject('the array of handlers is empty: add one, or omit --handlers')
  return found
}

function describeLoadError(error: unknown): string {
  if (!(error instanceof Error)) return `the module threw ${String(error)}`
  const { code } = error as NodeJS.ErrnoException
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1]
  if (missing !== undefined && (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')) {
    return /^@?msw(?:js)?(?:\/|$)/.test(missing)
      ? `it imports ${missing}, which is not installed: ${install}`
      : `it imports ${missing}, which does not exist`
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'this version of Node.js cannot load this file type: use .mjs, .js or .cjs, or compile it first'
  // The stack of a syntax error starts with its place in the file.
  if (error instanceof SyntaxError)
    return `the module cannot be read:\n${(error.stack ?? error.message).split('\n    at ')[0]}`
  return `the module cannot be loaded: ${error.stack ?? error.message}`
}

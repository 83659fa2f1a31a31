/** Loads the user's msw handlers from a module. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileError } from '../command.ts'

const install = 'npm install --save-dev msw@2 @mswjs/http-middleware'

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
  // The default export of a CommonJS module is its `exports`.
  const exported = loaded['default'] as Record<string, unknown> | null | undefined
  const exports = [exported, loaded['handlers'], exported?.['handlers']]
  const found = exports.find((one) => Array.isArray(one))
  if (found === undefined)
    return reject(
      'expected an array of msw handlers as the default export or as the export "handlers", got the ' +
        `exports ${Object.keys(loaded).join(', ') || '(none)'}. ` +
        "Write: export default [http.get('/v1/models', () => HttpResponse.json({}))]",
    )
  if (found.length === 0) return reject('the array of handlers is empty: add one, or omit --handlers')
  return found
}

function describeLoadError(error: unknown): string {
  if (!(error instanceof Error)) return `the module threw ${String(error)}`
  const missing = /Cannot find (?:package|module) '(@?msw[^']*)'/.exec(error.message)?.[1]
  if (missing !== undefined) return `it imports ${missing}, which is not installed: ${install}`
  // The stack of a syntax error starts with its place in the file.
  const { code, message, stack = message } = error as NodeJS.ErrnoException
  const text = error instanceof SyntaxError ? stack.split('\n    at ')[0] : stack
  return `the module cannot be loaded: ${code === undefined ? text : message}`
}

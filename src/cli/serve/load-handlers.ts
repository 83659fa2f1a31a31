/** Loads the user's msw handlers from a module. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError, exitCodes } from '../command.ts'

/** What to install for handlers to run over HTTP. */
const install = 'npm install --save-dev msw@2 @mswjs/http-middleware'

/**
 * The handlers of a module: its default export or its export `handlers`. Throws `CommandError` with the way
 * out.
 */
export async function loadHandlers(written: string, cwd: string): Promise<readonly unknown[]> {
  const refuse = (message: string): never => {
    throw new CommandError(exitCodes.file, `--handlers ${written}: ${message}`)
  }
  const path = resolve(cwd, written)
  let loaded: Record<string, unknown>
  try {
    loaded = (await import(pathToFileURL(path).href)) as Record<string, unknown>
  } catch (error) {
    return refuse(existsSync(path) ? loadMistake(error) : 'there is no such file')
  }
  // A CommonJS module arrives as the default export, and one that was compiled from an ES module holds its
  // own default.
  const fallback = loaded['default'] as Record<string, unknown> | null | undefined
  const found = [loaded['default'], loaded['handlers'], fallback?.['default'], fallback?.['handlers']].find(
    (candidate) => candidate !== undefined && Array.isArray(candidate),
  ) as unknown[] | undefined
  if (found === undefined) {
    const names = Object.keys(loaded)
    return refuse(
      `expected an array of msw handlers as the default export or as the export "handlers", got ${names.length === 0 ? 'no exports' : `the exports ${names.join(', ')}`}. Write: export default [http.get('/v1/models', () => HttpResponse.json({}))]`,
    )
  }
  if (found.length === 0) return refuse('the array of handlers is empty: add one, or leave out --handlers')
  return found
}

function loadMistake(error: unknown): string {
  if (!(error instanceof Error)) return `the module threw ${String(error)}`
  const { code } = error as NodeJS.ErrnoException
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1]
  if (missing !== undefined && (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')) {
    return /^@?msw(?:js)?(?:\/|$)/.test(missing)
      ? `it imports ${missing}, which is not installed: ${install}`
      : `it imports ${missing}, which is not there`
  }
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'this version of node cannot load such a file: write it as .mjs, .js or .cjs, or compile it first'
  // The stack of a syntax error begins with the place in the file.
  if (error instanceof SyntaxError)
    return `the module cannot be read:\n${(error.stack ?? error.message).split('\n    at ')[0]}`
  return `the module cannot be loaded: ${error.stack ?? error.message}`
}

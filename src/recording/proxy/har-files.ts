/**
 * HAR files that are always valid: one write replaces the closing brackets by an entry and new brackets. A
 * kill during that write can damage the last entry, which `readHar` then omits.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exchange } from '../../exchange/exchange.ts'
import { type EntryFacts, harEntry, harFrame } from '../../exchange/write-har.ts'
import { version } from '../../text/version.ts'

/** Larger bodies are separate files. */
const maxInline = 64 * 1024

interface OpenFile {
  readonly path: string
  /** The position of the closing brackets. */
  end: number
}

/** `onError` gets the first failed write, and the next one after a successful write. */
export function createHarFiles(folder: string, onError: (error: Error) => void) {
  const { head, tail } = harFrame(version)
  const files = new Map<string, OpenFile>()
  let queue = Promise.resolve()
  let failing = false
  const write = async (name: string, exchange: Exchange, facts: EntryFacts): Promise<void> => {
    const bodies = new Map<string, Uint8Array>()
    const file = (body: Uint8Array, type: string): string | undefined => {
      if (body.length <= maxInline) return undefined
      const path = `bodies/${createHash('sha256').update(body).digest('hex')}.${extensionOf(type)}`
      bodies.set(path, body)
      return path
    }
    const entry = JSON.stringify(harEntry(exchange, { ...facts, file }))
    for (const [path, body] of bodies) await keepBody(folder, path, body)
    const known = files.get(name)
    const appended = known !== undefined && (await append(join(folder, known.path), known, entry, tail))
    if (!appended) files.set(name, await create(folder, name, head + entry, tail))
  }
  return {
    /** Appends an entry to the file of that name (`key-1`), and resolves when it is there. Never rejects. */
    append(name: string, exchange: Exchange, facts: EntryFacts): Promise<void> {
      queue = queue.then(() =>
        write(name, exchange, facts).then(
          () => {
            failing = false
          },
          (error: Error) => {
            if (!failing) onError(error)
            failing = true
          },
        ),
      )
      return queue
    },
    close: (): Promise<void> => queue,
    written: (): readonly string[] => Array.from(files.values(), ({ path }) => path),
  }
}

/** False if the file was removed or changed by another process. */
async function append(path: string, file: OpenFile, entry: string, tail: string): Promise<boolean> {
  const handle = await open(path, 'r+').catch(() => undefined)
  if (handle === undefined) return false
  try {
    if ((await handle.stat()).size !== file.end + tail.length) return false
    const bytes = Buffer.from(`,\n${entry}${tail}`)
    try {
      const { bytesWritten } = await handle.write(bytes, 0, bytes.length, file.end)
      // A nearly full disk accepts part of the data; the next write fails with the reason.
      if (bytesWritten < bytes.length)
        await handle.write(bytes, bytesWritten, bytes.length - bytesWritten, file.end + bytesWritten)
    } catch (error) {
      await handle.write(tail, file.end)
      await handle.truncate(file.end + tail.length)
      throw error
    }
    file.end += bytes.length - tail.length
    return true
  } finally {
    await handle.close()
  }
}

/** A new file with its first entry. A number is added if the name exists. */
async function create(folder: string, name: string, content: string, tail: string): Promise<OpenFile> {
  await mkdir(folder, { recursive: true })
  for (let number = 1; ; number++) {
    const path = number === 1 ? `${name}.har` : `${name}.${number}.har`
    try {
      await writeFile(join(folder, path), content + tail, { ...ownersOnly, flag: 'wx' })
      return { path, end: Buffer.byteLength(content) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function keepBody(folder: string, path: string, body: Uint8Array): Promise<void> {
  const target = join(folder, path)
  const there = await stat(target).catch(() => undefined)
  if (there?.size === body.length) return
  await mkdir(join(folder, 'bodies'), { recursive: true })
  const temporary = `${target}.${process.pid}.part`
  try {
    await writeFile(temporary, body, ownersOnly)
    await rename(temporary, target)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Prompts and images are for their owner alone. */
const ownersOnly = { mode: 0o600 }

const extensions: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'text/event-stream': 'txt',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
}

function extensionOf(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const known = extensions[type]
  if (known !== undefined) return known
  const [, kind = '', name = ''] = /^(image|video|audio|text)\/([a-z0-9]{2,5})$/.exec(type) ?? []
  if (kind === 'text') return name === 'plain' ? 'txt' : name
  return kind === '' ? 'bin' : name
}

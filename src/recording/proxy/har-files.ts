/**
 * HAR files that are always valid: one write replaces the closing brackets by an entry and new brackets. A
 * kill or a full disk during that write can damage the last entry, which `readHar` then omits.
 */
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exchange } from '../../exchange/exchange.ts'
import { type EntryFacts, harEntry, harFrame } from '../../exchange/write-har.ts'
import { version } from '../../text/version.ts'

/** A larger file is continued in the next one: Node reads no text of more than 512 MB. */
const maxFileBytes = 256 * 1024 * 1024

interface OpenFile {
  readonly path: string
  /** The position of the closing brackets. */
  end: number
}

/** `onError` gets the first failed write, and the next one after a successful write. */
export function createHarFiles(folder: string, onError: (error: Error) => void) {
  const { head, tail } = harFrame(version)
  const files = new Map<string, OpenFile>()
  const paths: string[] = []
  let queue = Promise.resolve()
  let failing = false
  const write = async (name: string, entry: string): Promise<void> => {
    const known = files.get(name)
    if (known !== undefined && (await append(join(folder, known.path), known, entry, tail))) return
    const created = await create(folder, name, head + entry, tail)
    files.set(name, created)
    paths.push(created.path)
  }
  return {
    /** Appends an entry to the file of that name (`key-1`), and resolves when it is there. Never rejects. */
    append(name: string, exchange: Exchange, facts: EntryFacts): Promise<void> {
      queue = queue.then(() =>
        write(name, JSON.stringify(harEntry(exchange, facts))).then(
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
    written: (): readonly string[] => paths,
  }
}

/** False if the file is full, or was removed or changed by another process or a failed write. */
async function append(path: string, file: OpenFile, entry: string, tail: string): Promise<boolean> {
  if (file.end > maxFileBytes) return false
  const handle = await open(path, 'r+').catch(() => undefined)
  if (handle === undefined) return false
  try {
    if ((await handle.stat()).size !== file.end + tail.length) return false
    const bytes = Buffer.from(`,\n${entry}${tail}`)
    const { bytesWritten } = await handle.write(bytes, 0, bytes.length, file.end)
    if (bytesWritten < bytes.length) throw new Error('the disk is full')
    file.end += bytes.length - tail.length
    return true
  } finally {
    await handle.close()
  }
}

/** A new file with its first entry, which appears as a whole. A number is added if the name exists. */
async function create(folder: string, name: string, content: string, tail: string): Promise<OpenFile> {
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `${name}.${process.pid}.part`)
  try {
    // Prompts and images are for their owner alone.
    await writeFile(temporary, content + tail, { mode: 0o600 })
    for (let number = 1; ; number++) {
      const path = number === 1 ? `${name}.har` : `${name}.${number}.har`
      if (await linked(temporary, join(folder, path))) return { path, end: Buffer.byteLength(content) }
    }
  } finally {
    await rm(temporary, { force: true })
  }
}

/** False if another file has the name. */
const linked = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

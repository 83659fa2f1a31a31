/**
 * The shipped scenarios, played through the recording proxy: all steps hold, broken connections and all. What
 * was recorded is judged: those that misbehave on purpose are found, and no others.
 */
import { expect, it } from 'vitest'
import { readExchanges } from '../../src/recording/read-recordings.ts'
import { checkRecording } from '../../src/run/judge-recording.ts'
import { directoryWith, run, serve, start } from '../cli/_io.ts'
import { library, root } from '../scenario/_library.ts'
import { flat } from './_checking.ts'

/** What they do against the contract, by the places of the findings. */
const misbehaving: Readonly<Record<string, readonly string[]>> = {
  // The decision about a rejected message: docs/decisions/messages.md.
  'chat-cut-by-length-and-filter.yaml': ['stream/delta/stop_reason'],
  'chat-refusal.yaml': ['body/stop_reason'],
  'proxy-error-page.yaml': ['body', 'body'],
  'stream-cut-in-a-tool-call.yaml': ['stream'],
  'stream-malformed-event.yaml': ['stream'],
  'stream-without-end-marker.yaml': ['stream', 'stream'],
  'video-returns-to-pending.yaml': ['body/status'],
  'video-with-missing-fields.yaml': ['body/progress', 'body/seconds'],
}

async function recorded(name: string, upstream: string) {
  const folder = directoryWith({})
  const recorder = start(['record', '--base-url', upstream, '--output', folder, '--quiet'])
  const [, proxy = ''] = await recorder.stdout.until(/ at (http:\S+)\n/)
  const played = ['replay', `scenarios/${name}`, '--base-url', proxy]
  const { code, stdout, stderr } = await run(played, { cwd: root })
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  recorder.stop()
  await recorder.code
  return readExchanges(folder)
}

it.each(library)('%s', async (name) => {
  const { url } = await serve(['--quiet'])
  const { violations, checked } = await checkRecording(await recorded(name, url), name)
  expect(violations.map(flat).map(({ where, pointer }) => where + pointer)).toEqual(misbehaving[name] ?? [])
  expect(checked.length).toBeGreaterThan(0)
})

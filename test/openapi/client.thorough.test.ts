/**
 * A client generator of others makes types of the document, and a program written against them holds or does
 * not hold.
 */

import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { document } from './_document.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'node_modules/.cache/gateway-sim-openapi')
const run = promisify(execFile)

/** What tsc says to a program of this text, beside the generated types; empty when it holds. */
async function compiled(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text)
  const project = join(folder, `${name}.json`)
  writeFileSync(
    project,
    JSON.stringify({
      compilerOptions: {
        ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false },
        ...{ target: 'es2022', lib: ['es2023'], types: [], module: 'esnext', moduleResolution: 'bundler' },
      },
      files: [name],
    }),
  )
  return run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', project]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  // openapi-typescript works with the interface of TypeScript 5, which 7 no longer has.
  await build({
    stdin: {
      contents: "export { default as generate, astToString } from 'openapi-typescript'",
      resolveDir: root,
    },
    outfile: join(folder, 'generator.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    alias: { typescript: 'typescript-5' },
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'package.json')).href) },
  })
  const { generate, astToString } = (await import(pathToFileURL(join(folder, 'generator.cjs')).href)) as {
    generate(source: string): Promise<unknown[]>
    astToString(ast: unknown): string
  }
  writeFileSync(join(folder, 'gateway.ts'), astToString(await generate(JSON.stringify(document))))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a program that keeps to the contract compiles', async () => {
  const said = await compiled(
    'right.ts',
    `import type { components, operations, paths } from './gateway.ts'
type Request = paths['/v1/chat/completions']['post']['requestBody']['content']['application/json']
type Completion = operations['chat.create']['responses'][200]['content']['application/json']
type Job = components['schemas']['ImageJob']

const toolCall = { id: 'call_1', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
export const request: Request = {
  model: 'm',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    { role: 'assistant', content: null, tool_calls: [toolCall] },
  ],
  temperature: 1,
}
export const textOf = ({ choices }: Completion): string =>
  choices.map(({ message }) => message.content ?? '').join()
export const isDone = ({ status }: Job): boolean => status === 2 || status === 3
export const film: operations['videos.retrieve']['parameters']['path'] = { video_id: 'video_1' }
export const textIn = (event: components['schemas']['MessageEvent']): string =>
  event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : ''
export const numberIn = (answer: components['schemas']['Answer']): number =>
  answer.type === 'noul' ? answer.noul : answer.confidence
type Limited = operations['videos.create']['responses'][429]['content']['application/json']
export const errorType = ({ error }: Limited): string => error.type
`,
  )
  expect(said).toBe('')
})

it('a program that breaks it does not', async () => {
  const said = await compiled(
    'wrong.ts',
    `import type { components, operations } from './gateway.ts'; const imageNo = 0
export const role: components['schemas']['ChatMessage'] = { role: 'nobody', content: 'hello' }
export const pan: components['schemas']['PanRequest'] = { jobId: 'a', imageNo, direction: 4, scale: 2 }
export const film: operations['videos.retrieve']['parameters']['path'] = { id: 'video_1' }
`,
  )
  expect(said.match(/wrong\.ts\(\d+/g)).toEqual(['wrong.ts(2', 'wrong.ts(3', 'wrong.ts(4'])
})

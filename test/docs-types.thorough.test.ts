/** The TypeScript samples of the documentation hold under `tsc --strict`, against the types of the package. */
import { expect, it } from 'vitest'
import { packedProject } from './_built.ts'
import { samples } from './_samples.ts'

/** What the samples import, and what the declarations of these packages need. */
const packages = ['openai', 'ai', '@ai-sdk/google', 'msw', 'express', 'vitest', 'ajv', 'ajv-formats']
const declarations = ['@types/node', '@types/express']

it('every sample', async () => {
  const typed = samples.filter(({ language }) => language === 'ts')
  expect(typed.length).toBeGreaterThan(15)
  const project = packedProject()
  project.install(...packages, ...declarations)
  // One program over all samples. The line of an error follows that of the title.
  for (const [index, { title, text }] of typed.entries())
    project.write(`sample-${index}.ts`, `// ${title}\n${text}`)
  project.write('all.ts', typed.map((_, index) => `import './sample-${index}.js'\n`).join(''))
  const options = { module: 'nodenext', moduleResolution: 'nodenext', skipLibCheck: true }
  const said = await project.typesOf('all.ts', options)
  expect(said.replaceAll(/sample-(\d+)\.ts/g, (_, index) => typed[Number(index)]?.title ?? '')).toBe('')
})

/** Files made from code are committed; they must say what the code says now. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { parse } from 'yaml'
import type * as z from 'zod'
import type { SettingsInput } from '../src/generated/settings-types.ts'
import type { settingsSchema } from '../src/protocol/settings.ts'
import { generatedFiles } from '../tools/generate/generated-files.ts'
import { configSchema, settingsType } from '../tools/generate/input-types.ts'

const root = join(import.meta.dirname, '..')

const generated = await generatedFiles()

it.each(Object.keys(generated))('%s is what `npm run generate` writes', (path) => {
  expect(readFileSync(join(root, path), 'utf8'), `${path} is out of date: run \`npm run generate\``).toBe(
    generated[path],
  )
})

describe('the JSON Schema of the config file', () => {
  const valid = new Ajv2020({ strict: false, validateFormats: false }).compile(configSchema() as object)

  it('accepts the example of docs/ci/shared-server.md', () => {
    const example = /```yaml\n(# gateway-sim\.config\.yaml\n[\s\S]*?)```/.exec(
      readFileSync(join(root, 'docs/ci/shared-server.md'), 'utf8'),
    )?.[1] as string
    valid(parse(example))
    expect(valid.errors).toBeNull()
  })

  it.each([[{}], [{ $schema: 'x', seed: 'fox' }], [{ chat: { firstEventAfter: 5 } }]])(
    'accepts %j',
    (settings) => {
      expect(valid(settings)).toBe(true)
    },
  )

  it.each([[{ sede: 1 }], [{ clock: { mode: 'reel' } }], [{ limits: { activeImageJobs: 0 } }], [[]]])(
    'rejects %j',
    (settings) => {
      expect(valid(settings)).toBe(false)
    },
  )

  it('describes every setting', () => {
    const undescribed = (schema: unknown, path: string): string[] => {
      const { properties = {} } = schema as {
        properties?: Record<string, { description?: string; properties?: object; type?: string }>
      }
      return Object.entries(properties).flatMap(([name, inner]) =>
        inner.properties === undefined
          ? inner.description === undefined
            ? [`${path}${name}`]
            : []
          : undescribed(inner, `${path}${name}.`),
      )
    }
    expect(undescribed(configSchema(), '')).toEqual([])
  })
})

describe('the published type of the settings', () => {
  it('is what the schema takes', () => {
    expectTypeOf<z.input<ReturnType<typeof settingsSchema>>>().toEqualTypeOf<SettingsInput>()
  })

  it('rejects a schema that it cannot write', () => {
    expect(() => settingsType({ type: 'object', properties: { odd: { not: {} } } } as object)).toThrow(
      'no TypeScript for {"not":{}}',
    )
  })
})

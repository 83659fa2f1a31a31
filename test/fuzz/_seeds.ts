/** Valid calls of every operation, scenario files and settings: what the fuzzer starts from. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Simulator } from '../../src/index.ts'
import { reservedWords } from '../../src/scenario/reserved/words.ts'
import { type ExampleCall, groupNotes } from '../../tools/openapi/notes.ts'
import { root } from '../_built.ts'
import { examplesOf, type Given, type Part, pathOf, type Route } from '../hostile/_examples.ts'

export interface CallSeed {
  readonly route: Route
  readonly path: string
  readonly json?: unknown
  readonly form?: readonly Part[]
  readonly raw?: { readonly type: string; readonly text: string }
  readonly headers?: Readonly<Record<string, string>>
}

export interface Seeds {
  /** By operation. */
  readonly calls: ReadonlyMap<string, readonly CallSeed[]>
  /** Bodies of all of them, to borrow parts from. */
  readonly bodies: readonly unknown[]
  readonly scenarios: readonly { readonly text: string; readonly value: unknown }[]
  readonly settings: readonly (readonly [path: readonly string[], schema: JsonSchema])[]
  readonly words: readonly string[]
}

export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** Ids are placeholders: what stands for them is known when the step is sent. */
const given: Given = {
  jobId: '«jobId»',
  imageId: '«imageId»',
  image: '0.png',
  video_id: '«video_id»',
  id: '«id»',
  video: '0.mp4',
  project_id: 'gateway-sim',
  location: 'us-central1',
  publisher: 'google',
  model: 'veo-3',
  operation_id: '«operation_id»',
  file_id: '«file_id»',
  uri: '/gateway.test/v1beta/files/«file_id»:download',
}

/** Where the address of an operation is not the one that a name leads to. */
const paths: Readonly<Record<string, string>> = {
  'uploads.send': '«upload»',
  'uploads.read': '«visit»',
  'sim.getSession': '/__sim/sessions/«session»',
  'sim.deleteSession': '/__sim/sessions/«session»',
  'sim.removeScenario': '/__sim/scenarios/«scenario»',
  'sim.changeRule': '/__sim/rules/«rule»',
  'sim.removeOverride': '/__sim/overrides/«override»',
  'sim.explainRequest': '/__sim/journal/«request»/explain',
}

export async function seedsOf(sim: Simulator): Promise<Seeds> {
  const calls = new Map<string, readonly CallSeed[]>()
  for (const route of sim.routes) calls.set(route.endpoint.operation, await seedsOfRoute(route))
  const folder = join(root, 'scenarios')
  const scenarios = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .map((text) => ({ text, value: parse(text) as Readonly<Record<string, unknown>> }))
  for (const [operation, more] of rulesAsCalls(scenarios.map(({ value }) => value)))
    calls.set(operation, [
      ...(calls.get(operation) ?? []),
      ...more.map((json) => ({ ...(calls.get(operation)?.[0] as CallSeed), json })),
    ])
  const config = JSON.parse(readFileSync(join(root, 'schema', 'config.schema.json'), 'utf8')) as JsonSchema
  return {
    calls,
    bodies: [...calls.values()].flat().flatMap(({ json }) => (json === undefined ? [] : [json])),
    scenarios,
    settings: leavesOf(config, []),
    words: reservedWords.map(({ word }) => word.replace('-N', '-1')),
  }
}

/** Every rule of the scenarios, as an override to add and as calls to look for. */
function rulesAsCalls(
  scenarios: readonly Readonly<Record<string, unknown>>[],
): (readonly [string, unknown[]])[] {
  const rules = scenarios.flatMap(({ rules: list }) => (Array.isArray(list) ? (list as Rule[]) : []))
  const named = { body: { model: { regex: '^[a-z]+.*[0-9]?$' } } }
  return [
    [
      'sim.addOverride',
      rules.flatMap(({ when, then }) => [
        { when: { nth: 2, ...when, times: undefined }, then, times: 2 },
        { when: { ...named, ...when, nth: undefined }, then },
      ]),
    ],
    [
      'sim.verify',
      rules.map(({ when }) => ({ requests: { ...named, operation: when?.['operation'] }, atLeast: 0 })),
    ],
  ].map(([operation, bodies]) => [operation, JSON.parse(JSON.stringify(bodies))] as [string, unknown[]])
}

interface Rule {
  readonly when?: Readonly<Record<string, unknown>>
  readonly then?: unknown
}

async function seedsOfRoute(route: Route): Promise<CallSeed[]> {
  const { operation } = route.endpoint
  const path = paths[operation] ?? pathOf(route, given)
  const seeds: CallSeed[] = examplesOf(route.endpoint).flatMap(({ json, form }) => [
    ...(json === undefined ? [] : [{ route, path, json: json(given) }]),
    ...(form === undefined ? [] : [{ route, path, form: form(given) }]),
  ])
  for (const { json, query, headers } of notedCalls(route)) {
    const asked = query === undefined ? path : `${path}?${new URLSearchParams(query)}`
    seeds.push({
      route,
      path: asked,
      ...(json === undefined ? {} : { json }),
      ...(headers === undefined ? {} : { headers }),
    })
  }
  if (operation === 'uploads.send')
    seeds.push({
      route,
      path,
      raw: { type: 'image/svg+xml', text: '<svg xmlns="http://www.w3.org/2000/svg"/>' },
    })
  return seeds.length === 0 ? [{ route, path }] : seeds
}

/** The calls of the OpenAPI document's examples, with «id» for what other calls return. */
function notedCalls({ group, endpoint }: Route): readonly ExampleCall[] {
  const examples = groupNotes[group.name]?.operations[endpoint.operation]?.examples ?? []
  if (endpoint.upload !== undefined || group.name === 'files') return []
  return JSON.parse(JSON.stringify(examples).replace(/\$\{\w+\}/g, '«id»'))
}

function leavesOf(schema: JsonSchema, path: readonly string[]): (readonly [readonly string[], JsonSchema])[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    leavesOf(part, [...path, name]),
  )
  return path.length === 0 ? inner : [[path, schema] as const, ...inner]
}

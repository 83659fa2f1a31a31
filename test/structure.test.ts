/** The rules for folders, imports and sizes. Each failure names the remedy. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../src/index.ts'

const root = resolve(import.meta.dirname, '..')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(root, 'src', name), 'utf8') }))

const layerOf = (name: string): string => (name.includes('/') ? (name.split('/')[0] as string) : '.')
const core = new Set(['engine', 'protocol', 'scenario', 'behaviours', 'endpoints'])

/** Code without comments and without the inside of strings, so that a word in a sentence is no finding. */
function code(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|[^:'"`\\])\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""')
}

interface Import {
  readonly from: string
  readonly to: string
  readonly specifier: string
}

const imports: Import[] = sources.flatMap(({ name, text }) =>
  [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ].map((match) => {
    const specifier = (match[1] ?? match[2] ?? match[3]) as string
    const to = specifier.startsWith('.')
      ? relative(join(root, 'src'), join(root, 'src', dirname(name), specifier)).replaceAll('\\', '/')
      : specifier
    return { from: name, to, specifier }
  }),
)

it('bytes are told by what they are, and not by whose class they have: under jsdom there are two', () => {
  const asking = sources
    .filter(({ text }) => /\binstanceof (?:Uint8Array|ArrayBuffer)\b/.test(code(text)))
    .map(({ name }) => name)
  expect(asking, 'use isBytes (engine/bytes.ts)').toEqual([])
})

describe('the core is pure', () => {
  const bans: readonly { readonly pattern: RegExp; readonly remedy: string }[] = [
    { pattern: /\bDate\.now\b/, remedy: 'use call.now, or world.clock.now()' },
    { pattern: /\bnew Date\(\s*\)/, remedy: 'use call.now, or world.clock.now()' },
    { pattern: /\bperformance\.now\b/, remedy: 'use call.now, or world.clock.now()' },
    { pattern: /\bMath\.random\b/, remedy: 'use call.content or call.identity (engine/random.ts)' },
    {
      pattern: /\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/,
      remedy: 'use mintId or mintUuid (engine/random.ts)',
    },
    {
      pattern: /\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/,
      remedy: 'use world.clock.at(), or give events an `after`',
    },
    { pattern: /\bprocess\s*[.[]/, remedy: 'take a parameter or a setting' },
    { pattern: /\bconsole\s*\./, remedy: 'put it into the response or the journal' },
    {
      pattern: /\basync\b|\bawait\b|\bPromise\b/,
      remedy: 'the core is synchronous: declare a need, and the edge awaits it',
    },
    { pattern: /\bfetch\s*\(/, remedy: 'addresses are checked for form and never fetched' },
  ]
  const files = sources.filter(({ name }) => core.has(layerOf(name)))

  it('has files to look at', () => {
    expect(files.length).toBeGreaterThan(40)
  })

  for (const { pattern, remedy } of bans) {
    it(`never says ${pattern.source}`, () => {
      const found = files.flatMap(({ name, text }) =>
        code(text)
          .split('\n')
          .flatMap((line) => (pattern.test(line) ? [`src/${name}: ${line.trim()} → ${remedy}`] : [])),
      )
      expect(found).toEqual([])
    })
  }

  it('imports nothing of node, express or msw', () => {
    const found = imports.filter(
      ({ from, specifier }) =>
        core.has(layerOf(from)) &&
        (specifier.startsWith('node:') || /^(?:express|msw|@mswjs)/.test(specifier)),
    )
    expect(
      found.map(
        ({ from, specifier }) => `src/${from} imports ${specifier} → only http/, cli/ and the entries may`,
      ),
    ).toEqual([])
  })

  it('keeps no state in modules', () => {
    // A table that is only read is fine; `let`, and maps that are filled later, are state.
    const found = sources.flatMap(({ name, text }) =>
      code(text)
        .split('\n')
        .filter((line) => !/: Readonly(?:Set|Map)</.test(line) && !name.startsWith('ui/'))
        .filter((line) =>
          /^(?:export )?(?:let|var)\b|^(?:export )?const \w+(?:: [^=]+)? = new (?:Map|Set|WeakMap|WeakSet)(?:<[^>]*>)?\(\)/.test(
            line,
          ),
        )
        .map((line) => `src/${name}: ${line.trim()} → keep it in the simulator, the session or the facility`),
    )
    expect(found).toEqual([])
  })
})

it('no code reads a message with a regular expression, except those of libraries and gateways', () => {
  const allowed: Readonly<Record<string, string>> = {
    'behaviours/pattern.ts': 're2js has no codes',
    'cli/serve/load-handlers.ts': 'Node names the missing package in the message alone',
    'protocol/field-errors.ts': 'zod keeps one text for each rule of a schema',
    'run/probe-run.ts': 'the gateway under test has only words for what it rejects',
    'scenario/load/read-yaml.ts': 'the codes of the YAML parser are too coarse for a remedy',
  }
  const reading =
    /\bmessage\b\)?\.(?:match|matchAll|search|split|replace|replaceAll)\(\s*\/|\.(?:test|exec)\([^()\n]*\bmessage\b/
  const found = sources.filter(({ text }) => reading.test(code(text))).map(({ name }) => name)
  expect(found.sort(), 'carry a code and arguments beside the message').toEqual(Object.keys(allowed))
})

describe('imports point one way', () => {
  /**
   * What each folder of src/ may import beside itself; the files at the top of src/ (one per package entry)
   * may import all.
   */
  const allowed: Readonly<Record<string, string>> = {
    generated: 'scenario',
    text: '',
    engine: '',
    protocol: 'engine text',
    report: 'text',
    behaviours: 'protocol engine',
    scenario: 'behaviours protocol engine',
    endpoints: 'behaviours protocol engine',
    exchange: 'scenario protocol engine text',
    verify: 'exchange scenario protocol engine text',
    judges: 'exchange endpoints protocol engine text',
    media: 'protocol engine',
    sessions: 'verify judges exchange scenario protocol engine text',
    trace: 'sessions exchange protocol engine text',
    control: 'trace sessions verify judges exchange scenario protocol engine text',
    core: 'control sessions verify judges exchange endpoints scenario behaviours protocol engine',
    http: 'core control sessions trace exchange media behaviours protocol engine text',
    // A program of its own, in browsers: it takes nothing but types.
    ui: 'exchange protocol text trace',
    disk: 'http core endpoints scenario protocol engine',
    client: 'control sessions verify judges exchange scenario protocol engine',
    recording: 'disk exchange http scenario protocol engine text',
    run: 'index.ts client.ts report judges exchange endpoints scenario protocol engine text',
    explain: 'index.ts run scenario protocol engine text',
    trial: 'index.ts report exchange scenario protocol engine text',
    vitest:
      'index.ts client.ts client control sessions verify judges exchange scenario protocol engine ' +
      'trial trace',
    cli:
      'trial trace report index.ts client.ts client control sessions disk node.ts openapi.ts explain run ' +
      'recording core verify exchange judges scenario protocol engine text',
  }

  it('in every folder', () => {
    const found = imports.flatMap(({ from, to, specifier }) => {
      if (!from.includes('/') || !specifier.startsWith('.')) return []
      const folder = layerOf(from)
      const target = to.includes('/') ? layerOf(to) : to
      const rule = (allowed[folder] ?? '').split(' ')
      // Types for users, written by tools/generate: they import only what a rule that is a function sees.
      if (target === folder || target === 'generated' || rule.includes(target)) return []
      return [
        `src/${from} imports src/${to} → ${folder}/ may import only ${[folder, ...rule].join(', ')}: move what they share down, or take it as a parameter`,
      ]
    })
    expect(found).toEqual([])
  })

  it('no endpoint group imports another', () => {
    const group = (name: string): string => name.split('/')[1] as string
    const lists = ['endpoints/registry.ts', 'endpoints/invariants.ts']
    const found = imports.filter(
      ({ from, to }) =>
        !lists.includes(from) &&
        layerOf(from) === 'endpoints' &&
        layerOf(to) === 'endpoints' &&
        group(from) !== group(to),
    )
    expect(
      found.map(({ from, to }) => `src/${from} imports src/${to} → move what they share to behaviours/`),
    ).toEqual([])
  })

  it('has no cycles, not even of types', () => {
    const edges = new Map<string, string[]>()
    for (const { from, to, specifier } of imports)
      if (specifier.startsWith('.')) edges.set(from, [...(edges.get(from) ?? []), to])
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (name: string, path: readonly string[]): void => {
      if (state.get(name) === 'done') return
      if (state.get(name) === 'open') {
        cycles.push([...path.slice(path.indexOf(name)), name].join(' → '))
        return
      }
      state.set(name, 'open')
      for (const next of edges.get(name) ?? []) visit(next, [...path, name])
      state.set(name, 'done')
    }
    for (const { name } of sources) visit(name, [])
    expect(cycles).toEqual([])
  })
})

describe('files', () => {
  it('begin with a sentence on what they do', () => {
    expect(
      sources
        .filter(({ text }) => !text.startsWith('/**'))
        .map(({ name }) => `src/${name} → say in its first lines what it does`),
    ).toEqual([])
  })

  it('are not named after nothing', () => {
    expect(
      sources
        .filter(({ name }) => /(?:utils?|helpers?|common|misc|manager|service)\.ts$/.test(name))
        .map(({ name }) => name),
    ).toEqual([])
  })

  it('have no default exports and no barrels', () => {
    const defaults = sources.filter(({ text }) => /^export default\b/m.test(text)).map(({ name }) => name)
    const barrels = sources
      .filter(({ name, text }) => name.includes('/') && /^export \* from/m.test(text))
      .map(({ name }) => name)
    expect({ defaults, barrels }).toEqual({ defaults: [], barrels: [] })
  })
})

/** The lines of a text; a last line without a newline counts. */
const linesOf = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

it('functions have at most 60 lines and four parameters, except in ever fewer files', () => {
  const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as {
    overrides: readonly { readonly includes: readonly string[] }[]
  }
  const files = overrides.flatMap(({ includes }) => includes.filter((name) => /^src\/.*\.tsx?$/.test(name)))
  const today = 24
  expect(files.length, 'split the function; biome.json lists those of before').toBeLessThanOrEqual(today)
  expect(files.length, `fewer files: lower \`today\` to ${files.length}`).toBe(today)
  const gone = files.filter((name) => !sources.some((source) => `src/${source.name}` === name))
  expect(gone, 'remove them from biome.json').toEqual([])
})

describe('the house has a budget', () => {
  interface Room {
    /** Folders and files. A file belongs to the room with the longest path that contains it. */
    readonly places: readonly string[]
    readonly budget: number
    /** The lines of a room that still exceeds its budget. Whoever shortens the room lowers this number. */
    readonly today?: number
  }
  const entries = ['client', 'express', 'index', 'msw', 'node', 'openapi', 'trial', 'vitest']
  const rooms: Readonly<Record<string, Room>> = {
    engine: { places: ['src/engine'], budget: 1860 },
    protocol: { places: ['src/protocol', 'src/text'], budget: 4450 },
    behaviours: { places: ['src/behaviours'], budget: 3480 },
    'default answers': { places: ['src/behaviours/answers', 'src/behaviours/words.ts'], budget: 900 },
    patterns: { places: ['src/behaviours/pattern.ts', 'src/behaviours/write-pattern.ts'], budget: 100 },
    endpoints: { places: ['src/endpoints'], budget: 8800, today: 9569 },
    scenario: { places: ['src/scenario'], budget: 5700 },
    'core and sessions': { places: ['src/core', 'src/sessions'], budget: 4240 },
    exchange: { places: ['src/exchange', 'src/trace'], budget: 2090 },
    judges: { places: ['src/judges', 'src/verify'], budget: 3880 },
    report: { places: ['src/report'], budget: 520 },
    run: { places: ['src/run'], budget: 3400, today: 3760 },
    trial: { places: ['src/trial'], budget: 2010 },
    record: { places: ['src/recording'], budget: 1100, today: 2110 },
    'http, media and disk': { places: ['src/http', 'src/media', 'src/disk'], budget: 5300 },
    'control, client and mcp': {
      places: ['src/control', 'src/client', 'src/cli/mcp'],
      budget: 2060,
    },
    cli: { places: ['src/cli'], budget: 3890 },
    'explain, ui and vitest': { places: ['src/explain', 'src/ui', 'src/vitest'], budget: 4320 },
    entries: { places: entries.map((name) => `src/${name}.ts`), budget: 800 },
    'tests and examples': { places: ['test', 'examples'], budget: 55_700 },
    tools: { places: ['tools'], budget: 4370 },
    bench: { places: ['bench'], budget: 1340 },
    build: { places: ['build.mjs'], budget: 150 },
  }
  const roomOf = new Map(
    Object.entries(rooms).flatMap(([name, { places }]) => places.map((at) => [at, name])),
  )
  const files = ['src', 'test', 'examples', 'tools', 'bench']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .concat('build.mjs')
    .filter((name) => (/^(?:src|test|examples)/.test(name) ? /\.(?:tsx?|css)$/ : /\.(?:ts|m?js)$/).test(name))
    .filter((name) => !/node_modules|src.generated/.test(name))
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
  const lines = new Map<string | undefined, number>()
  for (const { name, text } of files) {
    let place = name
    while (place !== '.' && !roomOf.has(place)) place = dirname(place)
    lines.set(roomOf.get(place), (lines.get(roomOf.get(place)) ?? 0) + linesOf(text))
  }

  const spare = Object.entries(rooms)
    .map(([name, { budget }]) => [name, budget - (lines.get(name) ?? 0)] as const)
    .filter(([, left]) => left > 40)
    .map(([name, left]) => `${name} ${left}`)
    .join(', ')

  it.each(Object.entries(rooms))('for %s', (name, { budget, today }) => {
    const found = lines.get(name) ?? 0
    const most = today ?? budget
    const remedy = `shorten it, or raise its number and lower another (lines to spare: ${spare})`
    expect(found, `${name}: ${found} lines, at most ${most}: ${remedy}`).toBeLessThanOrEqual(most)
    if (today === undefined) return
    // A number that lags behind would let the room grow again.
    expect(today - found, `${name} is shorter: lower \`today\` to ${found}`).toBeLessThanOrEqual(100)
  })

  it('whose sum for src stays at 58,000 lines, and 900 for trials in the time of the client', () => {
    const budgets = Object.values(rooms).filter(({ places }) => places[0]?.startsWith('src/'))
    expect(budgets.reduce((sum, { budget }) => sum + budget, 0)).toBeLessThanOrEqual(58_900)
  })

  it('that covers every file', () => {
    expect(lines.get(undefined) ?? 0, 'add the folder to a room').toBe(0)
  })

  it('and no line is packed to meet it: the mean is 42 characters, without data', () => {
    const sources = files.filter(({ name }) => /^src.*tsx?$/.test(name) && !name.includes('media/data'))
    const characters = sources.reduce((sum, { text }) => sum + text.length, 0)
    expect(characters / sources.reduce((sum, { text }) => sum + linesOf(text), 0)).toBeLessThanOrEqual(42)
  })
})

describe('every operation', () => {
  const { routes } = createSimulator()

  it('is declared once, and a test beside those of its group names it', () => {
    const service = routes.filter(({ group }) => group.name !== 'control')
    const missing = service.flatMap(({ endpoint: { operation } }) => {
      const files = sources.filter(
        ({ name, text }) => name.startsWith('endpoints/') && text.includes(`operation: '${operation}'`),
      )
      if (files.length !== 1) return [`${operation}: declared in ${files.length} files of src/endpoints`]
      const folder = join(root, 'test', (files[0] as (typeof sources)[number]).name, '..')
      const isTested = readdirSync(folder).some(
        (name) => name.endsWith('.test.ts') && readFileSync(join(folder, name), 'utf8').includes(operation),
      )
      return isTested ? [] : [`${operation}: no test in ${relative(root, folder)} names it`]
    })
    expect(missing).toEqual([])
  })

  it('is named by its id in its own group and scenario files alone', () => {
    const owners = new Map(
      sources
        .filter(({ name }) => name.startsWith('endpoints/'))
        .flatMap(({ name, text }) =>
          [...text.matchAll(/\boperation: '([\w.]+)'/g)].map(
            ([, id]) => [id as string, dirname(name)] as const,
          ),
        ),
    )
    const found = sources.flatMap(({ name, text }) => {
      if (name.startsWith('generated/')) return []
      const prefixes = [...owners].filter(([, folder]) => dirname(name) !== folder).map(([id]) => id)
      // As a whole text, as a group (`videos.*`) and as what ids begin with.
      const words = new Set(
        prefixes.flatMap((id) => [id, id.replace(/\.\w+$/, '.*'), id.replace(/\w+$/, '')]),
      )
      return [...text.replaceAll(/"[^"\n]*"/g, '').matchAll(/'([\w.*]+)'/g)]
        .filter(([, word]) => words.has(word as string))
        .map(([word]) => `src/${name}: ${word} → declare a trait in protocol/endpoint.ts and read that`)
    })
    expect(owners.size).toBeGreaterThan(20)
    expect(found).toEqual([])
  })

  it('has one id and declares what it answers', () => {
    const ids = routes.map(({ endpoint }) => endpoint.operation)
    expect(new Set(ids).size).toBe(ids.length)
    const silent = routes.filter(
      ({ endpoint }) =>
        endpoint.response === undefined &&
        endpoint.event === undefined &&
        !/content|Image|read|send|download|^sim\.get(?:Events|Media|Trace)$/.test(endpoint.operation),
    )
    expect(silent.map(({ endpoint }) => endpoint.operation)).toEqual([])
  })
})

it('lines have at most 110 columns: Biome breaks code, but neither texts nor comments', () => {
  const wide = ['bench', 'bin', 'src', 'tools']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    )
    .filter((name) => /\.(?:tsx?|m?js)$/.test(name) && !/media.data|generated.token-pairs/.test(name))
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .flatMap((line, at) => ([...line].length > 110 ? [`${name}:${at + 1}`] : [])),
    )
  expect(wide, 'break the text with +, or the comment').toEqual([])
})

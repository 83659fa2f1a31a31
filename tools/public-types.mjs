/**
 * Prunes the types that tsc writes to the declarations reachable from the entries of the package: of a file
 * with a public type and a zod schema, only the type is published.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** Prunes a folder of `.d.ts` files to what the entries (paths of files in it) export. */
export async function keepPublicTypes(folder, entries) {
  const files = new Map()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    if (entry.isFile()) files.set(path, parseFile(path, await readFile(path, 'utf8')))
  }
  const kept = reached(files, entries)
  await Promise.all(
    [...files].map(([path, file]) => {
      const text = textOf(file, kept.get(path))
      return text === undefined ? rm(path) : writeFile(path, text)
    }),
  )
}

const declares =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const|let|function|class|enum|interface|type) ([\w$]+)/

/** The statements of a file in their order, each with its comment. */
function parseFile(path, text) {
  const statements = []
  let lines = []
  for (const line of text.trimEnd().split('\n')) {
    lines.push(line)
    const statement = lines.join('\n')
    if (!isWhole(withoutComments(statement))) continue
    statements.push(parseStatement(path, statement))
    lines = []
  }
  if (withoutComments(lines.join('\n')) !== '') throw new Error(`build: ${path} ends within a statement`)
  return { path, statements }
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').trim()

/** Blocks end with a brace, everything else with a semicolon; a comment may stand within either. */
function isWhole(code) {
  const isBlock = /^(?:export )?(?:declare )?(?:abstract )?(?:class|enum|interface|module|global|namespace)\b/
  if (!code.endsWith(isBlock.test(code) ? '}' : ';')) return false
  const bare = code.replace(/'[^'\n]*'|"[^"\n]*"/g, '')
  return bare.split('{').length === bare.split('}').length
}

function parseStatement(path, text) {
  const code = withoutComments(text)
  const from = /\bfrom ['"]([^'"]+)['"];?$/.exec(code)?.[1]
  const target = (module) =>
    module?.startsWith('.') ? join(dirname(path), module.replace(/\.(?:ts|js)$/, '.d.ts')) : undefined
  if (from !== undefined)
    return {
      text,
      code,
      isImport: code.startsWith('import'),
      from,
      target: target(from),
      names: listed(code),
    }
  const used = new Set(code.match(/[\w$]+/g))
  const inline = [...code.matchAll(/import\(['"]([^'"]+)['"]\)\.([\w$]+)/g)].map(([, module, name]) => ({
    target: target(module),
    name,
  }))
  const local = /^export (?:type )?\{([^}]*)\};?$/.exec(code)
  return {
    text,
    code,
    declared: declares.exec(code)?.[1],
    exported: code.startsWith('export')
      ? local === null
        ? [declares.exec(code)?.[1]]
        : named(local[1])
      : [],
    // Declarations that augment other types apply wherever their file is loaded.
    always: /^declare (?:module|global)\b/.test(code),
    used,
    inline,
  }
}

const listed = (code) =>
  /\*/.test(code)
    ? [{ name: '*', as: /\* as ([\w$]+)/.exec(code)?.[1] ?? '*' }]
    : named(/\{([^}]*)\}/.exec(code)?.[1] ?? '')

const named = (list) =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [name, as = name] = one.split(' as ')
      return { name, as }
    })

/** What is kept of each file: statements, and the names of imports. */
function reached(files, entries) {
  const kept = new Map()
  const keptOf = (path) => {
    if (!kept.has(path)) {
      kept.set(path, { statements: new Set(), imports: new Set() })
      for (const statement of files.get(path)?.statements ?? []) if (statement.always) keep(path, statement)
    }
    return kept.get(path)
  }
  const keep = (path, statement) => {
    const { statements } = keptOf(path)
    if (statements.has(statement)) return
    statements.add(statement)
    for (const name of statement.used) need(path, name)
    for (const { target, name } of statement.inline) if (target !== undefined) needExport(target, name)
  }
  // A name in the scope of the file itself.
  const need = (path, name) => {
    for (const statement of files.get(path)?.statements ?? []) {
      if (statement.declared === name) keep(path, statement)
      if (statement.isImport !== true) continue
      const found = statement.names.find(({ as }) => as === name)
      if (found === undefined || keptOf(path).imports.has(name)) continue
      keptOf(path).imports.add(name)
      if (statement.target !== undefined) needExport(statement.target, found.name)
    }
  }
  const seen = new Set()
  const needExport = (path, name) => {
    if (seen.has(`${path} ${name}`)) return
    seen.add(`${path} ${name}`)
    keptOf(path)
    for (const statement of files.get(path)?.statements ?? []) {
      if (statement.isImport === true) continue
      if (statement.from !== undefined) {
        const found = statement.names.filter(({ as }) => name === '*' || as === name || as === '*')
        for (const one of found) {
          keptOf(path).imports.add(one.as)
          if (statement.target !== undefined) needExport(statement.target, one.name === '*' ? name : one.name)
        }
      } else if (name === '*' ? statement.exported.length > 0 : isNamed(statement, name))
        keep(path, statement)
    }
  }
  for (const entry of entries) needExport(entry, '*')
  return kept
}

const isNamed = ({ declared, exported }, name) =>
  declared === name || exported.some((one) => one?.as === name)

function textOf({ path, statements }, kept) {
  if (kept === undefined) return undefined
  const lines = statements.flatMap((statement) => {
    if (statement.from === undefined) return kept.statements.has(statement) ? [statement.text] : []
    const names = statement.names.filter(({ as }) => kept.imports.has(as))
    if (names.length === 0) return []
    if (names.length === statement.names.length) return [statement.text]
    const shown = names.map(({ name, as }) => (name === as ? name : `${name} as ${as}`)).join(', ')
    return [statement.text.replace(/\{[^}]*\}/, `{ ${shown} }`)]
  })
  if (lines.length === 0) return undefined
  const text = lines.join('\n')
  if (/^import .*['"]zod['"];?$/m.test(text))
    throw new Error(`build: public types of ${relative('dist/types', path)} lead to zod: mark them @internal`)
  return `${text}${/^(?:export|import)\b/m.test(text) ? '' : '\nexport {};'}\n`
}

/** What the entries of the built package export: names, kinds, documentation, and the types they lead to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5'
import { root } from './_built.ts'

export interface Exported {
  readonly name: string
  readonly kind: 'class' | 'function' | 'interface' | 'namespace' | 'type' | 'value'
  /** Whether its documentation has an example. */
  readonly hasExample: boolean
}

export interface Entry {
  readonly name: string
  readonly exports: readonly Exported[]
  /** Types that exported declarations lead to, and that neither the entry nor `gateway-sim` exports. */
  readonly hidden: readonly string[]
}

/** The entries of package.json that have types. */
export function readEntries(): readonly Entry[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>
  }
  const files = Object.entries(exports).flatMap(([name, { types }]) =>
    types === undefined ? [] : [{ name: name.replace('.', 'gateway-sim'), file: join(root, types) }],
  )
  const program = ts.createProgram(
    files.map(({ file }) => file),
    {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      types: ['node'],
    },
  )
  const checker = program.getTypeChecker()
  const main: ts.Symbol[] = []
  return files.map(({ name, file }) => {
    const source = program.getSourceFile(file)
    if (source === undefined) throw new Error(`${file} is not there: run \`npm run build\` first`)
    const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source) as ts.Symbol)
    const targets = symbols.map((symbol) => ({ name: symbol.name, target: resolved(symbol, checker) }))
    const own = targets.flatMap(({ target }) =>
      isNamespace(target) ? checker.getExportsOfModule(target) : [target],
    )
    if (name === 'gateway-sim') main.push(...own)
    return {
      name,
      exports: targets.map(({ name, target }) => ({
        name,
        kind: kindOf(target),
        hasExample: target.getJsDocTags(checker).some((tag) => tag.name === 'example'),
      })),
      hidden: hiddenTypes(own, new Set([...own, ...main]), checker),
    }
  })
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol
}

function isNamespace({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.ValueModule) !== 0
}

function kindOf(symbol: ts.Symbol): Exported['kind'] {
  const { flags } = symbol
  if (isNamespace(symbol)) return 'namespace'
  if ((flags & ts.SymbolFlags.Class) !== 0) return 'class'
  if ((flags & ts.SymbolFlags.Function) !== 0) return 'function'
  if ((flags & ts.SymbolFlags.Interface) !== 0) return 'interface'
  return (flags & ts.SymbolFlags.TypeAlias) !== 0 ? 'type' : 'value'
}

/**
 * Exported types that programs read by their fields and do not name the parts of: how the simulator is made
 * inside.
 */
const opaque: ReadonlySet<string> = new Set([
  'AudioMedia',
  'Endpoint',
  'EndpointGroup',
  'FilePart',
  'HeldBytes',
  'ImageMedia',
  'VideoMedia',
  'WireFault',
])

/** Interfaces and classes of the package that the types of exports are made of, and that are not exports. */
function hiddenTypes(
  own: readonly ts.Symbol[],
  exported: ReadonlySet<ts.Symbol>,
  checker: ts.TypeChecker,
): readonly string[] {
  const hidden = new Map<ts.Symbol, string>()
  const seen = new Set<ts.Type>()
  const visit = (type: ts.Type, from: string): void => {
    if (seen.has(type)) return
    seen.add(type)
    const { symbol } = type
    if (symbol !== undefined && !isOfPackage(symbol)) {
      if (isReference(type)) for (const argument of checker.getTypeArguments(type)) visit(argument, from)
      return
    }
    if (symbol !== undefined && isNamed(symbol) && !exported.has(symbol)) {
      hidden.set(symbol, `${symbol.name}, of ${from}`)
      return
    }
    if (symbol !== undefined && opaque.has(symbol.name)) return
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, from)
    for (const property of type.getProperties())
      visit(checker.getTypeOfSymbol(property), `${from}.${property.name}`)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbol(parameter), from)
      visit(signature.getReturnType(), from)
    }
    for (const { type: value } of checker.getIndexInfosOfType(type)) visit(value, from)
  }
  for (const symbol of own) {
    const isType = (symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias)) !== 0
    visit(isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol), symbol.name)
  }
  return [...hidden.values()].sort()
}

function isReference(type: ts.Type): type is ts.TypeReference {
  return (((type as ts.ObjectType).objectFlags ?? 0) & ts.ObjectFlags.Reference) !== 0
}

function isNamed({ flags }: ts.Symbol): boolean {
  return (flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) !== 0
}

function isOfPackage({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((declaration) =>
    declaration.getSourceFile().fileName.startsWith(join(root, 'dist', 'types')),
  )
}

/** Parses a YAML text, but never deeper than the stack reaches. */
import type { Document, ParsedNode } from 'yaml'
import type { Yaml } from './read-nodes.ts'
import { maxLevels } from './yaml-messages.ts'

type Options = ConstructorParameters<Yaml['Composer']>[0] & {
  readonly lineCounter: { addNewLine(offset: number): void }
}

export interface ParsedYaml {
  readonly document: Document<ParsedNode>
  /** Where the text was nested so deep that no more of it was read. */
  readonly cutAt: number | undefined
}

/**
 * As `parseDocument` of the package, which composes nodes by calling itself: near the end of the stack V8 may
 * not throw but end the process, when it has to compile a pattern there. Its tokens are made without.
 */
export function parseYaml(yaml: Yaml, text: string, options: Options): ParsedYaml {
  const { addNewLine } = options.lineCounter
  const parser = new yaml.Parser(addNewLine)
  let cutAt: number | undefined
  function* tokens() {
    addNewLine(0)
    for (const lexeme of new yaml.Lexer().lex(text)) {
      yield* parser.next(lexeme)
      // The document, and the scalar at the end, are no levels.
      if (parser.stack.length > maxLevels + 50) {
        cutAt = parser.offset
        break
      }
    }
    yield* parser.end()
  }
  const [document, second] = new yaml.Composer<ParsedNode>(options).compose(tokens(), true, text.length)
  if (document === undefined) throw new Error('a YAML text without a document')
  if (second !== undefined)
    document.errors.push(new yaml.YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', ''))
  return { document: document as Document<ParsedNode>, cutAt }
}

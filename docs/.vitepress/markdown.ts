/** Markdown of the pages, read as GitHub reads it: anchors, and text in angle brackets. */
import type { MarkdownRenderer } from 'vitepress'

type BlockRule = Parameters<MarkdownRenderer['block']['ruler']['at']>[1]

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

/** Pages of docs/ that stay in the repository. */
export const repositoryOnly: readonly string[] = ['decisions/**', 'spec-coverage.md']

/** Shows `<name>` and braces in prose as text: pages are Markdown, and only comments are HTML. */
export function showTextAsIs(markdown: MarkdownRenderer): void {
  markdown.block.ruler.at('html_block', skipComment)
  markdown.core.ruler.push('text-as-is', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'html_inline' && !token.content.startsWith('<!--')) token.type = 'text'
  })
  markdown.renderer.rules.text = (tokens, index) =>
    markdown.utils.escapeHtml(tokens[index]?.content ?? '').replaceAll('{{', '&#123;&#123;')
}

const skipComment: BlockRule = (state, startLine, endLine, silent) => {
  const lineAt = (line: number): string => state.src.slice(state.bMarks[line], state.eMarks[line])
  if (!lineAt(startLine).startsWith('<!--')) return false
  if (silent) return true
  let line = startLine
  while (line < endLine - 1 && !lineAt(line).includes('-->')) line++
  state.line = line + 1
  return true
}

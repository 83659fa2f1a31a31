/** Markdown of the pages, read as GitHub reads it: anchors, links out of docs/, and text in angle brackets. */
import { posix } from 'node:path'
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

/** Sends links that leave docs/ to the repository. */
export function linkToRepository(markdown: MarkdownRenderer, repository: string): void {
  markdown.core.ruler.push('links-to-repository', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) {
      const [path = '', anchor] = (link.attrGet('href') ?? '').split('#')
      if (path === '' || /^(?:[a-z]+:|\/)/.test(path)) continue
      const target = posix.join('docs', posix.dirname(env.relativePath ?? ''), decodeURI(path))
      if (target.startsWith('docs/') && !/^docs\/(?:decisions\/|spec-coverage\.md)/.test(target)) continue
      link.attrSet('href', `${repository}/blob/main/${target}${anchor === undefined ? '' : `#${anchor}`}`)
    }
  })
}

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

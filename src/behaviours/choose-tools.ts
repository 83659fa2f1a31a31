/** Which tools a model would call for a prompt, when it may choose. Knows nothing of arguments or wire formats. */
import type { Tool, ToolChoice } from './conversation.ts'

/** The tools to call, in order; empty for an answer in text. `again` is true when results of tools have just come back. */
export function chooseTools(tools: readonly Tool[], choice: ToolChoice, prompt: string, options: { readonly parallel: boolean; readonly again: boolean }): readonly Tool[] {
  if (tools.length === 0 || choice.mode === 'none') return []
  if (choice.mode === 'named') {
    const { name } = choice
    return tools.filter((tool) => tool.name === name).slice(0, 1)
  }
  if (choice.mode === 'auto' && options.again) return []
  const scored = tools.map((tool, index) => ({ tool, index, score: fit(tool, prompt) })).sort((a, b) => b.score - a.score || a.index - b.index)
  const fitting = scored.filter(({ score }) => score > 0)
  if (fitting.length === 0) return choice.mode === 'required' ? [(scored[0] as { tool: Tool }).tool] : []
  const best = fitting[0] as { tool: Tool; score: number }
  if (!options.parallel) return [best.tool]
  // Several tools are called together only when each is spoken of by name, not merely near the subject.
  return fitting.filter(({ tool, score }, index) => index === 0 || (score >= nameWorth && speaksOf(tool, prompt))).map(({ tool }) => tool).slice(0, 8)
}

const nameWorth = 3

/** How well a prompt fits a tool: words of its name count most, then its description, then its parameters. */
function fit(tool: Tool, prompt: string): number {
  const said = stems(prompt)
  let score = 0
  for (const word of stems(tool.name)) if (said.has(word)) score += nameWorth
  for (const word of stems(tool.description)) if (said.has(word)) score += 1
  for (const word of stems(parameterNames(tool))) if (said.has(word)) score += 1
  return score
}

function speaksOf(tool: Tool, prompt: string): boolean {
  const said = stems(prompt)
  return [...stems(tool.name)].some((word) => said.has(word))
}

function parameterNames(tool: Tool): string {
  const { parameters } = tool
  if (parameters === null || typeof parameters !== 'object') return ''
  const { properties } = parameters as { properties?: unknown }
  return properties !== null && typeof properties === 'object' ? Object.keys(properties).join(' ') : ''
}

const empty = new Set('a an the of for to in on at by and or is are be get set do does what which how you your it its this that with from as can use uses used using user tool function call calls given current returns return data value please me my i we our'.split(' '))

/** The telling words of a text, cut to their stems. */
function stems(text: string): Set<string> {
  const words = text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().match(/\p{L}[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.filter((word) => !empty.has(word)).map((word) => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|er|ion)$/, '') : word)))
}

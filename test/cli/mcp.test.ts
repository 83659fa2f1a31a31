/** The tools of `gateway-sim mcp` as its clients see them. mcp.thorough.test.ts drives them over stdio. */
import { expect, it } from 'vitest'
import { createTokens } from '../../src/behaviours/tokens/tokens.ts'
import { tokenTable } from '../../src/http/token-table.ts'
import { connected } from './_mcp.ts'

it('are at most nine, and cost at most 2,000 tokens of context with the instructions', async () => {
  const client = await connected('http://127.0.0.1:1', '/')
  const { tools } = await client.listTools()
  const tokens = createTokens(await tokenTable())
  const text = JSON.stringify(tools) + client.getInstructions()
  expect(tools.length).toBeLessThanOrEqual(9)
  expect(tokens.count(text)).toBeGreaterThan(500)
  expect(tokens.count(text)).toBeLessThanOrEqual(2000)
})

it('say what reads and what destroys', async () => {
  const { tools } = await (await connected('http://127.0.0.1:1', '/')).listTools()
  const named = (hint: 'readOnlyHint' | 'destructiveHint'): string[] =>
    tools.filter(({ annotations }) => annotations?.[hint] === true).map(({ name }) => name)
  expect(named('readOnlyHint')).toEqual(['list_requests', 'explain_request', 'verify'])
  expect(named('destructiveHint')).toEqual(['start', 'clear_faults', 'reset'])
  expect(tools.filter(({ annotations }) => annotations?.destructiveHint === false).length).toBe(3)
})

/** The tools of the MCP server: those of the table of controls, and those that combine several requests. */
import * as z from 'zod'
import { implementations } from '../../sessions/controls/all.ts'
import { type AnyControl, at, type Implementation, listControls } from '../../sessions/controls/control.ts'
import { controls } from '../../sessions/controls/table.ts'
import { jsonText } from '../running/simulator.ts'
import { loadScenario } from './load-scenario.ts'
import { requestTools } from './request-tools.ts'
import { start } from './start-tool.ts'
import { defineTool, type Tool } from './tool.ts'

/** A tool for each control that offers one. */
export function controlTools(table: object, implemented: object): readonly Tool[] {
  return listControls(table).flatMap(([control, place]) => {
    const { tool, endpoint } = at(implemented, place) as Implementation
    if (tool === undefined) return []
    const [, parameter] = /\{(\w+)\}/.exec(control.path) ?? []
    const argumentsOf = tool.arguments ?? ((input: never) => defaultArguments(input, parameter))
    const print = (tool.print ?? control.print ?? jsonText) as NonNullable<AnyControl['print']>
    return defineTool({
      name: tool.name,
      description: tool.description,
      readOnly: control.method === 'GET',
      destructive: tool.destructive === true,
      input: tool.input ?? (() => defaultInput(endpoint, parameter)),
      run: async (input, attachment) =>
        print((await attachment.call(table, place, argumentsOf(input as never))) as never),
    })
  })
}

function defaultInput(endpoint: Implementation['endpoint'], parameter: string | undefined): z.ZodObject {
  const fields = (endpoint?.body ?? endpoint?.query)?.() as z.ZodObject | undefined
  const id = parameter === undefined ? {} : { [parameter]: z.string() }
  return z.strictObject({ ...id, ...fields?.shape })
}

function defaultArguments(input: Readonly<Record<string, unknown>>, parameter: string | undefined) {
  if (parameter === undefined) return [input]
  const { [parameter]: id, ...rest } = input
  return [id, rest]
}

export const tools: readonly Tool[] = [
  start,
  ...controlTools(controls, implementations),
  ...requestTools,
  loadScenario,
]

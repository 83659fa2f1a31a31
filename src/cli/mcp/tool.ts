/** The type of the tools of the MCP server. */
import type * as z from 'zod'
import type { Attachment } from './attachment.ts'

/** The result of a tool as text, and whether it is an error that the agent must act on. */
export interface ToolResult {
  readonly text: string
  readonly isError?: boolean
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** Whether the tool changes nothing. */
  readonly readOnly: boolean
  /** Whether the tool discards requests, jobs or faults. */
  readonly destructive: boolean
  input(): z.ZodObject
  run(args: never, attachment: Attachment): Promise<ToolResult>
}

export function defineTool<Input extends z.ZodObject>(
  definition: Omit<Tool, 'input' | 'run' | 'destructive'> & {
    readonly destructive?: boolean
    input(): Input
    run(args: z.output<Input>, attachment: Attachment): Promise<ToolResult | string>
  },
): Tool {
  return {
    destructive: false,
    ...definition,
    async run(args, attachment) {
      const result = await definition.run(args, attachment)
      return typeof result === 'string' ? { text: result } : result
    },
  }
}

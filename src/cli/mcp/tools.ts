/** The tools of the MCP server, in their usual order. */
import { fileTools } from './file-tools.ts'
import { requestTools } from './request-tools.ts'
import { sessionTools } from './session-tools.ts'
import type { Tool } from './tool.ts'

export const tools: readonly Tool[] = [...sessionTools, ...requestTools, ...fileTools]

import { join } from 'node:path'
import { runTable } from './run-table.ts'

runTable(join(import.meta.dirname, 'more-rows.md'))

/** The scenario that makes one failure by hand. */
import { stringify } from 'yaml'
import { type Cell, scenarioOf } from './trial.ts'

/** Returns it as a YAML file. */
export const scenarioText = (cell: Cell): string => stringify(scenarioOf(cell), { lineWidth: 100 })

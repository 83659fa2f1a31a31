#!/usr/bin/env node
import { existsSync } from 'node:fs'
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

// In a clone.
if (!existsSync(new URL('../dist/cli.js', import.meta.url))) {
  console.error('gateway-sim: the program is not built yet: run `npm run build`.')
  process.exit(1)
}
// Without this, V8 may decide by the chance of the first calls to place short-lived objects among the old
// ones, where each keeps the request and the response of its call: the same server then needs half as much
// time again for a call (docs/decisions/speed.md).
setFlagsFromString('--no-allocation-site-pretenuring')
// From node 22 on, compiled code is cached for the next command.
module.enableCompileCache?.()
const { run } = await import('../dist/cli.js')
run()

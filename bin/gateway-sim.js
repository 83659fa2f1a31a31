#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { run } from '../dist/cli.js'

// Without this, V8 may decide by the chance of the first calls to place short-lived objects among the old
// ones, where each keeps the request and the response of its call: the same server then needs half as much
// time again for a call (docs/decisions/speed.md).
setFlagsFromString('--no-allocation-site-pretenuring')
run()

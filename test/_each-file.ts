/** Runs before each test file: how properties draw their input, and no test passes over a bug it met. */
import fc from 'fast-check'
import { afterEach, expect, inject } from 'vitest'
import { bugs } from './_bugs.ts'

fc.configureGlobal({ seed: inject('seed') })

afterEach(() => {
  expect(bugs.splice(0), 'bugs of the simulator that this test met').toEqual([])
})

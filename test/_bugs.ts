/**
 * What simulators of a test have warned of as bugs of their own; `_each-file.ts` holds it against the test.
 */
export const bugs: string[] = []

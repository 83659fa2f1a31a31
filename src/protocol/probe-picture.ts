/** A picture for probes: a square PNG of 128 pixels, whose upper half is transparent. */
import type { ProbeFile } from './probe.ts'

const base64 =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAAAu0lEQVR42u3SQQ0AQAgDQXSiCWHn6hABP2aSNdA0AgAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYy3pfd3MABzCCA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5ABy' +
  'ADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB' +
  '5AByADmAVmoZ7KT8TPZZfAAAAABJRU5ErkJggg=='

export const probePicture: ProbeFile = { file: 'probe.png', type: 'image/png', base64 }

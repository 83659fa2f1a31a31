/** Pictures for probes: square PNGs of 128 pixels. */
import type { ProbeFile } from './probe.ts'

const halfTransparent =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAYAAADDPmHLAAAAu0lEQVR42u3SQQ0AQAgDQXSiCWHn6hABP2aSNdA0AgAAAAAA' +
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAYy3pfd3MABzCCA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5ABy' +
  'ADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB5AByADmAHEAOIAeQA8gB' +
  '5AByADmAVmoZ7KT8TPZZfAAAAABJRU5ErkJggg=='

const white =
  'iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQAAAADrRVxmAAAAH0lEQVR42mP4jwYYRgVGBUYFRgVGBUYFRgVGBWgrAAAEoPhq' +
  'Tu77DgAAAABJRU5ErkJggg=='

/** Its upper half is transparent. */
export const probePicture: ProbeFile = {
  file: 'probe.png',
  type: 'image/png',
  base64: halfTransparent,
}

/** Nothing in it is transparent. */
export const opaquePicture: ProbeFile = { file: 'opaque.png', type: 'image/png', base64: white }

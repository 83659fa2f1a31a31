/**
 * The WebAssembly codecs for JPEG (only written) and WebP, loaded with the first image in their format. The
 * SIMD builds are not used, because the output would depend on the build that the platform supports.
 */
import type { Raster } from '../image/raster.ts'

/** `quality` is 0 (the smallest file) to 100. */
export type Encode = (raster: Raster, quality: number) => Uint8Array

/** A codec as compiled by Emscripten. */
interface Codec {
  encode(
    rgba: Uint8Array,
    width: number,
    height: number,
    options: Readonly<Record<string, number | boolean>>,
  ): Uint8Array | null
  decode(
    file: Uint8Array,
  ): { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray } | null
}

/** The used part of `WebAssembly`, for which Node's types have no values. */
interface Assembly {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (compiled: object, imports: unknown) => { readonly exports: unknown }
}

type Glue = (options: Readonly<Record<string, unknown>>) => PromiseLike<unknown>

/**
 * Loads a codec on first use. Loads it again after it has thrown, because its memory may be corrupt, and
 * after a failed load.
 */
export function reloadOnFailure<Input extends readonly unknown[], Output>(
  load: () => Promise<(...input: Input) => Output>,
): () => Promise<(...input: Input) => Output> {
  let loading: Promise<(...input: Input) => Output> | undefined
  const forget = (error: unknown): never => {
    loading = undefined
    throw error
  }
  const loadAnew = async (): Promise<(...input: Input) => Output> => {
    const codec = await load()
    return (...input) => {
      try {
        return codec(...input)
      } catch (error) {
        return forget(error)
      }
    }
  }
  return () => (loading ??= loadAnew().catch(forget))
}

/** The WebP encoder: lossy, and fast enough for tests. */
export const loadWebpEncoder = (): Promise<Encode> =>
  loadEncoder('webp', { method: 2 }, () =>
    Promise.all([
      import('@jsquash/webp/codec/enc/webp_enc.js'),
      import('@jsquash/webp/codec/enc/webp_enc.wasm'),
      import('@jsquash/webp/meta.js'),
    ]),
  )

/**
 * The JPEG encoder, without trellis quantization and progressive scans: they cost more time than test images
 * need.
 */
export const loadJpegEncoder = (): Promise<Encode> =>
  loadEncoder('jpeg', { progressive: false }, () =>
    Promise.all([
      import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js'),
      import('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
      import('@jsquash/jpeg/meta.js'),
    ]),
  )

type Parts = readonly [{ default: unknown }, { default: Uint8Array }, { defaultOptions: object }]

async function loadEncoder(format: string, own: object, load: () => Promise<Parts>): Promise<Encode> {
  const [{ default: glue }, { default: bytes }, { defaultOptions }] = await load()
  const codec = await start(glue as Glue, bytes)
  return ({ width, height, rgba }, quality) => {
    let cause: unknown
    // On failure, some encoders return nothing; others throw a number or an exit status.
    try {
      const file = codec.encode(rgba, width, height, { ...defaultOptions, quality, ...own })
      if (file !== null) return file
    } catch (error) {
      cause = error
    }
    throw new Error(`image-codecs: the ${format} encoder has failed`, { cause })
  }
}

/**
 * The pixels of a file; undefined if the file is incomplete or has another format. The caller limits the size
 * first.
 */
export type Decode = (file: Uint8Array) => Raster | undefined

export async function loadWebpDecoder(): Promise<Decode> {
  const [{ default: glue }, { default: bytes }] = await Promise.all([
    import('@jsquash/webp/codec/dec/webp_dec.js'),
    import('@jsquash/webp/codec/dec/webp_dec.wasm'),
  ])
  const codec = await start(glue as Glue, bytes)
  return (file) => {
    const image = withImageData(() => codec.decode(file))
    return image === null
      ? undefined
      : {
          width: image.width,
          height: image.height,
          rgba: new Uint8Array(image.data.buffer, image.data.byteOffset, image.data.length),
        }
  }
}

/** Instantiates a codec from its JavaScript glue and its WebAssembly. */
async function start(glue: Glue, bytes: Uint8Array): Promise<Codec> {
  const { compile, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly
  const compiled = await compile(bytes)
  const ignore = (): void => {}
  const starting = withImageData(() =>
    glue({
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      // With a given instance, the glue does not load a file from disk or a server.
      instantiateWasm(imports: unknown, receive: (instance: object) => void) {
        const instance = new Instance(compiled, imports)
        receive(instance)
        return instance.exports
      },
    }),
  )
  return (await starting) as Codec
}

/**
 * Runs code for which the glue needs the global class `ImageData`. Node lacks this class, and the glue would
 * define it permanently; afterwards, the globals are as before.
 */
function withImageData<T>(work: () => T): T {
  if ('ImageData' in globalThis) return work()
  Object.assign(globalThis, { ImageData: PlainImageData })
  try {
    return work()
  } finally {
    Reflect.deleteProperty(globalThis, 'ImageData')
  }
}

class PlainImageData {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
}

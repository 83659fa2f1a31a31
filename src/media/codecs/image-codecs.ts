/**
 * The WebAssembly codecs of images, JPEG and WebP. Loaded with the first image of their format. The builds
 * with SIMD are not used: which one ran would decide about the bytes.
 */
import type { Raster } from '../image/raster.ts'

/** `quality` from 0 (the smallest file) to 100. */
export type Encode = (raster: Raster, quality: number) => Uint8Array

/** A codec as Emscripten compiles it. */
interface Codec {
  encode(
    rgba: Uint8Array,
    width: number,
    height: number,
    options: Readonly<Record<string, number | boolean>>,
  ): Uint8Array | null
  decode(
    file: Uint8Array,
    ...options: readonly boolean[]
  ): { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray } | null
}

/** The part of `WebAssembly` that is used: node's types have no values for it. */
interface Assembly {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (compiled: object, imports: unknown) => { readonly exports: unknown }
}

type Glue = (options: Readonly<Record<string, unknown>>) => PromiseLike<unknown>

/**
 * Loads a codec when it is first asked for, and anew once it has thrown: nobody knows in what state it left
 * its memory. One that could not be loaded is tried again the next time.
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

/** The WebP encoder. Lossy, at a speed that a test can wait for. */
export const loadWebpEncoder = (): Promise<Encode> =>
  loadEncoder('webp', { method: 2 }, () =>
    Promise.all([
      import('@jsquash/webp/codec/enc/webp_enc.js'),
      import('@jsquash/webp/codec/enc/webp_enc.wasm'),
      import('@jsquash/webp/meta.js'),
    ]),
  )

/** The JPEG encoder. Without trellis and progression, which cost more time than test images are worth. */
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
    // Some encoders return nothing when they fail, others throw a number or the exit status of a program.
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
 * The pixels of a file; undefined for what is no whole file of the format. The caller bounds the size first.
 */
export type Decode = (file: Uint8Array) => Raster | undefined

/** The WebP decoder. */
export async function loadWebpDecoder(): Promise<Decode> {
  const [{ default: glue }, { default: bytes }] = await Promise.all([
    import('@jsquash/webp/codec/dec/webp_dec.js'),
    import('@jsquash/webp/codec/dec/webp_dec.wasm'),
  ])
  return decoderOf(await start(glue as Glue, bytes))
}

/**
 * The JPEG decoder. It ignores the EXIF orientation. It may throw for what is broken, and must not be used
 * again then (`reloadOnFailure`).
 */
export async function loadJpegDecoder(): Promise<Decode> {
  const [{ default: glue }, { default: bytes }] = await Promise.all([
    import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js'),
    import('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
  ])
  const preserveOrientation = false
  return decoderOf(await start(glue as Glue, bytes), preserveOrientation)
}

function decoderOf(codec: Codec, ...options: readonly boolean[]): Decode {
  return (file) => {
    const image = withImageData(() => codec.decode(file, ...options))
    return image === null
      ? undefined
      : {
          width: image.width,
          height: image.height,
          rgba: new Uint8Array(image.data.buffer, image.data.byteOffset, image.data.length),
        }
  }
}

/** Instantiates a codec from its glue and its WebAssembly. */
async function start(glue: Glue, bytes: Uint8Array): Promise<Codec> {
  const { compile, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly
  const compiled = await compile(bytes)
  const ignore = (): void => {}
  const starting = withImageData(() =>
    glue({
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      // Given its instance, the glue does not look for a file, on disk or on a server.
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
 * Does something for which the glue needs the global class `ImageData`. Node lacks it, and the glue would
 * define it for good; when this returns, the globals are as before.
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

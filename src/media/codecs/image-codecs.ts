/**
 * The WebAssembly codecs of pictures: JPEG and WebP, out and in. Loaded when the first picture of their
 * format comes. The same bytes on every machine, so the builds with SIMD are not used.
 */
import type { Raster } from '../image/raster.ts'

/** A picture to a file; `quality` from 0 (smallest) to 100. */
export type Encode = (raster: Raster, quality: number) => Uint8Array

/** What Emscripten makes of a codec. */
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
 * Loads a codec when it is first asked for, and keeps it for as long as it does its work: of one that has
 * thrown, nobody knows in what state it left its memory, and one that could not be loaded may be the next
 * time.
 */
export function whileSound<Input extends readonly unknown[], Output>(
  load: () => Promise<(...input: Input) => Output>,
): () => Promise<(...input: Input) => Output> {
  let loading: Promise<(...input: Input) => Output> | undefined
  const loaded = async (): Promise<(...input: Input) => Output> => {
    const codec = await load()
    return (...input) => forgetting(() => codec(...input))
  }
  const forgetting = (work: () => Output): Output => {
    try {
      return work()
    } catch (error) {
      loading = undefined
      throw error
    }
  }
  return () => {
    loading ??= loaded().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** The WebP encoder. Lossy, at a speed that a test can wait for. */
export async function loadWebpEncoder(): Promise<Encode> {
  const [{ default: glue }, { default: bytes }, { defaultOptions }] = await Promise.all([
    import('@jsquash/webp/codec/enc/webp_enc.js'),
    import('@jsquash/webp/codec/enc/webp_enc.wasm'),
    import('@jsquash/webp/meta.js'),
  ])
  const codec = await start(glue as Glue, bytes)
  return ({ width, height, rgba }, quality) =>
    encoded(
      () => codec.encode(rgba, width, height, { ...(defaultOptions as object), quality, method: 2 }),
      'webp',
    )
}

/** The JPEG encoder. Without trellis and progression, which cost more time than a stand-in is worth. */
export async function loadJpegEncoder(): Promise<Encode> {
  const [{ default: glue }, { default: bytes }, { defaultOptions }] = await Promise.all([
    import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js'),
    import('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
    import('@jsquash/jpeg/meta.js'),
  ])
  const codec = await start(glue as Glue, bytes)
  return ({ width, height, rgba }, quality) =>
    encoded(
      () => codec.encode(rgba, width, height, { ...(defaultOptions as object), quality, progressive: false }),
      'jpeg',
    )
}

/**
 * A file to its pixels; undefined for what is no whole file of the format. Whoever calls it bounds the size
 * first.
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
 * The JPEG decoder. It leaves the pixels as they lie in the file, whatever the file says of how it was held.
 * It may throw for what is broken, and is of no use any more then (`whileSound`).
 */
export async function loadJpegDecoder(): Promise<Decode> {
  const [{ default: glue }, { default: bytes }] = await Promise.all([
    import('@jsquash/jpeg/codec/dec/mozjpeg_dec.js'),
    import('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
  ])
  const turned = false
  return decoderOf(await start(glue as Glue, bytes), turned)
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

// Some encoders say nothing when they fail, others throw a number or the status of a program.
function encoded(work: () => Uint8Array | null, format: string): Uint8Array {
  try {
    const bytes = work()
    if (bytes !== null) return bytes
  } catch (cause) {
    throw new Error(`image-codecs: the ${format} encoder has failed`, { cause })
  }
  throw new Error(`image-codecs: the ${format} encoder has failed`)
}

/** The codec of some glue and its WebAssembly. */
async function start(glue: Glue, bytes: Uint8Array): Promise<Codec> {
  const { compile, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly
  const compiled = await compile(bytes)
  const ignore = (): void => {}
  const starting = withImageData(() =>
    glue({
      noInitialRun: true,
      print: ignore,
      printErr: ignore,
      // Given its instance at once, the glue asks neither node nor a server for a file.
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
 * Does something for which the glue needs a global class `ImageData`, which node lacks, and which the glue
 * would leave behind for good. When this returns, the globals are as before.
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

/**
 * The WebAssembly encoders for JPEG and WebP, loaded with the first image in their format. The SIMD builds
 * are not used, because the output would depend on the build that the platform supports.
 */
import type { Raster } from './raster.ts'

/** `quality` is 0 (the smallest file) to 100. */
export type Encode = (raster: Raster, quality: number) => Uint8Array

/** An encoder as compiled by Emscripten. */
interface Encoder {
  encode(
    rgba: Uint8Array,
    width: number,
    height: number,
    options: Readonly<Record<string, number | boolean>>,
  ): Uint8Array | null
}

/** The used part of `WebAssembly`, for which Node's types have no values. */
interface Assembly {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (compiled: object, imports: unknown) => { readonly exports: unknown }
}

type Glue = (options: Readonly<Record<string, unknown>>) => PromiseLike<unknown>

/** The WebP encoder: lossy, and fast enough for tests. */
export const loadWebpEncoder = (): Promise<Encode> =>
  loadEncoder({ method: 2 }, () =>
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
  loadEncoder({ progressive: false }, () =>
    Promise.all([
      import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js'),
      import('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
      import('@jsquash/jpeg/meta.js'),
    ]),
  )

type Parts = readonly [{ default: unknown }, { default: Uint8Array }, { defaultOptions: object }]

async function loadEncoder(own: object, load: () => Promise<Parts>): Promise<Encode> {
  const [{ default: glue }, { default: bytes }, { defaultOptions }] = await load()
  const encoder = await start(glue as Glue, bytes)
  return ({ width, height, rgba }, quality) => {
    const file = encoder.encode(rgba, width, height, { ...defaultOptions, quality, ...own })
    if (file === null) throw new Error('media: an image encoder has failed')
    return file
  }
}

/** Instantiates an encoder from its JavaScript glue and its WebAssembly. */
async function start(glue: Glue, bytes: Uint8Array): Promise<Encoder> {
  const { compile, Instance } = (globalThis as unknown as { readonly WebAssembly: Assembly }).WebAssembly
  const compiled = await compile(bytes)
  const ignore = (): void => {}
  const hasImageData = 'ImageData' in globalThis
  const starting = glue({
    noInitialRun: true,
    print: ignore,
    printErr: ignore,
    // With a given instance, the glue does not load a file from disk or a server.
    instantiateWasm(imports: unknown, receive: (instance: object) => void) {
      const instance = new Instance(compiled, imports)
      receive(instance)
      return instance.exports
    },
  })
  // The glue defines this class in Node, and does not need it to encode.
  if (!hasImageData) Reflect.deleteProperty(globalThis, 'ImageData')
  return (await starting) as Encoder
}

// Makes the videos and sounds under fixtures/ with ffmpeg, and the modules of src/media/data/ that hold their
// bytes.
//
//   node tools/make-media.mjs           runs ffmpeg (5.1 made what is checked in), then writes the modules
//   node tools/make-media.mjs videos    only the videos; `sounds`: only the sounds
//   node tools/make-media.mjs modules   only writes the modules again from the files that are there
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const words = (text) => text.trim().split(/\s+/)

const sizes = words('720x1280 1280x720 1024x1792 1792x1024 1080x1920 1920x1080 2160x3840 3840x2160')
/** Samples per second of every sound. */
const rate = 24_000
/** Cycles a second of which one frame of the format holds a whole number, so that frames can be repeated. */
const notes = {
  mp3: [5, 6, 7, 8, 9].map((cycles) => (cycles * rate) / 576),
  aac: [9, 10, 11, 12, 13, 14, 15, 16].map((cycles) => (cycles * rate) / 1024),
}
/** Formats whose frames are numbered, so that they cannot be repeated: whole files. */
const tones = ['flac', 'opus']

const noteFile = (format, cycles) => `fixtures/audio/${Math.round(cycles)}.${format}`
const toneFile = (format) => `fixtures/audio/tone.${format}`
const videoFile = (size) => `fixtures/video/${size}.h264`
const exact = words('-fflags +bitexact -flags:a +bitexact -map_metadata -1')

async function loadScenes() {
  const { outputFiles } = await build({
    entryPoints: [at('tools/video-scene.ts')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

// Every sign for a second, one behind the other, as a bare H.264 stream: Main profile, each second a group of
// images that begins with an IDR image and refers to nothing outside. All come from one run of the
// encoder and share its parameter sets, so any row of them is a video.
async function makeVideo(size, { drawScene, frameRate, loadFont, signs }) {
  const [width, height] = size.split('x').map(Number)
  const encoder = spawn(
    'ffmpeg',
    [
      ...words(`-hide_banner -loglevel error -y -f rawvideo -pix_fmt rgba -s ${size} -r ${frameRate} -i -`),
      '-vf',
      'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int,format=yuv420p',
      ...words('-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv'),
      ...words('-c:v libx264 -profile:v main -preset slow -crf 26 -threads 1'),
      ...words(`-g ${frameRate} -keyint_min ${frameRate} -sc_threshold 0 -bf 0 -refs 1`),
      // Without the encoder's metadata (SEI).
      ...words('-bsf:v filter_units=remove_types=6 -fflags +bitexact -flags:v +bitexact -f h264'),
      at(videoFile(size)),
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  const ended = once(encoder, 'exit')
  const font = await loadFont()
  for (const sign of signs) {
    for (let frame = 0; frame < frameRate; frame++) {
      if (!encoder.stdin.write(drawScene(font, { sign, frame }, width, height).rgba))
        await once(encoder.stdin, 'drain')
    }
  }
  encoder.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`ffmpeg has ended with ${code}`)
}

/** An even tone in one format. */
function encodeTone(cycles, seconds, filter, options) {
  const source = `aevalsrc=0.15*sin(2*PI*${cycles}*t):s=${rate}:d=${seconds}`
  return execFileSync('ffmpeg', [
    ...words('-hide_banner -loglevel error -f lavfi -i'),
    source,
    ...(filter === undefined ? [] : ['-af', filter]),
    ...words('-ac 1'),
    ...words(options),
    ...exact,
    '-',
  ])
}

// One frame out of the middle of a long even tone, where the encoder has settled.
function makeNote(format, cycles) {
  const options = {
    mp3: '-c:a libmp3lame -b:a 32k -reservoir 0 -write_xing 0 -id3v2_version 0 -f mp3',
    aac: '-c:a aac -b:a 32k -f adts',
  }
  const sound = encodeTone(cycles, 4, undefined, options[format])
  writeFileSync(at(noteFile(format, cycles)), framesOf[format](sound)[60])
}

// Two seconds, faded in and out.
function makeTone(format) {
  const options = {
    flac: '-c:a flac -sample_fmt s16 -compression_level 12 -metadata_header_padding 0 -f flac',
    opus: '-c:a libopus -b:a 24k -f ogg',
  }
  const fades = 'afade=in:d=0.02,afade=out:st=1.98:d=0.02'
  writeFileSync(at(toneFile(format)), encodeTone(250, 2, fades, options[format]))
}

/** How a file of a format is cut into frames. */
const framesOf = {
  mp3: (bytes) =>
    Array.from({ length: Math.floor(bytes.length / 96) }, (_, place) =>
      bytes.subarray(place * 96, (place + 1) * 96),
    ),
  aac(bytes) {
    const frames = []
    for (let from = 0, length; from < bytes.length; from += length) {
      length = ((bytes[from + 3] & 3) << 11) | (bytes[from + 4] << 3) | (bytes[from + 5] >> 5)
      frames.push(bytes.subarray(from, from + length))
    }
    return frames
  },
}

const base64Of = (path) => readFileSync(at(path)).toString('base64')

function writeModule(path, sentence, code) {
  writeFileSync(
    at(path),
    `/**\n * ${sentence}\n * Generated by tools/make-media.mjs: change that, not this.\n */\n${code}\n`,
  )
}

/** The units of a stream (ISO/IEC 14496-10, annex B), between start codes of three bytes. */
function unitsOf(stream) {
  const starts = []
  for (
    let from = stream.indexOf('000001', 0, 'hex');
    from >= 0;
    from = stream.indexOf('000001', from + 3, 'hex')
  )
    starts.push(from + 3)
  return starts.map((start, index) => {
    let end = (starts[index + 1] ?? stream.length + 3) - 3
    while (stream[end - 1] === 0) end--
    return stream.subarray(start, end)
  })
}

/** A stream as MP4 needs it: an `AVCDecoderConfigurationRecord` and frames that begin with their length. */
function streamModule(stream) {
  const units = unitsOf(stream)
  const typeOf = (unit) => unit[0] & 31
  const sequenceSet = units.find((unit) => typeOf(unit) === 7)
  const imageSet = units.find((unit) => typeOf(unit) === 8)
  const profile = sequenceSet.subarray(1, 4)
  const setOf = (count, set) => Buffer.from([count, 0, set.length, ...set])
  const record = [Buffer.from([1, ...profile, 0xff]), setOf(0xe1, sequenceSet), setOf(1, imageSet)]
  const frames = units
    .filter((unit) => typeOf(unit) === 1 || typeOf(unit) === 5)
    .flatMap((unit) => [
      Buffer.from([0, unit.length >> 16, (unit.length >> 8) & 255, unit.length & 255]),
      unit,
    ])
  return [
    'export const stream = {',
    `  codec: 'avc1.${profile.toString('hex')}',`,
    `  description: '${Buffer.concat(record).toString('base64')}',`,
    `  frames: '${Buffer.concat(frames).toString('base64')}',`,
    '}',
  ].join('\n')
}

const only = process.argv[2]
if (only === undefined || only === 'videos') {
  mkdirSync(at('fixtures/video'), { recursive: true })
  const scenes = await loadScenes()
  for (const size of sizes) await makeVideo(size, scenes)
}
if (only === undefined || only === 'sounds') {
  mkdirSync(at('fixtures/audio'), { recursive: true })
  for (const [format, list] of Object.entries(notes)) for (const cycles of list) makeNote(format, cycles)
  for (const format of tones) makeTone(format)
}
// A module for each size, loaded only when that size is requested.
mkdirSync(at('src/media/data/video'), { recursive: true })
for (const size of sizes)
  writeModule(
    `src/media/data/video/${size}.ts`,
    `The seconds of all signs in ${size}, from ${videoFile(size)}.`,
    streamModule(readFileSync(at(videoFile(size)))),
  )
const noteLines = ([format, list]) => [
  `  ${format}: {`,
  ...list.map((cycles) => `    ${Math.round(cycles)}: '${base64Of(noteFile(format, cycles))}',`),
  '  },',
]
writeModule(
  'src/media/data/notes.ts',
  'One frame of each note under fixtures/audio as base64, by format and cycles a second.',
  ['export const notes = {', ...Object.entries(notes).flatMap(noteLines), '} as const'].join('\n'),
)
writeModule(
  'src/media/data/tones.ts',
  'The files fixtures/audio/tone.* as base64.',
  [
    'export const tones = {',
    ...tones.map((format) => `  ${format}: '${base64Of(toneFile(format))}',`),
    '} as const',
  ].join('\n'),
)

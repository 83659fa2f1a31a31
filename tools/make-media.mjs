// Makes the films and sounds under fixtures/ with ffmpeg, and the modules under src/media/ that carry their
// bytes.
//
//   node tools/make-media.mjs           runs ffmpeg (5.1 made what is checked in), then writes the modules
//   node tools/make-media.mjs films     only the films; `sounds`: only the sounds
//   node tools/make-media.mjs modules   only writes the modules again from the files that are there
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

const sizes = [
  '720x1280',
  '1280x720',
  '1024x1792',
  '1792x1024',
  '1080x1920',
  '1920x1080',
  '2160x3840',
  '3840x2160',
]
// Notes of which a frame of the format holds whole cycles, so that the frame can be played again and again:
// cycles a second.
const notes = {
  mp3: [5, 6, 7, 8, 9].map((cycles) => (cycles * 24_000) / 576),
  aac: [9, 10, 11, 12, 13, 14, 15, 16].map((cycles) => (cycles * 24_000) / 1024),
  opus: [4, 5, 6, 7, 8].map((cycles) => cycles * 50),
}
const noteFile = (format, cycles) => `audio/${Math.round(cycles)}.${format}`

/** The drawing is the library's own, so that its thumbnails are frames of these films. */
async function loadScenes() {
  const { outputFiles } = await build({
    entryPoints: [at('../src/media/video/scene.ts')],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

// Every sign for a second, one behind the other, as a bare H.264 stream: Main profile, each second a group of
// pictures that
// starts anew (IDR) and refers to nothing outside. All come from one run of the encoder, so any row of them
// is a film.
async function makeFilm(size, { drawScene, frameRate, sceneOf, signs }) {
  const [width, height] = size.split('x').map(Number)
  const encoder = spawn(
    'ffmpeg',
    [
      ...[
        '-hide_banner',
        '-loglevel',
        'error',
        '-y',
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgba',
        '-s',
        size,
        '-r',
        String(frameRate),
        '-i',
        '-',
      ],
      ...[
        '-vf',
        'scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd+full_chroma_int,format=yuv420p',
      ],
      ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'],
      ...['-c:v', 'libx264', '-profile:v', 'main', '-preset', 'slow', '-crf', '26', '-threads', '1'],
      ...[
        '-g',
        String(frameRate),
        '-keyint_min',
        String(frameRate),
        '-sc_threshold',
        '0',
        '-bf',
        '0',
        '-refs',
        '1',
      ],
      // Without the encoder's own note (SEI).
      ...[
        '-bsf:v',
        'filter_units=remove_types=6',
        '-fflags',
        '+bitexact',
        '-flags:v',
        '+bitexact',
        '-f',
        'h264',
        at(`video/${size}.h264`),
      ],
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  )
  const ended = once(encoder, 'exit')
  for (const sign of signs) {
    for (let frame = 0; frame < frameRate; frame++) {
      if (!encoder.stdin.write(drawScene(sceneOf(sign, frame, width, height), width, height).rgba))
        await once(encoder.stdin, 'drain')
    }
  }
  encoder.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`ffmpeg has ended with ${code}`)
}

// One frame out of the middle of a long even tone, where the encoder has settled.
function makeNote(format, cycles) {
  const options = {
    mp3: [
      '-c:a',
      'libmp3lame',
      '-b:a',
      '32k',
      '-reservoir',
      '0',
      '-write_xing',
      '0',
      '-id3v2_version',
      '0',
      '-f',
      'mp3',
    ],
    aac: ['-c:a', 'aac', '-b:a', '32k', '-f', 'adts'],
    // Constant length, and the part of Opus that carries little from packet to packet; a page for every
    // packet.
    opus: [
      '-c:a',
      'libopus',
      '-b:a',
      '24k',
      '-vbr',
      'off',
      '-application',
      'lowdelay',
      '-frame_duration',
      '20',
      '-page_duration',
      '20000',
      '-f',
      'ogg',
    ],
  }
  const sound = execFileSync('ffmpeg', [
    '-hide_banner',
    '-loglevel',
    'error',
    '-f',
    'lavfi',
    '-i',
    `aevalsrc=0.15*sin(2*PI*${cycles}*t):s=24000:d=4`,
    '-ac',
    '1',
    ...options[format],
    '-fflags',
    '+bitexact',
    '-flags:a',
    '+bitexact',
    '-map_metadata',
    '-1',
    '-',
  ])
  writeFileSync(at(noteFile(format, cycles)), framesOf[format](sound)[60])
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
  opus(bytes) {
    const pages = []
    for (let from = 0; from < bytes.length; ) {
      const lacing = bytes.subarray(from + 27, from + 27 + bytes[from + 26])
      const start = from + 27 + lacing.length
      from = start + lacing.reduce((sum, length) => sum + length, 0)
      pages.push(bytes.subarray(start, from))
    }
    return pages
  },
}

const only = process.argv[2]
if (only === undefined || only === 'films') {
  mkdirSync(at('video'), { recursive: true })
  const scenes = await loadScenes()
  for (const size of sizes) await makeFilm(size, scenes)
}
if (only === undefined || only === 'sounds') {
  mkdirSync(at('audio'), { recursive: true })
  for (const [format, list] of Object.entries(notes)) for (const cycles of list) makeNote(format, cycles)
}
// A module for each size: nobody loads those of a size that was not asked for.
mkdirSync(at('../src/media/video/chunks-data'), { recursive: true })
for (const size of sizes) {
  const film = readFileSync(at(`video/${size}.h264`)).toString('base64')
  writeFileSync(
    at(`../src/media/video/chunks-data/${size}.ts`),
    `/** The seconds of all signs in ${size}, fixtures/video/${size}.h264 as base64. Generated by tools/make-media.mjs: change that, not this. */\nexport const film = '${film}'\n`,
  )
}
writeFileSync(
  at('../src/media/data/notes.ts'),
  `/** One frame of each note under fixtures/audio as base64, by format and cycles a second. Generated by tools/make-media.mjs: change that, not this. */\nexport const notes = {\n${Object.entries(
    notes,
  )
    .map(
      ([format, list]) =>
        `  ${format}: {\n${list.map((cycles) => `    ${Math.round(cycles)}: '${readFileSync(at(noteFile(format, cycles))).toString('base64')}',\n`).join('')}  },\n`,
    )
    .join('')}} as const\n`,
)

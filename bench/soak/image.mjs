/** The samples of a run as an image: one panel for each measurement, by minute. */

const panels = [
  {
    title: 'memory, MB',
    lines: [
      ['rss', '#c2410c', 2 ** 20],
      ['heap', '#93c5fd', 2 ** 20],
      ['live', '#1d4ed8', 2 ** 20],
    ],
  },
  {
    title: 'descriptors, timers, threads',
    lines: [
      ['descriptors', '#15803d', 1],
      ['timers', '#a21caf', 1],
      ['threads', '#64748b', 1],
    ],
  },
  {
    title: 'plain chat call, ms',
    lines: [
      ['p50', '#1d4ed8', 1],
      ['p99', '#c2410c', 1],
    ],
  },
  { title: 'event-loop delay p99, ms', lines: [['loopP99', '#a21caf', 1]] },
]
const [width, height, left, gap] = [900, 170, 60, 46]

export function image({ minutes, rate, seed, samples }) {
  const drawn = panels.map((panel, at) => drawPanel(panel, 40 + at * (height + gap), minutes, samples))
  const size = `width="${width + left + 20}" height="${40 + panels.length * (height + gap)}"`
  const title = `soak: ${minutes} minutes, ${rate} calls a second, seed ${escapeText(seed)}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="${left}" y="18" font-size="14">${title}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel({ title, lines }, top, minutes, samples) {
  const series = lines.map(([of, colour, unit]) => ({
    of,
    colour,
    points: samples
      .filter((sample) => sample[of] !== undefined)
      .map((sample) => [sample.minute, sample[of] / unit]),
  }))
  const most = Math.max(1, ...series.flatMap(({ points }) => points.map(([, y]) => y))) * 1.05
  const x = (minute) => (left + (minute / minutes) * width).toFixed(1)
  const y = (value) => (top + height - (value / most) * height).toFixed(1)
  const marks = [0, 0.5, 1].map((share) => share * most)
  return [
    `<text x="${left}" y="${top - 6}">${title}</text>`,
    ...marks.map(
      (value) =>
        `<path d="M${left} ${y(value)}H${left + width}" stroke="#e2e8f0"/>` +
        `<text x="${left - 6}" y="${y(value)}" text-anchor="end">${value.toFixed(value < 10 ? 1 : 0)}</text>`,
    ),
    `<path d="M${x(minutes / 10)} ${top}V${top + height}" stroke="#94a3b8" stroke-dasharray="4"/>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (share) =>
        `<text x="${x(share * minutes)}" y="${top + height + 14}" text-anchor="middle">` +
        `${+(share * minutes).toFixed(1)} min</text>`,
    ),
    ...series.map(
      ({ of, colour, points }, at) =>
        `<polyline fill="none" stroke="${colour}" ` +
        `points="${points.map(([px, py]) => `${x(px)},${y(py)}`).join(' ')}"/>` +
        `<text x="${left + 200 + at * 100}" y="${top - 6}" fill="${colour}">${of}</text>`,
    ),
  ].join('\n')
}

const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

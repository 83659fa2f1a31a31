/**
 * Dates of headers (RFC 9110 section 5.6.7): the three forms that a recipient must read. `Date.parse` takes
 * more, reads one of them in the machine's zone, and differs between engines.
 */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const time = '(\\d\\d):(\\d\\d):(\\d\\d)'
const fixed = new RegExp(`^${day}, (\\d\\d) (\\w{3}) (\\d{4}) ${time} GMT$`)
const obsolete = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d\\d)-(\\w{3})-(\\d\\d) ${time} GMT$`,
)
const asctime = new RegExp(`^${day} (\\w{3}) (\\d\\d| \\d) ${time} (\\d{4})$`)

/**
 * Unix seconds, or undefined for what is no date. `now` (Unix seconds) says which century a year of two
 * digits means.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const written = text.trim()
  const [, d1, month1, year1, ...time1] = fixed.exec(written) ?? []
  if (d1 !== undefined) return instant(Number(year1), month1, d1, time1)
  const [, d2, month2, year2, ...time2] = obsolete.exec(written) ?? []
  if (d2 !== undefined) {
    const thisYear = new Date(now * 1000).getUTCFullYear()
    const year = thisYear - (thisYear % 100) + Number(year2)
    const found = instant(year, month2, d2, time2)
    // More than fifty years ahead is the past (a hundred years before).
    return found !== undefined && year > thisYear + 50 ? instant(year - 100, month2, d2, time2) : found
  }
  const [, month3, d3, hours, minutes, seconds, year3] = asctime.exec(written) ?? []
  return d3 === undefined ? undefined : instant(Number(year3), month3, d3, [hours, minutes, seconds])
}

function instant(
  year: number,
  month: string | undefined,
  date: string,
  time: readonly (string | undefined)[],
): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = time.map(Number)
  const at = months.indexOf(month ?? '')
  // A leap second is one (60): it counts as the next.
  if (at < 0 || hours > 23 || minutes > 59 || seconds > 60) return undefined
  const milliseconds = new Date(0).setUTCFullYear(year, at, Number(date))
  return new Date(milliseconds).getUTCDate() === Number(date)
    ? milliseconds / 1000 + hours * 3600 + minutes * 60 + seconds
    : undefined
}
